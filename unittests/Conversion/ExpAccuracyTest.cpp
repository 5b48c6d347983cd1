//===- ExpAccuracyTest.cpp - exp, exp2 and log without libm ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ulp errors of the expansions against long double, over all binades.
//
//===----------------------------------------------------------------------===//

#include "JitKernels.h"
#include "Ulp.h"

#include "gtest/gtest.h"

static JitKernels &kernels() {
  static std::unique_ptr<JitKernels> jit = [] {
    std::vector<Kernel> list;
    for (std::string function : {"exp", "exp2", "log"})
      for (std::string type : {"f16", "f32", "f64"})
        list.push_back({function + "_" + type, type,
                        "%y = math." + function + " %x : vector<8xTYPE>"});
    return JitKernels::compile(list);
  }();
  if (!jit)
    abort();
  return *jit;
}

template <typename T>
static long double maxUlp(const std::string &kernel, const std::vector<T> &in,
                          long double (*exact)(long double)) {
  std::vector<T> out = kernels().run(kernel, in);
  long double worst = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    long double error = ulpError(out[i], exact(in[i]));
    worst = error <= worst ? worst : error;
  }
  return worst;
}

static long double expOf(long double x) { return std::exp(x); }
static long double exp2Of(long double x) { return std::exp2(x); }
static long double logOf(long double x) { return std::log(x); }

/// Doubles over `low` to `high`, and over many binades below.
static std::vector<double> sampleDoubles(double low, double high) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> anywhere(low, high);
  std::vector<double> sample;
  for (int i = 0; i < 1 << 16; ++i)
    sample.push_back(anywhere(random));
  for (int i = 0; i < 1 << 12; ++i)
    sample.push_back(std::ldexp(high, -int(random() % 1000)));
  return sample;
}

TEST(ExpAccuracy, F32IsWithinTwoUlp) {
  std::vector<float> positive = sampleFloats(1024);
  std::vector<float> range;
  for (int i = 0; i < 1 << 17; ++i)
    range.push_back(-160.0f + 320.0f * i / (1 << 17));
  for (const std::vector<float> &in : {positive, negated(positive), range}) {
    EXPECT_LE(maxUlp("exp_f32", in, expOf), 2.0L);
    EXPECT_LE(maxUlp("exp2_f32", in, exp2Of), 2.0L);
  }
  positive.front() = 1.0f;
  EXPECT_LE(maxUlp("log_f32", positive, logOf), 2.0L);
  EXPECT_LE(maxUlp("log_f32", consecutiveFloats(0.99f, 1 << 18), logOf), 2.0L);
}

TEST(ExpAccuracy, F64IsWithinTwoUlp) {
  if (LDBL_MANT_DIG < 64)
    GTEST_SKIP() << "no long double to compare with";
  EXPECT_LE(maxUlp("exp_f64", sampleDoubles(-750, 715), expOf), 2.0L);
  EXPECT_LE(maxUlp("exp2_f64", sampleDoubles(-1080, 1030), exp2Of), 2.0L);
  EXPECT_LE(maxUlp("log_f64", sampleDoubles(0, 3), logOf), 2.0L);
  EXPECT_LE(maxUlp("log_f64", sampleDoubles(0, DBL_MAX), logOf), 2.0L);
}

template <typename T>
static void expectSpecial(const std::string &type) {
  T inf = std::numeric_limits<T>::infinity();
  T nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> in = {inf,
                       -inf,
                       nan,
                       0,
                       -0.0,
                       std::numeric_limits<T>::max(),
                       std::numeric_limits<T>::lowest(),
                       1};
  for (std::string function : {"exp_", "exp2_"}) {
    std::vector<T> out = kernels().run(function + type, in);
    EXPECT_EQ(out[0], inf);
    EXPECT_EQ(out[1], T(0));
    EXPECT_TRUE(std::isnan(out[2]));
    EXPECT_EQ(out[3], T(1));
    EXPECT_EQ(out[4], T(1));
    EXPECT_EQ(out[5], inf);
    EXPECT_EQ(out[6], T(0));
  }
  std::vector<T> out = kernels().run("log_" + type, in);
  EXPECT_EQ(out[0], inf);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_EQ(out[3], -inf);
  EXPECT_EQ(out[4], -inf);
  EXPECT_TRUE(std::isnan(out[6]));
  EXPECT_EQ(out[7], T(0));
}

TEST(ExpAccuracy, SpecialValues) {
  expectSpecial<float>("f32");
  expectSpecial<double>("f64");
}

TEST(ExpAccuracy, F16IsRoundedOnce) {
  std::vector<uint16_t> in(65536);
  for (unsigned i = 0; i < in.size(); ++i)
    in[i] = i;
  std::vector<uint16_t> out = kernels().run("exp_f16", in);
  const llvm::fltSemantics &half = llvm::APFloat::IEEEhalf();
  for (unsigned i = 0; i < in.size(); ++i) {
    double x = valueOf16(in[i], half), got = valueOf16(out[i], half);
    long double want = std::exp((long double)x);
    if (std::isnan(x))
      ASSERT_TRUE(std::isnan(got));
    else if (want >= 65520)
      ASSERT_TRUE(std::isinf(got)) << x;
    else
      ASSERT_LE(std::fabs(got - want),
                ulpAt(want, 11, -13) / 2 + want * 0x1p-22L)
          << x;
  }
}
