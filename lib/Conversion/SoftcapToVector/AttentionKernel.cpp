//===- AttentionKernel.cpp - Loops and products of attention --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both products are outer products: an element of K (or V) is broadcast
// against vectors of queries (or weights), so K and V are read where they are.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::softcap;

/// Windows are clamped to this, so that sums of positions cannot overflow.
static constexpr int64_t hugeWindow = int64_t(1) << 40;

AttentionKernel::AttentionKernel(OpBuilder &builder, OnlineAttentionOp op,
                                 const KernelOptions &options)
    : b(op.getLoc(), builder), op(op), keyBlock(options.keyBlock) {
  type = cast<FloatType>(getElementTypeOrSelf(op.getAccumulator()));
  lanes = options.vectorBytes * 8 / type.getWidth();
  // 6 x 4 accumulators fill 32 registers, 6 x 2 fill 16.
  rowVectors = options.vectorBytes >= 64 ? 4 : 2;
  vectorType = VectorType::get({lanes}, type);
}

//===----------------------------------------------------------------------===//
// Small builders
//===----------------------------------------------------------------------===//

Value AttentionKernel::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}
Value AttentionKernel::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(x, y);
}
Value AttentionKernel::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(x, y);
}
Value AttentionKernel::minimum(Value x, Value y) {
  return b.createOrFold<arith::MinSIOp>(x, y);
}
Value AttentionKernel::maximum(Value x, Value y) {
  return b.createOrFold<arith::MaxSIOp>(x, y);
}
Value AttentionKernel::roundDown(Value x, int64_t multiple) {
  return sub(x, b.createOrFold<arith::RemSIOp>(x, index(multiple)));
}

Value AttentionKernel::size(Value source, unsigned dim) {
  auto shaped = cast<ShapedType>(source.getType());
  if (!shaped.isDynamicDim(dim))
    return index(shaped.getDimSize(dim));
  return memref::DimOp::create(b, source, dim);
}

Value AttentionKernel::constant(double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return arith::ConstantOp::create(b,
                                   DenseElementsAttr::get(vectorType, number));
}
Value AttentionKernel::splat(Value scalar) {
  return vector::BroadcastOp::create(
      b, VectorType::get({lanes}, scalar.getType()), scalar);
}

Value AttentionKernel::load(Value source, ValueRange at) {
  return memref::LoadOp::create(b, source, at);
}
void AttentionKernel::store(Value value, Value target, ValueRange at) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(b, value, target, at);
  else
    memref::StoreOp::create(b, value, target, at);
}
Value AttentionKernel::loadVector(Value source, ValueRange at) {
  Type element = cast<MemRefType>(source.getType()).getElementType();
  return vector::LoadOp::create(b, VectorType::get({lanes}, element), source,
                                at);
}

/// x * y + z, as one instruction where the target has one. (vector.fma would be
/// a call to libm where it has not.)
Value AttentionKernel::multiplyAdd(Value x, Value y, Value z) {
  auto contract = arith::FastMathFlags::contract;
  Value product = arith::MulFOp::create(b, x, y, contract);
  return arith::AddFOp::create(b, product, z, contract);
}

Value AttentionKernel::widen(Value x) {
  if (x.getType() == type)
    return x;
  return arith::ExtFOp::create(b, type, x);
}

Value AttentionKernel::toIndex(Value x) {
  if (x.getType().isIndex())
    return x;
  return arith::IndexCastOp::create(b, b.getIndexType(), x);
}

/// The weight of a masked key is -0, which no visible key has.
Value AttentionKernel::isNegativeZero(Value x) {
  auto bitsType = b.getIntegerType(type.getWidth());
  auto bitsVector = VectorType::get({lanes}, bitsType);
  Value bits = arith::BitcastOp::create(b, bitsVector, x);
  Value sign = arith::ConstantOp::create(
      b,
      DenseElementsAttr::get(bitsVector, APInt::getSignMask(type.getWidth())));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, sign);
}

Value AttentionKernel::offset() {
  if (Value value = op.getOffsetValue())
    return value;
  return index(op.getOffset().value_or(0));
}

SmallVector<Value> AttentionKernel::loop(Value from, Value to, int64_t step,
                                         ValueRange init, LoopBody body) {
  auto loop = scf::ForOp::create(b, from, to, index(step), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!init.empty())
    scf::YieldOp::create(b, next);
  return SmallVector<Value>(loop.getResults());
}

void AttentionKernel::loop(Value from, Value to, int64_t step,
                           llvm::function_ref<void(Value)> body) {
  loop(from, to, step, {}, [&](Value i, ValueRange) {
    body(i);
    return SmallVector<Value>();
  });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void AttentionKernel::emit() {
  Value zero = index(0);
  loop(zero, size(op.getQuery(), 0), 1, [&](Value i) {
    batch = i;
    loop(zero, size(op.getQuery(), 1), 1, [&](Value h) {
      head = h;
      Value group = b.createOrFold<arith::DivSIOp>(size(op.getQuery(), 1),
                                                   size(op.getKey(), 1));
      keyHead = b.createOrFold<arith::DivSIOp>(h, group);
      emitHead();
    });
  });
}

/// Blocks of several vectors, and for what is left, if it is no more than one
/// vector, blocks of one.
void AttentionKernel::emitHead() {
  Value rows = size(op.getQuery(), 2);
  int64_t block = rowVectors * lanes;
  int64_t staticRows = cast<ShapedType>(op.getQuery().getType()).getDimSize(2);
  if (!ShapedType::isDynamic(staticRows)) {
    int64_t left = staticRows % block;
    int64_t wide = left <= lanes ? staticRows - left : staticRows;
    if (wide > 0)
      emitRowBlocks(index(0), index(wide), rowVectors);
    if (wide < staticRows)
      emitRowBlocks(index(wide), rows, 1);
    return;
  }
  Value floor = roundDown(rows, block);
  Value narrow = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                       sub(rows, floor), index(lanes));
  Value wide = arith::SelectOp::create(b, narrow, floor, rows);
  emitRowBlocks(index(0), wide, rowVectors);
  emitRowBlocks(wide, rows, 1);
}

void AttentionKernel::emitRowBlocks(Value from, Value to, int64_t vectors) {
  int64_t block = vectors * lanes;
  singleRow = isSingleRow(vectors);
  allocateScratch(block);
  loop(from, to, block, [&](Value first) {
    Rows rows{vectors, first, minimum(index(block), sub(to, first))};
    packQuery(rows);
    loadState(rows);
    Keys visible = visibleKeys(rows);
    Value end = add(visible.first, visible.count);
    loop(visible.first, end, keyBlock, [&](Value key) {
      emitKeyBlock(rows, {key, minimum(index(keyBlock), sub(end, key))});
    });
    storeState(rows);
  });
  freeScratch();
}

void AttentionKernel::emitKeyBlock(const Rows &rows, const Keys &keys) {
  if (wideKeys)
    widenBlock(op.getKey(), wideKeys, keys, size(op.getKey(), 3));
  if (wideValues)
    widenBlock(op.getValue(), wideValues, keys, size(op.getValue(), 3));
  copyScoreOperands(rows, keys);
  emitScoreProducts(rows, keys);
  emitSoftmax(rows, keys);
  emitValueProducts(rows, keys);
}

//===----------------------------------------------------------------------===//
// Scratch and running state
//===----------------------------------------------------------------------===//

void AttentionKernel::allocateScratch(int64_t rows) {
  auto allocate = [&](std::optional<int64_t> staticSize, Value dynamicSize,
                      int64_t columns, Type element) -> Value {
    SmallVector<int64_t> shape = {staticSize.value_or(ShapedType::kDynamic),
                                  columns};
    SmallVector<Value> sizes;
    if (!staticSize)
      sizes.push_back(dynamicSize);
    return memref::AllocOp::create(b, MemRefType::get(shape, element), sizes,
                                   b.getI64IntegerAttr(64));
  };
  auto perColumn = [&](Value source) {
    auto shaped = cast<ShapedType>(source.getType());
    if (shaped.isDynamicDim(3))
      return allocate(std::nullopt, size(source, 3), rows, type);
    return allocate(std::max<int64_t>(1, shaped.getDimSize(3)), Value(), rows,
                    type);
  };
  auto perKey = [&](Type element) {
    return allocate(keyBlock, Value(), rows, element);
  };
  auto perRow = [&](Type element) -> Value {
    return memref::AllocOp::create(b, MemRefType::get({rows}, element),
                                   ValueRange(), b.getI64IntegerAttr(64));
  };
  auto widened = [&](Value source) -> Value {
    if (getElementTypeOrSelf(source) == type)
      return Value();
    auto shaped = cast<ShapedType>(source.getType());
    SmallVector<int64_t> shape = {keyBlock, shaped.getDimSize(3)};
    SmallVector<Value> sizes;
    if (shaped.isDynamicDim(3))
      sizes.push_back(size(source, 3));
    return memref::AllocOp::create(b, MemRefType::get(shape, type), sizes,
                                   b.getI64IntegerAttr(64));
  };
  queryTile = perColumn(op.getQuery());
  accumulator = perColumn(op.getValue());
  scores = perKey(type);
  maxima = perRow(type);
  sums = perRow(type);
  factors = perRow(type);
  auto operand = [&](Value source, Type element) {
    return source && variesByQuery(source) ? perKey(element) : Value();
  };
  preBias = operand(op.getPreBias(), type);
  postBias = operand(op.getPostBias(), type);
  mask = operand(op.getMask(), b.getI8Type());
  querySegments = op.getQuerySegments() ? perRow(b.getI64Type()) : Value();
  wideKeys = widened(op.getKey());
  wideValues = widened(op.getValue());
}

void AttentionKernel::freeScratch() {
  for (Value scratch :
       {queryTile, accumulator, scores, maxima, sums, factors, preBias,
        postBias, mask, querySegments, wideKeys, wideValues})
    if (scratch)
      memref::DeallocOp::create(b, scratch);
}

/// Q transposed, with zeros in the lanes that are no rows.
void AttentionKernel::packQuery(const Rows &rows) {
  Value columns = size(op.getQuery(), 3), zero = index(0);
  Value none = constant(0.0);
  loop(zero, columns, 1, [&](Value d) {
    for (int64_t i = 0; i < rows.vectors; ++i)
      store(none, queryTile, {d, index(i * lanes)});
  });
  loop(zero, rows.count, 1, [&](Value row) {
    Value query = add(rows.first, row);
    loop(zero, columns, 1, [&](Value d) {
      Value q = widen(load(op.getQuery(), {batch, head, query, d}));
      store(q, queryTile, columnAt(d, row));
    });
  });
  if (!querySegments)
    return;
  loop(zero, rows.count, 1, [&](Value row) {
    Value segment =
        toIndex(load(op.getQuerySegments(), {batch, add(rows.first, row)}));
    segment = arith::IndexCastOp::create(b, b.getI64Type(), segment);
    store(segment, querySegments, {row});
  });
}

void AttentionKernel::loadState(const Rows &rows) {
  Value zero = index(0), none = constant(0.0);
  Value columns = size(op.getValue(), 3);
  for (int64_t i = 0; i < rows.vectors; ++i)
    for (Value state : {maxima, sums, factors})
      store(none, state, {index(i * lanes)});
  loop(zero, columns, 1, [&](Value d) {
    for (int64_t i = 0; i < rows.vectors; ++i)
      store(none, accumulator, {d, index(i * lanes)});
  });
  loop(zero, rows.count, 1, [&](Value row) {
    Value query = add(rows.first, row);
    store(load(op.getMax(), {batch, head, query}), maxima, {row});
    store(load(op.getSum(), {batch, head, query}), sums, {row});
    loop(zero, columns, 1, [&](Value d) {
      store(load(op.getAccumulator(), {batch, head, query, d}), accumulator,
            columnAt(d, row));
    });
  });
}

void AttentionKernel::storeState(const Rows &rows) {
  Value zero = index(0), columns = size(op.getValue(), 3);
  loop(zero, rows.count, 1, [&](Value row) {
    Value query = add(rows.first, row);
    store(load(maxima, {row}), op.getMax(), {batch, head, query});
    store(load(sums, {row}), op.getSum(), {batch, head, query});
    loop(zero, columns, 1, [&](Value d) {
      store(load(accumulator, columnAt(d, row)), op.getAccumulator(),
            {batch, head, query, d});
    });
  });
}

/// The keys from the first to the last that any of these rows sees. Where
/// masked keys count for rows that see none (`masked_rows mean`), all keys are
/// visited unless every row sees one.
AttentionKernel::Keys AttentionKernel::visibleKeys(const Rows &rows) {
  Value all = size(op.getKey(), 2), from = index(0), to = all;
  if (isMean() && (op.getMask() || op.getQuerySegments()))
    return {from, all};
  if (op.getLengths())
    to = minimum(to, toIndex(load(op.getLengths(), {batch})));
  Value firstFrom = from, lastTo = to;
  Value everyRowSees;
  auto require = [&](Value less, Value more) {
    Value holds =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, less, more);
    everyRowSees =
        everyRowSees ? arith::AndIOp::create(b, everyRowSees, holds) : holds;
  };
  require(from, to);
  if (isPositional()) {
    Value first = add(rows.first, offset());
    Value last = sub(add(first, rows.count), index(1));
    std::optional<int64_t> right;
    if (op.getWindowRight())
      right = std::min<int64_t>(*op.getWindowRight(), hugeWindow);
    if (op.getCausal())
      right = std::min<int64_t>(right.value_or(0), 0);
    if (right) {
      // Keys before p + right + 1.
      to = minimum(to, add(last, index(*right + 1)));
      require(index(0), add(first, index(*right + 1)));
    }
    if (op.getWindowLeft()) {
      Value left = index(std::min<int64_t>(*op.getWindowLeft(), hugeWindow));
      from = maximum(from, sub(first, left));
      require(sub(last, left), lastTo);
    }
  }
  if (isMean() && canMask()) {
    from = arith::SelectOp::create(b, everyRowSees, from, firstFrom);
    to = arith::SelectOp::create(b, everyRowSees, to, all);
  }
  return {from, sub(to, from)};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void AttentionKernel::widenBlock(Value source, Value scratch, const Keys &keys,
                                 Value columns) {
  loop(index(0), keys.count, 1, [&](Value key) {
    loop(index(0), columns, 1, [&](Value d) {
      Value x = load(source, {batch, keyHead, add(keys.first, key), d});
      store(widen(x), scratch, {key, d});
    });
  });
}

Value AttentionKernel::loadKey(const Keys &keys, Value key, Value column) {
  if (wideKeys)
    return load(wideKeys, {key, column});
  return load(op.getKey(), {batch, keyHead, add(keys.first, key), column});
}

Value AttentionKernel::loadValue(const Keys &keys, Value key, Value column) {
  if (wideValues)
    return load(wideValues, {key, column});
  return load(op.getValue(), {batch, keyHead, add(keys.first, key), column});
}

/// Runs `tile` over [0, count): as many wide tiles as fit, then single ones.
static constexpr int64_t tileHeight(int64_t vectors) {
  return vectors == 1 ? 12 : 6;
}

void AttentionKernel::emitScoreProducts(const Rows &rows, const Keys &keys) {
  if (singleRow)
    return emitRowScores(keys);
  int64_t height = tileHeight(rows.vectors);
  Value whole = roundDown(keys.count, height);
  loop(index(0), whole, height,
       [&](Value key) { emitScoreTile(rows, keys, key, height); });
  loop(whole, keys.count, 1,
       [&](Value key) { emitScoreTile(rows, keys, key, 1); });
}

void AttentionKernel::emitScoreTile(const Rows &rows, const Keys &keys,
                                    Value key, int64_t tile) {
  Tile zeros(tile * rows.vectors, constant(0.0));
  Tile sum = loop(
      index(0), size(op.getQuery(), 3), 1, zeros, [&](Value d, ValueRange acc) {
        Tile next, queries;
        for (int64_t i = 0; i < rows.vectors; ++i)
          queries.push_back(loadVector(queryTile, {d, index(i * lanes)}));
        for (int64_t t = 0; t < tile; ++t) {
          Value k = splat(loadKey(keys, add(key, index(t)), d));
          for (int64_t i = 0; i < rows.vectors; ++i)
            next.push_back(
                multiplyAdd(queries[i], k, acc[t * rows.vectors + i]));
        }
        return next;
      });
  for (int64_t t = 0; t < tile; ++t)
    for (int64_t i = 0; i < rows.vectors; ++i)
      store(sum[t * rows.vectors + i], scores,
            {add(key, index(t)), index(i * lanes)});
}

void AttentionKernel::emitValueProducts(const Rows &rows, const Keys &keys) {
  Value columns = size(op.getValue(), 3);
  auto fast = [&] {
    if (singleRow)
      return emitRowValues(keys, /*skipMasked=*/false);
    int64_t height = tileHeight(rows.vectors);
    Value whole = roundDown(columns, height);
    loop(index(0), whole, height, [&](Value d) {
      emitValueTile(rows, keys, d, height, /*skipMasked=*/false);
    });
    loop(whole, columns, 1, [&](Value d) {
      emitValueTile(rows, keys, d, 1, /*skipMasked=*/false);
    });
  };
  if (!canMask())
    return fast();
  auto branch = scf::IfOp::create(b, hasNonFiniteValue(keys),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  if (singleRow)
    emitRowValues(keys, /*skipMasked=*/true);
  else
    loop(index(0), columns, 1, [&](Value d) {
      emitValueTile(rows, keys, d, 1, /*skipMasked=*/true);
    });
  b.setInsertionPointToStart(branch.elseBlock());
  fast();
}

void AttentionKernel::emitValueTile(const Rows &rows, const Keys &keys,
                                    Value column, int64_t tile,
                                    bool skipMasked) {
  Value zero = constant(0.0);
  Tile start;
  for (int64_t t = 0; t < tile; ++t)
    for (int64_t i = 0; i < rows.vectors; ++i) {
      Value lane = index(i * lanes);
      Value factor = loadVector(factors, {lane});
      Value acc = loadVector(accumulator, {add(column, index(t)), lane});
      Value scaled = arith::MulFOp::create(b, acc, factor);
      if (isMean())
        // A row's first visible key drops what the masked ones left, which may
        // not be finite.
        scaled =
            arith::SelectOp::create(b, isNegativeZero(factor), zero, scaled);
      start.push_back(scaled);
    }
  Tile sum =
      loop(index(0), keys.count, 1, start, [&](Value key, ValueRange acc) {
        Tile next, weights;
        for (int64_t i = 0; i < rows.vectors; ++i)
          weights.push_back(loadVector(scores, {key, index(i * lanes)}));
        for (int64_t t = 0; t < tile; ++t) {
          Value v = splat(loadValue(keys, key, add(column, index(t))));
          for (int64_t i = 0; i < rows.vectors; ++i) {
            Value old = acc[t * rows.vectors + i];
            Value total = multiplyAdd(weights[i], v, old);
            if (skipMasked)
              total = arith::SelectOp::create(b, isNegativeZero(weights[i]),
                                              old, total);
            next.push_back(total);
          }
        }
        return next;
      });
  for (int64_t t = 0; t < tile; ++t)
    for (int64_t i = 0; i < rows.vectors; ++i)
      store(sum[t * rows.vectors + i], accumulator,
            {add(column, index(t)), index(i * lanes)});
}

/// Whether V * 0 is NaN anywhere in the block.
Value AttentionKernel::hasNonFiniteValue(const Keys &keys) {
  Value columns = size(op.getValue(), 3);
  Value source = wideValues ? wideValues : op.getValue();
  bool contiguous = cast<MemRefType>(source.getType()).isLastDimUnitStride();
  Value whole = contiguous ? roundDown(columns, lanes) : index(0);
  Value none = arith::ConstantOp::create(b, b.getFloatAttr(type, 0.0));
  auto at = [&](Value key, Value d) {
    return wideValues
               ? SmallVector<Value>{key, d}
               : SmallVector<Value>{batch, keyHead, add(keys.first, key), d};
  };
  SmallVector<Value> sum = loop(
      index(0), keys.count, 1, {constant(0.0), none},
      [&](Value key, ValueRange acc) {
        SmallVector<Value> wide = loop(
            index(0), whole, lanes, {acc[0]}, [&](Value d, ValueRange old) {
              Value v =
                  vector::LoadOp::create(b, vectorType, source, at(key, d));
              Value zero = arith::MulFOp::create(b, v, constant(0.0));
              return SmallVector<Value>{arith::AddFOp::create(b, old[0], zero)};
            });
        SmallVector<Value> single =
            loop(whole, columns, 1, {acc[1]}, [&](Value d, ValueRange old) {
              Value zero =
                  arith::MulFOp::create(b, load(source, at(key, d)), none);
              return SmallVector<Value>{arith::AddFOp::create(b, old[0], zero)};
            });
        return SmallVector<Value>{wide[0], single[0]};
      });
  Value total = vector::ReductionOp::create(b, vector::CombiningKind::ADD,
                                            sum[0], sum[1]);
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, total, total);
}
