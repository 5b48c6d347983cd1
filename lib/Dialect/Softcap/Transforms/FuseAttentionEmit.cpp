//===- FuseAttentionEmit.cpp - Writing softcap.attention ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arranges the operands and writes the fused op.
//
//===----------------------------------------------------------------------===//

#include "FuseAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::fuse;

namespace {
class AttentionEmitter {
public:
  AttentionEmitter(OpBuilder &builder, const ValueContraction &value,
                   const ScoreMap &map, const VisibleKeys &keys,
                   const HeadLayout &layout, Mismatch &mismatch)
      : builder(builder), loc(value.result.getLoc()), value(value), map(map),
        keys(keys), layout(layout), mismatch(mismatch) {}

  FailureOr<Value> emit();

private:
  using MapFn = function_ref<Value(OpBuilder &, ValueRange)>;
  /// An elementwise op over tensors of the same rank, broadcast over 1.
  Value emitElementwise(ValueRange inputs, Type elementType, MapFn body);
  Value castElements(Value tensor, Type elementType);
  Value arrange(const ElementAccess &access, ArrayRef<Digits> groups);
  FailureOr<Value> emitBias(const BiasTerm &bias);
  FailureOr<Value> emitBiases();
  FailureOr<Value> emitMask();
  FailureOr<Value> emitScalar(const ElementExpr *expr);
  FailureOr<Value> emitLengths(Value query);
  LogicalResult emitMaskOperands(Value query);
  Value emitResult(Value attention);
  Type getCommonType();

  OpBuilder &builder;
  Location loc;
  const ValueContraction &value;
  const ScoreMap &map;
  const VisibleKeys &keys;
  const HeadLayout &layout;
  Mismatch &mismatch;

  Value preBias, postBias, mask, lengths, offsetValue, capValue;
};
} // namespace

Value AttentionEmitter::emitElementwise(ValueRange inputs, Type elementType,
                                        MapFn body) {
  unsigned rank = cast<RankedTensorType>(inputs[0].getType()).getRank();
  SmallVector<OpFoldResult> sizes(rank, builder.getIndexAttr(1));
  SmallVector<AffineMap> maps;
  for (Value input : inputs) {
    SmallVector<AffineExpr> results;
    for (auto [dim, size] :
         llvm::enumerate(cast<RankedTensorType>(input.getType()).getShape())) {
      if (size == 1) {
        results.push_back(builder.getAffineConstantExpr(0));
        continue;
      }
      results.push_back(builder.getAffineDimExpr(dim));
      sizes[dim] = tensor::getMixedSize(builder, loc, input, dim);
    }
    maps.push_back(AffineMap::get(rank, 0, results, builder.getContext()));
  }
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  Value init = tensor::EmptyOp::create(builder, loc, sizes, elementType);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      builder, loc, init.getType(), inputs, init, maps, iterators,
      [&](OpBuilder &nested, Location, ValueRange arguments) {
        linalg::YieldOp::create(nested, loc,
                                body(nested, arguments.drop_back()));
      });
  return op.getResult(0);
}

Value AttentionEmitter::castElements(Value tensor, Type elementType) {
  Type from = getElementTypeOrSelf(tensor.getType());
  if (from == elementType)
    return tensor;
  bool widen =
      from.getIntOrFloatBitWidth() < elementType.getIntOrFloatBitWidth();
  return emitElementwise(
      tensor, elementType, [&](OpBuilder &b, ValueRange in) -> Value {
        if (widen)
          return arith::ExtFOp::create(b, loc, elementType, in[0]);
        return arith::TruncFOp::create(b, loc, elementType, in[0]);
      });
}

Value AttentionEmitter::arrange(const ElementAccess &access,
                                ArrayRef<Digits> groups) {
  FailureOr<SmallVector<Digits, 4>> dims = layout.split(access);
  assert(succeeded(dims) && "the layout fits its operands");
  return rearrange(builder, loc, access.tensor, *dims, groups);
}

FailureOr<Value> AttentionEmitter::emitBias(const BiasTerm &bias) {
  std::optional<ElementAccess> origin = findOrigin(layout, bias.value);
  if (!origin)
    return mismatch("a bias is not a tensor over heads, queries and keys");
  FailureOr<SmallVector<Digits, 4>> groups =
      getBroadcastGroups(layout, *origin);
  if (failed(groups))
    return mismatch("a bias is broadcast over a part of the heads");
  Value tensor = arrange(*origin, *groups);
  if (bias.factor == 1.0)
    return tensor;
  Type type = getElementTypeOrSelf(tensor.getType());
  return emitElementwise(tensor, type, [&](OpBuilder &b, ValueRange in) {
    Value factor =
        arith::ConstantOp::create(b, loc, FloatAttr::get(type, bias.factor));
    return arith::MulFOp::create(b, loc, in[0], factor).getResult();
  });
}

FailureOr<Value> AttentionEmitter::emitBiases() {
  Value sum;
  for (const BiasTerm &term : map.postBiases) {
    FailureOr<Value> bias = emitBias(term);
    if (failed(bias))
      return failure();
    if (!sum) {
      sum = *bias;
      continue;
    }
    Type type = builder.getF32Type();
    SmallVector<Value> inputs{castElements(sum, type),
                              castElements(*bias, type)};
    sum = emitElementwise(inputs, type, [&](OpBuilder &b, ValueRange in) {
      return arith::AddFOp::create(b, loc, in[0], in[1]).getResult();
    });
  }
  return sum;
}

FailureOr<Value> AttentionEmitter::emitMask() {
  SmallVector<Value> inputs;
  SmallVector<bool> negated;
  for (const MaskTensor &tensor : keys.tensors) {
    std::optional<ElementAccess> origin = findOrigin(layout, tensor.condition);
    if (!origin)
      return mismatch("a mask is not a tensor over heads, queries and keys");
    FailureOr<SmallVector<Digits, 4>> groups =
        getBroadcastGroups(layout, *origin);
    if (failed(groups))
      return mismatch("a mask is broadcast over a part of the heads");
    inputs.push_back(arrange(*origin, *groups));
    negated.push_back(tensor.negated);
  }
  if (inputs.empty())
    return Value();
  if (inputs.size() == 1 && !negated[0])
    return inputs[0];
  return emitElementwise(
      inputs, builder.getI1Type(), [&](OpBuilder &b, ValueRange in) -> Value {
        Value visible;
        for (auto [condition, flip] : llvm::zip_equal(in, negated)) {
          Value term = condition;
          if (flip) {
            Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
            term = arith::XOrIOp::create(b, loc, term, yes);
          }
          visible =
              visible ? arith::AndIOp::create(b, loc, visible, term) : term;
        }
        return visible;
      });
}

FailureOr<Value> AttentionEmitter::emitScalar(const ElementExpr *expr) {
  if (expr->kind != ElementExpr::Kind::leaf)
    return mismatch("a run-time value is computed in a form that is not known");
  if (!isa<RankedTensorType>(expr->access.tensor.getType()))
    return expr->access.tensor;
  SmallVector<Value> indices;
  for (const IndexExpr &index : expr->access.indices) {
    if (!index.isConstant())
      return mismatch("a run-time value differs between elements");
    indices.push_back(
        arith::ConstantIndexOp::create(builder, loc, index.getConstant()));
  }
  return tensor::ExtractOp::create(builder, loc, expr->access.tensor, indices)
      .getResult();
}

FailureOr<Value> AttentionEmitter::emitLengths(Value query) {
  auto batch = cast<RankedTensorType>(query.getType()).getDimSize(0);
  if (keys.length) {
    Value tensor = arrange(keys.length->access, ArrayRef<Digits>{layout.batch});
    Type type = keys.length->type;
    if (!keys.lengthOffset && !keys.constantLength)
      return tensor;
    return emitElementwise(tensor, type, [&](OpBuilder &b, ValueRange in) {
      Value offset = arith::ConstantOp::create(
          b, loc, IntegerAttr::get(type, keys.lengthOffset));
      Value length = arith::AddIOp::create(b, loc, in[0], offset);
      if (!keys.constantLength)
        return length;
      Value limit = arith::ConstantOp::create(
          b, loc, IntegerAttr::get(type, *keys.constantLength));
      return arith::MinSIOp::create(b, loc, length, limit).getResult();
    });
  }
  if (!keys.constantLength)
    return Value();
  Value limit = arith::ConstantOp::create(
      builder, loc,
      builder.getI64IntegerAttr(std::max<int64_t>(*keys.constantLength, 0)));
  SmallVector<Value> dynamic;
  if (ShapedType::isDynamic(batch))
    dynamic.push_back(tensor::DimOp::create(builder, loc, query, 0));
  auto type = RankedTensorType::get({batch}, builder.getI64Type());
  return tensor::SplatOp::create(builder, loc, limit, type, dynamic)
      .getResult();
}

LogicalResult AttentionEmitter::emitMaskOperands(Value query) {
  FailureOr<Value> maskOr = emitMask();
  FailureOr<Value> lengthsOr = emitLengths(query);
  if (failed(maskOr) || failed(lengthsOr))
    return failure();
  mask = *maskOr;
  lengths = *lengthsOr;
  if (!keys.rightValue)
    return success();
  FailureOr<Value> offset = emitScalar(keys.rightValue);
  if (failed(offset))
    return failure();
  offsetValue = *offset;
  if (!offsetValue.getType().isIndex())
    offsetValue = arith::IndexCastOp::create(
        builder, loc, builder.getIndexType(), offsetValue);
  return success();
}

/// The widest element type of queries, keys and values.
Type AttentionEmitter::getCommonType() {
  Type result = getElementTypeOrSelf(map.query.tensor.getType());
  for (Value tensor : {map.key.tensor, value.value.tensor}) {
    Type type = getElementTypeOrSelf(tensor.getType());
    if (type.getIntOrFloatBitWidth() > result.getIntOrFloatBitWidth())
      result = type;
    else if (type != result &&
             type.getIntOrFloatBitWidth() == result.getIntOrFloatBitWidth())
      result = builder.getF32Type();
  }
  return result;
}

Value AttentionEmitter::emitResult(Value attention) {
  Digits heads = layout.keyHeads;
  llvm::append_range(heads, layout.group);
  SmallVector<Digits, 4> from{layout.batch, heads, layout.query,
                              layout.valueHead};
  SmallVector<Digits, 4> to;
  for (unsigned variable : value.resultVariables) {
    to.emplace_back();
    for (const IndexDigit &digit : llvm::reverse(layout.cuts[variable]))
      if (digit.extent != 1)
        to.back().push_back(digit);
  }
  Value result = rearrange(builder, loc, attention, from, to);
  result = castElements(result, getElementTypeOrSelf(value.result.getType()));
  if (result.getType() != value.result.getType())
    result =
        tensor::CastOp::create(builder, loc, value.result.getType(), result);
  return result;
}

FailureOr<Value> AttentionEmitter::emit() {
  Digits heads = layout.keyHeads;
  llvm::append_range(heads, layout.group);
  Type type = getCommonType();
  if (map.preBias) {
    FailureOr<Value> bias = emitBias(*map.preBias);
    if (failed(bias))
      return failure();
    preBias = *bias;
  }
  FailureOr<Value> biases = emitBiases();
  if (failed(biases))
    return failure();
  postBias = *biases;
  if (map.capValue) {
    FailureOr<Value> scalar = emitScalar(map.capValue);
    if (failed(scalar))
      return failure();
    capValue = *scalar;
  }

  Value query = castElements(
      arrange(map.query, {layout.batch, heads, layout.query, layout.head}),
      type);
  Value key = castElements(arrange(map.key, {layout.batch, layout.keyHeads,
                                             layout.key, layout.head}),
                           type);
  Value values =
      castElements(arrange(value.value, {layout.batch, layout.keyHeads,
                                         layout.key, layout.valueHead}),
                   type);
  if (failed(emitMaskOperands(query)))
    return failure();

  Type resultType = getElementTypeOrSelf(value.result.getType());
  Type outputType = resultType;
  if (resultType != type)
    outputType = type.isF64() ? type : Type(builder.getF32Type());
  SmallVector<OpFoldResult> sizes{
      tensor::getMixedSize(builder, loc, query, 0),
      tensor::getMixedSize(builder, loc, query, 1),
      tensor::getMixedSize(builder, loc, query, 2),
      tensor::getMixedSize(builder, loc, values, 3)};
  Value init = tensor::EmptyOp::create(builder, loc, sizes, outputType);

  auto number = [&](double x) { return builder.getF64FloatAttr(x); };
  auto integer = [&](int64_t x) { return builder.getI64IntegerAttr(x); };
  // Query i stands at i + right: then a bound on the right is causal.
  bool causal = keys.right || keys.rightValue;
  int64_t offset = keys.right.value_or(0);
  IntegerAttr left = keys.left ? integer(*keys.left + offset) : IntegerAttr();
  IntegerAttr offsetAttr =
      keys.right && offset != 0 ? integer(offset) : IntegerAttr();
  if (keys.left && *keys.left + offset < 0)
    return mismatch("a window holds no key");
  auto attention = AttentionOp::create(
      builder, loc, TypeRange(init.getType()), query, key, values, capValue,
      preBias, postBias, mask, lengths, /*query_segments=*/Value(),
      /*key_segments=*/Value(), offsetValue, /*sinks=*/Value(), init,
      /*lse=*/Value(), map.cap ? number(*map.cap) : FloatAttr(),
      number(map.preScale), number(map.postScale),
      causal ? builder.getUnitAttr() : UnitAttr(), left,
      /*window_right=*/IntegerAttr(), offsetAttr,
      MaskedRowsAttr::get(builder.getContext(), keys.meanOfMaskedRows
                                                    ? MaskedRows::mean
                                                    : MaskedRows::zero),
      AccuracyAttr::get(builder.getContext(), map.accuracy));
  return emitResult(attention->getResult(0));
}

FailureOr<Value>
fuse::emitAttention(OpBuilder &builder, const ValueContraction &value,
                    const ScoreMap &map, const VisibleKeys &keys,
                    const HeadLayout &layout, Mismatch &mismatch) {
  return AttentionEmitter(builder, value, map, keys, layout, mismatch).emit();
}
