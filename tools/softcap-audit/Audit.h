//===- Audit.h - One file in, one JSON report out ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing and analysis of an untrusted file in a child process with limits.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_TOOLS_AUDIT_AUDIT_H
#define SOFTCAP_TOOLS_AUDIT_AUDIT_H

#include "softcap/Analysis/Placement.h"

#include "llvm/Support/JSON.h"

namespace mlir::softcap {

/// The report of `file` in schema 1. Input that cannot be read gives
/// {"schema": 1, "file": F, "error": {"message": M, "location": L}}.
llvm::json::Object auditFile(StringRef file,
                             const PlacementExpectation &expectation);

} // namespace mlir::softcap

#endif // SOFTCAP_TOOLS_AUDIT_AUDIT_H
