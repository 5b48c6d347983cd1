//===- PlacementImport.cpp - From IR to the value graph -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structure: functions, calls, regions, loops and branches.
//
//===----------------------------------------------------------------------===//

#include "PlacementImport.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

/// Calls are evaluated in their context up to this many ops in all; a module
/// that needs more is no model.
static constexpr size_t kMaxSteps = 4'000'000;
static constexpr unsigned kMaxCallDepth = 64;

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
  function->walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      values.erase(argument);
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

/// After the back edge, the header's arguments are what the last iteration
/// leaves behind.
void Importer::closeLoop(Block &latch, unsigned successor) {
  auto branch = dyn_cast<BranchOpInterface>(latch.getTerminator());
  if (!branch)
    return;
  SuccessorOperands operands = branch.getSuccessorOperands(successor);
  for (BlockArgument argument : latch.getSuccessor(successor)->getArguments()) {
    Node *running = values.lookup(argument);
    Value operand = operands[argument.getArgNumber()];
    Node *last = operand ? values.lookup(operand) : nullptr;
    if (!running || !last || running->kind != NodeKind::accumulator ||
        last == running)
      continue;
    Node *init = running->operands[0];
    bool replaces = last->track || !init->track;
    set(argument, replaces ? last : graph.merge(init, last, branch));
  }
}

/// Whether `to` can be reached from `from` without leaving for `outer`, the
/// blocks on the way to `to`: headers of loops around it are among them.
static bool reaches(Block *from, Block *to,
                    const SmallPtrSetImpl<Block *> &outer) {
  SmallPtrSet<Block *, 16> seen = {from};
  SmallVector<Block *> worklist = {from};
  while (!worklist.empty()) {
    Block *block = worklist.pop_back_val();
    if (block == to)
      return true;
    for (Block *next : block->getSuccessors())
      if ((next == to || !outer.contains(next)) && seen.insert(next).second)
        worklist.push_back(next);
  }
  return false;
}

/// Program order: a loop's body before what follows the loop.
static SmallVector<Block *> orderBlocks(Region &region) {
  constexpr size_t kMaxBlocks = 1024;
  SmallVector<Block *> order;
  if (region.getBlocks().size() > kMaxBlocks) {
    llvm::ReversePostOrderTraversal<Region *> plain(&region);
    order.append(plain.begin(), plain.end());
    return order;
  }
  // A reverse post-order in which the ways out of a loop are visited first,
  // and so end up last.
  SmallPtrSet<Block *, 16> path;
  auto visitingOrder = [&](Block *block) {
    SmallVector<Block *> next;
    for (bool returns : {false, true})
      for (Block *successor : block->getSuccessors())
        if (reaches(successor, block, path) == returns)
          next.push_back(successor);
    return next;
  };
  SmallPtrSet<Block *, 16> seen = {&region.front()};
  SmallVector<std::pair<Block *, SmallVector<Block *>>> stack;
  auto enter = [&](Block *block) {
    SmallVector<Block *> next = visitingOrder(block);
    std::reverse(next.begin(), next.end());
    path.insert(block);
    stack.push_back({block, std::move(next)});
  };
  enter(&region.front());
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next.empty()) {
      order.push_back(block);
      path.erase(block);
      stack.pop_back();
      continue;
    }
    Block *successor = next.pop_back_val();
    if (seen.insert(successor).second)
      enter(successor);
  }
  std::reverse(order.begin(), order.end());
  return order;
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
  SmallPtrSet<Block *, 16> done;
  for (Block *block : orderBlocks(region)) {
    if (block != &entry)
      bindBranchArguments(*block);
    Nodes yielded = runBlock(*block);
    done.insert(block);
    for (auto [i, successor] : llvm::enumerate(block->getSuccessors()))
      if (done.contains(successor))
        closeLoop(*block, i);
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
