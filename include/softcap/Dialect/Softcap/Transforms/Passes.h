//===- Passes.h - Softcap transform passes ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors, option structs and registration of the tensor-level passes.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_DIALECT_SOFTCAP_TRANSFORMS_PASSES_H
#define SOFTCAP_DIALECT_SOFTCAP_TRANSFORMS_PASSES_H

#include "softcap/Dialect/Softcap/IR/Softcap.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::softcap {
#define GEN_PASS_DECL
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

#endif // SOFTCAP_DIALECT_SOFTCAP_TRANSFORMS_PASSES_H
