//===- ArithEmitter.cpp - Float formulas as arith ops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "ArithEmitter.h"

using namespace mlir;
using namespace mlir::softcap;

static Type withElementType(Type shape, Type elementType) {
  if (auto vector = dyn_cast<VectorType>(shape))
    return vector.clone(elementType);
  return elementType;
}

static Value splatConstant(ImplicitLocOpBuilder &b, Type type,
                           TypedAttr scalar) {
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vector, cast<Attribute>(scalar)));
  return arith::ConstantOp::create(b, scalar);
}

Type ArithEmitter::bitsType() const {
  return withElementType(type, b.getIntegerType(isF64() ? 64 : 32));
}

Value ArithEmitter::constant(double value) {
  return splatConstant(b, type,
                       b.getFloatAttr(getElementTypeOrSelf(type), value));
}

Value ArithEmitter::bits(int64_t value) {
  return splatConstant(
      b, bitsType(), b.getIntegerAttr(getElementTypeOrSelf(bitsType()), value));
}

Value ArithEmitter::clampAbove(Value x, double limit) {
  Value bound = constant(limit);
  return select(compare(arith::CmpFPredicate::OGT, x, bound), bound, x);
}

Value ArithEmitter::clampBelow(Value x, double limit) {
  Value bound = constant(limit);
  return select(compare(arith::CmpFPredicate::OLT, x, bound), bound, x);
}

static int64_t signBit(bool isF64) {
  return isF64 ? std::numeric_limits<int64_t>::min()
               : std::numeric_limits<int32_t>::min();
}

Value ArithEmitter::absolute(Value x) {
  return fromBits(arith::AndIOp::create(b, toBits(x), bits(~signBit(isF64()))));
}

Value ArithEmitter::copySign(Value x, Value y) {
  Value sign = arith::AndIOp::create(b, toBits(y), bits(signBit(isF64())));
  return fromBits(arith::OrIOp::create(b, toBits(absolute(x)), sign));
}

Value ArithEmitter::polynomial(Value x, ArrayRef<double> coefficients) {
  Value result = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = add(mul(result, x), constant(coefficient));
  return result;
}

static Value changeWidth(ImplicitLocOpBuilder &b, Value x, Type type) {
  if (x.getType() == type)
    return x;
  unsigned from = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
  unsigned to = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtFOp::create(b, type, x);
  // Not from f64 to 16 bits at once: processors have no such instruction.
  if (from == 64 && to == 16)
    x = arith::TruncFOp::create(b, withElementType(type, b.getF32Type()), x);
  return arith::TruncFOp::create(b, type, x);
}

Value ArithEmitter::extendOrRound(Value x) { return changeWidth(b, x, type); }

Value ArithEmitter::roundTo(Value x, Type storage) {
  return changeWidth(b, x, storage);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

Rounded softcap::emitRound(ArithEmitter &e, Value x) {
  // Adding 1.5 * 2^mantissa leaves no fraction bits.
  Value magic = e.constant(e.isF64() ? 0x1.8p52 : 0x1.8p23);
  Value shifted = e.add(x, magic);
  return {e.sub(shifted, magic), e.toBits(shifted)};
}

Value softcap::emitPowerOfTwo(ArithEmitter &e, Value k) {
  ImplicitLocOpBuilder &b = e.builder();
  Value one = e.bits(e.isF64() ? int64_t(1023) << 52 : int64_t(127) << 23);
  Value exponent = arith::ShLIOp::create(b, k, e.bits(e.mantissaBits()));
  return e.fromBits(e.addBits(exponent, one));
}

Reduced softcap::emitReduceByLn2(ArithEmitter &e, Value x) {
  // Cody and Waite: the high part has so few bits that its product is exact.
  double high = e.isF64() ? 0x1.62e42feep-1 : 0x1.62e4p-1;
  double low =
      e.isF64() ? 1.90821492927058770002e-10 : 1.42860682030941723212e-06;
  Rounded k = emitRound(e, e.mul(x, e.constant(1.4426950408889634)));
  Value r = e.sub(x, e.mul(k.value, e.constant(high)));
  return {e.sub(r, e.mul(k.value, e.constant(low))), k.bits};
}

Value softcap::emitExp2Reduced(ArithEmitter &e, Value r,
                               ArrayRef<double> tail) {
  constexpr double ln2 = 0.6931471805599453;
  SmallVector<double> scaled = {ln2};
  double power = ln2;
  for (double coefficient : tail)
    scaled.push_back(coefficient * (power *= ln2));
  return e.add(e.constant(1.0), e.mul(r, e.polynomial(r, scaled)));
}

Value softcap::emitExpReduced(ArithEmitter &e, Value r, ArrayRef<double> tail) {
  Value square = e.mul(r, r);
  Value small = e.add(r, e.mul(square, e.polynomial(r, tail)));
  return e.add(e.constant(1.0), small);
}
