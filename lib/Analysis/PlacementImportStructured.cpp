//===- PlacementImportStructured.cpp - Structured ops ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that no table can describe: linalg bodies, slices, vector contractions.
//
//===----------------------------------------------------------------------===//

#include "PlacementImport.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

Importer::Reduction Importer::analyzeReduction(linalg::LinalgOp op) {
  Reduction r;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  r.reduces = !reductions.empty();
  if (!r.reduces || op.getNumDpsInputs() < 2)
    return r;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  AffineMap x = maps[0], y = maps[1], out = maps[op.getNumDpsInputs()];
  ContractionInfo &info = r.contraction;
  info.batch = info.depth = info.features = 1;
  for (unsigned d = 0, e = sizes.size(); d < e; ++d) {
    bool inX = x.isFunctionOfDim(d), inY = y.isFunctionOfDim(d);
    bool inOut = out.isFunctionOfDim(d);
    if (inX && inY && inOut) {
      info.batch *= sizes[d];
      info.batched |= sizes[d] != 1;
    } else if (inX && inY) {
      info.depth *= sizes[d];
    } else if (inY && inOut) {
      info.features *= sizes[d];
    }
    // A dot product of equal layouts is the sum of a product, no contraction.
    r.contracts |= inX != inY && sizes[d] != 1;
  }
  return r;
}

void Importer::evaluateLinalg(linalg::LinalgOp op) {
  Reduction reduction = analyzeReduction(op);
  Block *body = op.getBlock();
  unsigned inputs = op.getNumDpsInputs();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (i >= body->getNumArguments())
      break;
    Node *n = get(operand);
    if (i >= inputs && reduction.reduces) {
      n = graph.accumulator(op, n->bits, n);
      n->reduction = true;
      n->contracts = reduction.contracts;
    }
    set(body->getArgument(i), n);
  }
  for (Operation &inner : body->without_terminator()) {
    if (isa<linalg::IndexOp>(inner)) {
      set(inner.getResult(0),
          graph.index(cast<linalg::IndexOp>(inner).getDim()));
      continue;
    }
    evaluate(&inner);
    for (Value result : inner.getResults()) {
      Node *n = values.lookup(result);
      if (n && n->kind == NodeKind::contraction && n->contraction.batch == 0) {
        n->contraction = reduction.contraction;
        n->op = op;
      }
    }
  }
  for (auto [i, yielded] :
       llvm::enumerate(body->getTerminator()->getOperands())) {
    Node *n = get(yielded);
    if (n->kind == NodeKind::accumulator)
      n = n->operands[0];
    // The sum starts from a bias.
    Node *init = get(op.getDpsInits()[i]);
    bool starts = n->kind == NodeKind::contraction && init->track &&
                  init->kind != NodeKind::accumulator;
    if (starts)
      n = graph.binary(NodeKind::add, n, init, op, n->bits);
    if (op.hasPureBufferSemantics())
      store(op.getDpsInits()[i], n);
    else
      set(op->getResult(i), n);
  }
}

//===----------------------------------------------------------------------===//
// tensor and vector
//===----------------------------------------------------------------------===//

bool Importer::evaluateTensor(Operation *op) {
  if (isa<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(op)) {
    auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
    Value source = op->getOperand(0), destination = op->getOperand(1);
    Node *n = get(source);
    // A moving offset visits the whole destination.
    bool fixed = llvm::none_of(slice.getMixedOffsets(),
                               [](OpFoldResult o) { return isa<Value>(o); });
    bool covers = getShape(source.getType()) == getShape(destination.getType());
    if (fixed && !covers)
      n = graph.merge(n, get(destination), op);
    if (op->getNumResults() > 0)
      set(op->getResult(0), n);
    else
      set(destination, n);
    return true;
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Nodes border = runRegion(pad.getRegion(), {});
    Node *x = get(pad.getSource());
    bool harmless = border.empty() || (border[0]->kind == NodeKind::constant &&
                                       !border[0]->sentinel);
    set(pad.getResult(), harmless ? x : graph.merge(x, border[0], op));
    return true;
  }
  if (isa<tensor::GenerateOp>(op)) {
    Nodes yielded = runRegion(op->getRegion(0), {});
    set(op->getResult(0), yielded.empty() ? graph.empty() : yielded[0]);
    return true;
  }
  if (isa<scf::InParallelOp>(op)) {
    for (Operation &inner : op->getRegion(0).getOps())
      evaluateTensor(&inner);
    return true;
  }
  return false;
}

static std::optional<NodeKind> getReduction(vector::CombiningKind kind) {
  switch (kind) {
  case vector::CombiningKind::ADD:
    return NodeKind::reduceSum;
  case vector::CombiningKind::MAXIMUMF:
  case vector::CombiningKind::MAXNUMF:
    return NodeKind::reduceMax;
  default:
    return std::nullopt;
  }
}

bool Importer::evaluateVector(Operation *op) {
  unsigned bits =
      op->getNumResults() ? getFloatBits(op->getResult(0).getType()) : 0;
  if (auto contract = dyn_cast<vector::ContractionOp>(op)) {
    ContractionInfo info;
    SmallVector<AffineMap> maps = contract.getIndexingMapsArray();
    SmallVector<int64_t> sizes;
    contract.getIterationBounds(sizes);
    info.batch = info.depth = info.features = 1;
    for (unsigned d = 0, e = sizes.size(); d < e; ++d) {
      bool inX = maps[0].isFunctionOfDim(d), inY = maps[1].isFunctionOfDim(d);
      bool inOut = maps[2].isFunctionOfDim(d);
      info.batch *= inX && inY && inOut ? sizes[d] : 1;
      info.batched |= inX && inY && inOut && sizes[d] != 1;
      info.depth *= inX && inY && !inOut ? sizes[d] : 1;
      info.features *= !inX && inY && inOut ? sizes[d] : 1;
    }
    Node *n = graph.contraction(get(contract.getLhs()), get(contract.getRhs()),
                                op, bits, info);
    Node *init = get(contract.getAcc());
    if (init->track && init->kind != NodeKind::accumulator)
      n = graph.binary(NodeKind::add, n, init, op, bits);
    set(op->getResult(0), n);
    return true;
  }
  if (auto reduce = dyn_cast<vector::MultiDimReductionOp>(op)) {
    auto kind = getReduction(reduce.getKind());
    if (!kind)
      return false;
    set(op->getResult(0),
        graph.unary(*kind, get(reduce.getSource()), op, bits));
    return true;
  }
  if (auto reduce = dyn_cast<vector::ReductionOp>(op)) {
    auto kind = getReduction(reduce.getKind());
    if (!kind)
      return false;
    set(op->getResult(0),
        graph.unary(*kind, get(reduce.getVector()), op, bits));
    return true;
  }
  return false;
}
