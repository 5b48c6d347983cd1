//===- AttentionCanonicalization.cpp - Simpler surfaces and masks ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Removes from the destination style ops what does nothing: masks that hide no
// key, zero biases, results that nobody reads. None of these changes c.
//
//===----------------------------------------------------------------------===//

#include "CanonicalizationSupport.h"

using namespace mlir;
using namespace mlir::softcap;

namespace {
/// A run-time offset that is a constant becomes the attribute.
template <typename OpTy>
struct ConstantOffset : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    APInt offset;
    if (!op.getOffsetValue() ||
        !matchPattern(op.getOffsetValue(), m_ConstantInt(&offset)))
      return rewriter.notifyMatchFailure(op, "no constant operand");
    rewriter.modifyOpInPlace(op, [&] {
      op.setOffset(offset.getSExtValue());
      op.getOffsetValueMutable().clear();
    });
    return success();
  }
};

/// What the sizes say about the distance from a query at position i + offset to
/// key j: at most `left` back and `right` ahead; absent if unknown.
struct Reach {
  std::optional<int64_t> left, right;
};

template <typename OpTy>
Reach getReach(OpTy op) {
  Reach reach;
  if (op.getOffsetValue())
    return reach;
  int64_t offset = op.getOffset().value_or(0);
  int64_t queries = cast<ShapedType>(op.getQuery().getType()).getDimSize(2);
  int64_t keys = cast<ShapedType>(op.getKey().getType()).getDimSize(2);
  int64_t left, right;
  if (!ShapedType::isDynamic(queries) &&
      !llvm::AddOverflow<int64_t>(queries - 1, offset, left))
    reach.left = left;
  if (!ShapedType::isDynamic(keys) &&
      !llvm::SubOverflow<int64_t>(keys - 1, offset, right))
    reach.right = right;
  return reach;
}

/// Drops `causal` and window bounds that no key of these sizes violates, one
/// bound that another implies, and an offset that nothing reads any more.
template <typename OpTy>
struct DropIdleWindow : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Reach reach = getReach(op);
    std::optional<int64_t> left = op.getWindowLeft();
    std::optional<int64_t> right = op.getWindowRight();
    bool causal = op.getCausal();
    if (left && reach.left && *left >= *reach.left)
      left.reset();
    if (right &&
        ((reach.right && *right >= *reach.right) || (causal && *right >= 0)))
      right.reset();
    if (causal && ((reach.right && *reach.right <= 0) || right))
      causal = false;
    bool positional = causal || left || right;
    bool idleOffset = op.getOffset() && (!positional || *op.getOffset() == 0);
    if (left == op.getWindowLeft() && right == op.getWindowRight() &&
        causal == op.getCausal() && !idleOffset)
      return rewriter.notifyMatchFailure(op, "every bound hides some key");
    rewriter.modifyOpInPlace(op, [&] {
      op.setWindowLeft(left);
      op.setWindowRight(right);
      op.setCausal(causal);
      if (idleOffset)
        op.removeOffsetAttr();
      if (!positional)
        op.getOffsetValueMutable().clear();
    });
    return success();
  }
};

/// True if every element of the constant `value` satisfies `predicate`.
template <typename ElementT, typename Predicate>
bool allOf(Value value, Predicate predicate) {
  DenseElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)))
    return false;
  if (elements.isSplat())
    return predicate(elements.getSplatValue<ElementT>());
  return llvm::all_of(elements.getValues<ElementT>(), predicate);
}

bool isZero(const APFloat &value) { return value.isZero(); }

/// Drops masks that are constantly true, lengths that reach the end, and biases
/// that are constantly zero.
template <typename OpTy>
struct DropIdleOperands : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    int64_t keys = cast<ShapedType>(op.getKey().getType()).getDimSize(2);
    SmallVector<MutableOperandRange (OpTy::*)()> idle;
    if (allOf<bool>(op.getMask(), [](bool visible) { return visible; }))
      idle.push_back(&OpTy::getMaskMutable);
    if (!ShapedType::isDynamic(keys) &&
        allOf<APInt>(op.getLengths(), [keys](const APInt &length) {
          return length.getSExtValue() >= keys;
        }))
      idle.push_back(&OpTy::getLengthsMutable);
    if (allOf<APFloat>(op.getPreBias(), isZero))
      idle.push_back(&OpTy::getPreBiasMutable);
    if (allOf<APFloat>(op.getPostBias(), isZero))
      idle.push_back(&OpTy::getPostBiasMutable);
    if (idle.empty())
      return rewriter.notifyMatchFailure(op, "no idle operand");
    rewriter.modifyOpInPlace(op, [&] {
      for (auto getOperand : idle)
        (op.*getOperand)().clear();
    });
    return success();
  }
};

/// Without a mask, and with a key, no row is masked.
struct PlainMaskedRows : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    int64_t keys = cast<ShapedType>(op.getKey().getType()).getDimSize(2);
    bool hasMask = op.getCausal() || op.getWindowLeft() ||
                   op.getWindowRight() || op.getMask() || op.getLengths() ||
                   op.getQuerySegments();
    if (op.getMaskedRows() == MaskedRows::zero || hasMask ||
        ShapedType::isDynamic(keys) || keys == 0)
      return rewriter.notifyMatchFailure(op, "a row may be masked");
    rewriter.modifyOpInPlace(op, [&] { op.setMaskedRows(MaskedRows::zero); });
    return success();
  }
};
} // namespace

void ScoresOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<ConstantCap<ScoresOp>>(context);
}

void LogitsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<ConstantCap<LogitsOp>, DropUnusedLse<LogitsOp>>(context);
}

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<ConstantCap<AttentionOp>, ConstantOffset<AttentionOp>,
               DropIdleWindow<AttentionOp>, DropIdleOperands<AttentionOp>,
               PlainMaskedRows, DropUnusedLse<AttentionOp>>(context);
}

void OnlineAttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                    MLIRContext *context) {
  patterns
      .add<ConstantCap<OnlineAttentionOp>, ConstantOffset<OnlineAttentionOp>,
           DropIdleWindow<OnlineAttentionOp>,
           DropIdleOperands<OnlineAttentionOp>>(context);
}

void MergeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<DropUnusedLse<MergeOp>>(context);
}
