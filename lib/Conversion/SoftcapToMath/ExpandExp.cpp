//===- ExpandExp.cpp - exp, exp2 and log as arith ops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The other functions of a softmax, without libm.
//
//===----------------------------------------------------------------------===//

#include "ArithEmitter.h"
#include "Coefficients.h"
#include "softcap/Conversion/SoftcapToMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::softcap;

static ArrayRef<double> expTail(ArithEmitter &e) {
  return e.isF64() ? ArrayRef<double>(expF64) : ArrayRef<double>(expF32);
}

/// value * 2^k in two factors, so that k may reach beyond the exponents of
/// normal numbers: results underflow gradually and overflow to infinity.
static Value scaleByPower(ArithEmitter &e, Value value, Value k) {
  ImplicitLocOpBuilder &b = e.builder();
  // The integer in the low mantissa bits, sign-extended.
  unsigned exponentBits = e.isF64() ? 12 : 9;
  Value shift = e.bits(exponentBits);
  Value integer =
      arith::ShRSIOp::create(b, arith::ShLIOp::create(b, k, shift), shift);
  Value half = arith::ShRSIOp::create(b, integer, e.bits(1));
  Value rest = arith::SubIOp::create(b, integer, half);
  return e.mul(e.mul(value, emitPowerOfTwo(e, half)), emitPowerOfTwo(e, rest));
}

/// Beyond these the result is 0 or infinity anyway.
static Value clampExponent(ArithEmitter &e, Value x, double scale) {
  double low = e.isF64() ? -1080.0 : -152.0;
  double high = e.isF64() ? 1026.0 : 130.0;
  return e.clampAbove(e.clampBelow(x, low * scale), high * scale);
}

static Value emitExp(ArithEmitter &e, Value x) {
  constexpr double ln2 = 0.6931471805599453;
  Reduced reduced = emitReduceByLn2(e, clampExponent(e, x, ln2));
  return scaleByPower(e, emitExpReduced(e, reduced.r, expTail(e)), reduced.k);
}

static Value emitExp2(ArithEmitter &e, Value x) {
  x = clampExponent(e, x, 1.0);
  Rounded k = emitRound(e, x);
  Value fraction = emitExp2Reduced(e, e.sub(x, k.value), expTail(e));
  return scaleByPower(e, fraction, k.bits);
}

/// log of a positive normal number: with x = 2^k m, sqrt(1/2) <= m < sqrt(2),
/// and s = (m - 1) / (m + 1), log(m) = 2 (s + s^3/3 + s^5/5 + ...).
static Value emitLogOfNormal(ArithEmitter &e, Value x, Value exponentShift) {
  ImplicitLocOpBuilder &b = e.builder();
  unsigned mantissa = e.mantissaBits();
  // Bits of x over those of sqrt(1/2): the exponent field is then k.
  int64_t sqrtHalf = e.isF64() ? 0x3fe6a09e00000000 : 0x3f3504f3;
  Value over = arith::SubIOp::create(b, e.toBits(x), e.bits(sqrtHalf));
  Value k = arith::ShRSIOp::create(b, over, e.bits(mantissa));
  Value m = e.fromBits(arith::SubIOp::create(
      b, e.toBits(x), arith::ShLIOp::create(b, k, e.bits(mantissa))));
  Value power =
      e.add(arith::SIToFPOp::create(b, e.floatType(), k), exponentShift);

  SmallVector<double> series;
  for (unsigned i = 1, terms = e.isF64() ? 12 : 6; i < terms; ++i)
    series.push_back(1.0 / (2 * i + 1));
  Value f = e.sub(m, e.constant(1.0));
  Value s = e.div(f, e.add(f, e.constant(2.0)));
  Value square = e.mul(s, s);
  Value tail = e.mul(square, e.polynomial(square, series));
  // 2s = f - s f, so log(m) = f - s (f - 2 tail), and f is exact.
  Value correction = e.mul(s, e.sub(f, e.mul(e.constant(2.0), tail)));
  double high = e.isF64() ? 0x1.62e42feep-1 : 0x1.62e4p-1;
  double low =
      e.isF64() ? 1.90821492927058770002e-10 : 1.42860682030941723212e-06;
  Value small = e.sub(correction, e.mul(power, e.constant(low)));
  return e.add(e.mul(power, e.constant(high)), e.sub(f, small));
}

static Value emitLog(ArithEmitter &e, Value x) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double smallest = e.isF64() ? 0x1p-1022 : 0x1p-126;
  double shift = e.isF64() ? 54 : 25;
  Value zero = e.constant(0.0);
  Value tiny = e.compare(arith::CmpFPredicate::OLT, x, e.constant(smallest));
  Value scaled =
      e.select(tiny, e.mul(x, e.constant(std::ldexp(1.0, shift))), x);
  Value result =
      emitLogOfNormal(e, scaled, e.select(tiny, e.constant(-shift), zero));
  // Infinity and NaN are themselves; 0 is a pole; below, there is no log.
  Value finite = e.compare(arith::CmpFPredicate::OLT, x, e.constant(infinity));
  result = e.select(finite, result, x);
  Value isZero = e.compare(arith::CmpFPredicate::OEQ, x, zero);
  result = e.select(isZero, e.constant(-infinity), result);
  Value negative = e.compare(arith::CmpFPredicate::OLT, x, zero);
  return e.select(negative,
                  e.constant(std::numeric_limits<double>::quiet_NaN()), result);
}

namespace {
template <typename OpTy, Value (*Emit)(ArithEmitter &, Value)>
struct ExpandPattern : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    Type element = getElementTypeOrSelf(type);
    if (!isa<FloatType, VectorType>(type) ||
        !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element))
      return rewriter.notifyMatchFailure(op, "not a float scalar or vector");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type compute = element.isF64() ? element : Type(b.getF32Type());
    if (auto vector = dyn_cast<VectorType>(type))
      compute = vector.clone(compute);
    ArithEmitter e(b, compute);
    rewriter.replaceOp(
        op, e.roundTo(Emit(e, e.extendOrRound(op.getOperand())), type));
    return success();
  }
};
} // namespace

void softcap::populateExpExpansionPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandPattern<math::ExpOp, emitExp>,
               ExpandPattern<math::Exp2Op, emitExp2>,
               ExpandPattern<math::LogOp, emitLog>>(patterns.getContext());
}
