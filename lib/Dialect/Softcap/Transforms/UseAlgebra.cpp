//===- UseAlgebra.cpp - softcap-use-algebra -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass that applies the opt-in algebra of the cap.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Transforms/UseAlgebra.h"
#include "softcap/Dialect/Softcap/IR/Softcap.h"
#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPUSEALGEBRAPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

namespace {
struct SoftcapUseAlgebraPass
    : softcap::impl::SoftcapUseAlgebraPassBase<SoftcapUseAlgebraPass> {
  using SoftcapUseAlgebraPassBase::SoftcapUseAlgebraPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    int64_t factors = 0, maxima = 0;
    if (direction == "inward") {
      populateFactorsInwardPatterns(patterns, factors);
    } else if (direction == "outward") {
      populateFactorsOutwardPatterns(patterns, factors);
    } else if (direction != "none") {
      getOperation().emitError("unknown direction '")
          << direction.getValue() << "'; use inward, outward or none";
      return signalPassFailure();
    }
    if (commuteMax)
      populateMaximaBeforeCapPatterns(patterns, maxima);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
    factorsMoved += factors;
    maximaCommuted += maxima;
  }
};
} // namespace
