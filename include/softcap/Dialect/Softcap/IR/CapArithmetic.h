//===- CapArithmetic.h - Caps of constants ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value of a cap at compile time, correctly rounded to any storage type.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_DIALECT_SOFTCAP_IR_CAPARITHMETIC_H
#define SOFTCAP_DIALECT_SOFTCAP_IR_CAPARITHMETIC_H

#include "llvm/ADT/APFloat.h"

namespace mlir::softcap {

/// c * tanh(x / c) in the semantics of `x`. The cap is taken as it is used at
/// run time, in f32 (f64 for f64 values); the result is rounded once, is odd in
/// x and never beyond the cap. NaN gives NaN, an infinity gives the cap.
llvm::APFloat evaluateCap(const llvm::APFloat &x, const llvm::APFloat &cap);

/// dy * sech^2(x / c), likewise.
llvm::APFloat evaluateCapGrad(const llvm::APFloat &dy, const llvm::APFloat &x,
                              const llvm::APFloat &cap);

} // namespace mlir::softcap

#endif // SOFTCAP_DIALECT_SOFTCAP_IR_CAPARITHMETIC_H
