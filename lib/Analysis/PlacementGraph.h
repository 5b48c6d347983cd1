//===- PlacementGraph.h - The value graph of the placement analysis -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every dialect is read into one small graph of elementwise and reducing
// nodes. Layout (reshape, transpose, broadcast, slice, load, store) leaves no
// trace in it, equal computations are one node, and each node carries the
// lattice element of its value, computed once, when the node is made.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_ANALYSIS_PLACEMENTGRAPH_H
#define SOFTCAP_LIB_ANALYSIS_PLACEMENTGRAPH_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Allocator.h"

#include <deque>
#include <vector>

namespace mlir::softcap::placement {

enum class NodeKind : uint8_t {
  constant,    // value
  leaf,        // an argument, a weight, anything without operands
  empty,       // an uninitialised tensor or buffer
  accumulator, // the running value of a reduction or a loop
  scale,       // x * value
  mul,
  add, // x + y
  sub, // x - y
  div, // x / y
  neg,
  reciprocal,
  tanh,
  cap, // softcap.cap: value is c, or the second operand
  sigmoid,
  exp,
  exp2,
  log,
  abs,
  sqrt,
  rsqrt,
  max,
  min,
  compare,
  select, // predicate, if true, if false
  convert,
  merge, // alternatives: other positions, branches, iterations
  contraction,
  reduceMax,
  reduceSum,
  softmax,
  logSoftmax,
  order,  // argmax, top-k, sort
  pure,   // an elementwise op with no part in any rule (sin, rsqrt, ...)
  opaque, // an op that is not understood
};

struct Node;

/// A factor or divisor on the way of a value, newest first.
struct Factor {
  double constant;     // 1 for a run-time factor
  const Node *symbol;  // the run-time factor, or null
  bool divides;        // a run-time divisor
  const Node *at;      // the multiplication
  const Factor *older; // null for the first one
  unsigned depth;
};

enum class Stage : uint8_t {
  raw,     // before any cap
  tanh,    // saturated, not yet rescaled
  capped,  // saturated and rescaled
  weights, // exponentials or probabilities
};

/// The lattice element of a value that carries scores, logits or what may
/// become them. `at` fields name the node where the property was acquired.
struct Track {
  Node *root = nullptr; // contraction, argument or other source
  Stage stage = Stage::raw;
  const Factor *pre = nullptr;
  const Factor *post = nullptr;
  const Node *tanh = nullptr;    // the saturating node
  const Node *preBias = nullptr; // finite bias inside the cap
  const Node *preMask = nullptr; // sentinel inside the cap
  const Node *preMaskKey = nullptr;
  const Node *preMaybeMask = nullptr; // run-time addend that looks like a mask
  const Node *preRowMax = nullptr;
  const Node *narrow = nullptr;
  const Node *clampLow = nullptr;
  const Node *clamp = nullptr;
  const Node *postBias = nullptr;
  const Node *postMask = nullptr;
  const Node *constantShift = nullptr;
  const Node *staleMax = nullptr;
  const Node *partial = nullptr;
  const Node *repeated = nullptr;
  const Node *earlierCap = nullptr;
  const Node *malformed = nullptr;
  const Node *exp = nullptr;
  double clampValue = 0;
  double sentinel = 0; // the largest mask value after the cap
  bool maxSubtracted = false;
  bool exp2 = false;
};

/// Sizes of a contraction; 0 where unknown.
struct ContractionInfo {
  int64_t batch = 0;
  int64_t depth = 0;    // extent of the contracted dimensions
  int64_t features = 0; // parallel extent that only the right operand has
  bool batched = false; // both operands have a batch dimension
};

struct Node {
  NodeKind kind;
  uint8_t bits = 0;         // float storage width, 0: no float
  bool sentinel = false;    // may carry -inf or a finite sentinel
  bool predicate = false;   // comes from an i1
  bool overflowing = false; // tanh spelled with exponentials that overflow
  bool softsign = false;    // x / (1 + |x| / c) with c in `value`
  bool reduction = false;   // accumulator of a reduction, not of a loop
  bool contracts = false;   // accumulator of a sum of products
  bool attentionOutput = false;
  bool onWeights = false; // source made of softmax weights
  double value = 0;
  unsigned id = 0;
  SmallVector<Node *, 2> operands;
  ArrayRef<int64_t> shape;
  Operation *op = nullptr;
  const Track *track = nullptr;
  const Track *maxOf = nullptr; // reduceMax: what it is the maximum of
  ContractionInfo contraction;
  Node *merged = nullptr; // union-find over roots
  Node *nextInterned = nullptr;
  bool fusedAttention = false; // inside of one fused attention op
};

enum class Consumer : uint8_t {
  softmax,
  valueContraction,
  operand, // of a contraction that is no value contraction
  activation,
  gate, // multiplied with another activation: the weight of an expert
  output,
  order,
  opaque,
};

/// A value meets a consumer.
struct Observation {
  const Track *track;
  Consumer consumer;
  Operation *op;
  Node *at; // contraction or opaque node
};

/// Builds nodes with their lattice elements. Equal nodes are made once.
class Graph {
public:
  Node *constant(double value, unsigned bits, Operation *op);
  Node *leaf(Operation *op, unsigned bits, ArrayRef<int64_t> shape,
             bool predicate = false, bool sentinel = false);
  Node *empty();
  Node *index(unsigned dimension);
  Node *accumulator(Operation *op, unsigned bits, Node *init);
  Node *unary(NodeKind kind, Node *x, Operation *op, unsigned bits);
  Node *binary(NodeKind kind, Node *x, Node *y, Operation *op, unsigned bits);
  Node *select(Node *predicate, Node *x, Node *y, Operation *op, unsigned bits);
  Node *merge(Node *x, Node *y, Operation *op);
  Node *cap(Node *x, double c, Node *symbol, Operation *op, unsigned bits);
  Node *contraction(Node *x, Node *y, Operation *op, unsigned bits,
                    ContractionInfo info);
  Node *opaque(ArrayRef<Node *> operands, Operation *op, unsigned bits,
               NodeKind kind);
  void observe(Node *x, Consumer consumer, Operation *op, Node *at = nullptr);

  Node *find(Node *root);
  const std::vector<Observation> &getObservations() const {
    return observations;
  }
  /// Nodes that compute 1 - t * t from a narrow saturated t.
  ArrayRef<const Node *> getNarrowDerivatives() const { return squares; }
  const std::deque<Node> &getNodes() const { return nodes; }

private:
  Node *create(NodeKind kind, ArrayRef<Node *> operands, double value,
               Operation *op, unsigned bits, bool unique = false);
  Node *scale(Node *x, double k, Operation *op, unsigned bits);
  Node *simplify(NodeKind kind, Node *x, Node *y, Operation *op, unsigned bits);
  Node *matchTanh(NodeKind kind, Node *x, Node *y, Operation *op,
                  unsigned bits);

  // Transfer functions of the lattice (PlacementTransfer.cpp).
  void transfer(Node *n);
  void source(Node *n, double keptScale = 1.0);
  void transferScale(Node *n);
  void transferProduct(Node *n, bool divides);
  void transferSum(Node *n, bool negated);
  void transferSelect(Node *n);
  void transferMerge(Node *n);
  void transferExtremum(Node *n);
  void transferSaturation(Node *n);
  void transferConvert(Node *n);
  void transferExp(Node *n);
  void transferContraction(Node *n);
  void observeGate(Node *x, Node *n);
  void join(Node *n, Node *x, Node *y);
  void subtractMax(Node *n, Track &t, const Node *max);
  Track *copy(const Track *t);
  const Factor *push(const Factor *list, double k, const Node *symbol,
                     bool divides, const Node *at);

  std::deque<Node> nodes;
  std::deque<Track> tracks;
  std::deque<Factor> factors;
  llvm::BumpPtrAllocator shapes;
  llvm::DenseMap<uint64_t, Node *> interned;
  std::vector<const Node *> squares;
  std::vector<Observation> observations;
  Node *emptyNode = nullptr;
};

/// The product of the constants of a list of factors.
double product(const Factor *list);
bool closeTo(double a, double b);
/// Whether a track starts at a contraction.
bool isContracted(const Track *t);

} // namespace mlir::softcap::placement

#endif // SOFTCAP_LIB_ANALYSIS_PLACEMENTGRAPH_H
