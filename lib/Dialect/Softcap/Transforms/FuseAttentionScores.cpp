//===- FuseAttentionScores.cpp - From softmax back to queries and keys ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Follows the scores from the softmax through masks, biases, factors and the
// cap to the contraction of queries with keys.
//
//===----------------------------------------------------------------------===//

#include "FuseAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::fuse;

namespace {
/// At least this low, a number is a mask's sentinel.
constexpr double sentinelLimit = -1e4;

/// A factor that stands for 1 up to its rounding in f32 is 1.
double snap(double factor) {
  return std::abs(factor - 1.0) <= std::ldexp(1.0, -22) ? 1.0 : factor;
}

class ScoreMatcher {
public:
  ScoreMatcher(ElementExprs &exprs, const ValueContraction &value,
               ScoreMap &map, Mismatch &mismatch)
      : exprs(exprs), value(value), map(map), mismatch(mismatch) {}

  /// `expr`, times `factor`, is what reaches the softmax (or the cap).
  LogicalResult match(const ElementExpr *expr, double factor);

private:
  /// How the raw scores are reached from an expression, if at all.
  enum class Path { none, raw, capped };
  Path findPath(const ElementExpr *expr);
  Path findLeafPath(const ElementExpr *expr);

  LogicalResult matchSum(const ElementExpr *expr, double factor);
  LogicalResult matchProduct(const ElementExpr *expr, double factor);
  LogicalResult matchSelect(const ElementExpr *expr, double factor);
  LogicalResult matchCap(const ElementExpr *expr, double factor);
  LogicalResult matchLeaf(const ElementExpr *expr, double factor);
  LogicalResult matchScoresOp(ScoresOp op, ArrayRef<IndexExpr> indices,
                              double factor);
  LogicalResult matchContractionOperands(Contraction contraction,
                                         ArrayRef<IndexExpr> indices);
  LogicalResult addBias(const ElementExpr *bias, double factor);
  std::optional<MaskTerm> matchAddedMask(const ElementExpr *bias);
  bool carriesSentinel(const ElementExpr *expr);
  void setRawFactor(double factor) {
    (underCap || !map.isCapped() ? map.preScale : map.postScale) = snap(factor);
  }

  ElementExprs &exprs;
  const ValueContraction &value;
  ScoreMap &map;
  Mismatch &mismatch;
  bool underCap = false;
  DenseMap<const ElementExpr *, Path> paths;
};
} // namespace

ScoreMatcher::Path ScoreMatcher::findLeafPath(const ElementExpr *expr) {
  Operation *op = expr->access.tensor.getDefiningOp();
  if (!op || !expr->access.uses(value.keyVariable))
    return Path::none;
  if (isa<ScoresOp>(op))
    return Path::capped;
  return matchContraction(exprs, op) ? Path::raw : Path::none;
}

ScoreMatcher::Path ScoreMatcher::findPath(const ElementExpr *expr) {
  if (auto it = paths.find(expr); it != paths.end())
    return it->second;
  Path path = Path::none;
  if (expr->kind == ElementExpr::Kind::leaf)
    path = findLeafPath(expr);
  for (const ElementExpr *operand : expr->operands)
    path = std::max(path, findPath(operand));
  if (path != Path::none && (expr->is<CapOp>() || expr->is<math::TanhOp>()))
    path = Path::capped;
  return paths[expr] = path;
}

LogicalResult ScoreMatcher::match(const ElementExpr *expr, double factor) {
  expr = ElementExprs::stripFloatCasts(expr);
  if (expr->kind == ElementExpr::Kind::leaf)
    return matchLeaf(expr, factor);
  if (expr->is<arith::AddFOp>() || expr->is<arith::SubFOp>())
    return matchSum(expr, factor);
  if (expr->is<arith::MulFOp>() || expr->is<arith::DivFOp>())
    return matchProduct(expr, factor);
  if (expr->is<arith::SelectOp>())
    return matchSelect(expr, factor);
  if (expr->is<CapOp>())
    return matchCap(expr, factor);
  if (expr->is<arith::NegFOp>())
    return match(expr->operands[0], -factor);
  if (expr->kind == ElementExpr::Kind::apply)
    return mismatch("'" + expr->name +
                    "' stands between the contraction and the softmax");
  return mismatch("the scores do not come from a contraction");
}

LogicalResult ScoreMatcher::matchSum(const ElementExpr *expr, double factor) {
  Path left = findPath(expr->operands[0]);
  Path right = findPath(expr->operands[1]);
  if (left == Path::none && right == Path::none)
    return mismatch("the scores do not come from a contraction");
  bool scoresLeft = left >= right;
  double sign = expr->is<arith::SubFOp>() ? -1.0 : 1.0;
  const ElementExpr *scores = expr->operands[scoresLeft ? 0 : 1];
  const ElementExpr *bias = expr->operands[scoresLeft ? 1 : 0];
  if (failed(addBias(bias, scoresLeft ? factor * sign : factor)))
    return failure();
  return match(scores, scoresLeft ? factor : factor * sign);
}

/// True if the expression may reach a mask's sentinel, or is a mask that is
/// given to the program as it is.
bool ScoreMatcher::carriesSentinel(const ElementExpr *expr) {
  if (auto number = ElementExprs::getConstant(expr))
    return *number <= sentinelLimit;
  if (expr->kind == ElementExpr::Kind::leaf)
    return isa<BlockArgument>(expr->access.tensor) &&
           exprs.uses(expr, value.keyVariable);
  return llvm::any_of(expr->operands, [&](const ElementExpr *operand) {
    return carriesSentinel(operand);
  });
}

LogicalResult ScoreMatcher::addBias(const ElementExpr *bias, double factor) {
  if (ElementExprs::getConstant(bias) == 0.0)
    return success();
  if (underCap) {
    if (map.preBias)
      return mismatch("two biases are added before the cap");
    if (carriesSentinel(bias))
      return mismatch("a mask, or a tensor that may be one, is added before "
                      "the cap");
    map.preBias = BiasTerm{bias, factor};
    return success();
  }
  if (std::optional<MaskTerm> mask = matchAddedMask(bias)) {
    mask->sentinel *= factor;
    mask->added = bias;
    if (mask->sentinel < 0.0 && factor == 1.0) {
      map.masks.push_back(*mask);
      return success();
    }
  }
  map.postBiases.push_back({bias, factor});
  return success();
}

/// A number that is zero where a condition holds and a sentinel elsewhere.
std::optional<MaskTerm> ScoreMatcher::matchAddedMask(const ElementExpr *bias) {
  bias = ElementExprs::stripFloatCasts(bias);
  if (!bias->is<arith::SelectOp>())
    return std::nullopt;
  std::optional<double> whenTrue = ElementExprs::getConstant(bias->operands[1]);
  std::optional<double> whenFalse =
      ElementExprs::getConstant(bias->operands[2]);
  if (!whenTrue || !whenFalse)
    return std::nullopt;
  MaskTerm mask{bias->operands[0]};
  mask.negated = *whenFalse == 0.0;
  mask.sentinel = mask.negated ? *whenTrue : *whenFalse;
  if ((mask.negated ? *whenFalse : *whenTrue) != 0.0 ||
      !(mask.sentinel <= sentinelLimit))
    return std::nullopt;
  return mask;
}

LogicalResult ScoreMatcher::matchProduct(const ElementExpr *expr,
                                         double factor) {
  std::optional<double> right = ElementExprs::getConstant(expr->operands[1]);
  if (expr->is<arith::DivFOp>()) {
    if (!right)
      return mismatch("the scores are divided by a run-time value");
    return match(expr->operands[0], factor / *right);
  }
  std::optional<double> left = ElementExprs::getConstant(expr->operands[0]);
  if (!left && !right)
    return mismatch("the scores are multiplied by a run-time value");
  const ElementExpr *scores =
      ElementExprs::stripFloatCasts(expr->operands[left ? 1 : 0]);
  double constant = left ? *left : *right;
  // c * tanh(y) is a cap c of c * y.
  if (scores->is<math::TanhOp>() && !underCap && constant > 0.0) {
    map.cap = constant;
    map.postScale = snap(factor);
    underCap = true;
    return match(scores->operands[0], constant);
  }
  return match(scores, factor * constant);
}

LogicalResult ScoreMatcher::matchSelect(const ElementExpr *expr,
                                        double factor) {
  bool keptIfTrue = findPath(expr->operands[1]) != Path::none;
  bool keptIfFalse = findPath(expr->operands[2]) != Path::none;
  if (keptIfTrue == keptIfFalse)
    return mismatch("a select that is no mask stands before the softmax");
  if (underCap)
    return mismatch("a select stands before the cap");
  std::optional<double> sentinel =
      ElementExprs::getConstant(expr->operands[keptIfTrue ? 2 : 1]);
  if (!sentinel || !(*sentinel <= sentinelLimit) || factor <= 0.0)
    return mismatch("a select with a value that is no mask's stands before "
                    "the softmax");
  MaskTerm mask{expr->operands[0]};
  mask.negated = keptIfFalse;
  mask.sentinel = *sentinel * factor;
  map.masks.push_back(mask);
  return match(expr->operands[keptIfTrue ? 1 : 2], factor);
}

LogicalResult ScoreMatcher::matchCap(const ElementExpr *expr, double factor) {
  if (underCap)
    return mismatch("the scores are capped twice");
  auto attributes = cast<DictionaryAttr>(expr->attribute);
  if (auto cap = attributes.getAs<FloatAttr>("cap"))
    map.cap = cap.getValueAsDouble();
  else
    map.capValue = expr->operands[1];
  map.postScale = snap(factor);
  underCap = true;
  return match(expr->operands[0], 1.0);
}

LogicalResult ScoreMatcher::matchLeaf(const ElementExpr *expr, double factor) {
  Operation *op = expr->access.tensor.getDefiningOp();
  if (!op)
    return mismatch("the scores do not come from a contraction");
  if (auto scores = dyn_cast<ScoresOp>(op)) {
    if (underCap)
      return mismatch("the scores are capped twice");
    return matchScoresOp(scores, expr->access.indices, factor);
  }
  std::optional<Contraction> contraction = matchContraction(exprs, op);
  if (!contraction)
    return mismatch("'" + op->getName().getStringRef() +
                    "' is no contraction of queries with keys");
  setRawFactor(factor);
  return matchContractionOperands(*contraction, expr->access.indices);
}

LogicalResult
ScoreMatcher::matchContractionOperands(Contraction contraction,
                                       ArrayRef<IndexExpr> indices) {
  linalg::LinalgOp op = contraction.op;
  SmallVector<int64_t, 4> ranges = op.getStaticLoopRanges();
  map.producer = op;
  map.headVariable = exprs.createVariable(ranges[contraction.reduction]);
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  FailureOr<SmallVector<IndexExpr, 4>> loops =
      getLoopIndices(op, resultMap, indices, [&](unsigned) {
        return exprs.getVariable(map.headVariable);
      });
  if (failed(loops))
    return mismatch("the contraction of queries with keys is not indexed "
                    "simply");
  ElementAccess sides[2];
  for (unsigned side : {0, 1}) {
    OpOperand *operand = contraction.getOperand(side);
    FailureOr<SmallVector<IndexExpr, 4>> access =
        ElementExprs::getOperandIndices(op, operand, *loops);
    if (failed(access))
      return mismatch("the contraction of queries with keys is not indexed "
                      "simply");
    sides[side] = exprs.trace(operand->get(), *access,
                              /*throughExtensions=*/true);
  }
  bool keyFirst = sides[0].uses(value.keyVariable);
  if (keyFirst == sides[1].uses(value.keyVariable) &&
      exprs.getExtent(value.keyVariable) != 1)
    return mismatch("keys are not on one side of their contraction");
  map.query = sides[keyFirst ? 1 : 0];
  map.key = sides[keyFirst ? 0 : 1];
  return success();
}

LogicalResult ScoreMatcher::matchScoresOp(ScoresOp op,
                                          ArrayRef<IndexExpr> indices,
                                          double factor) {
  auto queryType = cast<ShapedType>(op.getQuery().getType());
  auto keyType = cast<ShapedType>(op.getKey().getType());
  int64_t heads = queryType.getDimSize(1), keyHeads = keyType.getDimSize(1);
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(keyHeads))
    return mismatch("the number of heads is not static");
  FailureOr<std::pair<IndexExpr, IndexExpr>> head =
      indices[1].divide(heads / keyHeads);
  if (failed(head))
    return mismatch("heads are not indexed simply");
  map.producer = op;
  map.headVariable = exprs.createVariable(queryType.getDimSize(3));
  IndexExpr element = exprs.getVariable(map.headVariable);
  map.query = exprs.trace(op.getQuery(),
                          {indices[0], indices[1], indices[2], element}, true);
  map.key = exprs.trace(op.getKey(),
                        {indices[0], head->first, indices[3], element}, true);
  if (FloatAttr cap = op.getCapAttr())
    map.cap = cap.getValueAsDouble();
  else
    map.capValue = exprs.get(op.getCapValue(), {});
  map.preScale = op.getScale().convertToDouble();
  map.postScale = snap(factor);
  if (Value bias = op.getPreBias()) {
    SmallVector<IndexExpr> biasIndices(indices);
    for (auto [index, size] : llvm::zip_equal(
             biasIndices, cast<ShapedType>(bias.getType()).getShape()))
      if (size == 1)
        index = IndexExpr(0);
    map.preBias = BiasTerm{exprs.get(bias, biasIndices), 1.0};
  }
  return success();
}

LogicalResult fuse::matchScores(ElementExprs &exprs,
                                const ValueContraction &value,
                                const Softmax &softmax, ScoreMap &map,
                                Mismatch &mismatch) {
  return ScoreMatcher(exprs, value, map, mismatch)
      .match(softmax.scores, snap(softmax.factor));
}
