//===- PlacementTransfer.cpp - Transfer functions of the placement lattice ===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How one operation changes what is known of the scores that pass through it.
// Each function looks at the operands only, so the analysis is linear.
//
//===----------------------------------------------------------------------===//

#include "PlacementGraph.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

Track *Graph::copy(const Track *t) { return &tracks.emplace_back(*t); }

const Factor *Graph::push(const Factor *list, double k, const Node *symbol,
                          bool divides, const Node *at) {
  constexpr unsigned kLongestChain = 64;
  if (list && list->depth >= kLongestChain) {
    // No model scales a value that often: keep the product only.
    factors.push_back({product(list), nullptr, false, list->at, nullptr, 1});
    list = &factors.back();
  }
  factors.push_back({k, symbol, divides, at, list, list ? list->depth + 1 : 1});
  return &factors.back();
}

/// The value starts anew here: what came before is the business of others.
void Graph::source(Node *n, double keptScale) {
  Track &t = tracks.emplace_back();
  t.root = n;
  if (keptScale != 1.0)
    t.pre = push(nullptr, keptScale, nullptr, false, n);
  n->track = &t;
}

/// How much a track says about scores; the operand with more is followed.
static int importance(const Node *n) {
  if (!n->track)
    return 0;
  if (n->track->stage != Stage::raw)
    return 3;
  return isContracted(n->track) ? 2 : 1;
}

static bool isConstant(const Node *n) { return n->kind == NodeKind::constant; }

/// A run-time addend that is the same for all heads acts as a mask; a bias by
/// relative position differs from head to head.
static bool looksLikeMask(const Node *n) {
  if (n->kind != NodeKind::leaf)
    return false;
  size_t rank = n->shape.size();
  return rank == 2 || (rank > 2 && n->shape[rank - 3] == 1);
}

void Graph::transfer(Node *n) {
  switch (n->kind) {
  case NodeKind::constant:
  case NodeKind::empty:
  case NodeKind::compare:
    return;
  case NodeKind::accumulator:
    n->track = n->operands[0]->track;
    return;
  case NodeKind::scale:
    return transferScale(n);
  case NodeKind::mul:
    return transferProduct(n, /*divides=*/false);
  case NodeKind::div:
    return transferProduct(n, /*divides=*/true);
  case NodeKind::add:
    return transferSum(n, /*negated=*/false);
  case NodeKind::sub:
    return transferSum(n, /*negated=*/true);
  case NodeKind::select:
    return transferSelect(n);
  case NodeKind::merge:
    return transferMerge(n);
  case NodeKind::max:
  case NodeKind::min:
    return transferExtremum(n);
  case NodeKind::tanh:
  case NodeKind::cap:
    return transferSaturation(n);
  case NodeKind::convert:
    return transferConvert(n);
  case NodeKind::exp:
  case NodeKind::exp2:
  case NodeKind::softmax:
    return transferExp(n);
  case NodeKind::logSoftmax: {
    Node *x = n->operands[0];
    observe(x, Consumer::softmax, n->op, n);
    n->track = x->track;
    return;
  }
  case NodeKind::contraction:
    return transferContraction(n);
  case NodeKind::reduceMax:
    n->maxOf = n->operands[0]->track;
    return source(n);
  case NodeKind::reduceSum:
    if (importance(n->operands[0]) == 3 &&
        n->operands[0]->track->stage == Stage::weights)
      observe(n->operands[0], Consumer::softmax, n->op, n);
    return source(n);
  case NodeKind::order:
    observe(n->operands[0], Consumer::order, n->op, n);
    return source(n);
  case NodeKind::opaque:
    for (Node *x : n->operands)
      observe(x, Consumer::opaque, n->op, n);
    return source(n);
  case NodeKind::reciprocal:
  case NodeKind::sigmoid:
  case NodeKind::log:
  case NodeKind::abs:
  case NodeKind::sqrt:
  case NodeKind::rsqrt:
  case NodeKind::pure:
    for (Node *x : n->operands)
      if (x->track && x->track->stage == Stage::capped)
        observe(x, Consumer::activation, n->op, n);
    return source(n);
  case NodeKind::leaf:
  case NodeKind::neg:
    return source(n);
  }
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

void Graph::transferScale(Node *n) {
  Node *x = n->operands[0];
  if (!x->track)
    return;
  Track *t = copy(x->track);
  n->track = t;
  switch (t->stage) {
  case Stage::raw:
    t->pre = push(t->pre, n->value, nullptr, false, n);
    return;
  case Stage::tanh:
    t->stage = Stage::capped;
    [[fallthrough]];
  case Stage::capped:
    t->post = push(t->post, n->value, nullptr, false, n);
    return;
  case Stage::weights:
    return;
  }
}

/// The factor inside the tanh that divides by `symbol`, or null.
static const Factor *findDivision(const Factor *pre, const Node *symbol) {
  for (; pre; pre = pre->older) {
    if (!pre->symbol)
      continue;
    if (pre->divides && pre->symbol == symbol)
      return pre;
    if (pre->symbol->kind == NodeKind::reciprocal &&
        pre->symbol->operands[0] == symbol)
      return pre;
  }
  return nullptr;
}

void Graph::transferProduct(Node *n, bool divides) {
  Node *x = n->operands[0], *y = n->operands[1];
  int ix = importance(x), iy = importance(y);
  bool widerSecond = ix == iy && y->shape.size() > x->shape.size();
  if (!divides && (iy > ix || widerSecond)) {
    std::swap(x, y);
    std::swap(ix, iy);
  }
  if (ix == 0 || (divides && iy > ix))
    return source(n);
  bool sameRoot = iy && find(x->track->root) == find(y->track->root);
  Stage stage = x->track->stage;

  // x * tanh(x / c): no cap at all for large |x|.
  if (stage == Stage::tanh && iy && sameRoot && y->track->stage == Stage::raw &&
      !x->track->preBias) {
    Track *t = copy(x->track);
    t->stage = Stage::capped;
    t->malformed = n;
    n->track = t;
    return;
  }
  observeGate(x, n);
  observeGate(y, n);
  // Two activations multiplied are a new one (gates, derivatives).
  bool bothActive = ix >= 2 && iy >= 2;
  if (sameRoot && stage != Stage::weights)
    return source(n);
  if (bothActive && !(stage == Stage::weights && divides))
    return source(n);

  Track *t = copy(x->track);
  switch (stage) {
  case Stage::raw:
    t->pre = push(t->pre, 1.0, y, divides, n);
    break;
  case Stage::tanh:
    if (!findDivision(t->pre, y))
      return source(n);
    t->stage = Stage::capped;
    [[fallthrough]];
  case Stage::capped:
    t->post = push(t->post, 1.0, y, divides, n);
    break;
  case Stage::weights:
    break;
  }
  n->track = t;
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

void Graph::subtractMax(Node *n, Track &t, const Node *max) {
  const Track *m = max->maxOf;
  bool same = m && find(m->root) == find(t.root);
  if (t.stage == Stage::raw && same)
    t.preRowMax = n;
  if (t.stage != Stage::raw && same && m->stage == Stage::raw)
    t.staleMax = n;
  t.maxSubtracted = true;
}

/// 1 - t * t with a narrow, saturated t: zero long before the true derivative.
static bool isNarrowDerivative(const Node *n) {
  const Node *x = n->operands[0], *y = n->operands[1];
  if (!isConstant(y) || y->value != 1.0 || x->kind != NodeKind::scale ||
      x->value != -1.0)
    return false;
  const Node *square = x->operands[0];
  if (square->kind != NodeKind::mul ||
      square->operands[0] != square->operands[1])
    return false;
  const Node *t = square->operands[0];
  while (t->kind == NodeKind::scale)
    t = t->operands[0];
  return t->bits && t->bits <= 16 && t->track &&
         (t->track->stage == Stage::tanh || t->track->stage == Stage::capped);
}

/// What `mask ? 0 : k` adds to a masked score.
static std::optional<double> getMaskAddend(const Node *n) {
  if (n->kind != NodeKind::select || !isConstant(n->operands[1]) ||
      !isConstant(n->operands[2]))
    return std::nullopt;
  double a = n->operands[1]->value, b = n->operands[2]->value;
  if (std::max(a, b) != 0 || std::min(a, b) >= 0)
    return std::nullopt;
  return std::min(a, b);
}

void Graph::transferSum(Node *n, bool negated) {
  Node *x = n->operands[0], *y = n->operands[1];
  if (isNarrowDerivative(n))
    squares.push_back(n);
  if (importance(y) > importance(x) ||
      (importance(x) == 1 && importance(y) == 1 && x->sentinel &&
       !y->sentinel)) {
    if (negated)
      return source(n);
    std::swap(x, y);
  }
  const Track *tx = x->track, *ty = y->track;
  if (!tx)
    return source(n);
  bool sameRoot = ty && find(tx->root) == find(ty->root);
  if (sameRoot) {
    double k = product(tx->pre);
    bool uniform = tx->stage == Stage::raw && ty->stage == Stage::raw &&
                   closeTo(k, product(ty->pre));
    return source(n, uniform ? k : 1.0);
  }
  bool bothSaturated = importance(x) == 3 && importance(y) == 3;
  if (bothSaturated || tx->stage == Stage::weights)
    return source(n);
  // tanh(x) + 1 belongs to a GELU or a sigmoid.
  if (tx->stage == Stage::tanh && isConstant(y) && !y->sentinel)
    return source(n);

  Track *t = copy(tx);
  n->track = t;
  if (y->kind == NodeKind::reduceMax)
    return subtractMax(n, *t, y);
  bool before = t->stage == Stage::raw;
  if (isConstant(y))
    t->constantShift = n;
  if (y->sentinel) {
    if (!before && t->preMaskKey == y)
      t->preMask = nullptr; // the same mask again: what leaked is hidden
    (before ? t->preMask : t->postMask) = n;
    if (before)
      t->preMaskKey = y;
    return;
  }
  if (before) {
    t->preBias = n;
    if (looksLikeMask(y)) {
      t->preMaybeMask = n;
      t->preMaskKey = y;
    }
    return;
  }
  if (t->preMaskKey == y)
    t->preMask = t->preMaybeMask = nullptr;
  if (std::optional<double> masked = getMaskAddend(y)) {
    t->postMask = n;
    t->sentinel = *masked;
  } else if (looksLikeMask(y))
    t->postMask = n;
  else
    t->postBias = n;
}

//===----------------------------------------------------------------------===//
// Alternatives
//===----------------------------------------------------------------------===//

/// `x == -inf`, `x <= sentinel`, ... about a masked value.
static bool testsSentinel(const Node *predicate, const Track *t) {
  if (predicate->kind != NodeKind::compare)
    return false;
  const Node *x = predicate->operands[0], *y = predicate->operands[1];
  return (x->sentinel && isConstant(y)) || (y->sentinel && isConstant(x));
}

void Graph::transferSelect(Node *n) {
  Node *predicate = n->operands[0], *x = n->operands[1], *y = n->operands[2];
  if (importance(y) > importance(x))
    std::swap(x, y);
  if (!x->track)
    return source(n);
  bool xIsScore = importance(x) >= 2 || !x->sentinel;
  // Either side of a mask of two arguments.
  if (!xIsScore && y->track && !y->sentinel)
    std::swap(x, y);
  bool masked = y->sentinel && (!y->track || importance(y) < 2);
  bool afterCap =
      x->track->stage == Stage::capped || x->track->stage == Stage::tanh;
  if (!masked && isConstant(y) && afterCap && y->value < 0) {
    // A finite value far below the cap acts as a mask, for better or worse.
    masked = true;
  }
  if (!masked) {
    if (!y->track) {
      n->track = x->track;
      return;
    }
    if (!testsSentinel(predicate, x->track))
      return join(n, x, y);
    // `x == -inf ? x : cap(x)`: the guard restores the mask.
    Track *t = copy(x->track);
    t->preMask = t->preMaybeMask = nullptr;
    t->postMask = n;
    n->track = t;
    return;
  }
  Track *t = copy(x->track);
  n->track = t;
  if (t->stage == Stage::weights)
    return;
  if (t->stage == Stage::raw) {
    t->preMask = n;
    t->preMaskKey = predicate;
    return;
  }
  t->postMask = n;
  if (isConstant(y))
    t->sentinel = y->value;
  if (t->preMaskKey == predicate || testsSentinel(predicate, t))
    t->preMask = t->preMaybeMask = nullptr;
}

/// Two values stand for different places of one tensor.
void Graph::join(Node *n, Node *x, Node *y) {
  const Track *tx = x->track, *ty = y->track;
  if (!tx || !ty) {
    n->track = tx ? tx : ty;
    return;
  }
  if (importance(y) > importance(x)) {
    std::swap(x, y);
    std::swap(tx, ty);
  }
  bool sameSurface = find(tx->root) == find(ty->root);
  bool shards = isContracted(tx) && isContracted(ty) &&
                tx->root->operands[0] == ty->root->operands[0];
  bool xCapped = tx->stage == Stage::capped, yRaw = ty->stage == Stage::raw;
  if (xCapped && yRaw && (sameSurface || shards)) {
    Track *t = copy(tx);
    t->partial = n;
    n->track = t;
  } else {
    n->track = tx;
  }
  if (isContracted(tx) && isContracted(ty) && !sameSurface &&
      (tx->stage == ty->stage || shards))
    find(ty->root)->merged = find(tx->root);
}

void Graph::transferMerge(Node *n) {
  Node *x = n->operands[0], *y = n->operands[1];
  if (importance(y) > importance(x))
    std::swap(x, y);
  if (!x->track)
    return;
  if (y->track)
    return join(n, x, y);
  if (!y->sentinel) {
    n->track = x->track;
    return;
  }
  // Padding, or places that are never written.
  Track *t = copy(x->track);
  n->track = t;
  if (t->stage == Stage::raw)
    t->preMask = n;
  else if (t->stage != Stage::weights)
    t->postMask = n;
}

void Graph::transferExtremum(Node *n) {
  Node *x = n->operands[0], *y = n->operands[1];
  // A running maximum against the maximum of the next block.
  if (n->kind == NodeKind::max && (x->maxOf || y->maxOf)) {
    n->kind = NodeKind::reduceMax;
    n->maxOf = y->maxOf ? y->maxOf : x->maxOf;
    return source(n);
  }
  if (!isConstant(y) || !x->track)
    return source(n);
  Track *t = copy(x->track);
  n->track = t;
  if (t->stage != Stage::raw)
    return;
  if (t->clampLow && closeTo(std::abs(y->value), t->clampValue) &&
      t->clampLow->kind != n->kind && y->value != 0)
    t->clamp = n;
  t->clampLow = n;
  t->clampValue = std::abs(y->value);
}

//===----------------------------------------------------------------------===//
// Saturation, weights, contractions
//===----------------------------------------------------------------------===//

void Graph::transferSaturation(Node *n) {
  Node *x = n->operands[0];
  if (!x->track)
    return;
  const Track *before = x->track;
  bool isCap = n->kind == NodeKind::cap || n->softsign;
  if (before->stage == Stage::weights) {
    // Saturated probabilities: a tensor of their own, on no surface.
    Track &t = tracks.emplace_back();
    t.root = create(NodeKind::pure, {x}, 0, x->op, x->bits);
    t.root->onWeights = true;
    t.tanh = n;
    t.stage = isCap ? Stage::capped : Stage::tanh;
    n->track = &t;
    return;
  }
  Track *t = copy(before);
  n->track = t;
  if (before->stage != Stage::raw) {
    bool hasPreFactor = before->post && before->post->depth > 1;
    t->repeated = hasPreFactor ? before->post->at : n;
    t->post = nullptr;
    t->earlierCap = before->tanh;
  }
  t->tanh = n;
  t->stage = isCap ? Stage::capped : Stage::tanh;
}

void Graph::transferConvert(Node *n) {
  Node *x = n->operands[0];
  n->track = x->track;
  if (!x->track || !x->bits || !n->bits || n->bits > 16 ||
      x->track->stage != Stage::raw)
    return;
  Track *t = copy(x->track);
  t->narrow = n;
  n->track = t;
}

void Graph::transferExp(Node *n) {
  Node *x = n->operands[0];
  const Track *before = x->track;
  bool isWhole = n->kind == NodeKind::softmax;
  if (!before || !(isContracted(before) || before->tanh || isWhole ||
                   before->maxSubtracted))
    return source(n);
  if (before->stage == Stage::weights)
    return source(n);
  Track *t = copy(before);
  t->stage = Stage::weights;
  t->exp = n;
  t->exp2 = n->kind == NodeKind::exp2;
  n->track = t;
  if (isWhole || t->maxSubtracted)
    observations.push_back({t, Consumer::softmax, n->op, n});
}

/// Softmax weights, or the values of a top-k, that weight other activations.
void Graph::observeGate(Node *x, Node *n) {
  bool meetsActivation = llvm::any_of(n->operands, [&](Node *other) {
    return other != x && importance(other) >= 2;
  });
  if (!x->track || !meetsActivation)
    return;
  if (x->track->stage == Stage::weights)
    observe(x, Consumer::gate, n->op, n);
  else if (x->track->root->kind == NodeKind::order)
    observe(x->track->root->operands[0], Consumer::gate, n->op, n);
}

void Graph::transferContraction(Node *n) {
  for (unsigned i : {0u, 1u}) {
    Node *x = n->operands[i], *other = n->operands[1 - i];
    if (x->track && x->track->root->kind == NodeKind::order)
      observeGate(x, n);
    if (!x->track || x->track->stage == Stage::raw)
      continue;
    if (x->track->stage != Stage::weights) {
      observe(x, Consumer::operand, n->op, n);
      continue;
    }
    // The gradient of the logits meets the weights that made the logits.
    Node *root = find(x->track->root);
    bool isGradient =
        root->kind == NodeKind::contraction &&
        llvm::any_of(root->operands, [&](Node *w) { return w == other; });
    if (isGradient) {
      observe(x, Consumer::operand, n->op, n);
      continue;
    }
    n->attentionOutput = true;
    observe(x, Consumer::valueContraction, n->op, n);
  }
  source(n);
}
