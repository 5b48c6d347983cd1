//===- Version.cpp - Which softcap, on which LLVM -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One answer to --version for every tool.
//
//===----------------------------------------------------------------------===//

#include "softcap/Support/Version.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

llvm::StringRef softcap::getVersion() { return SOFTCAP_VERSION; }

llvm::StringRef softcap::getLLVMVersion() { return LLVM_VERSION_STRING; }

void softcap::setVersionPrinter(llvm::StringRef tool) {
  llvm::cl::SetVersionPrinter([tool](llvm::raw_ostream &os) {
    os << tool << " " << getVersion() << " (LLVM " << getLLVMVersion() << ")\n";
  });
}
