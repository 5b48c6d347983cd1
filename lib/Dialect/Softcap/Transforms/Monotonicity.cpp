//===- Monotonicity.cpp - Maxima before the cap ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// max(cap(x), cap(y)) = cap(max(x, y)): one cap instead of many. Holds for any
// run-time cap too, which is the same function of x for c and -c.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/IR/Softcap.h"
#include "softcap/Dialect/Softcap/Transforms/UseAlgebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::softcap;

/// The same cap as `cap`, of another value.
static Value recap(RewriterBase &rewriter, CapOp cap, Value input) {
  return CapOp::create(rewriter, cap.getLoc(), input.getType(), input,
                       cap.getCapAttr(), cap.getCapValue(), cap.getAccuracy());
}

/// A constant infinity, or a tensor filled with it: the neutral element of
/// maxima (negative) or minima.
static bool isInfinity(Value value, bool negative) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs()[0];
  APFloat number(APFloat::IEEEdouble());
  return matchPattern(value, m_ConstantFloat(&number)) && number.isInfinity() &&
         number.isNegative() == negative;
}

namespace {
/// The extremum of two caps.
template <typename ExtremumOp>
struct CommuteBinary : OpRewritePattern<ExtremumOp> {
  CommuteBinary(MLIRContext *context, int64_t &count)
      : OpRewritePattern<ExtremumOp>(context), count(count) {}

  LogicalResult matchAndRewrite(ExtremumOp op,
                                PatternRewriter &rewriter) const override {
    auto lhs = op.getLhs().template getDefiningOp<CapOp>();
    auto rhs = op.getRhs().template getDefiningOp<CapOp>();
    if (!lhs || !rhs || lhs == rhs || !lhs->hasOneUse() || !rhs->hasOneUse() ||
        lhs.getCapAttr() != rhs.getCapAttr() ||
        lhs.getCapValue() != rhs.getCapValue() ||
        lhs.getAccuracy() != rhs.getAccuracy())
      return rewriter.notifyMatchFailure(op, "not of two equal caps");
    Value extremum = ExtremumOp::create(rewriter, op.getLoc(), lhs.getInput(),
                                        rhs.getInput());
    rewriter.replaceOp(op, recap(rewriter, lhs, extremum));
    ++count;
    return success();
  }

  int64_t &count;
};
} // namespace

/// True if every element of the result is an extremum of at least one element:
/// cap(-inf) is -c, so an empty maximum would change.
static bool reducesSomething(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  return llvm::all_of(dims, [&](unsigned dim) {
    return !ShapedType::isDynamic(sizes[dim]) && sizes[dim] > 0;
  });
}

/// The maximum or minimum that the body of `op` takes of its accumulator and
/// one other value.
static Operation *matchExtremum(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0 ||
      !reducesSomething(op))
    return nullptr;
  Block *body = op.getBlock();
  Operation *extremum = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_present<arith::MaximumFOp, arith::MinimumFOp>(extremum) ||
      !llvm::is_contained(extremum->getOperands(), body->getArgument(1)))
    return nullptr;
  bool maximum = isa<arith::MaximumFOp>(extremum);
  return isInfinity(op.getDpsInits()[0], /*negative=*/maximum) ? extremum
                                                               : nullptr;
}

static Value getOther(Operation *extremum, Value accumulator) {
  Value lhs = extremum->getOperand(0);
  return lhs == accumulator ? extremum->getOperand(1) : lhs;
}

namespace {
/// A reduction whose input is a tensor of caps, or whose body caps each
/// element.
template <typename LinalgOpTy>
struct CommuteLinalgReduction : OpRewritePattern<LinalgOpTy> {
  CommuteLinalgReduction(MLIRContext *context, int64_t &count)
      : OpRewritePattern<LinalgOpTy>(context), count(count) {}

  LogicalResult matchAndRewrite(LinalgOpTy op,
                                PatternRewriter &rewriter) const override {
    auto linalgOp = cast<linalg::LinalgOp>(op.getOperation());
    Operation *extremum = matchExtremum(linalgOp);
    if (!extremum)
      return rewriter.notifyMatchFailure(op, "no maximum or minimum");
    Block *body = linalgOp.getBlock();
    Value element = getOther(extremum, body->getArgument(1));
    CapOp cap;
    if (element == body->getArgument(0))
      cap = linalgOp.getDpsInputs()[0].template getDefiningOp<CapOp>();
    else if (auto inner = element.getDefiningOp<CapOp>();
             inner && inner.getInput() == body->getArgument(0))
      cap = inner;
    if (!cap || !cap->hasOneUse() || capDependsOnBody(cap, body))
      return rewriter.notifyMatchFailure(op, "no cap of its own");
    // The reduction now sees what the cap saw.
    rewriter.modifyOpInPlace(op, [&] {
      rewriter.replaceAllUsesWith(cap.getResult(), cap.getInput());
    });
    rewriter.setInsertionPointAfter(op);
    Value result = op->getResult(0);
    Value capped = recap(rewriter, cap, result);
    rewriter.replaceAllUsesExcept(result, capped, capped.getDefiningOp());
    rewriter.eraseOp(cap);
    ++count;
    return success();
  }

  static bool capDependsOnBody(CapOp cap, Block *body) {
    return cap.getCapValue() && cap.getCapValue().getParentBlock() == body;
  }

  int64_t &count;
};

/// A reduction of a vector of caps; an accumulator joins after the cap.
template <typename ReductionOp>
struct CommuteVectorReduction : OpRewritePattern<ReductionOp> {
  CommuteVectorReduction(MLIRContext *context, int64_t &count)
      : OpRewritePattern<ReductionOp>(context), count(count) {}

  static Value getSource(vector::MultiDimReductionOp op) {
    return op.getSource();
  }
  static Value getSource(vector::ReductionOp op) { return op.getVector(); }

  static Value reduce(RewriterBase &rewriter, vector::MultiDimReductionOp op,
                      Value source, Value neutral) {
    return vector::MultiDimReductionOp::create(rewriter, op.getLoc(), source,
                                               neutral, op.getReductionMask(),
                                               op.getKind());
  }
  static Value reduce(RewriterBase &rewriter, vector::ReductionOp op,
                      Value source, Value) {
    return vector::ReductionOp::create(rewriter, op.getLoc(), op.getKind(),
                                       source);
  }

  LogicalResult matchAndRewrite(ReductionOp op,
                                PatternRewriter &rewriter) const override {
    auto cap = getSource(op).template getDefiningOp<CapOp>();
    bool maximum = op.getKind() == vector::CombiningKind::MAXIMUMF;
    bool minimum = op.getKind() == vector::CombiningKind::MINIMUMF;
    if (!cap || !cap->hasOneUse() || !(maximum || minimum) || op.isMasked())
      return rewriter.notifyMatchFailure(op, "no extremum of a cap");
    auto element = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    TypedAttr infinity = rewriter.getFloatAttr(
        element, APFloat::getInf(element.getFloatSemantics(), maximum));
    if (auto type = dyn_cast<VectorType>(op.getType()))
      infinity = DenseElementsAttr::get(type, infinity);
    Value neutral = arith::ConstantOp::create(rewriter, op.getLoc(), infinity);
    Value result =
        recap(rewriter, cap, reduce(rewriter, op, cap.getInput(), neutral));
    Value acc = op.getAcc();
    if (acc && !isInfinity(acc, /*negative=*/maximum))
      result =
          maximum
              ? arith::MaximumFOp::create(rewriter, op.getLoc(), result, acc)
                    .getResult()
              : arith::MinimumFOp::create(rewriter, op.getLoc(), result, acc)
                    .getResult();
    rewriter.replaceOp(op, result);
    ++count;
    return success();
  }

  int64_t &count;
};
} // namespace

void softcap::populateMaximaBeforeCapPatterns(RewritePatternSet &patterns,
                                              int64_t &count) {
  patterns
      .add<CommuteBinary<arith::MaximumFOp>, CommuteBinary<arith::MinimumFOp>,
           CommuteLinalgReduction<linalg::GenericOp>,
           CommuteLinalgReduction<linalg::ReduceOp>,
           CommuteVectorReduction<vector::MultiDimReductionOp>,
           CommuteVectorReduction<vector::ReductionOp>>(patterns.getContext(),
                                                        count);
}
