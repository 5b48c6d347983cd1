//===- CapFolds.cpp - Folds of softcap.cap and softcap.cap_grad -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constant folding, oddness and redundant casts of the elementwise ops. None of
// them changes c.
//
//===----------------------------------------------------------------------===//

#include "CanonicalizationSupport.h"

#include "softcap/Dialect/Softcap/IR/CapArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/CommonFolders.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace mlir::softcap;

/// A run-time cap that is known by now is left to the canonicalization that
/// makes it an attribute.
OpFoldResult CapOp::fold(FoldAdaptor adaptor) {
  if (!getCapAttr())
    return {};
  APFloat cap = getCapAttr().getValue();
  return constFoldUnaryOp<FloatAttr>(adaptor.getInput(), [&](const APFloat &x) {
    return evaluateCap(x, cap);
  });
}

OpFoldResult CapGradOp::fold(FoldAdaptor adaptor) {
  if (!getCapAttr())
    return {};
  APFloat cap = getCapAttr().getValue();
  Attribute operands[] = {adaptor.getGrad(), adaptor.getInput()};
  return constFoldBinaryOp<FloatAttr>(operands,
                                      [&](const APFloat &dy, const APFloat &x) {
                                        return evaluateCapGrad(dy, x, cap);
                                      });
}

namespace {
/// cap(-x) -> -cap(x).
struct SinkNegation : OpRewritePattern<CapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CapOp op,
                                PatternRewriter &rewriter) const override {
    auto negation = op.getInput().getDefiningOp<arith::NegFOp>();
    if (!negation)
      return rewriter.notifyMatchFailure(op, "input is not a negation");
    IRMapping mapping;
    mapping.map(op.getInput(), negation.getOperand());
    Operation *cap = rewriter.clone(*op, mapping);
    rewriter.replaceOpWithNewOp<arith::NegFOp>(op, cap->getResult(0));
    return success();
  }
};

/// The factor sech^2(x / c) is even: cap_grad(dy, -x) -> cap_grad(dy, x).
struct DropNegation : OpRewritePattern<CapGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CapGradOp op,
                                PatternRewriter &rewriter) const override {
    auto negation = op.getInput().getDefiningOp<arith::NegFOp>();
    if (!negation)
      return rewriter.notifyMatchFailure(op, "input is not a negation");
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().assign(negation.getOperand()); });
    return success();
  }
};

/// truncf(cap(extf(x))) -> cap(x): on 16 bits, a cap is computed in f32 and
/// rounded once anyway.
struct AbsorbCasts : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp trunc,
                                PatternRewriter &rewriter) const override {
    auto cap = trunc.getIn().getDefiningOp<CapOp>();
    if (!cap || !cap->hasOneUse() || trunc.getRoundingmode())
      return rewriter.notifyMatchFailure(trunc, "not the only use of a cap");
    auto ext = cap.getInput().getDefiningOp<arith::ExtFOp>();
    if (!ext || ext.getIn().getType() != trunc.getType() ||
        !getElementTypeOrSelf(cap.getType()).isF32())
      return rewriter.notifyMatchFailure(trunc, "not f32 between equal casts");
    rewriter.replaceOpWithNewOp<CapOp>(trunc, trunc.getType(), ext.getIn(),
                                       cap.getCapAttr(), cap.getCapValue(),
                                       cap.getAccuracy());
    return success();
  }
};
} // namespace

void CapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<ConstantCap<CapOp>, SinkNegation, AbsorbCasts>(context);
}

void CapGradOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<ConstantCap<CapGradOp>, DropNegation>(context);
}
