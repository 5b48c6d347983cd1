//===- Passes.h - Softcap conversion passes ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors, option structs and registration of the conversions.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_CONVERSION_PASSES_H
#define SOFTCAP_CONVERSION_PASSES_H

#include "softcap/Dialect/Softcap/IR/Softcap.h"

#include "mlir/Pass/Pass.h"

namespace mlir::softcap {
#define GEN_PASS_DECL
#include "softcap/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "softcap/Conversion/Passes.h.inc"
} // namespace mlir::softcap

#endif // SOFTCAP_CONVERSION_PASSES_H
