//===- PlacementImportAttention.cpp - Fused attention and softcap ops
//------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that hold a whole surface: softcap ops, and the fused attention ops of
// other dialects.
//
//===----------------------------------------------------------------------===//

#include "PlacementImport.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

//===----------------------------------------------------------------------===//
// softcap
//===----------------------------------------------------------------------===//

template <typename CappedOp>
static Node *applyCap(Graph &graph, CappedOp op, Node *x, Node *symbol,
                      unsigned bits) {
  if (op.getCap())
    return graph.cap(x, op.getCap()->convertToDouble(), nullptr, op, bits);
  return symbol ? graph.cap(x, 0, symbol, op, bits) : x;
}

template <typename AttentionOp>
Node *Importer::evaluateAttention(AttentionOp op) {
  unsigned bits = 32; // computed in f32 or better whatever the storage
  Value q = op.getQuery(), k = op.getKey();
  Node *symbol = op.getCapValue() ? get(op.getCapValue()) : nullptr;
  ContractionInfo info = describeContraction(op, q, k);
  info.batched = true;
  Node *x = graph.contraction(get(q), get(k), op, bits, info);
  auto scale = [&](Node *n, const APFloat &factor) {
    Node *c = graph.constant(factor.convertToDouble(), bits, op);
    return graph.binary(NodeKind::mul, n, c, op, bits);
  };
  x = scale(x, op.getPreScale());
  if (Value bias = op.getPreBias())
    x = graph.binary(NodeKind::add, x, get(bias), op, bits);
  x = applyCap(graph, op, x, symbol, bits);
  x = scale(x, op.getPostScale());
  if (Value bias = op.getPostBias())
    x = graph.binary(NodeKind::add, x, get(bias), op, bits);
  Node *p = graph.unary(NodeKind::softmax, x, op, bits);
  return graph.contraction(p, get(op.getValue()), op,
                           getFloatBits(op.getValue().getType()), info);
}

bool Importer::evaluateSoftcap(Operation *op) {
  auto finish = [&](Node *n, ValueRange destinations) {
    if (op->getNumResults() > 0)
      setAll(op, n);
    else if (!destinations.empty())
      store(destinations[0], n);
    return true;
  };
  if (auto cap = dyn_cast<softcap::CapOp>(op)) {
    Node *symbol = cap.getCapValue() ? get(cap.getCapValue()) : nullptr;
    // The op computes in f32 whatever its type is.
    set(cap.getResult(), applyCap(graph, cap, get(cap.getInput()), symbol,
                                  std::max(32u, getFloatBits(cap.getType()))));
    return true;
  }
  if (auto scores = dyn_cast<softcap::ScoresOp>(op)) {
    ContractionInfo info =
        describeContraction(op, scores.getQuery(), scores.getKey());
    info.batched = true;
    Node *x = graph.contraction(get(scores.getQuery()), get(scores.getKey()),
                                op, 32, info);
    Node *scale = graph.constant(scores.getScale().convertToDouble(), 32, op);
    x = graph.binary(NodeKind::mul, x, scale, op, 32);
    if (Value bias = scores.getPreBias())
      x = graph.binary(NodeKind::add, x, get(bias), op, 32);
    Node *symbol = scores.getCapValue() ? get(scores.getCapValue()) : nullptr;
    return finish(applyCap(graph, scores, x, symbol, 32), scores.getOutput());
  }
  if (auto logits = dyn_cast<softcap::LogitsOp>(op)) {
    ContractionInfo info =
        describeContraction(op, logits.getHidden(), logits.getWeight());
    info.batched = false;
    Node *x = graph.contraction(get(logits.getHidden()),
                                get(logits.getWeight()), op, 32, info);
    Node *scale = graph.constant(logits.getScale().convertToDouble(), 32, op);
    x = graph.binary(NodeKind::mul, x, scale, op, 32);
    if (Value bias = logits.getBias())
      x = graph.binary(NodeKind::add, x, get(bias), op, 32);
    Node *symbol = logits.getCapValue() ? get(logits.getCapValue()) : nullptr;
    return finish(applyCap(graph, logits, x, symbol, 32), logits.getOutput());
  }
  if (auto attention = dyn_cast<softcap::AttentionOp>(op))
    return finish(evaluateAttention(attention), attention.getOutput());
  if (auto attention = dyn_cast<softcap::OnlineAttentionOp>(op))
    return finish(evaluateAttention(attention), attention.getAccumulator());
  if (isa<softcap::MergeOp>(op))
    return finish(get(op->getOperand(0)), {});
  if (auto grad = dyn_cast<softcap::CapGradOp>(op)) {
    set(grad.getResult(),
        graph.opaque({get(grad.getGrad())}, op, getFloatBits(grad.getType()),
                     NodeKind::pure));
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Fused attention of other dialects
//===----------------------------------------------------------------------===//

/// Attention ops that take a function for the scores: torch's flex attention.
void Importer::evaluateFlexAttention(Operation *op) {
  unsigned bits = getFloatBits(op->getResult(0).getType());
  Node *v = get(op->getOperand(2));
  ContractionInfo info =
      describeContraction(op, op->getOperand(0), op->getOperand(1));
  info.batched = true;
  Node *x = graph.contraction(get(op->getOperand(0)), get(op->getOperand(1)),
                              op, bits, info);
  Node *scale = op->getNumOperands() > 3 ? get(op->getOperand(3)) : nullptr;
  if (scale && scale->kind == NodeKind::constant)
    x = graph.binary(NodeKind::mul, x, scale, op, bits);
  auto callee = [&](StringRef name) -> FunctionOpInterface {
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>(name);
    if (!symbol)
      return nullptr;
    return symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, symbol);
  };
  if (auto scoreMod = callee("score_mod_fn")) {
    Nodes results;
    if (!scoreMod.isExternal() && !activeCalls.contains(scoreMod))
      results = runFunction(scoreMod, {x});
    x = results.empty() ? graph.opaque({x}, op, bits, NodeKind::opaque)
                        : results[0];
  }
  Node *p = graph.unary(NodeKind::softmax, x, op, bits);
  setAll(op, graph.contraction(p, v, op, bits, info));
}

/// Attention ops whose region maps the scores: queries, keys, values, scale,
/// an optional mask that is applied to the mapped scores, destinations.
void Importer::evaluateRegionAttention(Operation *op) {
  unsigned bits = getFloatBits(op->getOperand(0).getType());
  ContractionInfo info =
      describeContraction(op, op->getOperand(0), op->getOperand(1));
  info.batched = true;
  // The op accumulates in the type that its region works in.
  Region &map = op->getRegion(0);
  if (map.getNumArguments() > 0)
    bits = getFloatBits(map.getArgument(0).getType());
  Node *x = graph.contraction(get(op->getOperand(0)), get(op->getOperand(1)),
                              op, bits, info);
  if (op->getNumOperands() > 3 && op->getOperand(3).getType().isFloat())
    x = graph.binary(NodeKind::mul, x, get(op->getOperand(3)), op, bits);
  Nodes mapped = runRegion(map, {x});
  x = mapped.empty() ? graph.opaque({x}, op, bits, NodeKind::opaque)
                     : mapped[0];
  Node *p = graph.unary(NodeKind::softmax, x, op, bits);
  setAll(op, graph.contraction(p, get(op->getOperand(2)), op, bits, info));
}

void Importer::evaluateForeignAttention(Operation *op) {
  if (op->getNumRegions() > 0 && !op->getRegion(0).empty())
    return evaluateRegionAttention(op);
  if (op->hasAttr("score_mod_fn"))
    return evaluateFlexAttention(op);
  unsigned bits = getFloatBits(op->getResult(0).getType());
  Value q = op->getOperand(0), k = op->getOperand(1);
  ContractionInfo info = describeContraction(op, q, k);
  info.batched = true;
  Node *x = graph.contraction(get(q), get(k), op, bits, info);
  x->fusedAttention = true;
  bool ignored = false;
  auto number = [&](StringRef name) {
    return readConstant(findAttribute(op, name), ignored);
  };
  std::optional<double> scale = number("scale");
  // torch: query, key, value, mask, dropout, is_causal, scale, enable_gqa
  bool isTorch = getRoleName(op).starts_with("torch.");
  if (isTorch && op->getNumOperands() > 6)
    if (Node *n = get(op->getOperand(6)); n->kind == NodeKind::constant)
      scale = n->value;
  if (!scale && info.depth > 0)
    scale = 1 / std::sqrt(double(info.depth));
  if (scale)
    x = graph.binary(NodeKind::mul, x, graph.constant(*scale, bits, op), op,
                     bits);
  std::optional<double> cap = number("softcap");
  if (cap && *cap != 0)
    x = graph.cap(x, *cap, nullptr, op, bits);
  Node *p = graph.unary(NodeKind::softmax, x, op, bits);
  setAll(op, graph.contraction(p, get(op->getOperand(2)), op, bits, info));
}
