//===- TilingInterfaceImpl.cpp - Tiles of attention -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TilingInterface of the attention ops: the fused op tiles over batch, query
// head and query; its online form over keys too, as a reduction.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Interfaces/ExternalModels.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace mlir::softcap;

using Ranges = SmallVector<OpFoldResult>;

namespace {
enum Dim : unsigned { B, H, M, N };

/// A tile of the iteration domain B x Hq x M x N, and its key/value heads.
struct Tile {
  Ranges offsets, sizes;
  OpFoldResult kvOffset, kvSize;
};
} // namespace

static OpFoldResult sum(OpBuilder &b, Location loc, OpFoldResult x,
                        OpFoldResult y) {
  AffineExpr i = b.getAffineSymbolExpr(0), j = b.getAffineSymbolExpr(1);
  return affine::makeComposedFoldedAffineApply(b, loc, i + j, {x, y});
}

static OpFoldResult difference(OpBuilder &b, Location loc, OpFoldResult x,
                               OpFoldResult y) {
  AffineExpr i = b.getAffineSymbolExpr(0), j = b.getAffineSymbolExpr(1);
  return affine::makeComposedFoldedAffineApply(b, loc, i - j, {x, y});
}

/// The key/value heads that a tile of query heads reads: all of a group, or
/// whole groups; fails where a tile would cut across groups.
template <typename OpTy>
static LogicalResult findKeyHeads(OpBuilder &b, OpTy op, Tile &tile) {
  Location loc = op.getLoc();
  auto query = cast<RankedTensorType>(op.getQuery().getType());
  auto key = cast<RankedTensorType>(op.getKey().getType());
  OpFoldResult queryHeads = tensor::getMixedSize(b, loc, op.getQuery(), 1);
  OpFoldResult keyHeads = tensor::getMixedSize(b, loc, op.getKey(), 1);
  if (isEqualConstantIntOrValue(tile.sizes[H], queryHeads)) {
    tile.kvOffset = b.getIndexAttr(0);
    tile.kvSize = keyHeads;
    return success();
  }
  if (key.getDimSize(1) == 1) {
    tile.kvOffset = b.getIndexAttr(0);
    tile.kvSize = b.getIndexAttr(1);
    return success();
  }
  std::optional<int64_t> size = getConstantIntValue(tile.sizes[H]);
  if (query.isDynamicDim(1) || key.isDynamicDim(1)) {
    if (size != 1)
      return failure();
    auto value = [&](OpFoldResult x) {
      return getValueOrCreateConstantIndexOp(b, loc, x);
    };
    Value group =
        arith::DivUIOp::create(b, loc, value(queryHeads), value(keyHeads));
    tile.kvOffset =
        arith::DivUIOp::create(b, loc, value(tile.offsets[H]), group)
            .getResult();
    tile.kvSize = b.getIndexAttr(1);
    return success();
  }
  int64_t group = query.getDimSize(1) / key.getDimSize(1);
  if (group == 1) {
    tile.kvOffset = tile.offsets[H];
    tile.kvSize = tile.sizes[H];
    return success();
  }
  if (!size || (*size % group != 0 && group % *size != 0))
    return failure();
  tile.kvOffset = affine::makeComposedFoldedAffineApply(
      b, loc, b.getAffineSymbolExpr(0).floorDiv(group), {tile.offsets[H]});
  tile.kvSize = b.getIndexAttr(std::max<int64_t>(1, *size / group));
  return success();
}

/// The slice of `source` at `offsets`; dimensions not named are taken whole,
/// and a dimension of size 1 is broadcast.
static Value
slice(OpBuilder &b, Location loc, Value source,
      ArrayRef<std::optional<std::pair<OpFoldResult, OpFoldResult>>> dims,
      SmallVectorImpl<Operation *> &slices) {
  auto type = cast<RankedTensorType>(source.getType());
  Ranges sizes = tensor::getMixedSizes(b, loc, source);
  Ranges offsets(type.getRank(), b.getIndexAttr(0));
  Ranges strides(type.getRank(), b.getIndexAttr(1));
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim && type.getDimSize(i) != 1) {
      offsets[i] = dim->first;
      sizes[i] = dim->second;
    }
  auto op =
      tensor::ExtractSliceOp::create(b, loc, source, offsets, sizes, strides);
  slices.push_back(op);
  return op;
}

/// Lengths count from the first key of the tile.
static Value relativeLengths(OpBuilder &b, Location loc, Value lengths,
                             OpFoldResult first) {
  if (isZeroInteger(first))
    return lengths;
  auto type = cast<RankedTensorType>(lengths.getType());
  Value shift = getValueOrCreateConstantIndexOp(b, loc, first);
  if (!type.getElementType().isIndex())
    shift = arith::IndexCastOp::create(b, loc, type.getElementType(), shift);
  Value init = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, lengths), type.getElementType());
  AffineMap map = b.getMultiDimIdentityMap(1);
  return linalg::GenericOp::create(
             b, loc, TypeRange{init.getType()}, ValueRange{lengths},
             ValueRange{init}, ArrayRef<AffineMap>{map, map},
             ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
             [&](OpBuilder &body, Location bodyLoc, ValueRange args) {
               Value left =
                   arith::SubIOp::create(body, bodyLoc, args[0], shift);
               linalg::YieldOp::create(body, bodyLoc, left);
             })
      .getResult(0);
}

template <typename OpTy>
static void shiftOffset(OpBuilder &b, OpTy op, OpTy tiled, const Tile &tile) {
  if (!op.getCausal() && !op.getWindowLeft() && !op.getWindowRight())
    return;
  Location loc = op.getLoc();
  OpFoldResult offset = b.getIndexAttr(op.getOffset().value_or(0));
  if (Value value = op.getOffsetValue())
    offset = value;
  offset = sum(b, loc, offset, tile.offsets[M]);
  offset = difference(b, loc, offset, tile.offsets[N]);
  if (std::optional<int64_t> constant = getConstantIntValue(offset)) {
    tiled.getOffsetValueMutable().clear();
    tiled.setOffsetAttr(*constant == 0 ? IntegerAttr()
                                       : b.getI64IntegerAttr(*constant));
    return;
  }
  tiled.setOffsetAttr(nullptr);
  tiled.getOffsetValueMutable().assign(
      getValueOrCreateConstantIndexOp(b, loc, offset));
}

/// Clones the op on slices of everything but its destinations.
template <typename OpTy>
static FailureOr<OpTy> sliceInputs(OpBuilder &b, OpTy op, Tile &tile,
                                   SmallVectorImpl<Operation *> &slices) {
  if (failed(findKeyHeads(b, op, tile)))
    return op.emitOpError("cannot be tiled across groups of query heads");
  Location loc = op.getLoc();
  auto dim = [&](Dim d) {
    return std::optional(std::pair(tile.offsets[d], tile.sizes[d]));
  };
  auto kvHead = std::optional(std::pair(tile.kvOffset, tile.kvSize));
  auto take = [&](Value v, auto dims) {
    return slice(b, loc, v, dims, slices);
  };
  using Dims =
      SmallVector<std::optional<std::pair<OpFoldResult, OpFoldResult>>>;

  Value query = take(op.getQuery(), Dims{dim(B), dim(H), dim(M)});
  Value key = take(op.getKey(), Dims{dim(B), kvHead, dim(N)});
  Value value = take(op.getValue(), Dims{dim(B), kvHead, dim(N)});
  Value lengths =
      op.getLengths()
          ? relativeLengths(b, loc, take(op.getLengths(), Dims{dim(B)}),
                            tile.offsets[N])
          : Value();
  Value preBias, postBias, mask, querySegments, keySegments;
  Dims scores = {dim(B), dim(H), dim(M), dim(N)};
  if (op.getPreBias())
    preBias = take(op.getPreBias(), scores);
  if (op.getPostBias())
    postBias = take(op.getPostBias(), scores);
  if (op.getMask())
    mask = take(op.getMask(), scores);
  if (op.getQuerySegments()) {
    querySegments = take(op.getQuerySegments(), Dims{dim(B), dim(M)});
    keySegments = take(op.getKeySegments(), Dims{dim(B), dim(N)});
  }
  Value sinks;
  if constexpr (std::is_same_v<OpTy, AttentionOp>)
    if (op.getSinks())
      sinks = take(op.getSinks(), Dims{dim(H)});

  auto tiled = cast<OpTy>(b.clone(*op));
  tiled.getQueryMutable().assign(query);
  tiled.getKeyMutable().assign(key);
  tiled.getValueMutable().assign(value);
  if (preBias)
    tiled.getPreBiasMutable().assign(preBias);
  if (postBias)
    tiled.getPostBiasMutable().assign(postBias);
  if (mask)
    tiled.getMaskMutable().assign(mask);
  if (lengths)
    tiled.getLengthsMutable().assign(lengths);
  if (querySegments) {
    tiled.getQuerySegmentsMutable().assign(querySegments);
    tiled.getKeySegmentsMutable().assign(keySegments);
  }
  if constexpr (std::is_same_v<OpTy, AttentionOp>)
    if (sinks)
      tiled.getSinksMutable().assign(sinks);
  b.setInsertionPoint(tiled);
  shiftOffset(b, op, tiled, tile);
  b.setInsertionPointAfter(tiled);
  return tiled;
}

namespace {
template <typename OpTy>
struct AttentionTiling
    : TilingInterface::ExternalModel<AttentionTiling<OpTy>, OpTy> {
  static constexpr bool online = std::is_same_v<OpTy, OnlineAttentionOp>;

  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *) const {
    SmallVector<utils::IteratorType> types(3, utils::IteratorType::parallel);
    if (online)
      types.push_back(utils::IteratorType::reduction);
    return types;
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    auto attention = cast<OpTy>(op);
    Ranges sizes = tensor::getMixedSizes(b, op->getLoc(), attention.getQuery());
    sizes.pop_back();
    if (online)
      sizes.push_back(
          tensor::getMixedSize(b, op->getLoc(), attention.getKey(), 2));
    return llvm::map_to_vector(sizes, [&](OpFoldResult size) {
      return Range{b.getIndexAttr(0), size, b.getIndexAttr(1)};
    });
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &b,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    auto attention = cast<OpTy>(op);
    Location loc = op->getLoc();
    Tile tile{Ranges(offsets), Ranges(sizes), {}, {}};
    if (!online) {
      tile.offsets.push_back(b.getIndexAttr(0));
      tile.sizes.push_back(tensor::getMixedSize(b, loc, attention.getKey(), 2));
    }
    TilingResult result;
    SmallVector<Value> inits;
    for (OpOperand &init : attention.getDpsInitsMutable()) {
      unsigned number = init.getOperandNumber() -
                        attention.getDpsInitsMutable()[0].getOperandNumber();
      Ranges at, extent;
      (void)getResultTilePosition(op, b, number, offsets, sizes, at, extent);
      Ranges strides(at.size(), b.getIndexAttr(1));
      auto init0 = tensor::ExtractSliceOp::create(b, loc, init.get(), at,
                                                  extent, strides);
      result.generatedSlices.push_back(init0);
      inits.push_back(init0);
    }
    FailureOr<OpTy> tiled =
        sliceInputs(b, attention, tile, result.generatedSlices);
    if (failed(tiled))
      return failure();
    for (auto [i, init] : llvm::enumerate(inits)) {
      tiled->getDpsInitsMutable()[i].set(init);
      (*tiled)->getResult(i).setType(init.getType());
    }
    result.tiledOps.push_back(*tiled);
    result.tiledValues.assign((*tiled)->result_begin(), (*tiled)->result_end());
    return result;
  }

  /// Results follow batch, head and query; O and the accumulator also have
  /// the value's head size.
  LogicalResult getResultTilePosition(Operation *op, OpBuilder &b,
                                      unsigned number,
                                      ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes,
                                      Ranges &resultOffsets,
                                      Ranges &resultSizes) const {
    resultOffsets.assign(offsets.begin(), offsets.begin() + 3);
    resultSizes.assign(sizes.begin(), sizes.begin() + 3);
    if (number == 0) {
      resultOffsets.push_back(b.getIndexAttr(0));
      resultSizes.push_back(
          tensor::getMixedSize(b, op->getLoc(), cast<OpTy>(op).getValue(), 3));
    }
    return success();
  }

  /// A tile of a result needs all of the keys.
  FailureOr<TilingResult>
  generateResultTileValue(Operation *op, OpBuilder &b, unsigned number,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) const {
    Ranges at(offsets.begin(), offsets.begin() + 3);
    Ranges extent(sizes.begin(), sizes.begin() + 3);
    if (online) {
      at.push_back(b.getIndexAttr(0));
      extent.push_back(
          tensor::getMixedSize(b, op->getLoc(), cast<OpTy>(op).getKey(), 2));
    }
    FailureOr<TilingResult> tiled = getTiledImplementation(op, b, at, extent);
    if (succeeded(tiled))
      tiled->tiledValues = {tiled->tiledValues[number]};
    return tiled;
  }
};
} // namespace

void softcap::registerTilingInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SoftcapDialect *) {
    AttentionOp::attachInterface<AttentionTiling<AttentionOp>>(*context);
    OnlineAttentionOp::attachInterface<AttentionTiling<OnlineAttentionOp>>(
        *context);
    context->loadDialect<affine::AffineDialect, arith::ArithDialect,
                         linalg::LinalgDialect, tensor::TensorDialect>();
  });
}
