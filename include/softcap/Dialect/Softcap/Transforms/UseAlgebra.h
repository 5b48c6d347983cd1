//===- UseAlgebra.h - Rewrites by the algebra of the cap --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pattern sets of softcap-use-algebra. Each counts the rewrites that it
// makes in `count`, which must outlive the patterns.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_DIALECT_SOFTCAP_TRANSFORMS_USEALGEBRA_H
#define SOFTCAP_DIALECT_SOFTCAP_TRANSFORMS_USEALGEBRA_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::softcap {

/// k * cap(x; c) -> cap(k * x; |k| * c).
void populateFactorsInwardPatterns(RewritePatternSet &patterns, int64_t &count);

/// cap(k * x; c) -> k * cap(x; c / |k|).
void populateFactorsOutwardPatterns(RewritePatternSet &patterns,
                                    int64_t &count);

/// max(cap(x), cap(y)) -> cap(max(x, y)), also as a reduction.
void populateMaximaBeforeCapPatterns(RewritePatternSet &patterns,
                                     int64_t &count);

} // namespace mlir::softcap

#endif // SOFTCAP_DIALECT_SOFTCAP_TRANSFORMS_USEALGEBRA_H
