//===- PlacementImportOps.cpp - What one op computes ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dispatch of ops, and evaluation by the role that a table gives them.
//
//===----------------------------------------------------------------------===//

#include "PlacementImport.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

void Importer::evaluate(Operation *op) {
  ++steps;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return evaluateLinalg(linalgOp);
  if (evaluateMemory(op) || evaluateTensor(op) || evaluateVector(op) ||
      evaluateSoftcap(op))
    return;
  if (const OpRole *role = lookupRole(getRoleName(op))) {
    evaluateRole(op, *role);
    return describeLoopContraction(op);
  }
  if (evaluateControlFlow(op))
    return;
  evaluateUnknown(op);
}

/// A contraction written as loops has the loops' extents.
void Importer::describeLoopContraction(Operation *op) {
  Node *n = op->getNumResults() ? values.lookup(op->getResult(0)) : nullptr;
  if (!n || n->kind != NodeKind::contraction || n->op != op ||
      n->contraction.batch != 0 || isa<linalg::LinalgOp>(op->getParentOp()))
    return;
  ContractionInfo &info = n->contraction;
  info.batch = 1;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    int64_t count = trips ? trips->getSExtValue() : 0;
    if (info.depth == 0)
      info.depth = count;
    info.batch *= std::max<int64_t>(count, 1);
  }
}

void Importer::evaluateUnknown(Operation *op) {
  for (Region &region : op->getRegions())
    runRegion(region, {});
  if (op->getNumResults() == 0)
    return;
  bool anyFloat = llvm::any_of(
      op->getResultTypes(), [](Type type) { return getFloatBits(type) != 0; });
  Nodes operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  for (Value result : op->getResults()) {
    if (isa<BaseMemRefType>(result.getType()))
      continue;
    // Integers are indices, predicates and sizes: no score hides in them.
    set(result, graph.opaque(operands, op, getFloatBits(result.getType()),
                             anyFloat ? NodeKind::opaque : NodeKind::pure));
  }
}

void Importer::evaluateClamp(Operation *op, const OpRole &role) {
  Node *x = get(op->getOperand(role.x));
  unsigned bits = getFloatBits(op->getResult(0).getType());
  Node *low = nullptr, *high = nullptr;
  auto bound = [&](StringRef name) -> Node * {
    bool sentinel = false;
    auto value = readConstant(findAttribute(op, name), sentinel);
    return value ? graph.constant(*value, bits, op) : nullptr;
  };
  low = bound("min_val");
  high = bound("max_val");
  if (!low && op->getNumOperands() > 2) {
    low = get(op->getOperand(role.y));
    high = get(op->getOperand(role.z));
  }
  if (low)
    x = graph.binary(NodeKind::max, x, low, op, bits);
  if (high)
    x = graph.binary(NodeKind::min, x, high, op, bits);
  setAll(op, x);
}

/// A device library's function, as __nv_tanhf.
static NodeKind getExternalKind(StringRef symbol) {
  if (symbol.contains("tanh"))
    return NodeKind::tanh;
  if (symbol.contains("exp2"))
    return NodeKind::exp2;
  if (symbol.contains("exp") && !symbol.contains("expm1"))
    return NodeKind::exp;
  return NodeKind::pure;
}

void Importer::evaluateRole(Operation *op, const OpRole &role) {
  if (role.verb == Verb::output && int(op->getNumOperands()) > role.y)
    graph.observe(get(op->getOperand(role.y)), Consumer::output, op);
  if (op->getNumResults() == 0)
    return;
  int needed = 0;
  switch (role.verb) {
  case Verb::constant:
  case Verb::uninitialized:
  case Verb::pure:
  case Verb::ignore:
  case Verb::alternatives:
  case Verb::output:
    break;
  case Verb::binary:
  case Verb::reversed:
  case Verb::power:
  case Verb::insertion:
  case Verb::pad:
  case Verb::contraction:
    needed = std::max(role.x, role.y) + 1;
    break;
  case Verb::select:
  case Verb::fma:
  case Verb::attention:
    needed = 3;
    break;
  default:
    needed = role.x + 1;
  }
  if (int(op->getNumOperands()) < needed)
    return evaluateUnknown(op);

  Value result = op->getResult(0);
  unsigned bits = getFloatBits(result.getType());
  auto x = [&] { return get(op->getOperand(role.x)); };
  auto y = [&] { return get(op->getOperand(role.y)); };
  auto z = [&] { return get(op->getOperand(role.z)); };
  switch (role.verb) {
  case Verb::constant: {
    bool sentinel = false;
    auto value = readConstant(findAttribute(op, role.attribute), sentinel);
    return set(result, value ? graph.constant(*value, bits, op)
                             : makeLeaf(op, result.getType(), sentinel));
  }
  case Verb::unary:
    return set(result, graph.unary(role.kind, x(), op, bits));
  case Verb::binary:
    return set(result, graph.binary(role.kind, x(), y(), op, bits));
  case Verb::reversed:
    return set(result, graph.binary(role.kind, y(), x(), op, bits));
  case Verb::select:
    return set(result, graph.select(x(), y(), z(), op, bits));
  case Verb::square:
    return set(result, graph.binary(NodeKind::mul, x(), x(), op, bits));
  case Verb::power: {
    Node *base = x(), *exponent = y();
    bool squares = exponent->kind == NodeKind::constant && exponent->value == 2;
    return set(result,
               squares
                   ? graph.binary(NodeKind::mul, base, base, op, bits)
                   : graph.opaque({base, exponent}, op, bits, NodeKind::pure));
  }
  case Verb::clamp:
    return evaluateClamp(op, role);
  case Verb::fma:
    return set(result,
               graph.binary(NodeKind::add,
                            graph.binary(NodeKind::mul, x(), y(), op, bits),
                            z(), op, bits));
  case Verb::pass:
  case Verb::lookup:
    return setAll(op, x());
  case Verb::alternatives: {
    Node *n = graph.empty();
    for (Value operand : op->getOperands())
      if (getFloatBits(operand.getType()) == bits)
        n = graph.merge(n, get(operand), op);
    // torch.aten.cat takes its tensors from a list.
    if (n->kind == NodeKind::empty && op->getNumOperands() > 0)
      if (Operation *list = op->getOperand(0).getDefiningOp())
        for (Value operand : list->getOperands())
          n = graph.merge(n, get(operand), op);
    return setAll(op, n);
  }
  case Verb::insertion:
    return set(result, graph.merge(x(), y(), op));
  case Verb::pad: {
    Node *border = y();
    bool harmless = border->kind == NodeKind::constant && !border->sentinel;
    return set(result, harmless ? x() : graph.merge(x(), border, op));
  }
  case Verb::contraction:
  case Verb::contractionAdd: {
    Value a = op->getOperand(role.x), b = op->getOperand(role.y);
    Node *n = graph.contraction(get(a), get(b), op, bits,
                                describeContraction(op, a, b));
    bool hasAddend = role.verb == Verb::contractionAdd &&
                     op->getNumOperands() > 2 &&
                     getFloatBits(op->getOperand(2).getType());
    if (hasAddend)
      n = graph.binary(NodeKind::add, n, z(), op, bits);
    return set(result, n);
  }
  case Verb::reduce:
    return setAll(op, graph.unary(role.kind, x(), op, bits));
  case Verb::regionReduce:
    return setAll(op, regionReduce(op, x()));
  case Verb::softmax:
    return set(result, graph.unary(NodeKind::softmax, x(), op, bits));
  case Verb::logSoftmax:
    return set(result, graph.unary(NodeKind::logSoftmax, x(), op, bits));
  case Verb::order:
    return setAll(op, graph.unary(NodeKind::order, x(), op, bits));
  case Verb::attention:
    return evaluateForeignAttention(op);
  case Verb::pure: {
    Nodes operands;
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
    return setAll(op, graph.opaque(operands, op, bits, NodeKind::pure));
  }
  case Verb::external: {
    auto symbol = op->getAttrOfType<StringAttr>(role.attribute);
    NodeKind kind = symbol ? getExternalKind(symbol) : NodeKind::pure;
    return set(result, graph.unary(kind, x(), op, bits));
  }
  case Verb::output:
    return;
  case Verb::uninitialized:
    return setAll(op, graph.empty());
  case Verb::ignore:
    return;
  }
}

/// The reduction that a region of two arguments describes.
Node *Importer::regionReduce(Operation *op, Node *x) {
  NodeKind kind = NodeKind::reduceSum;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (const OpRole *role = lookupRole(inner.getName().getStringRef()))
        if (role->verb == Verb::binary && role->kind == NodeKind::max)
          kind = NodeKind::reduceMax;
  return graph.unary(kind, x, op, getFloatBits(op->getResult(0).getType()));
}
