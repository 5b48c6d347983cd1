//===- SizeExpr.cpp - Symbolic tensor sizes -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads sizes out of index arithmetic and of the ops that make tensors.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/SizeExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mlir::softcap;

static SizeExpr getFoldResult(OpFoldResult size) {
  if (auto value = dyn_cast<Value>(size))
    return SizeExpr::get(value);
  return SizeExpr::constant(cast<IntegerAttr>(cast<Attribute>(size)).getInt());
}

SizeExpr SizeExpr::get(Value value) {
  APInt constantValue;
  if (matchPattern(value, m_ConstantInt(&constantValue)))
    return constant(constantValue.getSExtValue());
  if (!value.getType().isIndex() && !value.getType().isInteger(64))
    return symbol(value, -1);
  if (auto castOp = value.getDefiningOp<arith::IndexCastOp>()) {
    if (castOp.getIn().getType().isIndex() ||
        castOp.getIn().getType().isInteger(64))
      return get(castOp.getIn());
  } else if (auto mul = value.getDefiningOp<arith::MulIOp>()) {
    SizeExpr lhs = get(mul.getLhs()), rhs = get(mul.getRhs());
    int64_t product;
    if (!llvm::MulOverflow(lhs.coefficient, rhs.coefficient, product))
      return lhs * rhs;
  } else if (auto dim = value.getDefiningOp<tensor::DimOp>()) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    if (index && type && *index >= 0 && *index < type.getRank())
      return getDim(dim.getSource(), *index);
  }
  return symbol(value, -1);
}

SizeExpr SizeExpr::getDim(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  Operation *producer = tensor.getDefiningOp();
  if (auto castOp = dyn_cast_if_present<tensor::CastOp>(producer)) {
    if (isa<RankedTensorType>(castOp.getSource().getType()))
      return getDim(castOp.getSource(), dim);
  } else if (auto empty = dyn_cast_if_present<tensor::EmptyOp>(producer)) {
    return getFoldResult(empty.getMixedSizes()[dim]);
  } else if (auto expand =
                 dyn_cast_if_present<tensor::ExpandShapeOp>(producer)) {
    return getFoldResult(expand.getMixedOutputShape()[dim]);
  } else if (auto collapse =
                 dyn_cast_if_present<tensor::CollapseShapeOp>(producer)) {
    SizeExpr product = constant(1);
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices();
    for (int64_t source : groups[dim])
      product = product * getDim(collapse.getSrc(), source);
    return product;
  } else if (auto reshape = dyn_cast_if_present<tensor::ReshapeOp>(producer)) {
    if (auto shape = reshape.getShape().getDefiningOp<tensor::FromElementsOp>())
      return get(shape.getElements()[dim]);
  } else if (auto dps =
                 dyn_cast_if_present<DestinationStyleOpInterface>(producer)) {
    return getDim(dps.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  }
  return symbol(tensor, dim);
}

bool SizeExpr::isNonNegative() const {
  return coefficient >= 0 && llvm::all_of(symbols, [](const Symbol &symbol) {
           return symbol.dim >= 0;
         });
}

std::optional<int64_t> SizeExpr::getConstant() const {
  if (coefficient == 0 || symbols.empty())
    return coefficient;
  return std::nullopt;
}

SizeExpr SizeExpr::operator*(const SizeExpr &other) const {
  SizeExpr product(static_cast<int64_t>(static_cast<uint64_t>(coefficient) *
                                        other.coefficient));
  llvm::append_range(product.symbols, symbols);
  llvm::append_range(product.symbols, other.symbols);
  llvm::sort(product.symbols);
  return product;
}
