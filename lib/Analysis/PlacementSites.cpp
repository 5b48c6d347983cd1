//===- PlacementSites.cpp - Surfaces out of observations ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which tensors are scores, which are logits, and what their caps are.
//
//===----------------------------------------------------------------------===//

#include "PlacementRules.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

static constexpr double kLog2E = 1.4426950408889634;

/// A body that does one thing, a hard clamp included: its op is that thing.
static bool isSingleStep(linalg::LinalgOp op) {
  unsigned steps = 0, bounds = 0;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    StringRef name = inner.getName().getStringRef();
    steps += !inner.hasTrait<OpTrait::ConstantLike>();
    bounds += name.starts_with("arith.max") || name.starts_with("arith.min");
  }
  return steps <= 1 || steps == bounds;
}

Operation *placement::getAnchor(const Node *n) {
  Operation *op = n ? n->op : nullptr;
  if (!op)
    return nullptr;
  auto parent = dyn_cast_or_null<linalg::LinalgOp>(op->getParentOp());
  if (!parent)
    return op;
  bool isWritten = isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(
      parent.getOperation());
  return isWritten && !isSingleStep(parent) ? op : parent.getOperation();
}

//===----------------------------------------------------------------------===//
// Caps
//===----------------------------------------------------------------------===//

static bool isPositiveFinite(double c) { return c > 0 && std::isfinite(c); }

/// The constant that the value is both divided by and multiplied with.
static std::optional<double> findPair(const Factor *pre, const Factor *post) {
  std::optional<double> found;
  for (const Factor *p = post; p; p = p->older)
    for (const Factor *q = pre; q && !p->symbol; q = q->older)
      if (!q->symbol && closeTo(p->constant * q->constant, 1.0))
        found = p->constant; // the oldest post factor wins
  return found;
}

static bool hasSymbolicPair(const Factor *pre, const Factor *post) {
  for (const Factor *p = post; p; p = p->older)
    for (const Factor *q = pre; q; q = q->older) {
      if (!p->symbol || !q->symbol)
        continue;
      if (q->divides && q->symbol == p->symbol)
        return true;
      if (q->symbol->kind == NodeKind::reciprocal &&
          q->symbol->operands[0] == p->symbol)
        return true;
    }
  return false;
}

static bool hasFactor(const Factor *list, double k) {
  for (; list; list = list->older)
    if (!list->symbol && closeTo(list->constant, k))
      return true;
  return false;
}

static bool hasNonFinite(const Factor *list) {
  for (; list; list = list->older)
    if (!std::isfinite(list->constant))
      return true;
  return false;
}

/// Factors with the change of base of an exp2 taken out.
static void readPostScale(CapReading &r, const Track &t, double post) {
  r.postScale = post;
  if (!t.exp2)
    return;
  r.changesBase = hasFactor(t.post, kLog2E) || closeTo(post, kLog2E);
  if (r.changesBase)
    r.postScale /= kLog2E;
}

CapReading placement::readCap(const Track &t) {
  CapReading r;
  r.preScale = product(t.pre);
  if (!t.tanh)
    return r;
  double post = product(t.post);
  if (t.tanh->kind == NodeKind::cap) {
    r.paired = true;
    r.symbolic = t.tanh->operands.size() > 1;
    if (!r.symbolic) {
      r.cap = t.tanh->value;
      r.notPositive = !isPositiveFinite(*r.cap);
    }
    readPostScale(r, t, post);
    return r;
  }
  if (t.tanh->softsign || t.malformed)
    return r;
  if (hasSymbolicPair(t.pre, t.post)) {
    r.symbolic = r.paired = true;
    readPostScale(r, t, post);
    return r;
  }
  r.notPositive = hasNonFinite(t.pre) || hasNonFinite(t.post) || post == 0;
  if (r.notPositive)
    return r;
  if (auto c = findPair(t.pre, t.post)) {
    r.paired = true;
    r.cap = *c;
    r.notPositive = !isPositiveFinite(*c);
    r.preScale *= *c;
    readPostScale(r, t, post / *c);
    return r;
  }
  r.cap = t.exp2 ? post / kLog2E : post;
  r.changesBase = t.exp2;
  r.notPositive = !isPositiveFinite(*r.cap);
  r.preScale *= *r.cap;
  return r;
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

static int decisiveness(const Observation &o) {
  int rank = 0;
  switch (o.consumer) {
  case Consumer::valueContraction:
    rank = 5;
    break;
  case Consumer::softmax:
    rank = 4;
    break;
  case Consumer::operand:
    rank = 3;
    break;
  case Consumer::order:
  case Consumer::output:
    rank = 2;
    break;
  case Consumer::activation:
  case Consumer::gate:
  case Consumer::opaque:
    rank = 1;
    break;
  }
  return 2 * rank + (o.track->tanh ? 1 : 0);
}

void Judge::collectSites() {
  for (const Observation &o : graph.getObservations()) {
    Node *root = graph.find(o.track->root);
    auto [it, isNew] = siteOf.try_emplace(root, sites.size());
    if (isNew)
      sites.emplace_back().root = root;
    Site &site = sites[it->second];
    site.observations.push_back(&o);
    if (!site.main || decisiveness(o) > decisiveness(*site.main))
      site.main = &o;
  }
}

static bool hasConsumer(const Site &site, Consumer consumer) {
  return llvm::any_of(site.observations, [&](const Observation *o) {
    return o->consumer == consumer;
  });
}

/// A vocabulary is wider than the hidden state; both come from outside.
bool Judge::isOutputHead(const Site &site) const {
  const Node *root = site.root;
  return root->kind == NodeKind::contraction && !root->attentionOutput &&
         !root->contraction.batched &&
         root->contraction.features > root->contraction.depth &&
         !site.track().preBias;
}

void Judge::classify(Site &site) {
  const Node *root = site.root;
  const Track &t = site.track();
  site.reading = readCap(t);
  bool hasCap = t.tanh && (t.stage != Stage::tanh);
  bool isTensorOfItsOwn = root->onWeights || root->attentionOutput;
  bool hasValue = hasConsumer(site, Consumer::valueContraction);
  bool hasSoftmax = hasConsumer(site, Consumer::softmax);
  bool hasMask = t.preMask || t.postMask || t.preMaybeMask;
  if (isTensorOfItsOwn) {
    site.kind = SurfaceKind::other;
    site.listed = hasCap && t.stage != Stage::weights;
    return;
  }
  if (hasValue) {
    site.kind = SurfaceKind::scores;
    site.listed = true;
    return;
  }
  // A router weights the outputs of experts.
  if (hasConsumer(site, Consumer::gate)) {
    site.listed = hasCap;
    return;
  }
  bool isContraction = root->kind == NodeKind::contraction;
  if (hasSoftmax) {
    bool isScores = root->contraction.batched || hasMask;
    site.kind = isScores ? SurfaceKind::scores : SurfaceKind::logits;
    site.listed = isScores || isContraction || t.tanh;
    return;
  }
  bool isFinal = site.main->consumer == Consumer::output ||
                 site.main->consumer == Consumer::order;
  if (isContraction && isFinal) {
    bool isScores = root->contraction.batched && hasMask && t.tanh;
    site.kind = isScores ? SurfaceKind::scores : SurfaceKind::logits;
    site.listed = hasCap;
    return;
  }
  site.listed = hasCap && t.stage != Stage::weights && !t.malformed;
}

/// A head without its cap looks like any other projection: it is one only if
/// logits are expected and nothing else is a candidate.
void Judge::addUncappedHeads() {
  auto isLogits = [](const Site &site) {
    return site.listed && site.kind == SurfaceKind::logits;
  };
  if (expectation.logits.cap.value_or(0) == 0 || llvm::any_of(sites, isLogits))
    return;
  for (Site &site : sites)
    if (!site.listed && site.kind == SurfaceKind::logits && isOutputHead(site))
      site.listed = true;
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

/// The constant factor that the operands of a contraction carry already.
static double getOperandScale(const Node *root) {
  double scale = 1.0;
  if (root->kind != NodeKind::contraction)
    return scale;
  for (const Node *x : root->operands) {
    if (!x->track || x->track->stage != Stage::raw)
      continue;
    // A computed factor may normalise what came before.
    double k = 1.0;
    for (const Factor *f = x->track->pre; f; f = f->older) {
      if (f->symbol && f->symbol->kind != NodeKind::leaf)
        break;
      k *= f->constant;
    }
    if (std::isfinite(k) && k != 0)
      scale *= k;
  }
  return scale;
}

static StringRef getFunctionName(Operation *op) {
  for (; op; op = op->getParentOp()) {
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      if (!isa<ModuleOp>(op))
        return symbol.getName();
    if (auto name = op->getAttrOfType<StringAttr>("sym_name"))
      return name.getValue();
  }
  return "";
}

static std::vector<StringRef> describeOrder(const Site &site) {
  const Track &t = site.track();
  std::vector<StringRef> steps = {
      site.root->kind == NodeKind::contraction ? "contraction" : "source"};
  auto addIf = [&](bool present, StringRef step) {
    if (present)
      steps.push_back(step);
  };
  addIf(!closeTo(site.reading.preScale, 1.0), "scale");
  addIf(t.preBias && !t.preMask, "bias");
  addIf(t.preMask, "mask");
  addIf(t.tanh, "cap");
  addIf(t.tanh && !closeTo(site.reading.postScale, 1.0), "factor");
  addIf(t.postBias, "bias");
  addIf(t.postMask, "mask");
  switch (site.main->consumer) {
  case Consumer::valueContraction:
  case Consumer::softmax:
    steps.push_back("softmax");
    break;
  case Consumer::operand:
    steps.push_back("contraction");
    break;
  case Consumer::activation:
  case Consumer::gate:
    steps.push_back("activation");
    break;
  case Consumer::order:
    steps.push_back("order");
    break;
  case Consumer::output:
    steps.push_back("output");
    break;
  case Consumer::opaque:
    steps.push_back("unknown");
    break;
  }
  return steps;
}

void Judge::list(Site &site) {
  const Track &t = site.track();
  PlacementSurface s;
  s.kind = site.kind;
  s.producer = getAnchor(site.root);
  if (!s.producer)
    s.producer = site.main->op;
  s.function = getFunctionName(s.producer);
  s.capOp = t.tanh ? getAnchor(t.tanh) : nullptr;
  s.symbolic = site.reading.symbolic;
  if (!site.reading.notPositive)
    s.cap = site.reading.cap;
  s.operandScale = getOperandScale(site.root);
  s.preScale = site.reading.preScale;
  s.postScale = site.reading.postScale;
  s.preBias = t.preBias != nullptr;
  s.order = describeOrder(site);
  s.verdict = t.tanh ? PlacementVerdict::legal : PlacementVerdict::noSoftcap;
  site.surface = result.surfaces.size();
  result.surfaces.push_back(std::move(s));
}

void Judge::numberLayers() {
  for (SurfaceKind kind : {SurfaceKind::scores, SurfaceKind::logits}) {
    auto isKind = [&](const PlacementSurface &s) { return s.kind == kind; };
    if (llvm::count_if(result.surfaces, isKind) < 2)
      continue;
    unsigned layer = 0;
    for (PlacementSurface &s : result.surfaces)
      if (isKind(s))
        s.layer = layer++;
  }
}

PlacementReport Judge::run() {
  collectSites();
  llvm::sort(sites, [](const Site &a, const Site &b) {
    return a.root->id < b.root->id;
  });
  siteOf.clear();
  for (auto [i, site] : llvm::enumerate(sites)) {
    siteOf[site.root] = i;
    classify(site);
  }
  addUncappedHeads();
  for (Site &site : sites)
    if (site.listed)
      list(site);
  numberLayers();
  for (Site &site : sites)
    judge(site);
  judgeGradients();
  judgeWrongSurface();
  finish();
  return std::move(result);
}
