//===- AttentionRow.cpp - Products of a single query ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With one query (decode) all lanes but one would idle: here lanes run along
// the head size, and only a key's finished score crosses them.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::softcap;

bool AttentionKernel::isSingleRow(int64_t vectors) {
  if (vectors != 1 ||
      cast<ShapedType>(op.getQuery().getType()).getDimSize(2) != 1)
    return false;
  return llvm::all_of(
      ValueRange{op.getKey(), op.getValue()}, [&](Value source) {
        auto memref = cast<MemRefType>(source.getType());
        return !memref.isDynamicDim(3) && memref.getDimSize(3) % lanes == 0 &&
               memref.getDimSize(3) > 0 && memref.isLastDimUnitStride();
      });
}

/// Where a row's column stands in scratch: transposed, or, for a single row,
/// in its order.
SmallVector<Value> AttentionKernel::columnAt(Value column, Value row) {
  if (!singleRow)
    return {column, row};
  return {b.createOrFold<arith::DivSIOp>(column, index(lanes)),
          b.createOrFold<arith::RemSIOp>(column, index(lanes))};
}

/// A vector of a key's or value's columns.
Value AttentionKernel::loadColumns(Value source, Value wide, const Keys &keys,
                                   Value key, Value column) {
  if (wide)
    return loadVector(wide, {key, column});
  return loadVector(source, {batch, keyHead, add(keys.first, key), column});
}

void AttentionKernel::emitRowScores(const Keys &keys) {
  Value zero = index(0);
  auto tile = [&](Value key, int64_t count) {
    Tile sums = loop(zero, size(op.getKey(), 3), lanes,
                     Tile(count, constant(0.0)), [&](Value d, ValueRange acc) {
                       Value q = loadVector(queryTile, columnAt(d, zero));
                       Tile next;
                       for (int64_t t = 0; t < count; ++t) {
                         Value k = loadColumns(op.getKey(), wideKeys, keys,
                                               add(key, index(t)), d);
                         next.push_back(multiplyAdd(q, k, acc[t]));
                       }
                       return next;
                     });
    for (int64_t t = 0; t < count; ++t) {
      Value score =
          vector::ReductionOp::create(b, vector::CombiningKind::ADD, sums[t],
                                      arith::FastMathFlags::reassoc);
      store(splat(score), scores, {add(key, index(t)), zero});
    }
  };
  Value whole = roundDown(keys.count, 4);
  loop(zero, whole, 4, [&](Value key) { tile(key, 4); });
  loop(whole, keys.count, 1, [&](Value key) { tile(key, 1); });
}

void AttentionKernel::emitRowValues(const Keys &keys, bool skipMasked) {
  Value zero = index(0), none = constant(0.0);
  int64_t columns = cast<ShapedType>(op.getValue().getType()).getDimSize(3);
  int64_t vectors = columns % (4 * lanes) == 0 ? 4 : 1;
  Value factor = splat(load(factors, {zero}));
  loop(zero, index(columns), vectors * lanes, [&](Value first) {
    auto column = [&](int64_t i) { return add(first, index(i * lanes)); };
    Tile start;
    for (int64_t i = 0; i < vectors; ++i) {
      Value acc = loadVector(accumulator, columnAt(column(i), zero));
      Value scaled = arith::MulFOp::create(b, acc, factor);
      if (isMean())
        scaled =
            arith::SelectOp::create(b, isNegativeZero(factor), none, scaled);
      start.push_back(scaled);
    }
    Tile sums =
        loop(zero, keys.count, 1, start, [&](Value key, ValueRange acc) {
          Value weight = splat(load(scores, {key, zero}));
          Tile next;
          for (int64_t i = 0; i < vectors; ++i) {
            Value v =
                loadColumns(op.getValue(), wideValues, keys, key, column(i));
            Value total = multiplyAdd(weight, v, acc[i]);
            if (skipMasked)
              total = arith::SelectOp::create(b, isNegativeZero(weight), acc[i],
                                              total);
            next.push_back(total);
          }
          return next;
        });
    for (int64_t i = 0; i < vectors; ++i)
      store(sums[i], accumulator, columnAt(column(i), zero));
  });
}
