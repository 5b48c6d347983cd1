//===- Placement.cpp - Entry points of the placement analysis -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule table, expectations, and the analysis of a module.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/Placement.h"

#include "PlacementImport.h"
#include "PlacementRules.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static constexpr auto E = PlacementSeverity::error;
static constexpr auto W = PlacementSeverity::warning;
static constexpr auto N = PlacementSeverity::note;

static const PlacementRule rules[] = {
    {"SC001", "mask-before-cap", E},
    {"SC002", "cap-missing", E},
    {"SC003", "malformed-cap", E},
    {"SC004", "base-change-before-cap", E},
    {"SC005", "temperature-before-cap", E},
    {"SC006", "scale-after-cap", E},
    {"SC007", "unexpected-value", E},
    {"SC008", "wrong-surface", E},
    {"SC009", "repeated-cap", E},
    {"SC010", "cap-not-positive-finite", E},
    {"SC011", "partial-cap", E},
    {"SC012", "not-tanh", E},
    {"SC013", "max-subtraction-before-cap", E},
    {"SC014", "cap-dropped-by-op", E},
    {"SC015", "static-max-without-bound", E},
    {"SC110", "tanh-form-overflows", W},
    {"SC111", "narrow-before-cap", W},
    {"SC112", "stale-row-max", W},
    {"SC113", "gradient-dead-zone", W},
    {"SC114", "sentinel-in-range", W},
    {"SC115", "low-precision-cap", W},
    {"SC301", "factor-after-cap", N},
    {"SC302", "finite-bias-before-cap", N},
};

const PlacementRule *softcap::lookupPlacementRule(StringRef id) {
  for (const PlacementRule &rule : rules)
    if (rule.id == id)
      return &rule;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef softcap::stringify(PlacementSeverity severity) {
  switch (severity) {
  case PlacementSeverity::note:
    return "note";
  case PlacementSeverity::warning:
    return "warning";
  case PlacementSeverity::error:
    return "error";
  }
  return "";
}

StringRef softcap::stringify(SurfaceKind kind) {
  switch (kind) {
  case SurfaceKind::scores:
    return "scores";
  case SurfaceKind::logits:
    return "logits";
  case SurfaceKind::other:
    return "other";
  }
  return "";
}

StringRef softcap::stringify(PlacementVerdict verdict) {
  switch (verdict) {
  case PlacementVerdict::noSoftcap:
    return "no-softcap";
  case PlacementVerdict::legal:
    return "legal";
  case PlacementVerdict::hazard:
    return "hazard";
  case PlacementVerdict::inconclusive:
    return "inconclusive";
  case PlacementVerdict::illegal:
    return "illegal";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Expectations
//===----------------------------------------------------------------------===//

/// A positive finite number, or `none` for 0.
static bool parseValue(StringRef text, std::optional<double> &value) {
  if (text == "none") {
    value = 0.0;
    return true;
  }
  double number;
  if (text.getAsDouble(number) || !std::isfinite(number) || number <= 0)
    return false;
  value = number;
  return true;
}

FailureOr<PlacementExpectation>
softcap::parsePlacementExpectation(StringRef text, std::string &error) {
  PlacementExpectation e;
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [key, value] = part.trim().split('=');
    bool isValid = false;
    if (key == "none" && value.empty()) {
      e.scores.cap = e.logits.cap = 0.0;
      isValid = true;
    } else if (key == "scores") {
      isValid = parseValue(value, e.scores.cap);
    } else if (key == "logits") {
      isValid = parseValue(value, e.logits.cap);
    } else if (key == "scores-scale") {
      isValid = value != "none" && parseValue(value, e.scores.scale);
    } else if (key == "logits-scale") {
      isValid = value != "none" && parseValue(value, e.logits.scale);
    } else if (key == "temperature" && value == "none") {
      isValid = e.noTemperature = true;
    }
    if (!isValid) {
      error = "'" + part.str() +
              "' is no expectation; expected scores=C, logits=C, "
              "scores-scale=S, logits-scale=S (positive numbers, or none for "
              "a cap), temperature=none, or none";
      return failure();
    }
  }
  return e;
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

PlacementReport
softcap::analyzePlacement(ModuleOp module,
                          const PlacementExpectation &expectation) {
  placement::Graph graph;
  placement::Importer(module, graph).run();
  return placement::Judge(graph, expectation).run();
}
