//===- PlacementImportMemory.cpp - Buffers ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What buffers hold at each point of the program: views, parts, loads, stores.
//
//===----------------------------------------------------------------------===//

#include "PlacementImport.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

//===----------------------------------------------------------------------===//
// Values and buffers
//===----------------------------------------------------------------------===//

Node *Importer::leaf(Value value) {
  Node *n = makeLeaf(value.getDefiningOp(), value.getType());
  set(value, n);
  return n;
}

Node *Importer::get(Value value) {
  if (isa<BaseMemRefType>(value.getType()))
    return load(value);
  if (Node *n = values.lookup(value))
    return n;
  return leaf(value);
}

void Importer::setAll(Operation *op, Node *node) {
  for (Value result : op->getResults())
    set(result, node);
}

/// One step from a view to what it is a view of, or null.
Value Importer::getViewed(Value buffer) {
  if (Value alias = aliases.lookup(buffer))
    return alias;
  if (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    return view.getViewSource();
  return nullptr;
}

/// The allocation or argument that a buffer is a view of.
Value Importer::getRoot(Value buffer) {
  while (Value viewed = getViewed(buffer))
    buffer = viewed;
  return buffer;
}

/// The view at a fixed place that leaves out part of the buffer, if there is
/// one; a view at a moving place visits all of it.
memref::SubViewOp Importer::getFixedPart(Value buffer) {
  for (; buffer; buffer = getViewed(buffer)) {
    auto view = buffer.getDefiningOp<memref::SubViewOp>();
    if (!view)
      continue;
    bool moves = llvm::any_of(view.getMixedOffsets(), [](OpFoldResult offset) {
      return isa<Value>(offset);
    });
    if (!moves && view.getSourceType().hasStaticShape() &&
        view.getType().hasStaticShape() &&
        view.getType().getNumElements() !=
            view.getSourceType().getNumElements())
      return view;
  }
  return nullptr;
}

Node *Importer::loadWhole(Value root) {
  if (Node *n = memory.lookup(root))
    return n;
  Operation *op = root.getDefiningOp();
  Node *n = op && isa<memref::AllocOp, memref::AllocaOp>(op)
                ? graph.empty()
                : makeLeaf(op, root.getType());
  memory[root] = n;
  return n;
}

Node *Importer::load(Value buffer) {
  Value root = getRoot(buffer);
  auto it = parts.find(root);
  if (it == parts.end() || it->second.empty())
    return loadWhole(root);
  if (memref::SubViewOp view = getFixedPart(buffer)) {
    for (Part &part : it->second)
      if (part.offsets == view.getStaticOffsets() &&
          part.sizes == view.getStaticSizes())
        return part.node;
  }
  // All parts together; what they leave out keeps the value of the whole.
  int64_t written = 0;
  Node *n = graph.empty();
  for (Part &part : it->second) {
    n = graph.merge(n, part.node, part.node->op);
    written += part.elements;
  }
  auto type = dyn_cast<MemRefType>(root.getType());
  bool covered =
      type && type.hasStaticShape() && written >= type.getNumElements();
  return covered ? n : graph.merge(n, loadWhole(root), it->second.back().view);
}

void Importer::store(Value buffer, Node *node) {
  Value root = getRoot(buffer);
  constexpr size_t kMaxParts = 64;
  if (memref::SubViewOp view = getFixedPart(buffer)) {
    SmallVector<Part, 0> &known = parts[root];
    for (Part &part : known)
      if (part.offsets == view.getStaticOffsets() &&
          part.sizes == view.getStaticSizes()) {
        part.node = node;
        return;
      }
    if (known.size() < kMaxParts)
      known.push_back({view.getStaticOffsets(), view.getStaticSizes(),
                       view.getType().getNumElements(), node, view});
    return;
  }
  parts.erase(root);
  stores.push_back({root, memory.lookup(root)});
  memory[root] = node;
}

//===----------------------------------------------------------------------===//
// Ops on buffers
//===----------------------------------------------------------------------===//

static bool isAccumulation(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name == "arith.addf" || name == "arith.maximumf" ||
         name == "arith.maxnumf" || name == "math.fma";
}

static bool isScalarStore(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name == "memref.store" || name == "affine.store";
}

/// `a = load p; store (a + x), p`: the buffer is a running value.
static bool isRunningLoad(Operation *load, Value buffer) {
  // Loops of blocks do not say that they are loops.
  bool mayRepeat = load->getParentOfType<LoopLikeOpInterface>() ||
                   !load->getParentRegion()->hasOneBlock();
  if (!mayRepeat)
    return false;
  auto isStoredBack = [&](Operation *sum) {
    return llvm::any_of(sum->getUsers(), [&](Operation *user) {
      return isScalarStore(user) && user->getOperand(0) == sum->getResult(0) &&
             user->getOperand(1) == buffer;
    });
  };
  return llvm::any_of(load->getUsers(), [&](Operation *user) {
    return isAccumulation(user) && isStoredBack(user);
  });
}

bool Importer::evaluateMemory(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (isa<memref::LoadOp>(op) || name == "affine.load") {
    Value buffer = op->getOperand(0);
    Node *n = load(buffer);
    if (isRunningLoad(op, buffer)) {
      n = graph.accumulator(op, n->bits, n);
      n->contracts = true;
    }
    set(op->getResult(0), n);
    return true;
  }
  if (isa<memref::StoreOp, vector::StoreOp, vector::MaskedStoreOp>(op) ||
      name == "affine.store") {
    Value value = op->getOperand(0);
    if (auto masked = dyn_cast<vector::MaskedStoreOp>(op)) {
      store(masked.getBase(), get(masked.getValueToStore()));
      return true;
    }
    store(op->getOperand(1), get(value));
    return true;
  }
  if (isa<vector::TransferWriteOp>(op)) {
    auto write = cast<vector::TransferWriteOp>(op);
    Node *n = get(write.getValueToStore());
    if (isa<BaseMemRefType>(write.getBase().getType()))
      store(write.getBase(), n);
    else
      set(write->getResult(0), n);
    return true;
  }
  if (isa<vector::TransferReadOp>(op)) {
    auto read = cast<vector::TransferReadOp>(op);
    set(read.getResult(), get(read.getBase()));
    return true;
  }
  if (isa<vector::LoadOp, vector::MaskedLoadOp, vector::GatherOp>(op)) {
    set(op->getResult(0), get(op->getOperand(0)));
    return true;
  }
  if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op);
      softmax && op->getNumResults() == 0) {
    Type type = softmax.getInput().getType();
    store(softmax.getOutput(),
          graph.unary(NodeKind::softmax, load(softmax.getInput()), op,
                      getFloatBits(type)));
    return true;
  }
  if (isa<memref::CopyOp>(op)) {
    store(op->getOperand(1), load(op->getOperand(0)));
    return true;
  }
  if (auto get = dyn_cast<memref::GetGlobalOp>(op)) {
    auto global = symbols.lookupNearestSymbolFrom<memref::GlobalOp>(
        op, get.getNameAttr());
    bool sentinel = false;
    std::optional<double> value;
    if (global && global.getInitialValue())
      value = readConstant(*global.getInitialValue(), sentinel);
    Type type = get.getType();
    memory[get.getResult()] =
        value ? graph.constant(*value, getFloatBits(type), op)
              : makeLeaf(op, type, sentinel);
    return true;
  }
  if (name == "bufferization.to_tensor") {
    set(op->getResult(0), load(op->getOperand(0)));
    return true;
  }
  if (name == "bufferization.to_buffer") {
    memory[op->getResult(0)] = get(op->getOperand(0));
    return true;
  }
  if (name == "bufferization.materialize_in_destination") {
    Node *n = get(op->getOperand(0));
    if (isa<BaseMemRefType>(op->getOperand(1).getType()))
      store(op->getOperand(1), n);
    setAll(op, n);
    return true;
  }
  return false;
}
