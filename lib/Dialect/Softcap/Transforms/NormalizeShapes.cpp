//===- NormalizeShapes.cpp - Structured dynamic shapes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softcap-normalize-shapes, and the arithmetic of sizes that it folds.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Transforms/NormalizeShapes.h"
#include "softcap/Analysis/SizeExpr.h"
#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPNORMALIZESHAPESPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

/// The outcome of lhs `predicate` rhs if it is the same for all sizes.
static std::optional<bool> decide(arith::CmpIPredicate predicate,
                                  const SizeExpr &lhs, const SizeExpr &rhs) {
  using Predicate = arith::CmpIPredicate;
  if (lhs == rhs)
    return predicate == Predicate::eq || predicate == Predicate::sge ||
           predicate == Predicate::sle;
  if (rhs.getConstant() == 0 && lhs.isNonNegative()) {
    if (predicate == Predicate::sge)
      return true;
    if (predicate == Predicate::slt)
      return false;
  }
  if (lhs.getConstant() == 0 && rhs.isNonNegative()) {
    if (predicate == Predicate::sle)
      return true;
    if (predicate == Predicate::sgt)
      return false;
  }
  return std::nullopt;
}

namespace {
struct FoldSizeComparison : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getLhs().getType();
    if (!type.isIndex() && !type.isInteger(64))
      return rewriter.notifyMatchFailure(op, "not of a size's type");
    std::optional<bool> outcome =
        decide(op.getPredicate(), SizeExpr::get(op.getLhs()),
               SizeExpr::get(op.getRhs()));
    if (!outcome)
      return rewriter.notifyMatchFailure(op, "depends on the sizes");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, rewriter.getBoolAttr(*outcome));
    return success();
  }
};

/// index_cast(a * b) -> index_cast(a) * index_cast(b), from i64 to index.
struct CastFactors : OpRewritePattern<arith::IndexCastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::IndexCastOp op,
                                PatternRewriter &rewriter) const override {
    auto product = op.getIn().getDefiningOp<arith::MulIOp>();
    if (!op.getType().isIndex() || !product || !product.getType().isInteger(64))
      return rewriter.notifyMatchFailure(op, "not a product in i64");
    auto cast = [&](Value factor) -> Value {
      return arith::IndexCastOp::create(rewriter, op.getLoc(), op.getType(),
                                        factor);
    };
    Value lhs = cast(product.getLhs());
    rewriter.replaceOpWithNewOp<arith::MulIOp>(op, lhs, cast(product.getRhs()));
    return success();
  }
};

struct SoftcapNormalizeShapesPass
    : softcap::impl::SoftcapNormalizeShapesPassBase<
          SoftcapNormalizeShapesPass> {
  void runOnOperation() override {
    RewritePatternSet structure(&getContext()), copies(&getContext());
    populateSizeArithmeticPatterns(structure);
    populateStructuredReshapePatterns(structure);
    populateStructuredGatherPatterns(structure);
    populateCleanupPatterns(structure);
    populateSkipCopyPatterns(copies);
    populateCleanupPatterns(copies);
    if (failed(applyPatternsGreedily(getOperation(), std::move(structure))) ||
        failed(applyPatternsGreedily(getOperation(), std::move(copies))))
      signalPassFailure();
  }

private:
  /// The canonicalizations that carry proofs from one rewrite to the next.
  static void populateCleanupPatterns(RewritePatternSet &patterns) {
    MLIRContext *context = patterns.getContext();
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    context->getLoadedDialect<tensor::TensorDialect>()
        ->getCanonicalizationPatterns(patterns);
    for (StringRef name :
         {arith::SelectOp::getOperationName(),
          arith::CmpIOp::getOperationName(),
          arith::IndexCastOp::getOperationName(),
          cf::AssertOp::getOperationName(), tensor::CastOp::getOperationName(),
          tensor::DimOp::getOperationName(),
          tensor::EmptyOp::getOperationName(),
          tensor::ExpandShapeOp::getOperationName(),
          tensor::CollapseShapeOp::getOperationName()})
      if (auto op = RegisteredOperationName::lookup(name, context))
        op->getCanonicalizationPatterns(patterns, context);
  }
};
} // namespace

void softcap::populateSizeArithmeticPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldSizeComparison, CastFactors>(patterns.getContext());
}
