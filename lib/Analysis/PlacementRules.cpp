//===- PlacementRules.cpp - The placement rules ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per group of rules. All of them look at a surface's normal form
// and at what is expected of it; none looks at the IR.
//
//===----------------------------------------------------------------------===//

#include "PlacementRules.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

static constexpr double kLog2E = 1.4426950408889634;

static std::string number(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.6g", value);
  return text;
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

PlacementFinding &Judge::report(const Site &site, StringRef rule,
                                const Node *at, const Twine &message) {
  Operation *culprit = getAnchor(at);
  if (!culprit)
    culprit = getAnchor(site.root);
  if (!culprit)
    culprit = site.main->op;
  result.findings.push_back(
      {lookupPlacementRule(rule), culprit, message.str(), {}, site.surface});
  return result.findings.back();
}

void Judge::noteCap(PlacementFinding &finding, const Site &site) {
  if (Operation *op = getAnchor(site.track().tanh); op && op != finding.culprit)
    finding.related.push_back({op, "capped here"});
}

void Judge::noteConsumer(PlacementFinding &finding, const Site &site) {
  Operation *op = getAnchor(site.main->at);
  if (!op)
    op = site.main->op;
  if (op && op != finding.culprit)
    finding.related.push_back({op, "consumed here"});
}

const SurfaceExpectation &Judge::expected(const Site &site) const {
  return site.kind == SurfaceKind::logits ? expectation.logits
                                          : expectation.scores;
}

/// What the author says, or else what the other surfaces of the kind have.
std::optional<double> Judge::expectedCap(const Site &site) const {
  if (expected(site).cap)
    return expected(site).cap;
  for (const Site &other : sites)
    if (&other != &site && other.listed && other.kind == site.kind &&
        other.reading.paired && other.reading.cap)
      return other.reading.cap;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

void Judge::judge(Site &site) {
  if (!site.listed)
    return judgeUnknown(site);
  judgeUnknown(site);
  if (site.kind == SurfaceKind::other)
    return;
  if (site.track().tanh)
    judgeCapped(site);
  else
    judgeUncapped(site);
}

void Judge::judgeCapped(Site &site) {
  const Track &t = site.track();
  if (t.repeated) {
    auto &f = report(site, "SC009", t.repeated,
                     "the surface is capped twice in a row; keep one cap");
    if (Operation *op = getAnchor(t.earlierCap))
      f.related.push_back({op, "capped here already"});
    return;
  }
  if (t.partial) {
    auto &f = report(site, "SC011", t.partial,
                     "capped values meet uncapped values of the same surface; "
                     "cap all of it");
    noteCap(f, site);
    return;
  }
  judgePlace(site);
  if (judgeMalformed(site))
    return;
  judgeValue(site);
  judgeFactors(site);
  judgePrecision(site);
}

/// SC002, SC011, SC012, SC014, SC015.
void Judge::judgeUncapped(Site &site) {
  const Track &t = site.track();
  std::optional<double> c = expected(site).cap;
  bool shiftsItself = t.exp && t.exp->kind != NodeKind::softmax &&
                      !t.maxSubtracted && !t.preRowMax;
  if (shiftsItself && t.constantShift) {
    auto &f = report(site, "SC015", t.constantShift,
                     "a constant is subtracted instead of the row maximum, but "
                     "nothing bounds the scores; cap them or subtract the "
                     "maximum");
    noteConsumer(f, site);
  }
  if (!c && site.kind == SurfaceKind::scores) {
    const ContractionInfo &mine = site.root->contraction;
    for (const Site &other : sites) {
      const ContractionInfo &theirs = other.root->contraction;
      bool sameShape = mine.depth != 0 && mine.depth == theirs.depth &&
                       mine.batch == theirs.batch;
      if (other.listed && other.kind == site.kind && other.track().tanh &&
          sameShape && other.reading.cap)
        c = other.reading.cap;
    }
  }
  if (!c || *c == 0)
    return;
  if (t.clamp) {
    auto &f = report(site, "SC012", t.clamp,
                     "a hard clamp stands where the cap " + number(*c) +
                         " * tanh(x / " + number(*c) + ") is expected");
    return noteConsumer(f, site);
  }
  if (site.root->fusedAttention) {
    report(site, "SC014", site.root,
           "this attention op has no soft cap, but " + number(*c) +
               " is expected; use an op with a cap attribute, or write the "
               "scores out");
    return;
  }
  auto &f = report(site, "SC002", site.root,
                   Twine(stringify(site.kind)) + " have no cap where one of " +
                       number(*c) + " is expected");
  noteConsumer(f, site);
}

/// SC001, SC013: what must not be inside the cap.
void Judge::judgePlace(Site &site) {
  const Track &t = site.track();
  const Node *mask = t.preMask;
  bool maybe = !mask && t.preMaybeMask && !t.postMask &&
               site.kind == SurfaceKind::scores;
  if (maybe)
    mask = t.preMaybeMask;
  if (mask) {
    std::string leak = site.reading.cap ? "about -" + number(*site.reading.cap)
                                        : "a finite score";
    auto &f = report(site, "SC001", mask,
                     "the mask is applied before the cap, so that masked keys "
                     "get " +
                         leak + "; apply it after the cap");
    noteCap(f, site);
    noteConsumer(f, site);
  } else if (t.preBias) {
    auto &f = report(site, "SC302", t.preBias,
                     "a finite bias is added inside the cap");
    noteCap(f, site);
  }
  if (t.preRowMax) {
    auto &f = report(site, "SC013", t.preRowMax,
                     "the row maximum is subtracted before the cap; subtract "
                     "it from the capped scores");
    noteCap(f, site);
  }
}

/// A value looks rounder than another when it is near a half-integer.
static bool isRound(double c) {
  return std::abs(c - std::round(2 * c) / 2) <= 1e-3 * std::abs(c);
}

static const Factor *findConstant(const Factor *list, double k) {
  for (; list; list = list->older)
    if (!list->symbol && closeTo(list->constant, k))
      return list;
  return nullptr;
}

static unsigned countConstants(const Factor *list) {
  unsigned n = 0;
  for (; list; list = list->older)
    n += !list->symbol;
  return n;
}

/// SC003, SC010, SC012. True if there is no cap left to judge.
bool Judge::judgeMalformed(Site &site) {
  const Track &t = site.track();
  const CapReading &r = site.reading;
  if (t.tanh->softsign) {
    report(site, "SC012", t.tanh,
           "a softsign is no tanh cap: its slope and its values differ");
    return true;
  }
  if (t.malformed) {
    auto &f = report(site, "SC003", t.malformed,
                     "the tanh is multiplied with its input instead of the "
                     "cap, which bounds nothing; multiply with the constant "
                     "that the input is divided by");
    noteCap(f, site);
    return true;
  }
  if (r.notPositive) {
    report(site, "SC010", t.tanh,
           "the cap is not a positive finite number; leave the cap out if "
           "there is none");
    return true;
  }
  std::optional<double> c = expectedCap(site);
  if (r.paired || !c || *c == 0)
    return false;
  bool inside = findConstant(t.pre, 1 / *c), outside = closeTo(*r.cap, *c);
  if (inside && !outside) {
    auto &f =
        report(site, "SC003", t.tanh,
               "divided by " + number(*c) +
                   " before the tanh, but not "
                   "multiplied with it afterwards; multiply the tanh with " +
                   number(*c));
    noteConsumer(f, site);
    return true;
  }
  double operandScale = result.surfaces[site.surface].operandScale;
  double scale = operandScale * r.preScale;
  std::optional<double> wanted = expected(site).scale;
  bool scaleFits = wanted ? closeTo(scale, *wanted) : scale <= 1.5;
  bool mixed = countConstants(t.pre) > 1 && !inside && !wanted;
  if (outside && !scaleFits) {
    report(site, "SC003", t.tanh,
           "multiplied with " + number(*c) +
               " after the tanh, but not divided "
               "by it before; divide the input by " +
               number(*c));
    return true;
  }
  if (outside && mixed && expected(site).cap) {
    report(site, "SC003", t.tanh,
           "the constants before and after the tanh differ; divide by and "
           "multiply with " +
               number(*c));
    return true;
  }
  return false;
}

/// SC004, SC007.
void Judge::judgeValue(Site &site) {
  const Track &t = site.track();
  const CapReading &r = site.reading;
  std::optional<double> c = r.cap;
  const SurfaceExpectation &wanted = expected(site);
  if (t.exp2 && !r.changesBase && c) {
    // c * log2(e) on values scaled with log2(e) is the same cap in base 2.
    double natural = *c / kLog2E;
    bool isBaseTwo = wanted.cap ? closeTo(natural, *wanted.cap)
                                : isRound(natural) && !isRound(*c);
    if (!isBaseTwo) {
      const Factor *factor = findConstant(t.pre, kLog2E);
      if (!factor && site.root->kind == NodeKind::contraction)
        for (const Node *x : site.root->operands)
          if (x->track && x->track->stage == Stage::raw && !factor)
            factor = x->track->pre;
      if (!factor)
        factor = t.pre;
      auto &f =
          report(site, "SC004", factor ? factor->at : t.tanh,
                 "the softmax is in base 2 and log2(e) is inside the "
                 "cap, which then acts as a cap of " +
                     number(natural) + "; multiply with log2(e) after the cap");
      noteCap(f, site);
      noteConsumer(f, site);
      return;
    }
    c = natural;
    result.surfaces[site.surface].cap = c;
  }
  if (!wanted.cap || r.symbolic || !c)
    return;
  if (*wanted.cap == 0) {
    report(site, "SC007", t.tanh,
           "a cap of " + number(*c) + " where none is expected");
    return;
  }
  if (!closeTo(*c, *wanted.cap)) {
    const SurfaceExpectation &other = site.kind == SurfaceKind::logits
                                          ? expectation.scores
                                          : expectation.logits;
    bool swapped = other.cap && closeTo(*c, *other.cap);
    report(
        site, "SC007", t.tanh,
        "the cap is " + number(*c) + ", expected " + number(*wanted.cap) +
            (swapped ? "; the caps of scores and logits are exchanged" : ""));
  }
}

/// The newest factor after the cap that is not the cap itself.
static const Factor *findLateFactor(const Track &t, std::optional<double> c) {
  bool skippedCap = t.tanh->kind == NodeKind::cap;
  const Factor *found = nullptr;
  SmallVector<const Factor *> oldestFirst;
  for (const Factor *f = t.post; f; f = f->older)
    oldestFirst.push_back(f);
  for (const Factor *f : llvm::reverse(oldestFirst)) {
    bool isCap = c && !f->symbol && closeTo(f->constant, *c);
    if (!skippedCap && (isCap || (!c && f->symbol))) {
      skippedCap = true;
      continue;
    }
    if (t.exp2 && !f->symbol && closeTo(f->constant, kLog2E))
      continue;
    found = f;
  }
  return found;
}

/// SC005, SC006, SC301, and the scale of SC007.
void Judge::judgeFactors(Site &site) {
  const Track &t = site.track();
  const CapReading &r = site.reading;
  for (const Factor *f = t.pre; f && site.kind == SurfaceKind::logits;
       f = f->older) {
    if (!f->symbol)
      continue;
    bool isCap = false;
    for (const Factor *p = t.post; p; p = p->older)
      isCap |= p->symbol && (p->symbol == f->symbol ||
                             (f->symbol->kind == NodeKind::reciprocal &&
                              f->symbol->operands[0] == p->symbol));
    // One factor per vocabulary entry dequantises the weights.
    ArrayRef<int64_t> shape = f->symbol->shape;
    bool perEntry = shape.size() == 1 && shape[0] != 1 &&
                    shape[0] == site.root->contraction.features;
    if (isCap || perEntry)
      continue;
    auto &finding = report(site, "SC005", f->at,
                           "a run-time factor (a temperature) is inside the "
                           "cap; apply it to the capped logits");
    noteCap(finding, site);
    noteConsumer(finding, site);
    break;
  }
  const Factor *late = r.paired ? findLateFactor(t, r.cap) : nullptr;
  const PlacementSurface &surface = result.surfaces[site.surface];
  double scale = surface.operandScale * r.preScale;
  std::optional<double> wanted = expected(site).scale;
  bool fits = !wanted || closeTo(scale, *wanted);
  bool completes = wanted && !fits && closeTo(scale * r.postScale, *wanted);
  if (late && (completes || expectation.noTemperature)) {
    auto &f = report(site, "SC006", late->at,
                     completes ? "the scale " + number(*wanted) +
                                     " is applied after the cap; scale before "
                                     "the cap"
                               : "a factor follows the cap, but no temperature "
                                 "is expected");
    noteCap(f, site);
    return;
  }
  if (!fits)
    report(site, "SC007", t.tanh,
           "the scale inside the cap is " + number(scale) + ", expected " +
               number(*wanted));
  if (late) {
    auto &f = report(site, "SC301", late->at,
                     "a factor follows the cap: the effective bound is the "
                     "cap times that factor");
    noteCap(f, site);
  }
}

/// SC110, SC111, SC112, SC114, SC115.
void Judge::judgePrecision(Site &site) {
  const Track &t = site.track();
  const CapReading &r = site.reading;
  if (t.tanh->overflowing)
    report(site, "SC110", t.tanh,
           "this form of tanh overflows to NaN for large scores; use tanh");
  bool isNarrowRoot = site.root->kind == NodeKind::contraction &&
                      site.root->bits && site.root->bits <= 16;
  if (t.narrow || isNarrowRoot) {
    auto &f = report(site, "SC111", t.narrow ? t.narrow : site.root,
                     "the values are rounded to 16 bits or fewer before the "
                     "cap; keep them in f32 up to the cap");
    noteCap(f, site);
  }
  if (t.tanh->kind == NodeKind::tanh && t.tanh->bits && t.tanh->bits <= 16)
    report(site, "SC115", t.tanh,
           "the tanh of the cap is computed in 16 bits or fewer; widen its "
           "input to f32");
  if (t.staleMax) {
    auto &f = report(site, "SC112", t.staleMax,
                     "the row maximum comes from uncapped scores; take it from "
                     "the capped ones");
    noteConsumer(f, site);
  }
  bool bounded = r.cap && !r.symbolic;
  for (const Factor *f = t.post; f; f = f->older)
    bounded &= !f->symbol;
  double lowest = bounded ? -*r.cap * std::abs(r.postScale) : 0;
  if (bounded && t.postMask && !t.postBias && t.sentinel < 0 &&
      std::isfinite(t.sentinel) && t.sentinel > lowest - 104)
    report(site, "SC114", t.postMask,
           "the mask value " + number(t.sentinel) +
               " is less than 104 below "
               "the smallest score " +
               number(lowest) + ", so that masked keys keep weight; use -inf");
}

/// SC113.
void Judge::judgeGradients() {
  for (const Node *n : graph.getNarrowDerivatives()) {
    const Node *t = n->operands[0]->operands[0]->operands[0];
    while (t->kind == NodeKind::scale)
      t = t->operands[0];
    auto it = siteOf.find(graph.find(t->track->root));
    if (it == siteOf.end())
      continue;
    const Site &site = sites[it->second];
    if (!site.listed || site.kind == SurfaceKind::other || !site.track().tanh)
      continue;
    std::string horizon = "3.47 c";
    if (site.reading.cap)
      horizon += " = " + number(3.47 * *site.reading.cap);
    report(site, "SC113", n,
           "the derivative of the cap is 1 - y * y from a y of 16 bits, which "
           "is zero beyond " +
               horizon + "; compute it from the input");
  }
}

/// SC008: a cap near an uncapped surface, in the same function.
void Judge::judgeWrongSurface() {
  auto functionOf = [&](const Site &site) {
    Operation *op = getAnchor(site.root);
    if (!op)
      op = site.main->op;
    return op->getParentOfType<FunctionOpInterface>().getOperation();
  };
  auto uncappedScoresIn = [&](Operation *function) -> const Site * {
    for (const Site &site : sites)
      if (site.listed && site.kind == SurfaceKind::scores &&
          !site.track().tanh && functionOf(site) == function)
        return &site;
    return nullptr;
  };
  for (const Site &site : sites) {
    const Track &t = site.track();
    if (site.kind != SurfaceKind::other || !t.tanh || !site.listed)
      continue;
    const Site *bare = uncappedScoresIn(functionOf(site));
    if (!bare)
      continue;
    StringRef what;
    if (site.root->onWeights)
      what = "probabilities";
    else if (site.root->attentionOutput)
      what = "attention output";
    for (const Observation *o : site.observations)
      if (what.empty() && o->consumer == Consumer::operand && o->at) {
        auto it = siteOf.find(graph.find(o->at));
        if (it != siteOf.end() && sites[it->second].kind == SurfaceKind::scores)
          what = "queries or keys";
      }
    if (what.empty())
      continue;
    const Node *argument = t.tanh->operands[0];
    auto &f = report(site, "SC008",
                     argument->kind == NodeKind::scale ? argument : t.tanh,
                     "the cap is on the " + what +
                         ", and the scores of this function have none; cap the "
                         "scores");
    if (Operation *op = getAnchor(bare->root))
      f.related.push_back({op, "the uncapped scores"});
  }
}

/// A path through an op that is not understood.
void Judge::judgeUnknown(Site &site) {
  const Track &t = site.track();
  bool hasCap = t.tanh && t.stage != Stage::tanh;
  if (!hasCap)
    return;
  const Node *unknown = nullptr;
  if (site.root->kind == NodeKind::opaque)
    unknown = site.root;
  else if (site.main->consumer == Consumer::opaque)
    unknown = site.main->at;
  if (!unknown || !unknown->op)
    return;
  result.findings.push_back(
      {nullptr,
       unknown->op,
       ("'" + unknown->op->getName().getStringRef() +
        "' is not understood, and a soft cap depends on it")
           .str(),
       {},
       site.surface});
  noteCap(result.findings.back(), site);
}

//===----------------------------------------------------------------------===//
// Verdicts
//===----------------------------------------------------------------------===//

static PlacementVerdict getVerdict(const PlacementFinding &finding) {
  if (!finding.rule)
    return PlacementVerdict::inconclusive;
  switch (finding.rule->severity) {
  case PlacementSeverity::error:
    return PlacementVerdict::illegal;
  case PlacementSeverity::warning:
    return PlacementVerdict::hazard;
  case PlacementSeverity::note:
    return PlacementVerdict::noSoftcap;
  }
  return PlacementVerdict::noSoftcap;
}

static bool isSuppressed(const PlacementFinding &finding) {
  if (!finding.rule)
    return false;
  for (Operation *op = finding.culprit; op; op = op->getParentOp())
    if (auto list = op->getAttrOfType<ArrayAttr>("softcap.suppress"))
      for (auto entry : list.getAsRange<StringAttr>())
        if (entry.getValue().starts_with(finding.rule->id))
          return true;
  return false;
}

void Judge::finish() {
  for (PlacementFinding &f : result.findings) {
    f.suppressed = isSuppressed(f);
    if (f.suppressed)
      continue;
    PlacementVerdict v = getVerdict(f);
    result.verdict = std::max(result.verdict, v);
    if (f.surface >= 0) {
      PlacementSurface &s = result.surfaces[f.surface];
      s.verdict = std::max(s.verdict, v);
    }
  }
  for (const PlacementSurface &s : result.surfaces)
    result.verdict = std::max(result.verdict, s.verdict);
  // A function that is called twice is reported once.
  llvm::SmallDenseSet<std::pair<const PlacementRule *, Operation *>> seen;
  llvm::erase_if(result.findings, [&](const PlacementFinding &f) {
    return !seen.insert({f.rule, f.culprit}).second;
  });
}
