//===- PlacementConfig.cpp - Expectations from a model's configuration ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what a Hugging Face config.json says about caps and scales.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/Placement.h"

#include "llvm/Support/JSON.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;

/// A cap that is null is expected to be absent; a missing key says nothing.
static std::optional<double> getCap(const llvm::json::Object &config,
                                    ArrayRef<StringRef> keys) {
  for (StringRef key : keys) {
    const llvm::json::Value *value = config.get(key);
    if (!value)
      continue;
    if (value->kind() == llvm::json::Value::Null)
      return 0.0;
    if (std::optional<double> cap = value->getAsNumber())
      return *cap > 0 ? *cap : 0.0;
  }
  return std::nullopt;
}

static void readConfig(const llvm::json::Object &config,
                       PlacementExpectation &e) {
  if (auto cap =
          getCap(config, {"attn_logit_softcapping", "attention_logit_cap",
                          "conf_attention_logit_cap"}))
    e.scores.cap = cap;
  if (auto cap = getCap(config, {"final_logit_softcapping", "logits_soft_cap"}))
    e.logits.cap = cap;
  std::optional<double> scalar = config.getNumber("query_pre_attn_scalar");
  if (scalar && *scalar > 0)
    e.scores.scale = 1 / std::sqrt(*scalar);
}

FailureOr<PlacementExpectation> softcap::parseModelConfig(StringRef json,
                                                          std::string &error) {
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(json);
  if (!parsed) {
    error =
        "the configuration is no JSON: " + llvm::toString(parsed.takeError());
    return failure();
  }
  const llvm::json::Object *config = parsed->getAsObject();
  if (!config) {
    error = "the configuration is no JSON object";
    return failure();
  }
  PlacementExpectation e;
  // The outer object may wrap the language model's own configuration.
  readConfig(*config, e);
  if (const llvm::json::Object *text = config->getObject("text_config"))
    readConfig(*text, e);
  return e;
}
