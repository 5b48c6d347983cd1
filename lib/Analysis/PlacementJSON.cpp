//===- PlacementJSON.cpp - Placement reports as JSON ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schema 1 of the placement report.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/PlacementJSON.h"

#include "mlir/IR/Location.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;
namespace json = llvm::json;

/// The first file position that a location mentions.
static FileLineColLoc findFileLocation(Location loc) {
  FileLineColLoc found;
  loc->walk([&](Location inner) {
    found = dyn_cast<FileLineColLoc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

static json::Value irLocation(Operation *op, PositionFn position) {
  if (!op)
    return nullptr;
  if (auto at = position(op))
    return json::Object{{"line", at->first}, {"column", at->second}};
  return nullptr;
}

/// The front end's position where the IR carries one, else the IR's.
static json::Value location(Operation *op, StringRef file,
                            PositionFn position) {
  if (!op)
    return nullptr;
  FileLineColLoc loc = findFileLocation(op->getLoc());
  if (!loc)
    return irLocation(op, position);
  json::Object result{{"line", loc.getLine()}, {"column", loc.getColumn()}};
  if (loc.getFilename().getValue() != file)
    result["file"] = json::fixUTF8(loc.getFilename().getValue());
  return result;
}

/// JSON has no infinity and no NaN; a broken cap may give either.
static json::Value number(double value) {
  return std::isfinite(value) ? json::Value(value) : json::Value(nullptr);
}

static json::Object surfaceToJSON(const PlacementSurface &s, StringRef file,
                                  PositionFn position) {
  json::Array order;
  for (StringRef step : s.order)
    order.push_back(step);
  json::Value cap = nullptr;
  if (s.symbolic)
    cap = "symbolic";
  else if (s.cap)
    cap = number(*s.cap);
  return json::Object{
      {"kind", stringify(s.kind)},
      {"function", json::fixUTF8(s.function)},
      {"layer", s.layer ? json::Value(*s.layer) : json::Value(nullptr)},
      {"location", location(s.producer, file, position)},
      {"ir_location", irLocation(s.producer, position)},
      {"cap", std::move(cap)},
      {"operand_scale", number(s.operandScale)},
      {"pre_scale", number(s.preScale)},
      {"pre_bias", s.preBias},
      {"post_scale", number(s.postScale)},
      {"order", std::move(order)},
      {"verdict", stringify(s.verdict)}};
}

static json::Object findingToJSON(const PlacementFinding &f,
                                  const PlacementReport &report, StringRef file,
                                  PositionFn position) {
  json::Array related;
  for (const auto &[op, message] : f.related)
    related.push_back(json::Object{{"message", message},
                                   {"location", location(op, file, position)},
                                   {"ir_location", irLocation(op, position)}});
  StringRef function =
      f.surface >= 0 ? report.surfaces[f.surface].function : StringRef();
  return json::Object{
      {"rule", f.rule ? json::Value(f.rule->id) : json::Value(nullptr)},
      {"name", f.rule ? f.rule->name : StringRef("inconclusive")},
      {"severity", f.rule ? stringify(f.rule->severity) : "warning"},
      {"function", json::fixUTF8(function)},
      {"message", json::fixUTF8(f.message)},
      {"location", location(f.culprit, file, position)},
      {"ir_location", irLocation(f.culprit, position)},
      {"related", std::move(related)},
      {"suppressed", f.suppressed}};
}

json::Object softcap::toJSON(const PlacementReport &report, StringRef file,
                             StringRef version, PositionFn position) {
  json::Array surfaces, findings;
  for (const PlacementSurface &s : report.surfaces)
    surfaces.push_back(surfaceToJSON(s, file, position));
  for (const PlacementFinding &f : report.findings)
    findings.push_back(findingToJSON(f, report, file, position));
  return json::Object{
      {"schema", 1},
      {"tool", json::Object{{"name", "softcap-audit"}, {"version", version}}},
      {"file", json::fixUTF8(file)},
      {"verdict", stringify(report.verdict)},
      {"surfaces", std::move(surfaces)},
      {"findings", std::move(findings)}};
}
