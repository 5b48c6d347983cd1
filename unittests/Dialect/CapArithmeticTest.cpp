//===- CapArithmeticTest.cpp - Folding of caps ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folded caps against values of a 120-digit evaluation rounded once, and the
// laws of the cap over every value of the 16-bit types.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/IR/CapArithmetic.h"

#include "llvm/ADT/APInt.h"

#include "gtest/gtest.h"

using namespace mlir::softcap;
using llvm::APFloat;
using llvm::APInt;

namespace {
enum class Type { F16, BF16, F32, F64 };

const llvm::fltSemantics &getSemantics(Type type) {
  switch (type) {
  case Type::F16:
    return APFloat::IEEEhalf();
  case Type::BF16:
    return APFloat::BFloat();
  case Type::F32:
    return APFloat::IEEEsingle();
  case Type::F64:
    return APFloat::IEEEdouble();
  }
  return APFloat::Bogus();
}

/// `value`, which the type can represent.
APFloat make(Type type, double value) {
  APFloat result(value);
  bool losesInfo;
  result.convert(getSemantics(type), APFloat::rmNearestTiesToEven, &losesInfo);
  EXPECT_FALSE(losesInfo);
  return result;
}

double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

struct Case {
  Type type;
  double x, cap, y, factor;
};

// x, c, c * tanh(x / c), sech^2(x / c); c rounded to f32 except for f64.
const Case cases[] = {
    {Type::F16, -0x1.7600000000000p+2, 1.0, -0x1.0000000000000p+0,
     0x1.1a00000000000p-15},
    {Type::F16, 0x0.0p+0, 1.0, 0x0.0p+0, 0x1.0000000000000p+0},
    {Type::F16, 0x1.3000000000000p+2, 1.0, 0x1.0000000000000p+0,
     0x1.3a00000000000p-12},
    {Type::F16, 0x0.0p+0, 1.0, 0x0.0p+0, 0x1.0000000000000p+0},
    {Type::F16, -0x1.4540000000000p-10, 1.0, -0x1.4540000000000p-10,
     0x1.0000000000000p+0},
    {Type::F16, 0x0.0p+0, 30.0, 0x0.0p+0, 0x1.0000000000000p+0},
    {Type::F16, 0x1.1200000000000p+5, 30.0, 0x1.8740000000000p+4,
     0x1.5800000000000p-2},
    {Type::F16, 0x1.f7c0000000000p+7, 30.0, 0x1.e000000000000p+4,
     0x1.8000000000000p-23},
    {Type::F16, 0x0.0p+0, 30.0, 0x0.0p+0, 0x1.0000000000000p+0},
    {Type::F16, 0x1.5480000000000p+5, 30.0, 0x1.ab00000000000p+4,
     0x1.ac40000000000p-3},
    {Type::F16, 0x1.38c0000000000p+6, 50.1, 0x1.6f00000000000p+5,
     0x1.4b80000000000p-3},
    {Type::F16, 0x1.4480000000000p-4, 50.1, 0x1.4480000000000p-4,
     0x1.0000000000000p+0},
    {Type::F16, 0x1.4a00000000000p+7, 50.1, 0x1.8fc0000000000p+5,
     0x1.6840000000000p-8},
    {Type::F16, 0x0.0p+0, 50.1, 0x0.0p+0, 0x1.0000000000000p+0},
    {Type::F16, -0x1.6440000000000p+9, 50.1, -0x1.90c0000000000p+5, 0x0.0p+0},
    {Type::F16, 0x1.a8c0000000000p+10, 10000.0, 0x1.a4c0000000000p+10,
     0x1.f180000000000p-1},
    {Type::F16, -0x1.f7c0000000000p+3, 10000.0, -0x1.f7c0000000000p+3,
     0x1.0000000000000p+0},
    {Type::F16, -0x1.9540000000000p+15, 10000.0, -0x1.3880000000000p+13,
     0x1.0600000000000p-13},
    {Type::F16, -0x1.65c0000000000p+3, 10000.0, -0x1.65c0000000000p+3,
     0x1.0000000000000p+0},
    {Type::BF16, 0x1.6800000000000p-3, 1.0, 0x1.6400000000000p-3,
     0x1.f000000000000p-1},
    {Type::BF16, 0x1.c600000000000p+4, 1.0, 0x1.0000000000000p+0,
     0x1.1800000000000p-80},
    {Type::BF16, -0x1.0200000000000p+2, 1.0, -0x1.0000000000000p+0,
     0x1.4a00000000000p-10},
    {Type::BF16, -0x1.fa00000000000p+4, 1.0, -0x1.0000000000000p+0,
     0x1.ae00000000000p-90},
    {Type::BF16, -0x1.e200000000000p-10, 1.0, -0x1.e200000000000p-10,
     0x1.0000000000000p+0},
    {Type::BF16, 0x1.fe00000000000p+9, 30.0, 0x1.e000000000000p+4,
     0x1.dc00000000000p-97},
    {Type::BF16, -0x1.0800000000000p-94, 30.0, -0x1.0800000000000p-94,
     0x1.0000000000000p+0},
    {Type::BF16, -0x1.8200000000000p+9, 30.0, -0x1.e000000000000p+4,
     0x1.ae00000000000p-73},
    {Type::BF16, -0x1.7000000000000p+6, 30.0, -0x1.de00000000000p+4,
     0x1.1c00000000000p-7},
    {Type::BF16, 0x1.a400000000000p+6, 30.0, 0x1.e000000000000p+4,
     0x1.de00000000000p-9},
    {Type::BF16, -0x1.0a00000000000p+10, 50.1, -0x1.9000000000000p+5,
     0x1.a600000000000p-60},
    {Type::BF16, -0x1.1600000000000p+3, 50.1, -0x1.1400000000000p+3,
     0x1.f000000000000p-1},
    {Type::BF16, -0x1.8000000000000p+9, 50.1, -0x1.9000000000000p+5,
     0x1.b400000000000p-43},
    {Type::BF16, -0x1.de00000000000p-5, 50.1, -0x1.de00000000000p-5,
     0x1.0000000000000p+0},
    {Type::BF16, -0x1.7a00000000000p+6, 50.1, -0x1.7e00000000000p+5,
     0x1.6800000000000p-4},
    {Type::BF16, -0x1.0a00000000000p+14, 10000.0, -0x1.2400000000000p+13,
     0x1.fe00000000000p-4},
    {Type::BF16, 0x1.3200000000000p+17, 10000.0, 0x1.3800000000000p+13,
     0x1.bc00000000000p-44},
    {Type::BF16, 0x1.7800000000000p+3, 10000.0, 0x1.7800000000000p+3,
     0x1.0000000000000p+0},
    {Type::BF16, 0x1.ba00000000000p+12, 10000.0, 0x1.7c00000000000p+12,
     0x1.4200000000000p-1},
    {Type::BF16, 0x1.9000000000000p+13, 10000.0, 0x1.0c00000000000p+13,
     0x1.1000000000000p-2},
    {Type::F32, -0x1.88daf40000000p+3, 1.0, -0x1.0000000000000p+0,
     0x1.7dd8e40000000p-34},
    {Type::F32, 0x1.5a368e0000000p-3, 1.0, 0x1.56f3d00000000p-3,
     0x1.f1a47e0000000p-1},
    {Type::F32, -0x1.2fece00000000p+5, 1.0, -0x1.0000000000000p+0,
     0x1.4da2420000000p-108},
    {Type::F32, 0x1.66237a0000000p+3, 1.0, 0x1.0000000000000p+0,
     0x1.a1f46a0000000p-31},
    {Type::F32, 0x1.057c800000000p+5, 1.0, 0x1.0000000000000p+0,
     0x1.9ca40e0000000p-93},
    {Type::F32, 0x1.66a0f80000000p+4, 30.0, 0x1.300d4e0000000p+4,
     0x1.328f960000000p-1},
    {Type::F32, -0x1.5cb0e20000000p+9, 30.0, -0x1.e000000000000p+4,
     0x1.e669e00000000p-66},
    {Type::F32, 0x1.4f623c0000000p-95, 30.0, 0x1.4f623c0000000p-95,
     0x1.0000000000000p+0},
    {Type::F32, 0x1.def9400000000p-5, 30.0, 0x1.def9180000000p-5,
     0x1.ffff800000000p-1},
    {Type::F32, -0x1.cca2cc0000000p-5, 30.0, -0x1.cca2a80000000p-5,
     0x1.ffff8a0000000p-1},
    {Type::F32, -0x1.06074e0000000p+3, 50.1, -0x1.03b8520000000p+3,
     0x1.f2901a0000000p-1},
    {Type::F32, 0x1.bb21440000000p+7, 50.1, 0x1.90af3a0000000p+5,
     0x1.2e240e0000000p-11},
    {Type::F32, -0x1.f345b00000000p+10, 50.1, -0x1.90cccc0000000p+5,
     0x1.f9ccd20000000p-114},
    {Type::F32, 0x1.73b35a0000000p+10, 50.1, 0x1.90cccc0000000p+5,
     0x1.4b1bb40000000p-84},
    {Type::F32, -0x1.6167ca0000000p+2, 50.1, -0x1.5ffb340000000p+2,
     0x1.f9d4860000000p-1},
    {Type::F32, 0x1.ce11c20000000p+13, 10000.0, 0x1.19a0c20000000p+13,
     0x1.80a88a0000000p-3},
    {Type::F32, -0x1.dd6f520000000p-87, 10000.0, -0x1.dd6f520000000p-87,
     0x1.0000000000000p+0},
    {Type::F32, 0x1.a684540000000p+10, 10000.0, 0x1.a28a1e0000000p+10,
     0x1.f1a64e0000000p-1},
    {Type::F32, 0x1.35240c0000000p+14, 10000.0, 0x1.2cc6240000000p+13,
     0x1.2d9f880000000p-4},
    {Type::F32, 0x1.da7fc00000000p+13, 10000.0, 0x1.1be16e0000000p+13,
     0x1.65f1760000000p-3},
    {Type::F64, -0x1.54364ac558d6bp+2, 1.0, -0x1.fff9ac029f6acp-1,
     0x1.94fcd76e6402cp-14},
    {Type::F64, 0x1.21172ad893ee1p+0, 1.0, 0x1.9f1cb0aa732e6p-1,
     0x1.5ee1f8003f5b9p-2},
    {Type::F64, 0x1.45d8632f60159p+0, 1.0, 0x1.b5895d9859906p-1,
     0x1.1431bcc08ef12p-2},
    {Type::F64, -0x1.0ff5fae170354p+0, 1.0, -0x1.92b80f667c1d6p-1,
     0x1.86796b4bfdf42p-2},
    {Type::F64, -0x1.42d4e64dbdde6p-99, 1.0, -0x1.42d4e64dbdde6p-99,
     0x1.0000000000000p+0},
    {Type::F64, -0x1.79c0975242fddp+9, 30.0, -0x1.e000000000000p+4,
     0x1.431860adcf7a9p-71},
    {Type::F64, -0x1.0f48ecad91b3bp+10, 30.0, -0x1.e000000000000p+4,
     0x1.8ca10f6870fdfp-103},
    {Type::F64, 0x1.84fe64c5ebb9ep+6, 30.0, 0x1.de88d6e10b706p+4,
     0x1.8f8f7a7a41c0fp-8},
    {Type::F64, -0x1.edf2665642fc2p+4, 30.0, -0x1.734b4c8f35595p+4,
     0x1.9b4ab5fc8dba2p-2},
    {Type::F64, 0x1.f22be80c35f64p+4, 30.0, 0x1.74fabd7af236bp+4,
     0x1.95b78deb96f96p-2},
    {Type::F64, -0x1.de41204c9245ap+10, 50.1, -0x1.90ccccccccccdp+5,
     0x1.c54beb4cc5faap-109},
    {Type::F64, 0x1.787ccff1eae8dp-4, 50.1, 0x1.787cb4430bccep-4,
     0x1.ffff8f0ee485fp-1},
    {Type::F64, 0x1.652c6a5cf90fep+9, 50.1, 0x1.90cccccccb616p+5,
     0x1.d04aa8b6048a4p-40},
    {Type::F64, -0x1.d9327f68a707ap+10, 50.1, -0x1.90ccccccccccdp+5,
     0x1.fc39f91663b4ap-108},
    {Type::F64, -0x1.46ad50584a7b7p+7, 50.1, -0x1.8f9efc02bf622p+5,
     0x1.80fc5c3787fb5p-8},
    {Type::F64, 0x1.11b55744c9f45p+18, 10000.0, 0x1.3880000000000p+13,
     0x1.17f44ca13ef76p-79},
    {Type::F64, 0x1.24803bf708e62p+10, 10000.0, 0x1.232c6a090eff9p+10,
     0x1.f90dfe1654dacp-1},
    {Type::F64, -0x1.c8048cd3928c2p-87, 10000.0, -0x1.c8048cd3928c2p-87,
     0x1.0000000000000p+0},
    {Type::F64, -0x1.92e4b18e94158p+10, 10000.0, -0x1.8f70f5ef6d7a5p+10,
     0x1.f2edecaa8b3e6p-1},
    {Type::F64, 0x1.0eeabedbf6f34p+15, 10000.0, 0x1.37e48680d9689p+13,
     0x1.fcf6cfc4ebd1ep-9},
};

TEST(CapArithmetic, IsCorrectlyRounded) {
  for (const Case &c : cases) {
    APFloat x = make(c.type, c.x), cap(c.cap);
    EXPECT_EQ(toDouble(evaluateCap(x, cap)), c.y)
        << "x = " << c.x << ", c = " << c.cap;
    EXPECT_EQ(toDouble(evaluateCapGrad(make(c.type, 1.0), x, cap)), c.factor)
        << "x = " << c.x << ", c = " << c.cap;
  }
}

TEST(CapArithmetic, HandlesNonFiniteInputs) {
  APFloat cap(50.0);
  for (Type type : {Type::F16, Type::BF16, Type::F32, Type::F64}) {
    const llvm::fltSemantics &semantics = getSemantics(type);
    EXPECT_EQ(toDouble(evaluateCap(APFloat::getInf(semantics), cap)), 50.0);
    EXPECT_EQ(toDouble(evaluateCap(APFloat::getInf(semantics, true), cap)),
              -50.0);
    EXPECT_TRUE(evaluateCap(APFloat::getNaN(semantics), cap).isNaN());
    EXPECT_TRUE(
        evaluateCap(APFloat::getZero(semantics, true), cap).isNegZero());
    EXPECT_TRUE(
        evaluateCapGrad(make(type, 1.0), APFloat::getInf(semantics), cap)
            .isZero());
  }
}

TEST(CapArithmetic, SurvivesExtremeArguments) {
  for (double x : {0x1p-1074, 1e-308, 1e-30, 88.0 * 50, 1e30, 0x1.fp1023})
    for (double c : {1.0, 50.0, 1e4, 1e300}) {
      double y = toDouble(evaluateCap(APFloat(x), APFloat(c)));
      EXPECT_GT(y, 0.0);
      EXPECT_LE(y, c);
      EXPECT_LE(y, x);
    }
}

/// Over all values of a 16-bit type: bounded, odd, monotone, never above |x|.
void checkLaws(Type type, double c) {
  const llvm::fltSemantics &semantics = getSemantics(type);
  APFloat cap(c), bound(c);
  bool losesInfo;
  bound.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  double previous = 0;
  for (uint64_t bits = 0; bits < 0x8000; ++bits) {
    APFloat x(semantics, APInt(16, bits));
    if (x.isNaN())
      break;
    APFloat y = evaluateCap(x, cap);
    ASSERT_GE(toDouble(y), previous) << "bits " << bits << ", c = " << c;
    ASSERT_LE(toDouble(y), toDouble(bound)) << "bits " << bits << ", c = " << c;
    ASSERT_LE(toDouble(y), toDouble(x)) << "bits " << bits << ", c = " << c;
    ASSERT_TRUE(evaluateCap(-x, cap).bitwiseIsEqual(-y));
    previous = toDouble(y);
  }
  EXPECT_EQ(previous, toDouble(bound));
}

TEST(CapArithmetic, ObeysTheLawsOfTheCap) {
  for (double c : {1.0, 5.0, 30.0, 50.0, 50.1, 1e4})
    for (Type type : {Type::F16, Type::BF16})
      checkLaws(type, c);
}
} // namespace
