//===- AttentionKernel.h - One step of online attention ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits vector loops for softcap.online_attention on memrefs. Lanes are
// queries; everything between the products is in tiles of `keyBlock` keys by
// one block of query rows.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_CONVERSION_SOFTCAPTOVECTOR_ATTENTIONKERNEL_H
#define SOFTCAP_LIB_CONVERSION_SOFTCAPTOVECTOR_ATTENTIONKERNEL_H

#include "softcap/Dialect/Softcap/IR/Softcap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::softcap {

struct KernelOptions {
  int64_t vectorBytes;
  int64_t keyBlock;
};

class AttentionKernel {
public:
  AttentionKernel(OpBuilder &builder, OnlineAttentionOp op,
                  const KernelOptions &options);

  /// Emits the loops at the builder's insertion point.
  void emit();

private:
  /// A block of query rows: `vectors` vectors of which `count` rows are real.
  struct Rows {
    int64_t vectors;
    Value first, count;
  };
  /// A block of keys.
  struct Keys {
    Value first, count;
  };
  /// A register tile of `keys` (or value columns) by the block's vectors.
  using Tile = SmallVector<Value>;
  using LoopBody = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;

  //===-- AttentionKernel.cpp: loops, products, running state -------------===//
  void emitHead();
  void emitRowBlocks(Value from, Value to, int64_t vectors);
  void allocateScratch(int64_t rows);
  void freeScratch();
  void packQuery(const Rows &rows);
  void loadState(const Rows &rows);
  void storeState(const Rows &rows);
  Keys visibleKeys(const Rows &rows);
  void emitKeyBlock(const Rows &rows, const Keys &keys);
  void emitScoreProducts(const Rows &rows, const Keys &keys);
  void emitScoreTile(const Rows &rows, const Keys &keys, Value key,
                     int64_t tile);
  void emitValueProducts(const Rows &rows, const Keys &keys);
  void emitValueTile(const Rows &rows, const Keys &keys, Value column,
                     int64_t tile, bool skipMasked);
  Value hasNonFiniteValue(const Keys &keys);
  void widenBlock(Value source, Value scratch, const Keys &keys, Value columns);
  Value loadKey(const Keys &keys, Value key, Value column);
  Value loadValue(const Keys &keys, Value key, Value column);

  //===-- AttentionRow.cpp: products of a single query (decode) -----------===//
  bool isSingleRow(int64_t vectors);
  SmallVector<Value> columnAt(Value column, Value row);
  Value loadColumns(Value source, Value wide, const Keys &keys, Value key,
                    Value column);
  void emitRowScores(const Keys &keys);
  void emitRowValues(const Keys &keys, bool skipMasked);

  //===-- AttentionScores.cpp: score map, mask, softmax -------------------===//
  void emitSoftmax(const Rows &rows, const Keys &keys);
  void copyBroadcast(Value source, Value scratch, const Rows &rows,
                     const Keys &keys);
  void copyScoreOperands(const Rows &rows, const Keys &keys);
  Value addBias(Value score, Value source, Value scratch, const Keys &keys,
                Value key, Value lane);
  Value emitScoreMap(Value product, const Rows &rows, const Keys &keys,
                     Value key, Value lane);
  Value emitVisible(const Rows &rows, const Keys &keys, Value key, Value lane);
  void addPositions(SmallVectorImpl<Value> &conditions, const Rows &rows,
                    const Keys &keys, Value key, Value lane);
  Value weight(Value score, Value safeMax);
  Value safe(Value max);
  bool isPositional() {
    return op.getCausal() || op.getWindowLeft() || op.getWindowRight();
  }
  bool canMask() {
    return isPositional() || op.getMask() || op.getLengths() ||
           op.getQuerySegments() || op.getPostBias();
  }
  bool isMean() { return op.getMaskedRows() == MaskedRows::mean; }

  //===-- Small builders --------------------------------------------------===//
  Value index(int64_t value);
  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value minimum(Value x, Value y);
  Value maximum(Value x, Value y);
  Value roundDown(Value x, int64_t multiple);
  Value size(Value source, unsigned dim);
  Value constant(double value);
  Value splat(Value scalar);
  Value load(Value source, ValueRange at);
  void store(Value value, Value target, ValueRange at);
  Value loadVector(Value source, ValueRange at);
  Value multiplyAdd(Value x, Value y, Value z);
  Value widen(Value x);
  Value toIndex(Value x);
  Value isNegativeZero(Value x);
  Value offset();
  SmallVector<Value> loop(Value from, Value to, int64_t step, ValueRange init,
                          LoopBody body);
  void loop(Value from, Value to, int64_t step,
            llvm::function_ref<void(Value)> body);

  /// Whether a rank 4 mask or bias differs between queries: then it is copied,
  /// transposed, into scratch.
  static bool variesByQuery(Value source);
  SmallVector<Value> broadcastIndices(Value source, Value query, Value key);

  ImplicitLocOpBuilder b;
  OnlineAttentionOp op;
  int64_t lanes, rowVectors, keyBlock;
  FloatType type;
  VectorType vectorType;
  /// The current block is one query, with lanes along the head size.
  bool singleRow = false;

  /// Loop variables of the batch, the query head and its key/value head.
  Value batch, head, keyHead;
  /// Of the current row block: Q transposed (D x rows), accumulator transposed
  /// (Dv x rows), scores or weights (keys x rows), max, sum and rescaling
  /// factor (rows), operands of the score map (keys x rows), and K and V
  /// widened to the type of the arithmetic.
  Value queryTile, accumulator, scores, maxima, sums, factors;
  Value preBias, postBias, mask, querySegments, wideKeys, wideValues;
};

} // namespace mlir::softcap

#endif // SOFTCAP_LIB_CONVERSION_SOFTCAPTOVECTOR_ATTENTIONKERNEL_H
