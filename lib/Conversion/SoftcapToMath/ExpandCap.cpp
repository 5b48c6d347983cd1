//===- ExpandCap.cpp - Caps as arith ops ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of softcap.cap and softcap.cap_grad on scalars and vectors.
//
//===----------------------------------------------------------------------===//

#include "ArithEmitter.h"
#include "Coefficients.h"
#include "softcap/Conversion/SoftcapToMath.h"
#include "softcap/Dialect/Softcap/IR/Softcap.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::softcap;

//===----------------------------------------------------------------------===//
// The cap operand
//===----------------------------------------------------------------------===//

namespace {
/// The c of an op in the type of the arithmetic; `attribute` is its value when
/// it is known.
struct CapOperand {
  Value value;
  std::optional<double> attribute;
  Value valid; // Of a run-time cap: neither 0, infinite nor NaN.
};
} // namespace

template <typename OpTy>
static std::optional<double> constantCap(OpTy op) {
  if (!op.getCapAttr())
    return std::nullopt;
  return op.getCapAttr().getValueAsDouble();
}

template <typename OpTy>
static CapOperand emitCap(ArithEmitter &e, OpTy op) {
  if (std::optional<double> cap = constantCap(op))
    return {e.constant(*cap), cap, Value()};
  ImplicitLocOpBuilder &b = e.builder();
  ArithEmitter scalar(b, getElementTypeOrSelf(e.floatType()));
  Value cap = scalar.absolute(scalar.extendOrRound(op.getCapValue()));
  if (auto vector = dyn_cast<VectorType>(e.floatType()))
    cap = vector::BroadcastOp::create(b, vector, cap);
  Value positive = e.compare(arith::CmpFPredicate::OGT, cap, e.constant(0.0));
  Value finite = e.compare(arith::CmpFPredicate::OLT, cap,
                           e.constant(std::numeric_limits<double>::infinity()));
  return {cap, std::nullopt, arith::AndIOp::create(b, positive, finite)};
}

/// A run-time cap of 0, infinity or NaN makes the result NaN.
static Value poisonInvalid(ArithEmitter &e, const CapOperand &cap,
                           Value result) {
  if (!cap.valid)
    return result;
  return e.select(cap.valid, result,
                  e.constant(std::numeric_limits<double>::quiet_NaN()));
}

//===----------------------------------------------------------------------===//
// Formulas, on |x|
//===----------------------------------------------------------------------===//

namespace {
struct Tables {
  ArrayRef<double> tanh, exp;
};
} // namespace

/// e^v for 0 <= v <= limit; above, e^limit.
static Value emitExpOfPositive(ArithEmitter &e, Value v, double limit,
                               ArrayRef<double> tail) {
  Reduced reduced = emitReduceByLn2(e, e.clampAbove(v, limit));
  return e.mul(emitExpReduced(e, reduced.r, tail),
               emitPowerOfTwo(e, reduced.k));
}

/// c tanh(a / c) for a = |x| as a + a (u^2 P(u^2)) up to u = 1.1: there u is
/// only in the correction, at most a quarter of a, so that its rounding counts
/// little and an a far below c comes back unchanged. Above, as c - c / (E/2 +
/// 1/2) with E = e^2u, whose error counts for less than a quarter. Both are
/// within 2 ulp, and neither exceeds c.
static Value emitPrecise(ArithEmitter &e, const CapOperand &cap, Value a,
                         Tables tables) {
  constexpr double crossover = 1.1;
  constexpr double saturated = 80.0; // c - c e^-80 is c in any type.
  Value u = e.div(a, cap.value);
  Value square = e.mul(u, u);
  Value tail = e.mul(square, e.polynomial(square, tables.tanh));
  Value inner = e.add(a, e.mul(a, tail));
  Value half = e.constant(0.5);
  Value exp = emitExpOfPositive(e, e.add(u, u), saturated, tables.exp);
  Value rest = e.div(cap.value, e.add(e.mul(half, exp), half));
  Value outer = e.sub(cap.value, rest);
  Value isInner =
      e.compare(arith::CmpFPredicate::OLT, u, e.constant(crossover));
  return e.select(isInner, inner, outer);
}

/// c - 2c / (1 + 2^(2 a log2(e) / c)) in f32: an absolute error of 2e-7 c.
static Value emitFast(ArithEmitter &e, double cap, Value a) {
  constexpr double saturated = 64.0; // 1 - 2^-63 is 1 in f32.
  Value scale = e.constant(2.0 * 1.4426950408889634 / cap);
  Value exponent = e.clampAbove(e.mul(a, scale), saturated);
  Rounded k = emitRound(e, exponent);
  Value fraction = emitExp2Reduced(e, e.sub(exponent, k.value), expF32);
  Value exp = e.mul(fraction, emitPowerOfTwo(e, k.bits));
  Value rest = e.div(e.constant(2.0 * cap), e.add(exp, e.constant(1.0)));
  return e.sub(e.constant(cap), rest);
}

/// sech^2(a / c) as 4 r (1 - r) with r = 1 / (1 + e^2u): it does not cancel,
/// and underflows only with e^-2u itself.
static Value emitGradientFactor(ArithEmitter &e, const CapOperand &cap, Value a,
                                ArrayRef<double> tail) {
  constexpr double overflow = 710.0; // e^710 is infinite in f64.
  Value u = e.div(a, cap.value);
  Value one = e.constant(1.0);
  Value exp = emitExpOfPositive(e, e.add(u, u), overflow, tail);
  Value r = e.div(one, e.add(one, exp));
  return e.mul(e.mul(e.constant(4.0), r), e.sub(one, r));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

static Type withElement(Type shape, Type element) {
  if (auto vector = dyn_cast<VectorType>(shape))
    return vector.clone(element);
  return element;
}

/// 16-bit storage is exact in f32, with room for its caps and all inputs.
static bool isSafeInF32(std::optional<double> cap) {
  return cap && *cap >= 1e-30 && *cap <= 1e30;
}

namespace {
/// How a cap is computed.
enum class Form { fast, precise };

struct ExpandCapPattern : OpRewritePattern<CapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CapOp op,
                                PatternRewriter &rewriter) const override {
    Type storage = op.getType();
    if (isa<TensorType>(storage))
      return rewriter.notifyMatchFailure(op, "on tensors");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value result =
        chooseForm(op) == Form::fast ? expandFast(b, op) : expandPrecise(b, op);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// `fast` holds its bound up to c = 64 only. `approx` is for hardware that
  /// has a tanh; here it means `fast`.
  static Form chooseForm(CapOp op) {
    if (op.getAccuracy() == Accuracy::precise ||
        getElementTypeOrSelf(op.getType()).isF64())
      return Form::precise;
    std::optional<double> cap = constantCap(op);
    if (isSafeInF32(cap) && *cap <= 64.0)
      return Form::fast;
    remark::analysis(op.getLoc(), remark::RemarkOpts::name("precise-cap")
                                      .category("convert-softcap-to-math"))
        << (cap ? "computed precisely: the fast form is accurate up to a cap "
                  "of 64 only"
                : "computed precisely: the fast form needs a constant cap");
    return Form::precise;
  }

  static Value expandFast(ImplicitLocOpBuilder &b, CapOp op) {
    ArithEmitter e(b, withElement(op.getType(), b.getF32Type()));
    Value x = e.extendOrRound(op.getInput());
    Value y = emitFast(e, *constantCap(op), e.absolute(x));
    return e.roundTo(e.copySign(y, x), op.getType());
  }

  /// f32 is computed in f64: only so is the result monotone over adjacent
  /// inputs. 16-bit inputs are far enough apart for f32.
  static Value expandPrecise(ImplicitLocOpBuilder &b, CapOp op) {
    Type storage = getElementTypeOrSelf(op.getType());
    bool inF32 =
        storage.getIntOrFloatBitWidth() == 16 && isSafeInF32(constantCap(op));
    Type type = inF32 ? Type(b.getF32Type()) : Type(b.getF64Type());
    Tables tables = {tanhF32InF64, expF32InF64};
    if (storage.isF64())
      tables = {tanhF64, expF64};
    else if (inF32)
      tables = {tanhF32, expF32};
    ArithEmitter e(b, withElement(op.getType(), type));
    CapOperand cap = emitCap(e, op);
    Value x = e.extendOrRound(op.getInput());
    Value y = emitPrecise(e, cap, e.absolute(x), tables);
    return e.roundTo(poisonInvalid(e, cap, e.copySign(y, x)), op.getType());
  }
};

struct ExpandCapGradPattern : OpRewritePattern<CapGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CapGradOp op,
                                PatternRewriter &rewriter) const override {
    Type storage = op.getType();
    if (isa<TensorType>(storage))
      return rewriter.notifyMatchFailure(op, "on tensors");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    // In f64, because an exponent rounded in f32 costs 1e-6 already at u = 8.
    ArithEmitter e(b, withElement(storage, b.getF64Type()));
    CapOperand cap = emitCap(e, op);
    Value a = e.absolute(e.extendOrRound(op.getInput()));
    bool isF64 = getElementTypeOrSelf(storage).isF64();
    Value factor = emitGradientFactor(e, cap, a,
                                      isF64 ? ArrayRef<double>(expF64)
                                            : ArrayRef<double>(expF32InF64));
    Value result = e.mul(e.extendOrRound(op.getGrad()), factor);
    rewriter.replaceOp(op, e.roundTo(poisonInvalid(e, cap, result), storage));
    return success();
  }
};

/// The type of the arithmetic of the reference: f64 for f64, else f32.
Type referenceType(OpBuilder &b, Type storage) {
  bool isF64 = getElementTypeOrSelf(storage).isF64();
  return withElement(storage,
                     isF64 ? Type(b.getF64Type()) : Type(b.getF32Type()));
}

struct CapToLibmPattern : OpRewritePattern<CapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CapOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "on tensors");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ArithEmitter e(b, referenceType(b, op.getType()));
    CapOperand cap = emitCap(e, op);
    Value u = e.div(e.extendOrRound(op.getInput()), cap.value);
    Value y = e.mul(cap.value, math::TanhOp::create(b, u));
    rewriter.replaceOp(op, e.roundTo(poisonInvalid(e, cap, y), op.getType()));
    return success();
  }
};

struct CapGradToLibmPattern : OpRewritePattern<CapGradOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CapGradOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "on tensors");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    ArithEmitter e(b, referenceType(b, op.getType()));
    CapOperand cap = emitCap(e, op);
    Value u = e.div(e.extendOrRound(op.getInput()), cap.value);
    Value sech = e.div(e.constant(1.0), math::CoshOp::create(b, u));
    Value grad = e.extendOrRound(op.getGrad());
    Value result = e.mul(e.mul(grad, sech), sech);
    rewriter.replaceOp(op,
                       e.roundTo(poisonInvalid(e, cap, result), op.getType()));
    return success();
  }
};
} // namespace

void softcap::populateCapExpansionPatterns(RewritePatternSet &patterns,
                                           bool useLibm) {
  if (useLibm)
    patterns.add<CapToLibmPattern, CapGradToLibmPattern>(patterns.getContext());
  else
    patterns.add<ExpandCapPattern, ExpandCapGradPattern>(patterns.getContext());
}
