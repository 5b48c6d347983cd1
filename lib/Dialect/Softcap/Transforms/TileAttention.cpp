//===- TileAttention.cpp - Tiling of attention ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softcap-tile-attention: from the fused op to parallel tiles of its online
// form.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPTILEATTENTIONPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

static Value filled(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                    Type type, APFloat value) {
  Value scalar = arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  Value empty = tensor::EmptyOp::create(b, sizes, type);
  return linalg::FillOp::create(b, scalar, empty).getResult(0);
}

/// The state before the first key: accumulator, maximum and sum.
static SmallVector<Value> initialState(ImplicitLocOpBuilder &b,
                                       AttentionOp op) {
  Type storage = getElementTypeOrSelf(op.getOutput());
  bool isF64 = storage.isF64() || getElementTypeOrSelf(op.getQuery()).isF64();
  auto type = isF64 ? cast<FloatType>(b.getF64Type()) : b.getF32Type();
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  APFloat zero = APFloat::getZero(semantics);
  APFloat lowest = op.getMaskedRows() == MaskedRows::mean
                       ? APFloat::getLargest(semantics, /*Negative=*/true)
                       : APFloat::getInf(semantics, /*Negative=*/true);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), op.getOutput());
  ArrayRef<OpFoldResult> rows = ArrayRef(sizes).drop_back();
  return {filled(b, sizes, type, zero), filled(b, rows, type, lowest),
          filled(b, rows, type, zero)};
}

/// The state as the only part of a merge: a leading dimension of size 1.
static Value asPart(ImplicitLocOpBuilder &b, Value state) {
  auto type = cast<RankedTensorType>(state.getType());
  SmallVector<int64_t> shape = {1};
  llvm::append_range(shape, type.getShape());
  SmallVector<OpFoldResult> sizes = {b.getIndexAttr(1)};
  llvm::append_range(sizes, tensor::getMixedSizes(b, b.getLoc(), state));
  SmallVector<ReassociationIndices> groups = {{0, 1}};
  for (int64_t i = 1; i < type.getRank(); ++i)
    groups.push_back({i + 1});
  return tensor::ExpandShapeOp::create(
      b, RankedTensorType::get(shape, type.getElementType()), state, groups,
      sizes);
}

/// Replaces attention on a tile by its initial state, one step over all keys
/// (returned), and the merge.
static OnlineAttentionOp makeOnline(RewriterBase &rewriter, AttentionOp op) {
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  SmallVector<Value> state = initialState(b, op);
  SmallVector<Type> types =
      llvm::map_to_vector(state, [](Value value) { return value.getType(); });
  auto step = OnlineAttentionOp::create(
      b, types, op.getQuery(), op.getKey(), op.getValue(), op.getCapValue(),
      op.getPreBias(), op.getPostBias(), op.getMask(), op.getLengths(),
      op.getQuerySegments(), op.getKeySegments(), op.getOffsetValue(), state[0],
      state[1], state[2], op.getCapAttr(), op.getPreScaleAttr(),
      op.getPostScaleAttr(), op.getCausalAttr(), op.getWindowLeftAttr(),
      op.getWindowRightAttr(), op.getOffsetAttr(), op.getMaskedRowsAttr(),
      op.getAccuracyAttr());
  auto merge = MergeOp::create(
      b, op->getResultTypes(), asPart(b, step->getResult(0)),
      asPart(b, step->getResult(2)), asPart(b, step->getResult(1)),
      op.getSinks(), op.getOutput(), op.getLse(), b.getF64FloatAttr(0.0));
  rewriter.replaceOp(op, merge->getResults());
  return step;
}

static LogicalResult tileKeys(RewriterBase &rewriter, OnlineAttentionOp step,
                              int64_t keyTile) {
  int64_t keys = cast<ShapedType>(step.getKey().getType()).getDimSize(2);
  if (keyTile == 0 || (!ShapedType::isDynamic(keys) && keys <= keyTile))
    return success();
  scf::SCFTilingOptions options;
  OpFoldResult zero = rewriter.getIndexAttr(0);
  options.setTileSizes({zero, zero, zero, rewriter.getIndexAttr(keyTile)});
  rewriter.setInsertionPoint(step);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(step.getOperation()), options);
  if (failed(tiled))
    return failure();
  rewriter.replaceOp(step, tiled->replacements);
  return success();
}

static LogicalResult tileAttention(RewriterBase &rewriter, AttentionOp op,
                                   int64_t queryTile, int64_t keyTile) {
  auto extent = [](Value v) {
    int64_t size = cast<ShapedType>(v.getType()).getDimSize(2);
    return ShapedType::isDynamic(size) ? -1 : size;
  };
  ArrayAttr extents =
      rewriter.getI64ArrayAttr({extent(op.getQuery()), extent(op.getKey())});
  scf::SCFTilingOptions options;
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  OpFoldResult one = rewriter.getIndexAttr(1);
  options.setTileSizes({one, one, rewriter.getIndexAttr(queryTile)});
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return op.emitOpError("cannot be tiled");
  rewriter.replaceOp(op, tiled->replacements);
  tiled->loops.front()->setAttr("softcap.attention_extents", extents);
  auto tile = cast<AttentionOp>(tiled->tiledOps.front());
  return tileKeys(rewriter, makeOnline(rewriter, tile), keyTile);
}

namespace {
struct SoftcapTileAttentionPass
    : softcap::impl::SoftcapTileAttentionPassBase<SoftcapTileAttentionPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (queryTile > 0 && keyTile >= 0)
      return success();
    return emitError(UnknownLoc::get(context))
           << "query-tile must be positive and key-tile not negative";
  }

  void runOnOperation() override {
    SmallVector<AttentionOp> ops;
    getOperation()->walk([&](AttentionOp op) {
      if (isa<RankedTensorType>(op.getQuery().getType()))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (AttentionOp op : ops) {
      if (failed(tileAttention(rewriter, op, queryTile, keyTile)))
        return signalPassFailure();
      ++numTiled;
    }
  }
};
} // namespace
