//===- NormalizeShapes.h - Structured dynamic shapes ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pattern sets of softcap-normalize-shapes.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_DIALECT_SOFTCAP_TRANSFORMS_NORMALIZESHAPES_H
#define SOFTCAP_DIALECT_SOFTCAP_TRANSFORMS_NORMALIZESHAPES_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::softcap {

/// Comparisons of sizes that are the same for all sizes, and casts between
/// index and i64 around products of sizes.
void populateSizeArithmeticPatterns(RewritePatternSet &patterns);

/// tensor.reshape to computed sizes -> collapse_shape and expand_shape.
void populateStructuredReshapePatterns(RewritePatternSet &patterns);

/// Generics that extract from captured tensors -> generics with inputs.
void populateStructuredGatherPatterns(RewritePatternSet &patterns);

/// Extractions that copy their source when sizes are equal at run time -> the
/// source itself in that case. Hides sizes behind an scf.if, so it comes last.
void populateSkipCopyPatterns(RewritePatternSet &patterns);

} // namespace mlir::softcap

#endif // SOFTCAP_DIALECT_SOFTCAP_TRANSFORMS_NORMALIZESHAPES_H
