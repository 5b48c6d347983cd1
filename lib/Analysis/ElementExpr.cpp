//===- ElementExpr.cpp - What one element of a tensor is ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds element expressions through elementwise ops, constants and views.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/ElementExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::softcap;

/// Chains that are longer end in a leaf: real models stay far below, and the
/// builder recurses.
static constexpr unsigned maxDepth = 400;

bool ElementAccess::uses(unsigned variable) const {
  return llvm::any_of(
      indices, [&](const IndexExpr &index) { return index.uses(variable); });
}

static int64_t toKey(const void *pointer) {
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(pointer));
}

unsigned ElementExprs::createVariable(int64_t extent) {
  extents.push_back(extent);
  return extents.size() - 1;
}

const ElementExpr *ElementExprs::unique(ElementExpr &&expr) {
  Key key{static_cast<int64_t>(expr.kind),
          toKey(expr.type.getAsOpaquePointer()),
          toKey(expr.attribute.getAsOpaquePointer()), toKey(expr.name.data()),
          toKey(expr.access.tensor.getAsOpaquePointer())};
  for (const IndexExpr &index : expr.access.indices)
    index.profile(key);
  for (const ElementExpr *operand : expr.operands)
    key.push_back(toKey(operand));
  std::unique_ptr<ElementExpr> &node = nodes[key];
  if (!node)
    node = std::make_unique<ElementExpr>(std::move(expr));
  return node.get();
}

const ElementExpr *ElementExprs::constant(TypedAttr value) {
  ElementExpr expr{
      ElementExpr::Kind::constant, value.getType(), value, {}, {}, {}, {}};
  return unique(std::move(expr));
}

const ElementExpr *ElementExprs::leaf(Value tensor,
                                      ArrayRef<IndexExpr> indices) {
  ElementExpr expr{ElementExpr::Kind::leaf,
                   getElementTypeOrSelf(tensor.getType()),
                   {},
                   {},
                   {tensor, SmallVector<IndexExpr, 4>(indices)},
                   {},
                   {}};
  return unique(std::move(expr));
}

const ElementExpr *ElementExprs::apply(Operation *op, Type type,
                                       ArrayRef<const ElementExpr *> operands) {
  ElementExpr expr{ElementExpr::Kind::apply,
                   type,
                   op->getAttrDictionary(),
                   op->getName().getStringRef(),
                   {},
                   SmallVector<const ElementExpr *, 2>(operands),
                   {}};
  return unique(std::move(expr));
}

const ElementExpr *ElementExprs::get(Value tensor,
                                     ArrayRef<IndexExpr> indices) {
  Key key{toKey(tensor.getAsOpaquePointer())};
  for (const IndexExpr &index : indices)
    index.profile(key);
  if (auto it = memo.find(key); it != memo.end())
    return it->second;
  if (depth >= maxDepth)
    return leaf(tensor, indices);
  ++depth;
  llvm::scope_exit restore([&] { --depth; });
  const ElementExpr *expr = compute(tensor, indices);
  if (!expr)
    expr = leaf(tensor, indices);
  if (!indices.empty() && expr->kind != ElementExpr::Kind::constant)
    expr->origins.push_back({tensor, SmallVector<IndexExpr, 4>(indices)});
  return memo[key] = expr;
}

const ElementExpr *ElementExprs::compute(Value tensor,
                                         ArrayRef<IndexExpr> indices) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return nullptr;
  Attribute attribute;
  if (matchPattern(op, m_Constant(&attribute))) {
    if (auto dense = dyn_cast<DenseElementsAttr>(attribute))
      return dense.isSplat()
                 ? constant(cast<TypedAttr>(dense.getSplatValue<Attribute>()))
                 : nullptr;
    if (isa<FloatAttr, IntegerAttr>(attribute))
      return constant(cast<TypedAttr>(attribute));
    return nullptr;
  }
  FailureOr<ElementAccess> source =
      stepThroughView(tensor, indices, /*throughSlices=*/true);
  if (succeeded(source))
    return get(source->tensor, source->indices);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<IndexExpr, 4> constants;
    for (Value index : extract.getIndices()) {
      std::optional<int64_t> value = getConstantIntValue(index);
      if (!value)
        return nullptr;
      constants.push_back(IndexExpr(*value));
    }
    return get(extract.getTensor(), constants);
  }
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return computeLinalg(linalgOp, cast<OpResult>(tensor).getResultNumber(),
                         indices);
  return computeApply(op, indices);
}

const ElementExpr *ElementExprs::computeLinalg(linalg::LinalgOp op,
                                               unsigned number,
                                               ArrayRef<IndexExpr> indices) {
  if (op.getNumLoops() != op.getNumParallelLoops())
    return nullptr;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  FailureOr<SmallVector<IndexExpr, 4>> loops =
      getLoopIndices(op, map, indices, nullptr);
  if (failed(loops))
    return nullptr;
  return getYielded(op, number, *loops);
}

const ElementExpr *ElementExprs::getYielded(linalg::LinalgOp op,
                                            unsigned number,
                                            ArrayRef<IndexExpr> loops) {
  Environment env;
  return evaluate(op.getBlock()->getTerminator()->getOperand(number), op, loops,
                  env);
}

const ElementExpr *ElementExprs::evaluate(Value value, linalg::LinalgOp op,
                                          ArrayRef<IndexExpr> loops,
                                          Environment &env) {
  if (const ElementExpr *known = env.lookup(value))
    return known;
  Block *body = op.getBlock();
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == body) {
    OpOperand &operand = op->getOpOperand(argument.getArgNumber());
    FailureOr<SmallVector<IndexExpr, 4>> indices =
        getOperandIndices(op, &operand, loops);
    if (op.isDpsInit(&operand) && op.getNumLoops() != op.getNumParallelLoops())
      return env[value] = leaf(argument, {});
    if (failed(indices))
      return nullptr;
    if (!isa<ShapedType>(operand.get().getType()))
      indices->clear();
    return env[value] = get(operand.get(), *indices);
  }
  Operation *inner = value.getDefiningOp();
  if (!inner || inner->getBlock() != body)
    return env[value] = get(value, {});
  if (depth >= maxDepth)
    return nullptr;
  ++depth;
  llvm::scope_exit restore([&] { --depth; });
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    ElementExpr expr{ElementExpr::Kind::index,
                     index.getType(),
                     {},
                     {},
                     {Value(), {loops[index.getDim()]}},
                     {},
                     {}};
    return env[value] = unique(std::move(expr));
  }
  Attribute attribute;
  if (matchPattern(inner, m_Constant(&attribute)) &&
      isa<FloatAttr, IntegerAttr>(attribute))
    return env[value] = constant(cast<TypedAttr>(attribute));
  SmallVector<const ElementExpr *> operands;
  if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
    SmallVector<IndexExpr, 4> indices;
    for (Value operand : extract.getIndices()) {
      const ElementExpr *index = evaluate(operand, op, loops, env);
      if (index && index->kind == ElementExpr::Kind::index)
        indices.push_back(index->access.indices[0]);
      else if (std::optional<int64_t> number = getConstantIntValue(operand))
        indices.push_back(IndexExpr(*number));
      else
        return nullptr;
    }
    return env[value] = get(extract.getTensor(), indices);
  }
  if (!isPure(inner) || inner->getNumResults() != 1 || inner->getNumRegions())
    return nullptr;
  for (Value operand : inner->getOperands()) {
    operands.push_back(evaluate(operand, op, loops, env));
    if (!operands.back())
      return nullptr;
  }
  return env[value] = apply(inner, value.getType(), operands);
}

const ElementExpr *ElementExprs::computeApply(Operation *op,
                                              ArrayRef<IndexExpr> indices) {
  bool elementwise = OpTrait::hasElementwiseMappableTraits(op);
  bool scalar = isa_and_nonnull<arith::ArithDialect>(op->getDialect());
  if ((!elementwise && !scalar) || !isPure(op) || op->getNumResults() != 1 ||
      op->getNumRegions() != 0)
    return nullptr;
  SmallVector<const ElementExpr *> operands;
  for (Value operand : op->getOperands()) {
    bool shaped = isa<RankedTensorType>(operand.getType());
    if (shaped && !elementwise)
      return nullptr;
    operands.push_back(get(operand, shaped ? indices : ArrayRef<IndexExpr>()));
  }
  return apply(op, getElementTypeOrSelf(op->getResult(0).getType()), operands);
}

const ElementExpr *ElementExprs::stripFloatCasts(const ElementExpr *expr) {
  while (expr->is<arith::ExtFOp>() || expr->is<arith::TruncFOp>())
    expr = expr->operands[0];
  return expr;
}

std::optional<double> ElementExprs::getConstant(const ElementExpr *expr) {
  if (expr->kind == ElementExpr::Kind::constant) {
    if (auto number = dyn_cast<FloatAttr>(expr->attribute))
      return number.getValueAsDouble();
    auto integer = cast<IntegerAttr>(expr->attribute);
    return integer.getType().isInteger(1)
               ? static_cast<double>(integer.getValue().getZExtValue())
               : static_cast<double>(integer.getValue().getSExtValue());
  }
  if (expr->is<arith::TruncFOp>() || expr->is<arith::ExtFOp>() ||
      expr->is<arith::SIToFPOp>()) {
    std::optional<double> input = getConstant(expr->operands[0]);
    if (!input || !expr->is<arith::TruncFOp>())
      return input;
    APFloat value(*input);
    bool lossy;
    value.convert(cast<FloatType>(expr->type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &lossy);
    return value.convertToDouble();
  }
  if (expr->operands.size() != 2)
    return std::nullopt;
  if (!expr->is<arith::MulFOp>() && !expr->is<arith::DivFOp>())
    return std::nullopt;
  std::optional<double> lhs = getConstant(expr->operands[0]);
  std::optional<double> rhs = getConstant(expr->operands[1]);
  if (!lhs || !rhs)
    return std::nullopt;
  return expr->is<arith::MulFOp>() ? *lhs * *rhs : *lhs / *rhs;
}

bool ElementExprs::uses(const ElementExpr *expr, unsigned variable) {
  auto [it, inserted] = usesMemo.try_emplace({expr, variable}, false);
  if (!inserted)
    return it->second;
  bool result = expr->access.uses(variable);
  for (const ElementExpr *operand : expr->operands)
    result = result || uses(operand, variable);
  return usesMemo[{expr, variable}] = result;
}
