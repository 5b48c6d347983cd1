//===- StructuredReshape.cpp - Reshapes to computed sizes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tensor.reshape to a shape computed from sizes becomes collapse_shape and
// expand_shape where the products of sizes prove which dimensions go together.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/SizeExpr.h"
#include "softcap/Dialect/Softcap/Transforms/NormalizeShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::softcap;

namespace {
/// Groups of source and of result dimensions with equal numbers of elements.
struct Regrouping {
  SmallVector<ReassociationIndices> source, result;
};
} // namespace

/// The shortest prefixes of both shapes with the same number of elements.
static std::optional<std::pair<size_t, size_t>>
findEqualPrefixes(ArrayRef<SizeExpr> source, ArrayRef<SizeExpr> result) {
  for (size_t total = 2; total <= source.size() + result.size(); ++total) {
    SizeExpr sourceSize = SizeExpr::constant(1);
    for (size_t s = 1; s < total && s <= source.size(); ++s) {
      sourceSize = sourceSize * source[s - 1];
      size_t r = total - s;
      if (r > result.size())
        continue;
      SizeExpr resultSize = SizeExpr::constant(1);
      for (const SizeExpr &size : result.take_front(r))
        resultSize = resultSize * size;
      if (sourceSize == resultSize)
        return std::make_pair(s, r);
    }
  }
  return std::nullopt;
}

/// Adds the sizes from `first` on, which must be 1, to the last group.
static bool appendOnes(ArrayRef<SizeExpr> sizes, size_t first,
                       ReassociationIndices &group) {
  for (; first < sizes.size(); ++first) {
    if (sizes[first].getConstant() != 1)
      return false;
    group.push_back(first);
  }
  return true;
}

static std::optional<Regrouping> regroup(ArrayRef<SizeExpr> source,
                                         ArrayRef<SizeExpr> result) {
  Regrouping groups;
  size_t s = 0, r = 0;
  while (s < source.size() && r < result.size()) {
    auto lengths =
        findEqualPrefixes(source.drop_front(s), result.drop_front(r));
    if (!lengths)
      return std::nullopt;
    groups.source.push_back(
        llvm::to_vector<2>(llvm::seq<int64_t>(s, s + lengths->first)));
    groups.result.push_back(
        llvm::to_vector<2>(llvm::seq<int64_t>(r, r + lengths->second)));
    s += lengths->first;
    r += lengths->second;
  }
  if (groups.source.empty() || !appendOnes(source, s, groups.source.back()) ||
      !appendOnes(result, r, groups.result.back()))
    return std::nullopt;
  return groups;
}

/// The requested sizes as index values, constants where they are known.
static SmallVector<OpFoldResult>
getIndexSizes(PatternRewriter &rewriter, Location loc, ValueRange elements) {
  SmallVector<OpFoldResult> sizes;
  for (Value element : elements) {
    if (std::optional<int64_t> constant = SizeExpr::get(element).getConstant())
      sizes.push_back(rewriter.getIndexAttr(*constant));
    else if (element.getType().isIndex())
      sizes.push_back(element);
    else
      sizes.push_back(arith::IndexCastOp::create(
                          rewriter, loc, rewriter.getIndexType(), element)
                          .getResult());
  }
  return sizes;
}

/// The type that `sizes` give, static where they are.
static RankedTensorType getType(ArrayRef<OpFoldResult> sizes, Type element) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

/// True if `groups` of `expanded` give the static sizes of `collapsed`.
static bool agrees(RankedTensorType expanded, RankedTensorType collapsed,
                   ArrayRef<ReassociationIndices> groups) {
  return tensor::CollapseShapeOp::inferCollapsedType(expanded, groups) ==
         collapsed;
}

static bool isIdentity(ArrayRef<ReassociationIndices> groups) {
  return llvm::all_of(groups,
                      [](ArrayRef<int64_t> g) { return g.size() == 1; });
}

namespace {
struct StructureReshape : OpRewritePattern<tensor::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto shape = op.getShape().getDefiningOp<tensor::FromElementsOp>();
    auto sourceType = dyn_cast<RankedTensorType>(op.getSource().getType());
    if (!shape || !sourceType || !isa<RankedTensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "sizes are not given one by one");
    SmallVector<SizeExpr> from, to;
    for (int64_t dim : llvm::seq(sourceType.getRank()))
      from.push_back(SizeExpr::getDim(op.getSource(), dim));
    for (Value element : shape.getElements())
      to.push_back(SizeExpr::get(element));
    std::optional<Regrouping> groups = regroup(from, to);
    if (!groups)
      return rewriter.notifyMatchFailure(op, "no provable grouping");

    RankedTensorType collapsedType =
        tensor::CollapseShapeOp::inferCollapsedType(sourceType, groups->source);
    SmallVector<OpFoldResult> sizes =
        getIndexSizes(rewriter, op.getLoc(), shape.getElements());
    RankedTensorType expandedType = getType(sizes, sourceType.getElementType());
    if (!isIdentity(groups->result) &&
        !agrees(expandedType, collapsedType, groups->result))
      return rewriter.notifyMatchFailure(op, "static sizes differ in detail");

    Value value = op.getSource();
    if (!isIdentity(groups->source))
      value = tensor::CollapseShapeOp::create(rewriter, op.getLoc(), value,
                                              groups->source);
    if (!isIdentity(groups->result))
      value = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), expandedType,
                                            value, groups->result, sizes);
    if (value.getType() != op.getType())
      value =
          tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};
} // namespace

void softcap::populateStructuredReshapePatterns(RewritePatternSet &patterns) {
  patterns.add<StructureReshape>(patterns.getContext());
}
