//===- CapArithmetic.cpp - Caps of constants ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates caps in long double, with a single rounding to the storage type.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/IR/CapArithmetic.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using llvm::APFloat;

static APFloat convert(APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

static double toDouble(const APFloat &value) {
  return convert(value, APFloat::IEEEdouble()).convertToDouble();
}

/// The cap as the run-time arithmetic for values of `storage` sees it.
static double effectiveCap(const APFloat &cap,
                           const llvm::fltSemantics &storage) {
  if (&storage == &APFloat::IEEEdouble())
    return toDouble(cap);
  return toDouble(convert(cap, APFloat::IEEEsingle()));
}

/// Rounds to odd, so that a second rounding to a type of at most 51 bits gives
/// what one rounding of `value` would.
static double roundToOdd(long double value) {
  double nearest = static_cast<double>(value);
  if (static_cast<long double>(nearest) == value || !std::isfinite(nearest))
    return nearest;
  if (std::fabs(static_cast<long double>(nearest)) > std::fabs(value))
    nearest = std::nextafter(nearest, 0.0);
  return llvm::bit_cast<double>(llvm::bit_cast<uint64_t>(nearest) | 1);
}

static APFloat round(long double value, const llvm::fltSemantics &storage) {
  if (&storage == &APFloat::IEEEdouble())
    return APFloat(static_cast<double>(value));
  return convert(APFloat(roundToOdd(value)), storage);
}

/// sech^2(u) without the overflow of cosh and without 1 - tanh^2, which is zero
/// far too early.
static long double sechSquared(long double u) {
  long double e = std::exp(-2.0L * std::fabs(u));
  return 4.0L * e / ((1.0L + e) * (1.0L + e));
}

APFloat softcap::evaluateCap(const APFloat &x, const APFloat &cap) {
  if (x.isNaN())
    return x.makeQuiet();
  long double c = effectiveCap(cap, x.getSemantics());
  return round(c * std::tanh(toDouble(x) / c), x.getSemantics());
}

APFloat softcap::evaluateCapGrad(const APFloat &dy, const APFloat &x,
                                 const APFloat &cap) {
  if (x.isNaN())
    return x.makeQuiet();
  long double c = effectiveCap(cap, x.getSemantics());
  return round(toDouble(dy) * sechSquared(toDouble(x) / c), x.getSemantics());
}
