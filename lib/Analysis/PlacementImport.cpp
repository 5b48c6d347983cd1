//===- PlacementImport.cpp - From IR to the value graph -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structure: functions, regions, loops, branches, calls and buffers. What one
// op computes is in PlacementImportOps.cpp.
//
//===----------------------------------------------------------------------===//

#include "PlacementImport.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

/// Calls are evaluated in their context up to this many ops in all; a module
/// that needs more is no model.
static constexpr size_t kMaxSteps = 4'000'000;
static constexpr unsigned kMaxCallDepth = 64;

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
// Functions
//===----------------------------------------------------------------------===//

void Importer::run() { runTopLevel(module.getBodyRegion()); }

void Importer::runTopLevel(Region &region) {
  for (Block &block : region) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto function = dyn_cast<FunctionOpInterface>(op)) {
        if (!function.isExternal() && !function.isPrivate())
          runIsolated(function);
        continue;
      }
      if (isa<ModuleOp>(op) || op.hasTrait<OpTrait::SymbolTable>()) {
        for (Region &nested : op.getRegions())
          runTopLevel(nested);
        continue;
      }
      if (op.getNumRegions() > 0)
        runIsolated(&op);
    }
  }
}

/// An entry point: what it returns or leaves in its buffers is output.
void Importer::runIsolated(Operation *op) {
  activeCalls.insert(op);
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    Nodes results = runRegion(region, {});
    Operation *exit = region.back().empty() ? op : &region.back().back();
    for (Node *n : results)
      graph.observe(n, Consumer::output, exit);
    for (BlockArgument argument : region.getArguments())
      if (isa<BaseMemRefType>(argument.getType()))
        if (Node *n = memory.lookup(argument))
          if (n->kind != NodeKind::leaf)
            graph.observe(n, Consumer::output, n->op ? n->op : exit);
  }
  activeCalls.erase(op);
}

Importer::Nodes Importer::runFunction(FunctionOpInterface function,
                                      ArrayRef<Node *> arguments) {
  Region &body = function.getFunctionBody();
  activeCalls.insert(function);
  ++callDepth;
  // Values of the callee belong to this call only.
  function->walk([&](Operation *op) {
    for (Value result : op->getResults()) {
      values.erase(result);
      memory.erase(result);
    }
    steps += 1;
  });
  Nodes results = runRegion(body, arguments);
  --callDepth;
  activeCalls.erase(function);
  return results;
}

void Importer::evaluateCall(CallOpInterface call) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(
      call.resolveCallableInTable(&symbols));
  bool follows = callee && !callee.isExternal() &&
                 !activeCalls.contains(callee) && callDepth < kMaxCallDepth &&
                 steps < kMaxSteps;
  if (!follows || callee.getFunctionBody().getNumArguments() !=
                      call.getArgOperands().size())
    return evaluateUnknown(call);
  Region &body = callee.getFunctionBody();
  std::vector<Node *> arguments;
  bool hasBuffers = false;
  for (auto [parameter, operand] :
       llvm::zip(body.getArguments(), call.getArgOperands())) {
    if (isa<BaseMemRefType>(operand.getType())) {
      Value root = getRoot(operand);
      if (root != parameter)
        aliases[parameter] = root;
      hasBuffers = true;
      arguments.push_back(nullptr);
      continue;
    }
    arguments.push_back(get(operand));
  }
  Nodes results;
  auto key = std::make_pair(callee.getOperation(), arguments);
  auto known = callResults.find(key);
  if (!hasBuffers && known != callResults.end()) {
    results = known->second;
  } else {
    results = runFunction(callee, arguments);
    callResults[key] = results;
  }
  for (auto [result, n] : llvm::zip(call->getResults(), results)) {
    if (isa<BaseMemRefType>(result.getType()))
      memory[result] = n;
    else
      set(result, n);
  }
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The operands of the terminator, or of the last one of several blocks merged.
Importer::Nodes Importer::runBlock(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>() || &op == &block.back()) {
      bool isTerminator = op.hasTrait<OpTrait::IsTerminator>() ||
                          (!op.isRegistered() && op.getNumResults() == 0);
      if (isTerminator) {
        Nodes results;
        for (Value operand : op.getOperands())
          results.push_back(get(operand));
        return results;
      }
    }
    evaluate(&op);
  }
  return {};
}

void Importer::bindBranchArguments(Block &block) {
  for (BlockArgument argument : block.getArguments()) {
    Node *merged = nullptr;
    bool loops = false;
    for (auto it = block.pred_begin(); it != block.pred_end(); ++it) {
      auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
      if (!branch)
        continue;
      SuccessorOperands operands =
          branch.getSuccessorOperands(it.getSuccessorIndex());
      Value operand = operands[argument.getArgNumber()];
      Node *n = operand ? values.lookup(operand) : nullptr;
      if (!n && operand && isa<BlockArgument>(operand) &&
          cast<BlockArgument>(operand).getOwner()->isEntryBlock())
        n = get(operand);
      if (!n)
        loops = true;
      else
        merged = merged ? graph.merge(merged, n, branch) : n;
    }
    if (!merged) {
      leaf(argument);
      continue;
    }
    if (loops) {
      merged = graph.accumulator(merged->op, merged->bits, merged);
      merged->contracts = true;
    }
    set(argument, merged);
  }
}

Importer::Nodes Importer::runRegion(Region &region,
                                    ArrayRef<Node *> arguments) {
  if (region.empty())
    return {};
  Block &entry = region.front();
  for (auto [i, argument] : llvm::enumerate(entry.getArguments())) {
    if (i < arguments.size() && arguments[i])
      set(argument, arguments[i]);
    else if (!isa<BaseMemRefType>(argument.getType()))
      leaf(argument);
  }
  if (region.hasOneBlock())
    return runBlock(entry);
  Nodes results;
  llvm::ReversePostOrderTraversal<Region *> order(&region);
  for (Block *block : order) {
    if (block != &entry)
      bindBranchArguments(*block);
    Nodes yielded = runBlock(*block);
    if (block->getNumSuccessors() > 0)
      continue;
    if (results.empty()) {
      results = yielded;
      continue;
    }
    for (auto [n, other] : llvm::zip(results, yielded))
      n = graph.merge(n, other, block->getTerminator());
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

void Importer::evaluateLoop(LoopLikeOpInterface loop) {
  Nodes running;
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInits())) {
    if (isa<BaseMemRefType>(argument.getType())) {
      aliases[argument] = getRoot(init);
      running.push_back(nullptr);
      continue;
    }
    Node *n =
        graph.accumulator(loop, getFloatBits(argument.getType()), get(init));
    n->contracts = true;
    set(argument, n);
    running.push_back(n);
  }
  for (Region *region : loop.getLoopRegions())
    for (Block &block : *region) {
      for (BlockArgument argument : block.getArguments())
        if (!values.count(argument) && !isa<BaseMemRefType>(argument.getType()))
          leaf(argument);
      runBlock(block);
    }
  auto results = loop.getLoopResults();
  if (!results)
    return;
  auto yielded = loop.getYieldedValues();
  for (auto [i, result] : llvm::enumerate(*results)) {
    if (i >= running.size() || !running[i]) {
      if (i < loop.getInits().size())
        aliases[result] = getRoot(loop.getInits()[i]);
      continue;
    }
    Node *init = running[i]->operands[0];
    // An op with parallel insertions yields nothing: see the insertions.
    Node *last = i < yielded.size()
                     ? get(yielded[i])
                     : values.lookup(loop.getRegionIterArgs()[i]);
    bool unchanged = !last || last == running[i];
    bool replaces = !unchanged && (last->track || !init->track);
    set(result,
        unchanged ? init : (replaces ? last : graph.merge(init, last, loop)));
  }
}

void Importer::evaluateWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  Nodes running;
  for (Value init : loop.getInits()) {
    Node *n = graph.accumulator(loop, getFloatBits(init.getType()), get(init));
    n->contracts = true;
    running.push_back(n);
  }
  Nodes condition = runRegion(loop.getBefore(), running);
  ArrayRef<Node *> forwarded =
      ArrayRef<Node *>(condition).drop_front(condition.empty() ? 0 : 1);
  Nodes yielded = runRegion(loop.getAfter(), forwarded);
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    Node *n = i < forwarded.size() ? forwarded[i] : graph.empty();
    if (n->kind == NodeKind::accumulator && i < yielded.size() &&
        yielded[i]->track)
      n = yielded[i];
    set(result, n);
  }
}

/// scf.if and others that run one of their regions.
void Importer::evaluateBranches(Operation *op) {
  SmallVector<Nodes> results;
  llvm::MapVector<Value, Nodes> written;
  for (Region &region : op->getRegions()) {
    size_t mark = stores.size();
    results.push_back(runRegion(region, {}));
    llvm::SmallDenseSet<Value> seen;
    while (stores.size() > mark) {
      auto [root, old] = stores.back();
      stores.pop_back();
      if (seen.insert(root).second)
        written[root].push_back(memory.lookup(root));
      memory[root] = old;
    }
  }
  for (auto &[root, nodes] : written) {
    Node *n = nodes.front();
    for (Node *other : ArrayRef<Node *>(nodes).drop_front())
      n = graph.merge(n, other, op);
    bool always = nodes.size() == op->getNumRegions();
    Node *before = memory.lookup(root);
    store(root, always || !before ? n : graph.merge(before, n, op));
  }
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Node *n = graph.empty();
    for (Nodes &branch : results)
      if (i < branch.size())
        n = graph.merge(n, branch[i], op);
    set(result, n);
  }
}

bool Importer::evaluateControlFlow(Operation *op) {
  if (isa<scf::WhileOp>(op)) {
    evaluateWhile(op);
    return true;
  }
  if (isa<scf::IfOp, scf::ExecuteRegionOp, scf::IndexSwitchOp>(op)) {
    evaluateBranches(op);
    return true;
  }
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    evaluateLoop(loop);
    return true;
  }
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    evaluateCall(call);
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Buffers
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
  if (!load->getParentOfType<LoopLikeOpInterface>())
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
