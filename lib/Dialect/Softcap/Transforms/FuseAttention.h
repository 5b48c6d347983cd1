//===- FuseAttention.h - Parts of attention fusion --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What softcap-fuse-attention reads off a program, step by step: contraction,
// softmax, score map, mask, arrangement of the operands.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_TRANSFORMS_FUSEATTENTION_H
#define SOFTCAP_TRANSFORMS_FUSEATTENTION_H

#include "softcap/Analysis/ElementExpr.h"
#include "softcap/Dialect/Softcap/IR/Softcap.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::softcap::fuse {

/// Why something that looks like attention is not fused.
struct Mismatch {
  std::string reason;

  /// Keeps the first reason; returns failure for use in a return statement.
  LogicalResult operator()(const Twine &why) {
    if (reason.empty())
      reason = why.str();
    return failure();
  }
};

/// A sum over one loop of products of two tensors, from zero.
struct Contraction {
  linalg::LinalgOp op;
  unsigned reduction = 0;

  OpOperand *getOperand(unsigned side) { return op.getDpsInputOperand(side); }
};
std::optional<Contraction> matchContraction(ElementExprs &exprs, Operation *op);

/// Probabilities times values. `result` is the tensor to replace: that of the
/// contraction, or of a division by the sums after it.
struct ValueContraction {
  Contraction contraction;
  Value result;
  SmallVector<unsigned, 4> resultVariables;
  unsigned keyVariable;
  const ElementExpr *probabilities;
  /// The divisor that is applied after the contraction, or null.
  const ElementExpr *deferredSum = nullptr;
  ElementAccess value;
  /// The values as the contraction reads them, after heads were repeated.
  ElementAccess repeatedValue;
};

/// The argument of the softmax in base e is `factor` times `scores`.
struct Softmax {
  const ElementExpr *scores;
  double factor = 1.0;
};
std::optional<Softmax> matchSoftmax(ElementExprs &exprs,
                                    const ValueContraction &value);

/// Scores where `visible` (or its negation) holds, and `sentinel` elsewhere,
/// or added to them elsewhere.
struct MaskTerm {
  const ElementExpr *visible;
  bool negated = false;
  double sentinel = 0.0;
  /// The element that is added, null where the mask selects.
  const ElementExpr *added = nullptr;
};

struct BiasTerm {
  const ElementExpr *value;
  double factor;
};

/// post_scale * cap(pre_scale * Q K^T + pre_bias) + post_bias, masked.
struct ScoreMap {
  ElementAccess query;
  ElementAccess key;
  unsigned headVariable;
  Operation *producer = nullptr;
  double preScale = 1.0;
  double postScale = 1.0;
  std::optional<double> cap;
  const ElementExpr *capValue = nullptr;
  Accuracy accuracy = Accuracy::fast;
  std::optional<BiasTerm> preBias;
  SmallVector<BiasTerm, 1> postBiases;
  SmallVector<MaskTerm, 2> masks;

  bool isCapped() const { return cap || capValue; }
};
LogicalResult matchScores(ElementExprs &exprs, const ValueContraction &value,
                          const Softmax &softmax, ScoreMap &map,
                          Mismatch &mismatch);

/// A condition that is given as it is: a tensor that holds it, or its opposite.
struct MaskTensor {
  const ElementExpr *condition;
  bool negated;
};

/// The keys that a query may see.
struct VisibleKeys {
  /// j <= i + right; i - j <= left.
  std::optional<int64_t> right;
  std::optional<int64_t> left;
  /// j <= i + rightValue + right.
  const ElementExpr *rightValue = nullptr;
  /// j < length + lengthOffset, per batch.
  const ElementExpr *length = nullptr;
  int64_t lengthOffset = 0;
  /// j < constantLength.
  std::optional<int64_t> constantLength;
  SmallVector<MaskTensor, 1> tensors;
  /// The digit that is the query's position, if a bound depends on it.
  std::optional<IndexDigit> query;
  bool meanOfMaskedRows = false;
};

/// Reads the masks of `map`. Those that cannot be told exactly in the terms of
/// the fused op become biases where they are added, and a mismatch where they
/// select.
LogicalResult matchMasks(ElementExprs &exprs, const ValueContraction &value,
                         ScoreMap &map, VisibleKeys &keys, Mismatch &mismatch);

/// Which digits of the loop variables make up the dimensions of the fused op.
using Digits = SmallVector<IndexDigit, 4>;
struct HeadLayout {
  Digits batch;
  Digits keyHeads;
  /// The query heads of one key head.
  Digits group;
  Digits query;
  Digits key;
  Digits head;
  Digits valueHead;
  /// The digits that variables were cut into, lowest first.
  SmallVector<Digits, 8> cuts;

  /// The digits of an index, highest first; fails unless it runs through them
  /// as a dense dimension does.
  FailureOr<Digits> split(const IndexExpr &index) const;
  FailureOr<SmallVector<Digits, 4>> split(const ElementAccess &access) const;
};
LogicalResult matchLayout(ElementExprs &exprs, const ValueContraction &value,
                          const ScoreMap &map, const VisibleKeys &keys,
                          HeadLayout &layout, Mismatch &mismatch);

/// The origin of `expr` whose dimensions are the digits of `layout`.
std::optional<ElementAccess> findOrigin(const HeadLayout &layout,
                                        const ElementExpr *expr);

/// The four groups of digits of a bias or mask. Fails if a dimension of the
/// fused op would be partly broadcast.
FailureOr<SmallVector<Digits, 4>>
getBroadcastGroups(const HeadLayout &layout, const ElementAccess &access);

/// Writes softcap.attention for all the above and returns the replacement of
/// `value.result`.
FailureOr<Value> emitAttention(OpBuilder &builder,
                               const ValueContraction &value,
                               const ScoreMap &map, const VisibleKeys &keys,
                               const HeadLayout &layout, Mismatch &mismatch);

/// Reshapes and transposes a tensor with dimensions of digits `from` into one
/// with dimensions of digits `to`.
Value rearrange(OpBuilder &builder, Location loc, Value tensor,
                ArrayRef<Digits> from, ArrayRef<Digits> to);

} // namespace mlir::softcap::fuse

#endif // SOFTCAP_TRANSFORMS_FUSEATTENTION_H
