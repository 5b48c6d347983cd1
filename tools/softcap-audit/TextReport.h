//===- TextReport.h - Reports for people ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Renders a JSON report of schema 1 as text.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_TOOLS_AUDIT_TEXTREPORT_H
#define SOFTCAP_TOOLS_AUDIT_TEXTREPORT_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::softcap {

void printText(const llvm::json::Object &report, llvm::raw_ostream &os,
               bool color);

} // namespace mlir::softcap

#endif // SOFTCAP_TOOLS_AUDIT_TEXTREPORT_H
