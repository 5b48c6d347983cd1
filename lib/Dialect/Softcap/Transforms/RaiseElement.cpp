//===- RaiseElement.cpp - What an element is computed from ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one walk back through elementwise code, whatever level it is written at.
//
//===----------------------------------------------------------------------===//

#include "RaiseElement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::raise;

namespace {
bool isElementwise(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() &&
         op.getNumParallelLoops() == op.getNumLoops();
}

AffineMap resultMap(linalg::LinalgOp op, unsigned result) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(result));
}

// The body value that result `v` collects, one per index.
Value throughResult(linalg::LinalgOp op, Value v) {
  unsigned number = cast<OpResult>(v).getResultNumber();
  if (!isElementwise(op) || !resultMap(op, number).isPermutation())
    return {};
  return op.getBlock()->getTerminator()->getOperand(number);
}

// The operand that a body's argument reads, if every result of the op is
// written where it is read.
Value throughArgument(linalg::LinalgOp op, BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  if (!isElementwise(op) || number >= unsigned(op.getNumDpsInputs()))
    return {};
  OpOperand *input = op.getDpsInputOperand(number);
  AffineMap map = op.getMatchingIndexingMap(input);
  for (unsigned i = 0, e = op.getNumDpsInits(); i != e; ++i)
    if (resultMap(op, i) != map)
      return {};
  if (!map.isPermutation() || !isa<RankedTensorType>(input->get().getType()))
    return {};
  return input->get();
}

Value resolveOnce(Value v) {
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    auto op =
        dyn_cast_or_null<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    return op ? throughArgument(op, argument) : Value();
  }
  auto op = dyn_cast_or_null<linalg::LinalgOp>(v.getDefiningOp());
  return op ? throughResult(op, v) : Value();
}

bool isFloat(Value v) { return isa<FloatType>(getElementTypeOrSelf(v)); }

Arith castKind(Operation *op) {
  if (!isFloat(op->getOperand(0)))
    return Arith::None;
  auto from = cast<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
  auto to = cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  // bf16 to f16 loses range: of equal widths, neither contains the other.
  return from.getWidth() < to.getWidth() ? Arith::Extend : Arith::Truncate;
}

Arith kindOf(Operation *op) {
  Arith kind =
      llvm::StringSwitch<Arith>(op->getName().getStringRef())
          .Cases({"arith.mulf", "tosa.mul"}, Arith::Mul)
          .Case("arith.divf", Arith::Div)
          .Cases({"arith.addf", "tosa.add"}, Arith::Add)
          .Cases({"arith.subf", "tosa.sub"}, Arith::Sub)
          .Cases({"arith.negf", "tosa.negate"}, Arith::Neg)
          .Cases({"math.tanh", "tosa.tanh"}, Arith::Tanh)
          .Cases({"math.exp", "tosa.exp"}, Arith::Exp)
          .Case("math.exp2", Arith::Exp2)
          .Case("math.expm1", Arith::ExpM1)
          .Case("tosa.sigmoid", Arith::Sigmoid)
          .Case("tosa.reciprocal", Arith::Reciprocal)
          .Cases({"arith.extf", "arith.truncf", "tosa.cast"}, Arith::Extend)
          .Default(Arith::None);
  return kind == Arith::Extend ? castKind(op) : kind;
}

// A binary TOSA op broadcasts: its operands are at the identity only if their
// shapes are the result's. A uniform one may have any shape.
bool keepsShape(Operation *op, Value operand) {
  auto from = dyn_cast<ShapedType>(operand.getType());
  auto to = dyn_cast<ShapedType>(op->getResult(0).getType());
  if (!from || !to || !from.hasRank() || !to.hasRank())
    return !from && !to;
  return from.getShape() == to.getShape();
}
} // namespace

Value raise::resolve(Value v) {
  while (Value next = resolveOnce(v))
    v = next;
  return v;
}

ElementOp raise::getElementOp(Value v) {
  v = resolve(v);
  Operation *op = v.getDefiningOp();
  if (!op || op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      !isFloat(v))
    return {};
  ElementOp result{kindOf(op), {}, {}};
  if (result.kind == Arith::None)
    return {};
  result.lhs = op->getOperand(0);
  bool binary = result.kind == Arith::Mul || result.kind == Arith::Div ||
                result.kind == Arith::Add || result.kind == Arith::Sub;
  if (binary)
    result.rhs = op->getOperand(1);
  for (Value operand : {result.lhs, result.rhs})
    if (operand && !keepsShape(op, operand) && !getUniform(operand))
      return {};
  return result;
}

std::optional<Step> raise::stepBack(Value v) {
  ElementOp op = getElementOp(v);
  switch (op.kind) {
  case Arith::Neg:
    return Step{Uniform::constant(-1.0), op.lhs};
  case Arith::Extend:
    return Step{Uniform{}, op.lhs};
  case Arith::Truncate:
    return Step{Uniform{}, op.lhs, /*rounds=*/true};
  case Arith::Div:
    if (std::optional<Uniform> u = getUniform(op.rhs))
      return Step{reciprocal(*u), op.lhs};
    return std::nullopt;
  case Arith::Mul:
    break;
  default:
    return std::nullopt;
  }
  // Of two run-time scalars either could be the factor: only a reciprocal is
  // surely one.
  for (auto [factor, operand] :
       {std::pair(op.rhs, op.lhs), std::pair(op.lhs, op.rhs)})
    if (std::optional<Uniform> u = getUniform(factor))
      if (u->power <= 0)
        return Step{*u, operand};
  return std::nullopt;
}
