//===- Version.h - Which softcap, on which LLVM -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One answer to --version for every tool.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_SUPPORT_VERSION_H
#define SOFTCAP_SUPPORT_VERSION_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
namespace softcap {

/// Makes `--version` print the tool, softcap's version and LLVM's on one line.
/// Call it before the command line is parsed; `tool` must outlive the parsing.
void setVersionPrinter(llvm::StringRef tool);

/// "0.1.0".
llvm::StringRef getVersion();

/// The LLVM that softcap was compiled against, "22.1.8".
llvm::StringRef getLLVMVersion();

} // namespace softcap
} // namespace mlir

#endif // SOFTCAP_SUPPORT_VERSION_H
