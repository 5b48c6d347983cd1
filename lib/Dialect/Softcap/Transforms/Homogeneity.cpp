//===- Homogeneity.cpp - Constant factors across the cap ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// k * cap(x; c) = cap(k * x; |k| * c), read in either direction.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/IR/Softcap.h"
#include "softcap/Dialect/Softcap/Transforms/UseAlgebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::softcap;

namespace {
/// `value * number`, or `value / number`, where `constant` holds the number.
struct Scaling {
  Value value, constant;
  double number;
  bool divides;

  /// Applies the same scaling to another value.
  Value applyTo(RewriterBase &rewriter, Location loc, Value other) const {
    if (divides)
      return arith::DivFOp::create(rewriter, loc, other, constant);
    return arith::MulFOp::create(rewriter, loc, other, constant);
  }

  double getFactor() const { return divides ? 1.0 / number : number; }
};
} // namespace

static std::optional<double> getConstant(Value value) {
  APFloat number(APFloat::IEEEdouble());
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  if (!number.isFiniteNonZero())
    return std::nullopt;
  return number.convertToDouble();
}

static bool isPowerOfTwo(double number) {
  return APFloat(number).getExactLog2Abs() != INT_MIN;
}

/// True if scaling values of `type` by `number` before the cap instead of after
/// it adds no rounding that matters: f32 and f64 are the types of the
/// arithmetic anyway.
static bool mayMove(Type type, double number) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF64() || isPowerOfTwo(number);
}

static std::optional<Scaling> matchScaling(Operation *op) {
  if (auto mul = dyn_cast_if_present<arith::MulFOp>(op)) {
    if (auto k = getConstant(mul.getRhs()))
      return Scaling{mul.getLhs(), mul.getRhs(), *k, false};
    if (auto k = getConstant(mul.getLhs()))
      return Scaling{mul.getRhs(), mul.getLhs(), *k, false};
  } else if (auto div = dyn_cast_if_present<arith::DivFOp>(op)) {
    if (auto k = getConstant(div.getRhs()))
      return Scaling{div.getLhs(), div.getRhs(), *k, true};
  }
  return std::nullopt;
}

/// c * |factor| as an attribute, unless it is not a cap for `storage` any more.
static FloatAttr scaleCap(FloatAttr cap, double factor, Type storage) {
  APFloat scaled(cap.getValueAsDouble() * std::abs(factor));
  APFloat inCompute = scaled;
  bool losesInfo;
  if (!getElementTypeOrSelf(storage).isF64())
    inCompute.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
  return inCompute.isNormal() ? FloatAttr::get(cap.getType(), scaled)
                              : FloatAttr();
}

static FloatAttr scaleFactor(const APFloat &scale, double factor,
                             MLIRContext *context) {
  APFloat scaled(scale.convertToDouble() * factor);
  return scaled.isNormal() ? FloatAttr::get(Float64Type::get(context), scaled)
                           : FloatAttr();
}

namespace {
/// k * cap(x; c) -> cap(k * x; |k| * c), and the same for division.
template <typename ScalingOp>
struct MoveFactorInward : OpRewritePattern<ScalingOp> {
  MoveFactorInward(MLIRContext *context, int64_t &count)
      : OpRewritePattern<ScalingOp>(context), count(count) {}

  LogicalResult matchAndRewrite(ScalingOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Scaling> scaling = matchScaling(op);
    auto cap = scaling ? scaling->value.getDefiningOp<CapOp>() : CapOp();
    if (!cap || !cap->hasOneUse() || !cap.getCapAttr() ||
        !mayMove(op.getType(), scaling->number))
      return rewriter.notifyMatchFailure(op,
                                         "no factor of a cap that may move");
    FloatAttr c =
        scaleCap(cap.getCapAttr(), scaling->getFactor(), cap.getType());
    if (!c)
      return rewriter.notifyMatchFailure(op, "the scaled cap is out of range");
    Value scaled = scaling->applyTo(rewriter, op.getLoc(), cap.getInput());
    rewriter.replaceOpWithNewOp<CapOp>(op, cap.getType(), scaled, c, Value(),
                                       cap.getAccuracy());
    ++count;
    return success();
  }

  int64_t &count;
};

/// k * scores(...; scale, c) -> scores(...; k * scale, |k| * c), likewise for
/// logits: a bias or a log-sum-exp would have to be scaled too.
template <typename ScalingOp, typename SurfaceOp>
struct MoveFactorIntoSurface : OpRewritePattern<ScalingOp> {
  MoveFactorIntoSurface(MLIRContext *context, int64_t &count)
      : OpRewritePattern<ScalingOp>(context), count(count) {}

  static bool hasBias(ScoresOp op) { return !!op.getPreBias(); }
  static bool hasBias(LogitsOp op) { return op.getBias() || op.getLse(); }

  LogicalResult matchAndRewrite(ScalingOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Scaling> scaling = matchScaling(op);
    auto surface =
        scaling ? scaling->value.getDefiningOp<SurfaceOp>() : SurfaceOp();
    if (!surface || !surface->hasOneUse() || !surface.getCapAttr() ||
        hasBias(surface))
      return rewriter.notifyMatchFailure(op, "no factor of a plain surface");
    double factor = scaling->getFactor();
    FloatAttr c = scaleCap(surface.getCapAttr(), factor,
                           surface->getOperand(0).getType());
    FloatAttr scale = scaleFactor(surface.getScale(), factor, op.getContext());
    if (!c || !scale)
      return rewriter.notifyMatchFailure(op, "the scaled cap is out of range");
    rewriter.modifyOpInPlace(surface, [&] {
      surface.setCapAttr(c);
      surface.setScaleAttr(scale);
    });
    rewriter.replaceOp(op, surface->getResults());
    ++count;
    return success();
  }

  int64_t &count;
};

/// cap(k * x; c) -> k * cap(x; c / |k|), and the same for division.
struct MoveFactorOutward : OpRewritePattern<CapOp> {
  MoveFactorOutward(MLIRContext *context, int64_t &count)
      : OpRewritePattern(context), count(count) {}

  LogicalResult matchAndRewrite(CapOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Scaling> scaling =
        matchScaling(op.getInput().getDefiningOp());
    if (!scaling || !op.getInput().hasOneUse() || !op.getCapAttr() ||
        !mayMove(op.getType(), scaling->number))
      return rewriter.notifyMatchFailure(op, "no factor that may move");
    FloatAttr c =
        scaleCap(op.getCapAttr(), 1.0 / scaling->getFactor(), op.getType());
    if (!c)
      return rewriter.notifyMatchFailure(op, "the scaled cap is out of range");
    Value cap = CapOp::create(rewriter, op.getLoc(), op.getType(),
                              scaling->value, c, Value(), op.getAccuracy());
    rewriter.replaceOp(op, scaling->applyTo(rewriter, op.getLoc(), cap));
    ++count;
    return success();
  }

  int64_t &count;
};

/// post * cap(pre * x; c) of attention, with all of the factor on one side.
template <typename OpTy>
struct MoveAttentionScale : OpRewritePattern<OpTy> {
  MoveAttentionScale(MLIRContext *context, bool inward, int64_t &count)
      : OpRewritePattern<OpTy>(context), inward(inward), count(count) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    APFloat moved = inward ? op.getPostScale() : op.getPreScale();
    if (!op.getCapAttr() || op.getPreBias() || moved.isExactlyValue(1.0))
      return rewriter.notifyMatchFailure(op, "nothing to move");
    double factor = moved.convertToDouble();
    FloatAttr c = scaleCap(op.getCapAttr(), inward ? factor : 1.0 / factor,
                           op.getQuery().getType());
    FloatAttr product = scaleFactor(
        inward ? op.getPreScale() : op.getPostScale(), factor, op.getContext());
    if (!c || !product)
      return rewriter.notifyMatchFailure(op, "the scaled cap is out of range");
    FloatAttr one = rewriter.getF64FloatAttr(1.0);
    rewriter.modifyOpInPlace(op, [&] {
      op.setCapAttr(c);
      op.setPreScaleAttr(inward ? product : one);
      op.setPostScaleAttr(inward ? one : product);
    });
    ++count;
    return success();
  }

  bool inward;
  int64_t &count;
};
} // namespace

void softcap::populateFactorsInwardPatterns(RewritePatternSet &patterns,
                                            int64_t &count) {
  MLIRContext *context = patterns.getContext();
  patterns.add<MoveFactorInward<arith::MulFOp>, MoveFactorInward<arith::DivFOp>,
               MoveFactorIntoSurface<arith::MulFOp, ScoresOp>,
               MoveFactorIntoSurface<arith::DivFOp, ScoresOp>,
               MoveFactorIntoSurface<arith::MulFOp, LogitsOp>,
               MoveFactorIntoSurface<arith::DivFOp, LogitsOp>>(context, count);
  patterns.add<MoveAttentionScale<AttentionOp>,
               MoveAttentionScale<OnlineAttentionOp>>(context, /*inward=*/true,
                                                      count);
}

void softcap::populateFactorsOutwardPatterns(RewritePatternSet &patterns,
                                             int64_t &count) {
  MLIRContext *context = patterns.getContext();
  patterns.add<MoveFactorOutward>(context, count);
  patterns.add<MoveAttentionScale<AttentionOp>,
               MoveAttentionScale<OnlineAttentionOp>>(context, /*inward=*/false,
                                                      count);
}
