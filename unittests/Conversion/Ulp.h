//===- Ulp.h - Distances between floats -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Units in the last place, 16-bit conversions and samples of inputs for the
// accuracy tests. Expected values are long doubles.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_UNITTESTS_CONVERSION_ULP_H
#define SOFTCAP_UNITTESTS_CONVERSION_ULP_H

#include "llvm/ADT/APFloat.h"

#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

inline bool fullSweep() { return std::getenv("SOFTCAP_FULL") != nullptr; }

/// The unit in the last place of a float with `digits` significant bits and the
/// smallest normal exponent `minExponent` (as FLT_MANT_DIG and FLT_MIN_EXP).
inline long double ulpAt(long double value, int digits, int minExponent) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0L, std::max(exponent, minExponent) - digits);
}

template <typename T>
long double ulpError(T got, long double want) {
  using Limits = std::numeric_limits<T>;
  if (std::fabs(want) > (long double)Limits::max())
    return std::isinf(got) ? 0.0L : HUGE_VALL;
  return std::fabs((long double)got - want) /
         ulpAt(want, Limits::digits, Limits::min_exponent);
}

inline float floatOfBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline double valueOf16(uint16_t bits, const llvm::fltSemantics &semantics) {
  llvm::APFloat value(semantics, llvm::APInt(16, bits));
  bool lossy = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &lossy);
  return value.convertToDouble();
}

/// Positive finite floats in ascending order: `perBinade` of every exponent,
/// the denormal ones included, at random places.
inline std::vector<float> sampleFloats(int perBinade) {
  std::mt19937 random(1);
  std::vector<float> sample;
  uint32_t stride = (1u << 23) / perBinade;
  for (uint32_t start = 0; start < 0x7f800000; start += stride)
    sample.push_back(floatOfBits(start + random() % stride));
  sample.front() = 0.0f;
  sample.back() = FLT_MAX;
  return sample;
}

/// `count` consecutive floats from `first`.
inline std::vector<float> consecutiveFloats(float first, uint32_t count) {
  uint32_t bits;
  std::memcpy(&bits, &first, sizeof bits);
  std::vector<float> sample(count);
  for (uint32_t i = 0; i < count; ++i)
    sample[i] = floatOfBits(bits + i);
  return sample;
}

template <typename T>
std::vector<T> negated(std::vector<T> values) {
  for (T &value : values)
    value = -value;
  return values;
}

#endif // SOFTCAP_UNITTESTS_CONVERSION_ULP_H
