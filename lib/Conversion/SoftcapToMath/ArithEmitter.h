//===- ArithEmitter.h - Float formulas as arith ops -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lets the expansions be written as formulas: values of one float type, scalar
// or vector, with constants splatted as needed.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_CONVERSION_SOFTCAPTOMATH_ARITHEMITTER_H
#define SOFTCAP_LIB_CONVERSION_SOFTCAPTOMATH_ARITHEMITTER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::softcap {

/// Emits arithmetic on values of `type`: f32 or f64, or a vector of them.
class ArithEmitter {
public:
  ArithEmitter(ImplicitLocOpBuilder &b, Type type) : b(b), type(type) {}

  ImplicitLocOpBuilder &builder() { return b; }
  Type floatType() const { return type; }
  bool isF64() const { return getElementTypeOrSelf(type).isF64(); }
  unsigned mantissaBits() const { return isF64() ? 52 : 23; }

  Value constant(double value);
  Value bits(int64_t value);

  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value addBits(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value toBits(Value x) { return arith::BitcastOp::create(b, bitsType(), x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, type, x); }

  /// min(x, limit) and max(x, limit), where a NaN stays NaN.
  Value clampAbove(Value x, double limit);
  Value clampBelow(Value x, double limit);

  /// |x|, and |x| with the sign of y, both exact for NaN and infinities.
  Value absolute(Value x);
  Value copySign(Value x, Value y);

  /// Horner's rule; coefficients with the lowest degree first.
  Value polynomial(Value x, ArrayRef<double> coefficients);

  /// A float of any width, scalar or vector of this shape, in this type.
  Value extendOrRound(Value x);
  /// A value of this type in a storage type of the same shape.
  Value roundTo(Value x, Type storage);

private:
  Type bitsType() const;

  ImplicitLocOpBuilder &b;
  Type type;
};

/// x rounded to an integer, as a float and as the bits of a float whose low
/// mantissa bits are that integer. |x| must stay below 2^(mantissa bits - 2); a
/// NaN gives a NaN and bits whose exponent is harmless.
struct Rounded {
  Value value;
  Value bits;
};
Rounded emitRound(ArithEmitter &e, Value x);

/// 2^k for the integer in the low bits of `k`, which must be in the range of
/// normal exponents (or one above, which gives infinity).
Value emitPowerOfTwo(ArithEmitter &e, Value k);

/// e^r for |r| <= ln(2) / 2, and 2^r for |r| <= 1/2; `tail` holds the
/// coefficients of (e^r - 1 - r) / r^2.
Value emitExpReduced(ArithEmitter &e, Value r, ArrayRef<double> tail);
Value emitExp2Reduced(ArithEmitter &e, Value r, ArrayRef<double> tail);

/// r = x - k ln 2 with |r| <= ln(2) / 2, and the bits of k.
struct Reduced {
  Value r;
  Value k;
};
Reduced emitReduceByLn2(ArithEmitter &e, Value x);

} // namespace mlir::softcap

#endif // SOFTCAP_LIB_CONVERSION_SOFTCAPTOMATH_ARITHEMITTER_H
