//===- CapAccuracyTest.cpp - What the expanded cap promises ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ulp and absolute errors against long double, and the shape of the function:
// odd, monotone, never above the cap, right for every special value. With
// SOFTCAP_FULL set every float is tried.
//
//===----------------------------------------------------------------------===//

#include "JitKernels.h"
#include "Ulp.h"

#include "gtest/gtest.h"

static constexpr float inf = std::numeric_limits<float>::infinity();
static constexpr float nan32 = std::numeric_limits<float>::quiet_NaN();

static const std::vector<double> caps = {1e-3, 1, 5, 30, 50, 64, 1e4, 1e30};
static const std::vector<double> fastCaps = {1e-3, 1, 5, 30, 50, 64};

static std::string nameOf(const std::string &what, double cap) {
  std::string text = what + "_" + std::to_string((long long)(cap * 1000));
  return cap >= 1e15 ? what + "_huge" : text;
}

static std::string capText(double cap) {
  char text[64];
  snprintf(text, sizeof text, "%.17e", cap);
  return text;
}

static Kernel capKernel(const std::string &what, const std::string &type,
                        double cap, const std::string &accuracy) {
  return {nameOf(what, cap), type,
          "%y = softcap.cap %x cap(" + capText(cap) + ") accuracy " + accuracy +
              " : vector<8xTYPE>"};
}

static JitKernels &kernels() {
  static std::unique_ptr<JitKernels> jit = [] {
    std::vector<Kernel> list;
    for (double cap : caps) {
      for (std::string type : {"f16", "bf16", "f32", "f64"})
        list.push_back(capKernel(type, type, cap, "precise"));
      list.push_back({nameOf("grad", cap), "f32",
                      "%one = arith.constant dense<1.0> : vector<8xf32>\n"
                      "%y = softcap.cap_grad %one, %x cap(" +
                          capText(cap) + ") : vector<8xf32>"});
    }
    for (double cap : fastCaps)
      for (std::string type : {"f16", "bf16", "f32"})
        list.push_back(capKernel("fast_" + type, type, cap, "fast"));
    list.push_back(capKernel("approx_f32", "f32", 50, "approx"));
    // Beyond its range `fast` is computed precisely.
    list.push_back(capKernel("beyond_f32", "f32", 1e4, "fast"));
    for (std::string type : {"f32", "f64"})
      list.push_back({"runtime_" + type, type,
                      "%y = softcap.cap %x cap(%c : TYPE) : vector<8xTYPE>"});
    list.push_back({"runtime_grad", "f32",
                    "%y = softcap.cap_grad %x, %x cap(%c : TYPE) : "
                    "vector<8xTYPE>"});
    return JitKernels::compile(list);
  }();
  if (!jit)
    abort();
  return *jit;
}

static long double exactCap(long double x, long double cap) {
  return cap * std::tanh(x / cap);
}

/// Odd, never above the cap, monotone; for positive inputs in ascending order.
template <typename T>
static void expectShape(const std::string &kernel, const std::vector<T> &in,
                        double cap, bool monotone = true) {
  std::vector<T> out = kernels().run(kernel, in);
  std::vector<T> mirrored = kernels().run(kernel, negated(in));
  unsigned notOdd = 0, above = 0, falling = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    notOdd += !(out[i] == -mirrored[i]);
    above += !(out[i] <= T(cap) && out[i] >= T(0));
    falling += i && !(out[i] >= out[i - 1]);
  }
  EXPECT_EQ(notOdd, 0u) << kernel;
  EXPECT_EQ(above, 0u) << kernel;
  if (monotone)
    EXPECT_EQ(falling, 0u) << kernel;
}

template <typename T>
static long double maxUlp(const std::string &kernel, const std::vector<T> &in,
                          double cap) {
  std::vector<T> out = kernels().run(kernel, in);
  long double worst = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    long double error = ulpError(out[i], exactCap(in[i], cap));
    worst = error <= worst ? worst : error; // A NaN counts.
  }
  return worst;
}

//===----------------------------------------------------------------------===//
// precise
//===----------------------------------------------------------------------===//

TEST(CapAccuracy, PreciseF32IsWithinTwoUlp) {
  std::vector<float> sample = sampleFloats(512);
  for (double cap : caps)
    EXPECT_LE(maxUlp(nameOf("f32", cap), sample, cap), 2.0L) << cap;
}

TEST(CapAccuracy, PreciseF32HasTheShapeOfACap) {
  std::vector<float> sample = sampleFloats(512);
  for (double cap : caps) {
    expectShape(nameOf("f32", cap), sample, cap);
    // Neighbours, where the two forms meet and where the function flattens.
    for (double u : {0.05, 0.5, 1.09, 1.0999, 3.0, 5.0, 8.0, 8.9, 9.2})
      expectShape(nameOf("f32", cap),
                  consecutiveFloats(float(u * cap), 1 << 16), cap);
  }
}

TEST(CapAccuracy, PreciseF32EveryFloat) {
  if (!fullSweep())
    GTEST_SKIP() << "set SOFTCAP_FULL=1 to try all floats";
  constexpr uint32_t block = 1 << 20;
  float last = 0;
  long double worst = 0;
  for (uint32_t start = 0; start < 0x7f800000; start += block) {
    std::vector<float> in = consecutiveFloats(floatOfBits(start), block);
    std::vector<float> out = kernels().run(nameOf("f32", 50), in);
    for (uint32_t i = 0; i < block; ++i) {
      ASSERT_GE(out[i], last) << in[i];
      last = out[i];
      double want = 50.0 * std::tanh((double)in[i] / 50.0);
      worst = std::max(worst, ulpError(out[i], want));
    }
  }
  EXPECT_LE(worst, 2.0L);
}

TEST(CapAccuracy, PreciseF64IsWithinTwoUlp) {
  if (LDBL_MANT_DIG < 64)
    GTEST_SKIP() << "no long double to compare with";
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> small(0, 2), large(2, 25);
  for (double cap : caps) {
    std::vector<double> sample = {0.0,   DBL_MIN,  DBL_TRUE_MIN, 1e-300,
                                  1e-30, 88 * cap, DBL_MAX,      1e4 * cap};
    for (int i = 0; i < 1 << 16; ++i)
      sample.push_back((i % 2 ? small : large)(random)*cap);
    for (int i = 0; i < 1 << 12; ++i)
      sample.push_back(
          std::ldexp(1 + small(random), int(random() % 2000) - 1022));
    EXPECT_LE(maxUlp(nameOf("f64", cap), sample, cap), 2.0L) << cap;
    expectShape(nameOf("f64", cap), sample, cap, /*monotone=*/false);
  }
}

TEST(CapAccuracy, SpecialValues) {
  for (double cap : caps) {
    float c = cap;
    std::vector<float> in = {inf, -inf, nan32, -0.0f, FLT_MAX, -FLT_MAX, 0, 0};
    for (std::string kernel : {nameOf("f32", cap), nameOf("fast_f32", cap)}) {
      if (kernel[1] == 'a' && cap > 64)
        continue;
      std::vector<float> out = kernels().run(kernel, in);
      EXPECT_EQ(out[0], c);
      EXPECT_EQ(out[1], -c);
      EXPECT_TRUE(std::isnan(out[2]));
      EXPECT_TRUE(out[3] == 0 && std::signbit(out[3]));
      EXPECT_FALSE(std::isnan(out[4]));
      EXPECT_EQ(out[4], -out[5]);
    }
    std::vector<double> wide = {(double)inf,
                                -(double)inf,
                                (double)nan32,
                                -0.0,
                                DBL_MAX,
                                -DBL_MAX,
                                0,
                                0};
    std::vector<double> out = kernels().run(nameOf("f64", cap), wide);
    EXPECT_EQ(out[0], cap);
    EXPECT_EQ(out[1], -cap);
    EXPECT_TRUE(std::isnan(out[2]));
    EXPECT_EQ(out[4], cap);
  }
}

/// A large cap is the identity within a relative tolerance.
TEST(CapAccuracy, LargeCapIsTheIdentity) {
  std::vector<float> in = consecutiveFloats(1.0f, 64);
  std::vector<float> out = kernels().run(nameOf("f32", 1e4), in);
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_NEAR(out[i], in[i], 1e-7 * in[i]);
}

//===----------------------------------------------------------------------===//
// 16-bit storage
//===----------------------------------------------------------------------===//

/// All values of a 16-bit type: half a unit of storage, from the one rounding,
/// and `slack` before it.
static void expectAll16(const std::string &kernel, const std::string &type,
                        double cap, long double relative,
                        long double absolute) {
  bool half = type == "f16";
  const llvm::fltSemantics &semantics =
      half ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
  int digits = half ? 11 : 8, minExponent = half ? -13 : -125;
  double largest = half ? 65504.0 : 3.3895313892515355e38;
  std::vector<uint16_t> in(65536);
  for (unsigned i = 0; i < in.size(); ++i)
    in[i] = i;
  std::vector<uint16_t> out = kernels().run(kernel, in);
  unsigned wrong = 0;
  for (unsigned i = 0; i < in.size(); ++i) {
    double x = valueOf16(in[i], semantics), got = valueOf16(out[i], semantics);
    long double want = exactCap(x, cap);
    long double limit = ulpAt(want, digits, minExponent) / 2 +
                        std::fabs(want) * relative + absolute;
    bool overflow = std::fabs(want) > largest;
    bool ok = std::isnan(x) ? std::isnan(got)
              : overflow    ? std::fabs(got) >= largest
                            : std::fabs(got - want) <= limit;
    wrong += !ok;
    if (!ok && wrong < 4)
      ADD_FAILURE() << kernel << " at " << x << ": " << got << ", not "
                    << double(want);
  }
  EXPECT_EQ(wrong, 0u) << kernel;
}

TEST(CapAccuracy, Precise16BitIsRoundedOnce) {
  for (double cap : caps)
    for (std::string type : {"f16", "bf16"})
      expectAll16(nameOf(type, cap), type, cap, 0x1p-22L, 0x1p-148L);
}

TEST(CapAccuracy, Fast16BitIsWithinItsAbsoluteError) {
  for (double cap : fastCaps)
    for (std::string type : {"f16", "bf16"})
      expectAll16(nameOf("fast_" + type, cap), type, cap, 0, 1.5e-5L);
}

//===----------------------------------------------------------------------===//
// fast, run-time caps, gradient
//===----------------------------------------------------------------------===//

TEST(CapAccuracy, FastF32IsWithinItsAbsoluteError) {
  std::vector<float> sample = sampleFloats(512);
  for (double cap : fastCaps) {
    std::vector<float> out = kernels().run(nameOf("fast_f32", cap), sample);
    double worst = 0;
    for (size_t i = 0; i < sample.size(); ++i)
      worst =
          std::max(worst, std::fabs(double(out[i] - exactCap(sample[i], cap))));
    EXPECT_LE(worst, 1.5e-5) << cap;
    expectShape(nameOf("fast_f32", cap), sample, cap, /*monotone=*/false);
  }
  EXPECT_EQ(kernels().run("approx_f32_50000", sample),
            kernels().run(nameOf("fast_f32", 50), sample));
}

TEST(CapAccuracy, FastBeyondItsRangeIsPrecise) {
  EXPECT_LE(maxUlp(nameOf("beyond_f32", 1e4), sampleFloats(64), 1e4), 2.0L);
}

TEST(CapAccuracy, RunTimeCapMeansItsMagnitude) {
  std::vector<float> sample = sampleFloats(64);
  std::vector<float> want = kernels().run(nameOf("f32", 50), sample);
  EXPECT_EQ(kernels().run("runtime_f32", sample, 50.0f), want);
  EXPECT_EQ(kernels().run("runtime_f32", sample, -50.0f), want);
  for (float c : {0.0f, -0.0f, inf, -inf, nan32}) {
    for (float y : kernels().run("runtime_f32", sample, c))
      ASSERT_TRUE(std::isnan(y));
    for (float y : kernels().run("runtime_grad", sample, c))
      ASSERT_TRUE(std::isnan(y));
    std::vector<double> wide(8, 1.0);
    for (double y : kernels().run<double>("runtime_f64", wide, c))
      ASSERT_TRUE(std::isnan(y));
  }
}

TEST(CapAccuracy, RunTimeCapOfAnySize) {
  for (float c : {FLT_TRUE_MIN, FLT_MIN, 1e-20f, 1e20f, FLT_MAX}) {
    std::vector<float> in = sampleFloats(8);
    std::vector<float> out = kernels().run("runtime_f32", in, c);
    long double worst = 0;
    for (size_t i = 0; i < in.size(); ++i)
      worst = std::max(worst, ulpError(out[i], exactCap(in[i], c)));
    EXPECT_LE(worst, 2.0L) << c;
  }
}

TEST(CapAccuracy, GradientHasNoDeadZone) {
  for (double cap : caps) {
    if (cap > 1e29)
      continue;
    std::vector<float> in = {0.0f, inf, -inf, nan32, 1e30f, 0, 0, 0};
    for (int i = 0; i < 1 << 14; ++i)
      in.push_back(float(i * 43.0 * cap / (1 << 14)));
    std::vector<float> out = kernels().run(nameOf("grad", cap), in);
    EXPECT_EQ(out[0], 1.0f);
    EXPECT_EQ(out[1], 0.0f);
    EXPECT_EQ(out[2], 0.0f);
    EXPECT_TRUE(std::isnan(out[3]));
    for (size_t i = 8; i < in.size(); ++i) {
      long double u = in[i] / (long double)cap;
      long double want = 1 / (std::cosh(u) * std::cosh(u));
      ASSERT_GT(out[i], 0.0f) << u;
      if (u <= 8)
        ASSERT_LE(std::fabs(out[i] - want), 1e-6L * want) << u;
    }
  }
}
