//===- SoftcapToMath.cpp - convert-softcap-to-math ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass around the expansions of caps.
//
//===----------------------------------------------------------------------===//

#include "softcap/Conversion/SoftcapToMath.h"
#include "softcap/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_CONVERTSOFTCAPTOMATHPASS
#include "softcap/Conversion/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

namespace {
struct ConvertSoftcapToMathPass
    : softcap::impl::ConvertSoftcapToMathPassBase<ConvertSoftcapToMathPass> {
  using ConvertSoftcapToMathPassBase::ConvertSoftcapToMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateCapExpansionPatterns(patterns, useLibm);
    if (expandExp)
      populateExpExpansionPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    WalkResult left = getOperation()->walk([](Operation *op) {
      if (!isa<CapOp, CapGradOp>(op))
        return WalkResult::advance();
      op->emitOpError("is on tensors: run convert-softcap-to-linalg first");
      return WalkResult::interrupt();
    });
    if (left.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
