//===- FuseAttentionSoftmax.cpp - Contractions and softmax ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recognises contractions, and a softmax in any decomposition.
//
//===----------------------------------------------------------------------===//

#include "FuseAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::fuse;

static Value stripExtension(Value value) {
  while (auto extension = value.getDefiningOp<arith::ExtFOp>())
    value = extension.getIn();
  return value;
}

/// The summand of a body that adds something to its destination, or what any
/// other commutative operation combines with it.
template <typename CombinerOp>
static Value matchSummand(linalg::LinalgOp op) {
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  auto add = yielded.getDefiningOp<CombinerOp>();
  if (!add)
    return {};
  BlockArgument sum = op.getRegionOutputArgs()[0];
  if (add.getLhs() == sum)
    return add.getRhs();
  return add.getRhs() == sum ? add.getLhs() : Value();
}

static bool startsFrom(ElementExprs &exprs, linalg::LinalgOp op,
                       double constant) {
  Value init = op.getDpsInits()[0];
  auto type = cast<RankedTensorType>(init.getType());
  SmallVector<IndexExpr> zeros(type.getRank(), IndexExpr(0));
  // An unseen fill is a leaf; a filled tensor is the same everywhere.
  return ElementExprs::getConstant(exprs.get(init, zeros)) == constant;
}

std::optional<Contraction> fuse::matchContraction(ElementExprs &exprs,
                                                  Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      linalgOp.getNumDpsInputs() != 2 || linalgOp.getNumDpsInits() != 1 ||
      linalgOp.getNumLoops() != linalgOp.getNumParallelLoops() + 1)
    return std::nullopt;
  if (!llvm::all_of(linalgOp.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  Value summand = matchSummand<arith::AddFOp>(linalgOp);
  if (!summand)
    return std::nullopt;
  auto product = stripExtension(summand).getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  Value lhs = stripExtension(product.getLhs());
  Value rhs = stripExtension(product.getRhs());
  auto inputs = linalgOp.getRegionInputArgs();
  if (!(lhs == inputs[0] && rhs == inputs[1]) &&
      !(lhs == inputs[1] && rhs == inputs[0]))
    return std::nullopt;
  if (!startsFrom(exprs, linalgOp, 0.0))
    return std::nullopt;
  SmallVector<unsigned> reductions;
  linalgOp.getReductionDims(reductions);
  return Contraction{linalgOp, reductions[0]};
}

/// The element that a reduction by `CombinerOp` goes over with `variable`,
/// from `init`; null if `sum` is none.
template <typename CombinerOp>
static const ElementExpr *matchReduced(ElementExprs &exprs,
                                       const ElementExpr *sum,
                                       unsigned variable, double init) {
  if (sum->kind != ElementExpr::Kind::leaf)
    return nullptr;
  auto op = sum->access.tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op || op->getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops() + 1 ||
      !matchSummand<CombinerOp>(op) || !startsFrom(exprs, op, init))
    return nullptr;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  if (op.getStaticLoopRanges()[reductions[0]] != exprs.getExtent(variable))
    return nullptr;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  FailureOr<SmallVector<IndexExpr, 4>> loops =
      getLoopIndices(op, map, sum->access.indices, [&](unsigned loop) {
        return loop == reductions[0] ? exprs.getVariable(variable)
                                     : IndexExpr(0);
      });
  if (failed(loops))
    return nullptr;
  const ElementExpr *body = exprs.getYielded(op, 0, *loops);
  if (!body || !body->is<CombinerOp>())
    return nullptr;
  Value destination = op.getRegionOutputArgs()[0];
  bool sumFirst = body->operands[0]->access.tensor == destination;
  return ElementExprs::stripFloatCasts(body->operands[sumFirst ? 1 : 0]);
}

/// Splits off a divisor: a / b, a * (1 / b).
static std::pair<const ElementExpr *, const ElementExpr *>
matchDivision(const ElementExpr *expr) {
  if (expr->is<arith::DivFOp>())
    return {ElementExprs::stripFloatCasts(expr->operands[0]),
            ElementExprs::stripFloatCasts(expr->operands[1])};
  if (!expr->is<arith::MulFOp>())
    return {expr, nullptr};
  for (unsigned side : {0, 1}) {
    const ElementExpr *reciprocal =
        ElementExprs::stripFloatCasts(expr->operands[side]);
    if (reciprocal->is<arith::DivFOp>() &&
        ElementExprs::getConstant(reciprocal->operands[0]) == 1.0)
      return {ElementExprs::stripFloatCasts(expr->operands[1 - side]),
              ElementExprs::stripFloatCasts(reciprocal->operands[1])};
  }
  return {expr, nullptr};
}

/// Splits constant * expr.
static std::pair<double, const ElementExpr *>
matchFactor(const ElementExpr *expr) {
  if (expr->is<arith::MulFOp>())
    for (unsigned side : {0, 1})
      if (auto factor = ElementExprs::getConstant(expr->operands[side]))
        return {*factor,
                ElementExprs::stripFloatCasts(expr->operands[1 - side])};
  if (expr->is<arith::DivFOp>())
    if (auto divisor = ElementExprs::getConstant(expr->operands[1]))
      return {1.0 / *divisor, ElementExprs::stripFloatCasts(expr->operands[0])};
  return {1.0, expr};
}

/// linalg.softmax over the keys.
static std::optional<Softmax>
matchNamed(ElementExprs &exprs, const ElementExpr *expr, unsigned keyVariable) {
  if (expr->kind != ElementExpr::Kind::leaf)
    return std::nullopt;
  auto op = expr->access.tensor.getDefiningOp<linalg::SoftmaxOp>();
  if (!op)
    return std::nullopt;
  ArrayRef<IndexExpr> indices = expr->access.indices;
  if (!(indices[op.getDimension()] == exprs.getVariable(keyVariable)) ||
      op.getInputOperandType().getDimSize(op.getDimension()) !=
          exprs.getExtent(keyVariable))
    return std::nullopt;
  return Softmax{exprs.get(op.getInput(), indices), 1.0};
}

/// True for "all scores of the row are minus infinity".
static bool isEmptyRow(ElementExprs &exprs, const ElementExpr *condition,
                       const ElementExpr *scores, unsigned keyVariable) {
  const ElementExpr *hidden =
      matchReduced<arith::AndIOp>(exprs, condition, keyVariable, /*init=*/1.0);
  if (!hidden || !hidden->is<arith::CmpFOp>())
    return false;
  auto predicate = cast<DictionaryAttr>(hidden->attribute)
                       .getAs<arith::CmpFPredicateAttr>("predicate");
  return predicate.getValue() == arith::CmpFPredicate::OEQ &&
         ElementExprs::stripFloatCasts(hidden->operands[0]) ==
             ElementExprs::stripFloatCasts(scores) &&
         ElementExprs::getConstant(hidden->operands[1]) ==
             -std::numeric_limits<double>::infinity();
}

std::optional<Softmax> fuse::matchSoftmax(ElementExprs &exprs,
                                          const ValueContraction &value) {
  const ElementExpr *probabilities =
      ElementExprs::stripFloatCasts(value.probabilities);
  // A row without a visible key is set to zero, as the fused op has it.
  if (probabilities->is<arith::SelectOp>() && !value.deferredSum &&
      ElementExprs::getConstant(probabilities->operands[1]) == 0.0) {
    ValueContraction unguarded = value;
    unguarded.probabilities = probabilities->operands[2];
    std::optional<Softmax> softmax = matchSoftmax(exprs, unguarded);
    if (!softmax || !isEmptyRow(exprs, probabilities->operands[0],
                                softmax->scores, value.keyVariable))
      return std::nullopt;
    return softmax;
  }
  if (!value.deferredSum)
    if (auto named = matchNamed(exprs, probabilities, value.keyVariable))
      return named;
  auto [weight, sum] = matchDivision(probabilities);
  if (value.deferredSum) {
    if (sum)
      return std::nullopt;
    sum = value.deferredSum;
  }
  if (!sum ||
      matchReduced<arith::AddFOp>(exprs, sum, value.keyVariable, 0.0) != weight)
    return std::nullopt;

  double factor = 1.0;
  if (weight->is<math::Exp2Op>())
    factor = M_LN2;
  else if (!weight->is<math::ExpOp>())
    return std::nullopt;
  const ElementExpr *argument =
      ElementExprs::stripFloatCasts(weight->operands[0]);
  auto [scale, shifted] = matchFactor(argument);
  // A shift that is the same for all keys cancels.
  if (shifted->is<arith::SubFOp>() &&
      !exprs.uses(shifted->operands[1], value.keyVariable))
    return Softmax{shifted->operands[0], factor * scale};
  return Softmax{argument, factor};
}
