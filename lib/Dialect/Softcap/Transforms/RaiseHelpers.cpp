//===- RaiseHelpers.cpp - Formulas spread over private functions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters put pieces of formulas (a tanh, a where, a division) into small
// private functions. Inlining them brings a cap together.
//
//===----------------------------------------------------------------------===//

#include "RaiseCaps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::raise;

namespace {
constexpr unsigned sizeLimit = 32;
constexpr unsigned growthLimit = 4096;

bool computesElements(Operation *op) {
  switch (getElementOp(op->getResult(0)).kind) {
  case Arith::None:
  case Arith::Add:
  case Arith::Sub:
  case Arith::Extend:
  case Arith::Truncate:
    return false;
  default:
    return true;
  }
}

// Small, straight-line, calls nothing, and holds a piece of a cap's formula.
bool isHelper(func::FuncOp function) {
  if (!function.isPrivate() || function.isExternal() ||
      !llvm::hasSingleElement(function.getBody()))
    return false;
  unsigned size = 0;
  bool piece = false;
  WalkResult result = function.walk([&](Operation *op) {
    if (isa<CallOpInterface>(op) || !op->isRegistered() || ++size > sizeLimit)
      return WalkResult::interrupt();
    if (op->getNumResults() == 1 && op->getNumOperands() > 0)
      piece |= computesElements(op);
    return WalkResult::advance();
  });
  return piece && !result.wasInterrupted();
}

void inlineCall(func::CallOp call, func::FuncOp function) {
  OpBuilder builder(call);
  IRMapping mapping;
  Block &body = function.getBody().front();
  mapping.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}
} // namespace

void raise::inlineHelpers(ModuleOp module) {
  SymbolTableCollection symbols;
  DenseMap<Operation *, bool> helpers;
  SmallVector<std::pair<func::CallOp, func::FuncOp>> calls;
  module.walk([&](func::CallOp call) {
    auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    if (!function || calls.size() >= growthLimit)
      return;
    auto [it, isNew] = helpers.try_emplace(function, false);
    if (isNew)
      it->second = isHelper(function);
    if (it->second)
      calls.push_back({call, function});
  });
  for (auto [call, function] : calls)
    inlineCall(call, function);
  for (auto [call, function] : calls)
    if (helpers.lookup(function) &&
        SymbolTable::symbolKnownUseEmpty(function, module)) {
      helpers[function] = false;
      function.erase();
    }
}
