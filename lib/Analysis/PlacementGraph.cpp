//===- PlacementGraph.cpp - The value graph of the placement analysis -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Making of nodes: constant folding, spellings of tanh, and interning.
//
//===----------------------------------------------------------------------===//

#include "PlacementGraph.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/Hashing.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

// Constants of bf16 have 8 bits of precision, and 1 / c may be rounded too.
bool placement::closeTo(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b))
    return false;
  return std::abs(a - b) <= 0.01 * std::max(std::abs(a), std::abs(b));
}

double placement::product(const Factor *list) {
  double result = 1.0;
  for (; list; list = list->older)
    result *= list->constant;
  return result;
}

bool placement::isContracted(const Track *t) {
  return t && t->root->kind == NodeKind::contraction;
}

static bool isConstant(const Node *n) { return n->kind == NodeKind::constant; }
static bool isConstant(const Node *n, double value) {
  return isConstant(n) && n->value == value;
}

/// Below this an addend is no score any more: -1e4 is the usual mask of half
/// precision, finfo.min and -inf those of the others.
static bool isSentinelConstant(double value) { return value <= -1e4; }

//===----------------------------------------------------------------------===//
// Interning
//===----------------------------------------------------------------------===//

static bool mayCarrySentinel(const Node *n) {
  auto has = [&](unsigned i) { return n->operands[i]->sentinel; };
  switch (n->kind) {
  case NodeKind::constant:
    return n->bits && isSentinelConstant(n->value);
  case NodeKind::scale: {
    const Node *x = n->operands[0];
    bool isScore =
        x->track && (isContracted(x->track) || x->track->stage != Stage::raw);
    // (1 - mask) * finfo.min
    return n->value != 0 && (has(0) || (std::abs(n->value) >= 1e4 && !isScore));
  }
  case NodeKind::add:
  case NodeKind::sub:
  case NodeKind::mul:
  case NodeKind::min:
  case NodeKind::merge:
    return has(0) || has(1);
  case NodeKind::max:
    return has(0) && has(1);
  case NodeKind::select:
    return has(1) || has(2);
  case NodeKind::div:
  case NodeKind::convert:
  case NodeKind::accumulator:
  case NodeKind::pure:
    return !n->operands.empty() && has(0);
  case NodeKind::log: // log(0 or 1) is an additive mask
    return n->operands[0]->predicate;
  default:
    return n->sentinel;
  }
}

static bool isPredicate(const Node *n) {
  switch (n->kind) {
  case NodeKind::compare:
    return true;
  case NodeKind::convert:
  case NodeKind::scale:
    return n->operands[0]->predicate;
  case NodeKind::select:
    return isConstant(n->operands[1]) && isConstant(n->operands[2]);
  default:
    return n->predicate;
  }
}

static bool isSame(const Node *n, NodeKind kind, ArrayRef<Node *> operands,
                   double value, unsigned bits) {
  return n->kind == kind && n->bits == bits &&
         (n->value == value || (n->value != n->value && value != value)) &&
         ArrayRef<Node *>(n->operands) == operands;
}

Node *Graph::create(NodeKind kind, ArrayRef<Node *> operands, double value,
                    Operation *op, unsigned bits, bool unique) {
  uint64_t hash = 0;
  if (!unique) {
    uint64_t valueBits;
    std::memcpy(&valueBits, &value, sizeof(value));
    hash = llvm::hash_combine(
        unsigned(kind), bits, valueBits,
        llvm::hash_combine_range(operands.begin(), operands.end()));
    hash >>= 1; // never the map's empty or tombstone key
    for (Node *n = interned.lookup(hash); n; n = n->nextInterned)
      if (isSame(n, kind, operands, value, bits))
        return n;
  }
  Node *n = &nodes.emplace_back();
  n->kind = kind;
  n->operands.append(operands.begin(), operands.end());
  n->value = value;
  n->op = op;
  n->bits = bits;
  n->id = nodes.size();
  if (!unique) {
    Node *&head = interned[hash];
    n->nextInterned = head;
    head = n;
  }
  if (op && op->getNumResults() > 0)
    if (auto shaped = dyn_cast<ShapedType>(op->getResult(0).getType()))
      if (shaped.hasRank())
        n->shape = shaped.getShape();
  n->predicate = isPredicate(n);
  transfer(n);
  n->sentinel = mayCarrySentinel(n);
  return n;
}

Node *Graph::find(Node *root) {
  Node *top = root;
  while (top->merged)
    top = top->merged;
  while (root != top) {
    Node *next = root->merged;
    root->merged = top;
    root = next;
  }
  return top;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

Node *Graph::constant(double value, unsigned bits, Operation *op) {
  return create(NodeKind::constant, {}, value, op, bits);
}

Node *Graph::leaf(Operation *op, unsigned bits, ArrayRef<int64_t> shape,
                  bool predicate, bool sentinel) {
  Node *n = create(NodeKind::leaf, {}, 0, op, bits, /*unique=*/true);
  n->shape = shape.copy(shapes);
  n->predicate = predicate;
  n->sentinel = sentinel;
  return n;
}

Node *Graph::empty() {
  if (!emptyNode)
    emptyNode = create(NodeKind::empty, {}, 0, nullptr, 0);
  return emptyNode;
}

Node *Graph::index(unsigned dimension) {
  return create(NodeKind::pure, {}, dimension, nullptr, 0);
}

Node *Graph::accumulator(Operation *op, unsigned bits, Node *init) {
  return create(NodeKind::accumulator, {init}, 0, op, bits, /*unique=*/true);
}

/// Tells apart ops of one kind: their name, predicate and other attributes.
static double hashOp(Operation *op) {
  uint64_t hash = llvm::hash_combine(op->getName(), op->getAttrDictionary());
  return double(hash >> 12);
}

Node *Graph::opaque(ArrayRef<Node *> operands, Operation *op, unsigned bits,
                    NodeKind kind) {
  return create(kind, operands, hashOp(op), op, bits,
                /*unique=*/kind == NodeKind::opaque || operands.empty());
}

void Graph::observe(Node *x, Consumer consumer, Operation *op, Node *at) {
  if (x->track)
    observations.push_back({x->track, consumer, op, at});
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static double foldUnary(NodeKind kind, double x) {
  switch (kind) {
  case NodeKind::reciprocal:
    return 1 / x;
  case NodeKind::tanh:
    return std::tanh(x);
  case NodeKind::exp:
    return std::exp(x);
  case NodeKind::exp2:
    return std::exp2(x);
  case NodeKind::log:
    return std::log(x);
  case NodeKind::abs:
    return std::abs(x);
  case NodeKind::sqrt:
    return std::sqrt(x);
  case NodeKind::rsqrt:
    return 1 / std::sqrt(x);
  default:
    return x;
  }
}

static double foldBinary(NodeKind kind, double x, double y) {
  switch (kind) {
  case NodeKind::mul:
    return x * y;
  case NodeKind::add:
    return x + y;
  case NodeKind::sub:
    return x - y;
  case NodeKind::div:
    return x / y;
  case NodeKind::max:
    return std::max(x, y);
  default:
    return std::min(x, y);
  }
}

/// The logistic function from 1 / (1 + exp(w)) = sigmoid(-w), else null.
static Node *matchLogisticDenominator(Node *denominator) {
  if (denominator->kind != NodeKind::add ||
      !isConstant(denominator->operands[1], 1.0) ||
      denominator->operands[0]->kind != NodeKind::exp)
    return nullptr;
  return denominator->operands[0]->operands[0];
}

Node *Graph::scale(Node *x, double k, Operation *op, unsigned bits) {
  if (k == 1.0)
    return x;
  if (isConstant(x))
    return constant(x->value * k, bits, op);
  return create(NodeKind::scale, {x}, k, op, bits);
}

Node *Graph::unary(NodeKind kind, Node *x, Operation *op, unsigned bits) {
  if (kind == NodeKind::neg)
    return scale(x, -1.0, op, bits);
  if (kind == NodeKind::convert) {
    if (isConstant(x))
      return constant(x->value, bits, op);
    if (x->kind == NodeKind::empty || (x->bits && bits >= x->bits))
      return x; // widening is exact
    return create(kind, {x}, 0, op, bits);
  }
  bool folds = kind == NodeKind::reciprocal || kind == NodeKind::tanh ||
               kind == NodeKind::exp || kind == NodeKind::exp2 ||
               kind == NodeKind::log || kind == NodeKind::abs ||
               kind == NodeKind::sqrt || kind == NodeKind::rsqrt;
  if (folds && isConstant(x))
    return constant(foldUnary(kind, x->value), bits, op);
  if (kind == NodeKind::reciprocal)
    if (Node *w = matchLogisticDenominator(x))
      return create(NodeKind::sigmoid, {scale(w, -1.0, op, bits)}, 0, op, bits);
  if (kind == NodeKind::reduceMax && x->kind == NodeKind::reduceMax)
    return x;
  return create(kind, {x}, 0, op, bits);
}

/// `n` as k * node: strips one scale.
static std::pair<Node *, double> stripScale(Node *n) {
  if (n->kind == NodeKind::scale)
    return {n->operands[0], n->value};
  return {n, 1.0};
}

/// `n` as k * node: strips every scale.
static std::pair<Node *, double> stripScales(Node *n) {
  double k = 1.0;
  for (; n->kind == NodeKind::scale; n = n->operands[0])
    k *= n->value;
  return {n, k};
}

/// The same without the signs and twos of the identities below, but with the
/// factors of the cap left where they are.
static std::pair<Node *, double> stripTwos(Node *n) {
  double k = 1.0;
  auto isTwo = [](double f) { return f == 1 || f == 2 || f == 0.5; };
  while (n->kind == NodeKind::scale && isTwo(std::abs(n->value))) {
    k *= n->value;
    n = n->operands[0];
  }
  return {n, k};
}

/// Whether x = -y.
static bool isNegation(Node *x, Node *y) {
  auto [rootX, kx] = stripScales(x);
  auto [rootY, ky] = stripScales(y);
  return rootX == rootY && closeTo(kx, -ky);
}

/// Other ways to write tanh.
Node *Graph::matchTanh(NodeKind kind, Node *x, Node *y, Operation *op,
                       unsigned bits) {
  // a * sigmoid(z) - a / 2 = a / 2 * tanh(z / 2)
  if (kind == NodeKind::add && isConstant(y)) {
    auto [s, a] = stripScales(x);
    if (s->kind == NodeKind::sigmoid && y->value != 0 &&
        closeTo(a, -2 * y->value)) {
      auto [z, k] = stripTwos(s->operands[0]);
      double sign = k < 0 ? -1.0 : 1.0;
      Node *argument = scale(z, sign * k / 2, op, bits);
      Node *t = create(NodeKind::tanh, {argument}, 0, op, bits);
      return scale(t, sign * a / 2, op, bits);
    }
    return nullptr;
  }
  if (kind != NodeKind::div || y->kind != NodeKind::add)
    return nullptr;
  auto [numerator, a] = stripScale(x);
  Node *e = y->operands[0], *f = y->operands[1];
  // (e^w - 1) / (e^w + 1) = tanh(w / 2)
  if (e->kind == NodeKind::exp && isConstant(f, 1.0) &&
      numerator->kind == NodeKind::add && numerator->operands[0] == e &&
      isConstant(numerator->operands[1], -1.0)) {
    auto [w, k] = stripTwos(e->operands[0]);
    Node *argument = scale(w, k / 2, op, bits);
    Node *t = create(NodeKind::tanh, {argument}, 0, op, bits);
    t->overflowing = true;
    return scale(t, a, op, bits);
  }
  // (e^w - e^-w) / (e^w + e^-w) = tanh(w)
  if (e->kind != NodeKind::exp || f->kind != NodeKind::exp ||
      numerator->kind != NodeKind::sub)
    return nullptr;
  Node *p = numerator->operands[0], *m = numerator->operands[1];
  bool sameTerms = (p == e && m == f) || (p == f && m == e);
  if (!sameTerms)
    return nullptr;
  if (!isNegation(p->operands[0], m->operands[0]))
    return nullptr;
  Node *t = create(NodeKind::tanh, {p->operands[0]}, 0, op, bits);
  t->overflowing = true;
  return scale(t, a, op, bits);
}

/// x / (1 + |x| / c), the softsign scaled like a cap: its c, or 0.
static double matchSoftsign(Node *x, Node *y) {
  if (y->kind != NodeKind::add || !isConstant(y->operands[1], 1.0))
    return 0;
  auto [magnitude, k] = stripScale(y->operands[0]);
  if (magnitude->kind != NodeKind::abs || magnitude->operands[0] != x)
    return 0;
  return k > 0 ? 1 / k : 0;
}

static bool isUninitialized(const Node *n) {
  return n->kind == NodeKind::empty;
}

/// Folds and spellings; null if a plain node is right.
Node *Graph::simplify(NodeKind kind, Node *x, Node *y, Operation *op,
                      unsigned bits) {
  if (isConstant(x) && isConstant(y) && kind != NodeKind::compare)
    return constant(foldBinary(kind, x->value, y->value), bits, op);
  switch (kind) {
  case NodeKind::mul:
    if (isConstant(y))
      return scale(x, y->value, op, bits);
    if (isConstant(x))
      return scale(y, x->value, op, bits);
    if (y->kind == NodeKind::reciprocal)
      if (Node *t = matchTanh(NodeKind::div, x, y->operands[0], op, bits))
        return t;
    return nullptr;
  case NodeKind::div:
    if (isConstant(y))
      return scale(x, 1 / y->value, op, bits);
    if (isConstant(x))
      return scale(unary(NodeKind::reciprocal, y, op, bits), x->value, op,
                   bits);
    if (double c = matchSoftsign(x, y)) {
      Node *t = create(NodeKind::tanh, {x}, c, op, bits);
      t->softsign = true;
      return t;
    }
    return matchTanh(kind, x, y, op, bits);
  case NodeKind::sub:
    if (isConstant(y))
      return binary(NodeKind::add, x, constant(-y->value, bits, op), op, bits);
    if (isConstant(x))
      return binary(NodeKind::add, scale(y, -1.0, op, bits), x, op, bits);
    return nullptr;
  case NodeKind::add:
    if (isConstant(x))
      return binary(kind, y, x, op, bits);
    if (isConstant(y, 0.0) || isUninitialized(y))
      return x;
    if (isUninitialized(x))
      return y;
    if (x == y)
      return scale(x, 2.0, op, bits);
    return matchTanh(kind, x, y, op, bits);
  case NodeKind::max:
    if (isConstant(x))
      return binary(kind, y, x, op, bits);
    if (isConstant(y) &&
        (isSentinelConstant(y->value) || x->kind == NodeKind::reduceMax))
      return x; // a guard of the row maximum
    if (x == y)
      return x;
    return nullptr;
  case NodeKind::min:
    if (isConstant(x))
      return binary(kind, y, x, op, bits);
    if ((isConstant(y) && y->value >= 1e4) || x == y)
      return x;
    return nullptr;
  default:
    return nullptr;
  }
}

/// A running value that is only ever rescaled before it is added to.
static const Node *asAccumulator(const Node *n) {
  while (n->kind == NodeKind::convert || n->kind == NodeKind::scale)
    n = n->operands[0];
  return n->kind == NodeKind::accumulator ? n : nullptr;
}

static bool isProductOfTwo(const Node *n) {
  return n->kind == NodeKind::mul && n->operands[0] != n->operands[1];
}

Node *Graph::binary(NodeKind kind, Node *x, Node *y, Operation *op,
                    unsigned bits) {
  if (kind == NodeKind::add || kind == NodeKind::max) {
    if (asAccumulator(y) && !asAccumulator(x))
      std::swap(x, y);
    const Node *running = asAccumulator(x);
    if (running && !asAccumulator(y)) {
      if (kind == NodeKind::max)
        return unary(NodeKind::reduceMax, y, op, bits);
      bool isWeight = y->track && y->track->stage == Stage::weights;
      bool isScalar = op && op->getNumResults() == 1 &&
                      op->getResult(0).getType().isFloat();
      if (isProductOfTwo(y) && isScalar && running->contracts)
        return contraction(y->operands[0], y->operands[1], op, bits, {});
      if (y->kind == NodeKind::contraction)
        return y;
      if (running->reduction || isWeight)
        return unary(NodeKind::reduceSum, y, op, bits);
    }
  }
  if (Node *n = simplify(kind, x, y, op, bits))
    return n;
  double value = kind == NodeKind::compare ? hashOp(op) : 0;
  return create(kind, {x, y}, value, op, bits);
}

Node *Graph::select(Node *predicate, Node *x, Node *y, Operation *op,
                    unsigned bits) {
  if (x == y)
    return x;
  if (isConstant(predicate))
    return predicate->value != 0 ? x : y;
  // A guard of the row maximum against rows without a visible key.
  if (x->kind == NodeKind::reduceMax && isConstant(y))
    return x;
  if (y->kind == NodeKind::reduceMax && isConstant(x))
    return y;
  return create(NodeKind::select, {predicate, x, y}, 0, op, bits);
}

Node *Graph::merge(Node *x, Node *y, Operation *op) {
  if (x == y || isUninitialized(y))
    return x;
  if (isUninitialized(x))
    return y;
  if (y->kind == NodeKind::reduceMax && isConstant(x))
    return y;
  return create(NodeKind::merge, {x, y}, 0, op, std::max(x->bits, y->bits));
}

Node *Graph::cap(Node *x, double c, Node *symbol, Operation *op,
                 unsigned bits) {
  if (symbol && isConstant(symbol))
    return cap(x, symbol->value, nullptr, op, bits);
  if (symbol)
    return create(NodeKind::cap, {x, symbol}, 0, op, bits);
  return create(NodeKind::cap, {x}, c, op, bits);
}

Node *Graph::contraction(Node *x, Node *y, Operation *op, unsigned bits,
                         ContractionInfo info) {
  Node *n = create(NodeKind::contraction, {x, y}, double(info.depth), op, bits);
  n->contraction = info;
  return n;
}
