//===- SoftcapToMath.h - Expansions into arith ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The patterns of convert-softcap-to-math, for pipelines that combine them with
// others.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_CONVERSION_SOFTCAPTOMATH_H
#define SOFTCAP_CONVERSION_SOFTCAPTOMATH_H

namespace mlir {
class RewritePatternSet;
namespace softcap {

/// Expands scalar and vector `softcap.cap` and `softcap.cap_grad` into arith
/// ops, in the accuracy asked for. With `useLibm` they become `c * tanh(x / c)`
/// and `dy / cosh(x / c)^2` with ops of the math dialect instead: the
/// reference.
void populateCapExpansionPatterns(RewritePatternSet &patterns,
                                  bool useLibm = false);

/// Expands scalar and vector `math.exp`, `math.exp2` and `math.log` of f16,
/// bf16, f32 and f64 into arith ops: at most 2 ulp of f32 or f64, with gradual
/// underflow, for any input.
void populateExpExpansionPatterns(RewritePatternSet &patterns);

} // namespace softcap
} // namespace mlir

#endif // SOFTCAP_CONVERSION_SOFTCAPTOMATH_H
