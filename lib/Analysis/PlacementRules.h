//===- PlacementRules.h - Judging the surfaces of a module ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Groups what the value graph observed into surfaces, and applies the rules.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_ANALYSIS_PLACEMENTRULES_H
#define SOFTCAP_LIB_ANALYSIS_PLACEMENTRULES_H

#include "PlacementGraph.h"

#include "softcap/Analysis/Placement.h"

namespace mlir::softcap::placement {

/// The constants of a cap as the factors around the tanh spell it.
struct CapReading {
  std::optional<double> cap;
  bool symbolic = false;
  bool paired = false;      // one constant divides and multiplies
  bool notPositive = false; // zero, negative, NaN or infinite
  double preScale = 1.0;
  double postScale = 1.0;   // without the change of base of an exp2
  bool changesBase = false; // log2(e) is applied after the cap
};
CapReading readCap(const Track &t);

/// One tensor of raw values with everything that consumes it.
struct Site {
  Node *root = nullptr;
  std::vector<const Observation *> observations;
  const Observation *main = nullptr; // the one that decides
  SurfaceKind kind = SurfaceKind::other;
  bool listed = false;
  int surface = -1;
  CapReading reading;
  const Track &track() const { return *main->track; }
};

class Judge {
public:
  Judge(Graph &graph, const PlacementExpectation &expectation)
      : graph(graph), expectation(expectation) {}
  PlacementReport run();

private:
  void collectSites();
  void classify(Site &site);
  bool isOutputHead(const Site &site) const;
  void addUncappedHeads();
  void list(Site &site);
  void numberLayers();

  void judge(Site &site);
  void judgeCapped(Site &site);
  void judgeUncapped(Site &site);
  void judgePlace(Site &site);
  void judgeValue(Site &site);
  void judgeFactors(Site &site);
  void judgePrecision(Site &site);
  void judgeGradients();
  void judgeWrongSurface();
  void judgeUnknown(Site &site);
  bool judgeMalformed(Site &site);

  PlacementFinding &report(const Site &site, StringRef rule, const Node *at,
                           const Twine &message);
  void noteCap(PlacementFinding &finding, const Site &site);
  void noteConsumer(PlacementFinding &finding, const Site &site);
  const SurfaceExpectation &expected(const Site &site) const;
  std::optional<double> expectedCap(const Site &site) const;
  void finish();

  Graph &graph;
  const PlacementExpectation &expectation;
  std::vector<Site> sites;
  DenseMap<const Node *, unsigned> siteOf;
  PlacementReport result;
};

/// The op to show for a node: a named linalg op stands for its body.
Operation *getAnchor(const Node *n);

} // namespace mlir::softcap::placement

#endif // SOFTCAP_LIB_ANALYSIS_PLACEMENTRULES_H
