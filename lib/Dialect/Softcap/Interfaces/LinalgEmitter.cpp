//===- LinalgEmitter.cpp - Writing linalg.generic briefly -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "LinalgEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace mlir::softcap;

SmallVector<AffineExpr> LinalgEmitter::loops(ArrayRef<unsigned> indices) {
  return llvm::map_to_vector(indices, [&](unsigned i) { return loop(i); });
}

Value LinalgEmitter::asTensor(Value value, bool writable) {
  auto type = dyn_cast<MemRefType>(value.getType());
  if (!type)
    return value;
  Value &tensor = tensors[value];
  if (!tensor)
    tensor = bufferization::ToTensorOp::create(
        b, RankedTensorType::get(type.getShape(), type.getElementType()), value,
        /*restrict=*/true, writable);
  return tensor;
}

Value LinalgEmitter::empty(ArrayRef<OpFoldResult> sizes, Type elementType) {
  return tensor::EmptyOp::create(b, sizes, elementType);
}

Value LinalgEmitter::filled(ArrayRef<OpFoldResult> sizes, Type elementType,
                            double value) {
  Value scalar = constantFloat(b, elementType, value);
  return linalg::FillOp::create(b, scalar, empty(sizes, elementType))
      .getResult(0);
}

Value LinalgEmitter::generic(ArrayRef<Access> ins, Access out,
                             unsigned numLoops, Body body) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Access &in : ins) {
    inputs.push_back(in.tensor);
    maps.push_back(AffineMap::get(numLoops, 0, in.exprs, b.getContext()));
  }
  AffineMap outMap = AffineMap::get(numLoops, 0, out.exprs, b.getContext());
  maps.push_back(outMap);
  SmallVector<utils::IteratorType> kinds(numLoops,
                                         utils::IteratorType::reduction);
  for (unsigned i = 0; i < numLoops; ++i)
    if (outMap.isFunctionOfDim(i))
      kinds[i] = utils::IteratorType::parallel;
  return linalg::GenericOp::create(
             b, out.tensor.getType(), inputs, out.tensor, maps, kinds,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               ImplicitLocOpBuilder inner(loc, nested);
               linalg::YieldOp::create(inner, body(inner, args));
             })
      .getResult(0);
}

SmallVector<Value> LinalgEmitter::finish(ValueRange computed,
                                         ValueRange destinations) {
  SmallVector<Value> results;
  for (auto [value, destination] : llvm::zip_equal(computed, destinations)) {
    if (isa<RankedTensorType>(destination.getType())) {
      results.push_back(value);
      continue;
    }
    bufferization::MaterializeInDestinationOp::create(
        b, /*result=*/Type(), value, destination, /*restrict=*/true,
        /*writable=*/true);
  }
  return results;
}

Type softcap::computeType(MLIRContext *context, ArrayRef<Type> storageTypes) {
  for (Type type : storageTypes)
    if (getElementTypeOrSelf(type).isF64())
      return Float64Type::get(context);
  return Float32Type::get(context);
}

Value softcap::convertFloat(ImplicitLocOpBuilder &b, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return arith::ExtFOp::create(b, type, value);
  if (from > to)
    return arith::TruncFOp::create(b, type, value);
  // f16 and bf16: neither holds the other.
  return arith::TruncFOp::create(
      b, type, arith::ExtFOp::create(b, b.getF32Type(), value));
}

Value softcap::constantFloat(ImplicitLocOpBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

Value softcap::negativeInfinity(ImplicitLocOpBuilder &b, Type type) {
  return constantFloat(b, type, -std::numeric_limits<double>::infinity());
}

double softcap::lowestFinite(Type type) {
  auto lowest = APFloat::getLargest(cast<FloatType>(type).getFloatSemantics(),
                                    /*Negative=*/true);
  return type.isF64() ? lowest.convertToDouble()
                      : static_cast<double>(lowest.convertToFloat());
}
