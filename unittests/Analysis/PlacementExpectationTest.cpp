//===- PlacementExpectationTest.cpp - What a model is expected to have ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expectations from text and from published configurations.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/Placement.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::softcap;

TEST(PlacementExpectation, ReadsEveryKey) {
  std::string error;
  auto e = parsePlacementExpectation("scores=50, logits=30,scores-scale=0.0625,"
                                     "logits-scale=1,temperature=none",
                                     error);
  ASSERT_TRUE(succeeded(e)) << error;
  EXPECT_EQ(e->scores.cap, 50.0);
  EXPECT_EQ(e->logits.cap, 30.0);
  EXPECT_EQ(e->scores.scale, 0.0625);
  EXPECT_EQ(e->logits.scale, 1.0);
  EXPECT_TRUE(e->noTemperature);
}

TEST(PlacementExpectation, NoneIsNoCap) {
  std::string error;
  auto all = parsePlacementExpectation("none", error);
  ASSERT_TRUE(succeeded(all));
  EXPECT_EQ(all->scores.cap, 0.0);
  EXPECT_EQ(all->logits.cap, 0.0);
  auto nothing = parsePlacementExpectation("", error);
  ASSERT_TRUE(succeeded(nothing));
  EXPECT_FALSE(nothing->scores.cap);
}

TEST(PlacementExpectation, RefusesWhatIsNoCap) {
  for (const char *text : {"scores=0", "scores=-1", "scores=nan", "logits=inf",
                           "scores=", "scores-scale=none", "temperature=1",
                           "weights=3", "scores"}) {
    std::string error;
    EXPECT_TRUE(failed(parsePlacementExpectation(text, error))) << text;
    EXPECT_NE(error.find("is no expectation"), std::string::npos);
  }
}

TEST(PlacementExpectation, ReadsGemma2Config) {
  std::string error;
  auto e = parseModelConfig(R"({"attn_logit_softcapping": 50.0,
      "final_logit_softcapping": 30.0, "query_pre_attn_scalar": 256})",
                            error);
  ASSERT_TRUE(succeeded(e)) << error;
  EXPECT_EQ(e->scores.cap, 50.0);
  EXPECT_EQ(e->logits.cap, 30.0);
  EXPECT_EQ(e->scores.scale, 0.0625);
}

TEST(PlacementExpectation, NullMeansNoCapAndAbsentSaysNothing) {
  std::string error;
  auto e = parseModelConfig(
      R"({"text_config": {"attn_logit_softcapping": null}})", error);
  ASSERT_TRUE(succeeded(e)) << error;
  EXPECT_EQ(e->scores.cap, 0.0);
  EXPECT_FALSE(e->logits.cap);
}

TEST(PlacementExpectation, RefusesWhatIsNoObject) {
  for (const char *text : {"", "[1]", "{", "50"}) {
    std::string error;
    EXPECT_TRUE(failed(parseModelConfig(text, error))) << text;
    EXPECT_FALSE(error.empty());
  }
}

TEST(PlacementRule, IsFoundByItsId) {
  const PlacementRule *rule = lookupPlacementRule("SC001");
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->name, "mask-before-cap");
  EXPECT_EQ(rule->severity, PlacementSeverity::error);
  EXPECT_EQ(lookupPlacementRule("SC999"), nullptr);
}
