//===- Placement.h - Where soft caps stand ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The placement analysis: finds every surface of attention scores and
// vocabulary logits in a module, reads off where its soft cap stands and what
// is inside and outside of it, and judges that by the placement rules. It
// reads IR and changes nothing.
//
// A legal surface has the normal form
//
//   mask(post_bias + post_scale * cap_c(pre_scale * x + pre_bias))
//
// where x is a contraction and a softmax, a loss or the model's output follows.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_ANALYSIS_PLACEMENT_H
#define SOFTCAP_ANALYSIS_PLACEMENT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::softcap {

/// What the author of the model says about one surface.
struct SurfaceExpectation {
  /// Unset: nothing is said. 0: the surface has no cap.
  std::optional<double> cap;
  /// The product of the factors between the operands and the cap.
  std::optional<double> scale;
};

/// What the author of the model says about its caps.
struct PlacementExpectation {
  SurfaceExpectation scores;
  SurfaceExpectation logits;
  /// `temperature=none`: no factor may follow a cap.
  bool noTemperature = false;
};

/// Parses `scores=50,logits=30,scores-scale=0.0625,temperature=none`; a lone
/// `none` expects no cap at all. On failure `error` says what is wrong.
FailureOr<PlacementExpectation> parsePlacementExpectation(StringRef text,
                                                          std::string &error);

enum class PlacementSeverity { note, warning, error };
enum class SurfaceKind { scores, logits, other };
/// Ordered from best to worst.
enum class PlacementVerdict { noSoftcap, legal, hazard, inconclusive, illegal };

StringRef stringify(PlacementSeverity severity);
StringRef stringify(SurfaceKind kind);
StringRef stringify(PlacementVerdict verdict);

/// A rule of the placement specification, for example SC001 mask-before-cap.
struct PlacementRule {
  StringRef id;
  StringRef name;
  PlacementSeverity severity;
};

/// Reads the caps and scales of a Hugging Face `config.json`. A key that is
/// null means that there is no cap.
FailureOr<PlacementExpectation> parseModelConfig(StringRef json,
                                                 std::string &error);

/// The rule called `id`, or null.
const PlacementRule *lookupPlacementRule(StringRef id);

/// A rule that is broken, or a form that is worth a remark.
struct PlacementFinding {
  /// Null for an inconclusive path: `culprit` is the op that is not understood.
  const PlacementRule *rule;
  Operation *culprit;
  std::string message;
  /// What else takes part: the cap, the mask or temperature, the consumer.
  std::vector<std::pair<Operation *, std::string>> related;
  /// Index into PlacementReport::surfaces, or -1.
  int surface = -1;
  /// The attribute `softcap.suppress = ["SC001: reason"]` on the culprit or on
  /// an op around it names the rule: the finding does not count.
  bool suppressed = false;
};

/// One capped or cappable tensor of scores or logits.
struct PlacementSurface {
  SurfaceKind kind;
  /// The symbol of the function that holds it.
  StringRef function;
  /// Its place among the surfaces of its kind in program order; unset if it is
  /// the only one.
  std::optional<unsigned> layer;
  /// The op that makes the raw values.
  Operation *producer = nullptr;
  /// The saturating op, null where there is none.
  Operation *capOp = nullptr;
  /// Unset: uncapped, malformed or symbolic.
  std::optional<double> cap;
  /// The cap is a run-time value.
  bool symbolic = false;
  /// Constant factor in the operands of the contraction.
  double operandScale = 1.0;
  /// Constant factor between the contraction and the cap.
  double preScale = 1.0;
  /// Constant factor after the cap, the change of base of an exp2 left out.
  double postScale = 1.0;
  bool preBias = false;
  /// The steps from the contraction to the consumer.
  std::vector<StringRef> order;
  PlacementVerdict verdict = PlacementVerdict::legal;
};

struct PlacementReport {
  std::vector<PlacementSurface> surfaces;
  std::vector<PlacementFinding> findings;
  /// The worst of its surfaces and findings.
  PlacementVerdict verdict = PlacementVerdict::noSoftcap;
};

/// Analyses every public function of `module`, following calls into private
/// ones. Time and memory are linear in the number of operations.
PlacementReport analyzePlacement(ModuleOp module,
                                 const PlacementExpectation &expectation);

} // namespace mlir::softcap

#endif // SOFTCAP_ANALYSIS_PLACEMENT_H
