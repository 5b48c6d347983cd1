//===- Compare.cpp - Errors of results ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors of floats, equality of integers.
//
//===----------------------------------------------------------------------===//

#include "softcap/Runner/Compare.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;

/// The distance of neighbouring values of `type` at `value`.
static double getUlp(FloatType type, double value) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int precision = APFloat::semanticsPrecision(semantics);
  int minExponent = APFloat::semanticsMinExponent(semantics);
  int exponent = value == 0 ? minExponent : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, minExponent) - (precision - 1));
}

static void compareFloats(const HostTensor &result, const HostTensor &reference,
                          ResultErrors &errors) {
  double difference = 0, magnitude = 0;
  auto type = cast<FloatType>(result.elementType);
  for (int64_t i = 0, e = result.getNumElements(); i < e; ++i) {
    double got = result.getDouble(i), want = reference.getDouble(i);
    if (got == want || (std::isnan(got) && std::isnan(want))) {
      if (std::isfinite(want))
        magnitude += want * want;
      continue;
    }
    if (!std::isfinite(got) || !std::isfinite(want)) {
      errors.maxAbs = errors.relL2 = errors.maxUlp = HUGE_VAL;
      return;
    }
    double error = std::abs(got - want);
    errors.maxAbs = std::max(errors.maxAbs, error);
    errors.maxUlp = std::max(errors.maxUlp, error / getUlp(type, want));
    difference += error * error;
    magnitude += want * want;
  }
  double relative =
      magnitude > 0 ? std::sqrt(difference / magnitude) : std::sqrt(difference);
  errors.relL2 = std::max(errors.relL2, relative);
}

ResultErrors softcap::compareResults(ArrayRef<HostTensor> results,
                                     ArrayRef<HostTensor> reference) {
  ResultErrors errors;
  for (auto [result, want] : llvm::zip_equal(results, reference)) {
    if (result.shape != want.shape) {
      errors.maxAbs = errors.relL2 = errors.maxUlp = HUGE_VAL;
      continue;
    }
    if (isa<FloatType>(result.elementType))
      compareFloats(result, want, errors);
    else
      errors.integersEqual &= result.bytes == want.bytes;
  }
  return errors;
}

double softcap::getDefaultTolerance(ArrayRef<HostTensor> results) {
  return llvm::any_of(results,
                      [](const HostTensor &tensor) {
                        return isa<Float16Type, BFloat16Type>(
                            tensor.elementType);
                      })
             ? 3e-2
             : 1e-4;
}
