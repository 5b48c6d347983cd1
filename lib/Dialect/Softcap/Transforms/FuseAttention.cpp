//===- FuseAttention.cpp - Fusion into softcap.attention ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softcap-fuse-attention: starts from every contraction that may multiply
// probabilities with values, and walks back to queries and keys.
//
//===----------------------------------------------------------------------===//

#include "FuseAttention.h"

#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPFUSEATTENTIONPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::fuse;

namespace {
/// Reads a contraction with probabilities on side `side`, as it is read by
/// `result`, which is its own result or a division of it.
std::optional<ValueContraction> readContraction(ElementExprs &exprs,
                                                Contraction contraction,
                                                unsigned side, Value result) {
  linalg::LinalgOp op = contraction.op;
  ValueContraction value;
  value.contraction = contraction;
  value.result = result;
  SmallVector<IndexExpr, 4> indices;
  for (int64_t size : cast<RankedTensorType>(result.getType()).getShape()) {
    value.resultVariables.push_back(exprs.createVariable(size));
    indices.push_back(exprs.getVariable(value.resultVariables.back()));
  }
  ElementAccess product{op->getResult(0), indices};
  if (result != product.tensor) {
    const ElementExpr *quotient =
        ElementExprs::stripFloatCasts(exprs.get(result, indices));
    if (!quotient->is<arith::DivFOp>())
      return std::nullopt;
    const ElementExpr *dividend =
        ElementExprs::stripFloatCasts(quotient->operands[0]);
    if (dividend->kind != ElementExpr::Kind::leaf ||
        dividend->access.tensor != product.tensor)
      return std::nullopt;
    product.indices = dividend->access.indices;
    value.deferredSum = ElementExprs::stripFloatCasts(quotient->operands[1]);
  }
  SmallVector<int64_t, 4> ranges = op.getStaticLoopRanges();
  value.keyVariable = exprs.createVariable(ranges[contraction.reduction]);
  FailureOr<SmallVector<IndexExpr, 4>> loops = getLoopIndices(
      op, op.getMatchingIndexingMap(op.getDpsInitOperand(0)), product.indices,
      [&](unsigned) { return exprs.getVariable(value.keyVariable); });
  if (failed(loops))
    return std::nullopt;
  OpOperand *weights = contraction.getOperand(side);
  OpOperand *values = contraction.getOperand(1 - side);
  auto weightIndices = ElementExprs::getOperandIndices(op, weights, *loops);
  auto valueIndices = ElementExprs::getOperandIndices(op, values, *loops);
  if (failed(weightIndices) || failed(valueIndices))
    return std::nullopt;
  value.probabilities = exprs.get(weights->get(), *weightIndices);
  value.repeatedValue = {values->get(), *valueIndices};
  value.value =
      exprs.trace(values->get(), *valueIndices, /*throughExtensions=*/true);
  return value;
}

/// The results of ops after the contraction that may hold its quotient: the
/// only users, one after the other.
SmallVector<Value> getCandidateResults(Operation *op) {
  SmallVector<Value> results{op->getResult(0)};
  while (results.back().hasOneUse() && results.size() < 8) {
    Operation *user = *results.back().user_begin();
    bool simple =
        isa<linalg::LinalgOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
            user) ||
        OpTrait::hasElementwiseMappableTraits(user);
    if (!simple || user->getNumResults() != 1 ||
        !isa<RankedTensorType>(user->getResult(0).getType()))
      break;
    results.push_back(user->getResult(0));
  }
  return results;
}

/// True if everything that is computed from the raw scores ends in `root`.
bool isOnlyUsedFor(Operation *producer, Operation *root) {
  SmallVector<Operation *> worklist{producer};
  DenseSet<Operation *> seen{producer};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (op == root || isa<tensor::DimOp>(op))
      continue;
    if (!isPure(op) && !isa<linalg::LinalgOp, linalg::SoftmaxOp, ScoresOp>(op))
      return false;
    for (Operation *user : op->getUsers()) {
      // Uses inside of a body count as uses by the op that holds it.
      while (user->getBlock() != producer->getBlock())
        if (!(user = user->getParentOp()))
          return false;
      if (user->hasTrait<OpTrait::IsTerminator>())
        return false;
      if (seen.insert(user).second)
        worklist.push_back(user);
    }
  }
  return true;
}

struct SoftcapFuseAttentionPass
    : softcap::impl::SoftcapFuseAttentionPassBase<SoftcapFuseAttentionPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  enum class Outcome { notAttention, missed, fused };
  Outcome tryFuse(Operation *op, unsigned side, Value result,
                  Mismatch &mismatch);
  void visit(Operation *op);
};
} // namespace

SoftcapFuseAttentionPass::Outcome
SoftcapFuseAttentionPass::tryFuse(Operation *op, unsigned side, Value result,
                                  Mismatch &mismatch) {
  ElementExprs exprs(&getContext());
  std::optional<Contraction> contraction = matchContraction(exprs, op);
  if (!contraction)
    return Outcome::notAttention;
  std::optional<ValueContraction> value =
      readContraction(exprs, *contraction, side, result);
  if (!value)
    return Outcome::notAttention;
  std::optional<Softmax> softmax = matchSoftmax(exprs, *value);
  if (!softmax)
    return Outcome::notAttention;
  ScoreMap map;
  VisibleKeys keys;
  HeadLayout layout;
  if (failed(matchScores(exprs, *value, *softmax, map, mismatch)) ||
      failed(matchMasks(exprs, *value, map, keys, mismatch)))
    return Outcome::missed;
  Mismatch layoutMismatch;
  if (failed(matchLayout(exprs, *value, map, keys, layout, layoutMismatch))) {
    // Keys that are scaled after the repetition are not shared by heads any
    // more: the values are not either then.
    value->value = value->repeatedValue;
    layout = HeadLayout();
    if (failed(matchLayout(exprs, *value, map, keys, layout, mismatch)))
      return Outcome::missed;
  }
  if (!isOnlyUsedFor(map.producer, result.getDefiningOp())) {
    (void)mismatch("the scores or probabilities are used elsewhere");
    return Outcome::missed;
  }
  OpBuilder builder(result.getDefiningOp());
  FailureOr<Value> attention =
      emitAttention(builder, *value, map, keys, layout, mismatch);
  if (failed(attention))
    return Outcome::missed;
  result.replaceAllUsesWith(*attention);
  return Outcome::fused;
}

void SoftcapFuseAttentionPass::visit(Operation *op) {
  auto options = [](Operation *op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    return remark::RemarkOpts::name("attention")
        .category("softcap-fuse-attention")
        .function(function ? function.getName() : StringRef());
  };
  Mismatch mismatch;
  for (Value result : getCandidateResults(op))
    for (unsigned side : {0, 1}) {
      Outcome outcome = tryFuse(op, side, result, mismatch);
      if (outcome == Outcome::notAttention)
        continue;
      if (outcome == Outcome::fused) {
        ++numFused;
        remark::passed(op->getLoc(), options(op))
            << remark::add("fused into softcap.attention");
        return;
      }
      ++numMissed;
      remark::missed(op->getLoc(), options(op))
          << remark::add("attention is not fused: {0}", mismatch.reason);
      return;
    }
}

void SoftcapFuseAttentionPass::runOnOperation() {
  SmallVector<Operation *> candidates;
  getOperation()->walk([&](linalg::LinalgOp op) {
    if (op.hasPureTensorSemantics() && op.getNumDpsInputs() == 2 &&
        op->getNumResults() == 1 &&
        op.getNumLoops() == op.getNumParallelLoops() + 1)
      candidates.push_back(op);
  });
  for (Operation *op : candidates)
    visit(op);
  // What the fused ops replace is dead now.
  IRRewriter rewriter(&getContext());
  (void)runRegionDCE(rewriter, getOperation()->getRegions());
}
