//===- AttentionScores.cpp - From products to weights ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The score map, the mask and the running softmax over one block of keys, a
// vector of queries at a time.
//
//===----------------------------------------------------------------------===//

#include "AttentionKernel.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::softcap;

//===----------------------------------------------------------------------===//
// Masks and biases
//===----------------------------------------------------------------------===//

bool AttentionKernel::variesByQuery(Value source) {
  return cast<ShapedType>(source.getType()).getDimSize(2) != 1;
}

/// Where a rank 4 mask or bias stands for a query and a key.
SmallVector<Value> AttentionKernel::broadcastIndices(Value source, Value query,
                                                     Value key) {
  SmallVector<Value> at = {batch, head, query, key};
  auto shaped = cast<ShapedType>(source.getType());
  for (unsigned i = 0; i < 4; ++i)
    if (shaped.getDimSize(i) == 1)
      at[i] = index(0);
  return at;
}

/// Copies the block's part of a mask or bias, transposed.
void AttentionKernel::copyBroadcast(Value source, Value scratch,
                                    const Rows &rows, const Keys &keys) {
  Type element = cast<MemRefType>(scratch.getType()).getElementType();
  loop(index(0), rows.count, 1, [&](Value row) {
    loop(index(0), keys.count, 1, [&](Value key) {
      Value x = load(source, broadcastIndices(source, add(rows.first, row),
                                              add(keys.first, key)));
      if (element.isInteger())
        x = arith::ExtUIOp::create(b, element, x);
      else
        x = widen(x);
      store(x, scratch, {key, row});
    });
  });
}

void AttentionKernel::copyScoreOperands(const Rows &rows, const Keys &keys) {
  if (preBias)
    copyBroadcast(op.getPreBias(), preBias, rows, keys);
  if (postBias)
    copyBroadcast(op.getPostBias(), postBias, rows, keys);
  if (mask)
    copyBroadcast(op.getMask(), mask, rows, keys);
}

Value AttentionKernel::addBias(Value score, Value source, Value scratch,
                               const Keys &keys, Value key, Value lane) {
  if (!source)
    return score;
  Value bias;
  if (scratch)
    bias = loadVector(scratch, {key, lane});
  else
    bias = splat(widen(load(
        source, broadcastIndices(source, index(0), add(keys.first, key)))));
  return arith::AddFOp::create(b, score, bias);
}

/// Distances are compared as 32-bit lanes: the key's distance to the first
/// lane's position is clamped, which no comparison with a lane number notices.
void AttentionKernel::addPositions(SmallVectorImpl<Value> &conditions,
                                   const Rows &rows, const Keys &keys,
                                   Value key, Value lane) {
  if (!isPositional())
    return;
  auto laneType = VectorType::get({lanes}, b.getI32Type());
  SmallVector<int32_t> numbers = llvm::to_vector(llvm::seq<int32_t>(0, lanes));
  Value lane0 = arith::ConstantOp::create(
      b, DenseElementsAttr::get(laneType, ArrayRef(numbers)));
  auto clamped = [&](Value distance) {
    distance = minimum(maximum(distance, index(-1024)), index(1024));
    return splat(arith::IndexCastOp::create(b, b.getI32Type(), distance));
  };
  auto require = [&](arith::CmpIPredicate predicate, Value distance) {
    conditions.push_back(
        arith::CmpIOp::create(b, predicate, lane0, clamped(distance)));
  };
  constexpr int64_t huge = int64_t(1) << 40;
  Value position = add(add(rows.first, lane), offset());
  Value distance = sub(add(keys.first, key), position);
  if (op.getCausal())
    require(arith::CmpIPredicate::sge, distance);
  if (std::optional<uint64_t> right = op.getWindowRight())
    require(arith::CmpIPredicate::sge,
            sub(distance, index(std::min<int64_t>(*right, huge))));
  if (std::optional<uint64_t> left = op.getWindowLeft())
    require(arith::CmpIPredicate::sle,
            add(distance, index(std::min<int64_t>(*left, huge))));
}

/// Which of these queries see the key; null when all do.
Value AttentionKernel::emitVisible(const Rows &rows, const Keys &keys,
                                   Value key, Value lane) {
  SmallVector<Value> conditions;
  addPositions(conditions, rows, keys, key, lane);
  if (op.getLengths()) {
    Value length = toIndex(load(op.getLengths(), {batch}));
    conditions.push_back(splat(arith::CmpIOp::create(
        b, arith::CmpIPredicate::slt, add(keys.first, key), length)));
  }
  if (op.getMask()) {
    if (mask) {
      Value bits = loadVector(mask, {key, lane});
      Value zero = arith::ConstantOp::create(b, b.getZeroAttr(bits.getType()));
      conditions.push_back(
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bits, zero));
    } else {
      conditions.push_back(
          splat(load(op.getMask(), broadcastIndices(op.getMask(), index(0),
                                                    add(keys.first, key)))));
    }
  }
  if (op.getQuerySegments()) {
    Value segment =
        toIndex(load(op.getKeySegments(), {batch, add(keys.first, key)}));
    segment = arith::IndexCastOp::create(b, b.getI64Type(), segment);
    conditions.push_back(arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, loadVector(querySegments, {lane}),
        splat(segment)));
  }
  Value all;
  for (Value condition : conditions)
    all = all ? arith::AndIOp::create(b, all, condition) : condition;
  return all;
}

//===----------------------------------------------------------------------===//
// Score map and softmax
//===----------------------------------------------------------------------===//

static double lowestFinite(FloatType type) {
  return APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/true)
      .convertToDouble();
}

Value AttentionKernel::emitScoreMap(Value product, const Rows &rows,
                                    const Keys &keys, Value key, Value lane) {
  auto scaled = [&](Value x, double factor) -> Value {
    if (factor == 1.0)
      return x;
    return arith::MulFOp::create(b, x, constant(factor));
  };
  Value score = scaled(product, op.getPreScale().convertToDouble());
  score = addBias(score, op.getPreBias(), preBias, keys, key, lane);
  if (op.getCapAttr() || op.getCapValue())
    score = CapOp::create(b, vectorType, score, op.getCapAttr(),
                          op.getCapValue(), op.getAccuracy());
  score = scaled(score, op.getPostScale().convertToDouble());
  score = addBias(score, op.getPostBias(), postBias, keys, key, lane);
  Value visible = emitVisible(rows, keys, key, lane);
  if (!visible)
    return score;
  Value masked = constant(isMean() ? lowestFinite(type)
                                   : -std::numeric_limits<double>::infinity());
  return arith::SelectOp::create(b, visible, score, masked);
}

/// max, or 0 for -inf: exp(s - safe) is then 0 in a row without a visible key.
Value AttentionKernel::safe(Value max) {
  Value infinity = constant(-std::numeric_limits<double>::infinity());
  Value none =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, max, infinity);
  return arith::SelectOp::create(b, none, constant(0.0), max);
}

Value AttentionKernel::weight(Value score, Value safeMax) {
  return math::ExpOp::create(b, arith::SubFOp::create(b, score, safeMax));
}

/// Products to weights, in place, and the rows' maximum, sum and factor. The
/// sum of a lane never meets another lane.
void AttentionKernel::emitSoftmax(const Rows &rows, const Keys &keys) {
  Value masked = constant(isMean() ? lowestFinite(type)
                                   : -std::numeric_limits<double>::infinity());
  auto maskedWhere = [&](Value x) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, masked);
  };
  loop(index(0), index(rows.vectors * lanes), lanes, [&](Value lane) {
    Value oldMax = loadVector(maxima, {lane});
    // A NaN score is ignored here; its weight makes the row NaN.
    Value max =
        loop(index(0), keys.count, 1, {oldMax}, [&](Value key, ValueRange acc) {
          Value product = loadVector(scores, {key, lane});
          Value score = emitScoreMap(product, rows, keys, key, lane);
          store(score, scores, {key, lane});
          return SmallVector<Value>{arith::MaxNumFOp::create(b, acc[0], score)};
        })[0];
    Value shift = safe(max), negativeZero = constant(-0.0);
    Value factor = weight(oldMax, shift);
    // With `mean`, masked keys count in rows that have seen no other.
    Value onlyMasked = isMean() ? maskedWhere(max) : Value();
    Value sum =
        loop(index(0), keys.count, 1, {constant(0.0)},
             [&](Value key, ValueRange acc) {
               Value score = loadVector(scores, {key, lane});
               Value p = weight(score, shift);
               if (canMask()) {
                 Value skipped = maskedWhere(score);
                 if (isMean()) {
                   Value one = arith::SelectOp::create(
                       b, onlyMasked, constant(1.0), negativeZero);
                   p = arith::SelectOp::create(b, skipped, one, p);
                 } else {
                   p = arith::SelectOp::create(b, skipped, negativeZero, p);
                 }
               }
               store(p, scores, {key, lane});
               return SmallVector<Value>{arith::AddFOp::create(b, acc[0], p)};
             })[0];
    Value oldSum = loadVector(sums, {lane});
    Value scaledSum = arith::MulFOp::create(b, oldSum, factor);
    if (isMean()) {
      Value first =
          arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, max, masked);
      Value drop = arith::AndIOp::create(b, maskedWhere(oldMax), first);
      factor = arith::SelectOp::create(b, drop, negativeZero, factor);
      scaledSum = arith::SelectOp::create(b, drop, constant(0.0), scaledSum);
    }
    store(arith::AddFOp::create(b, scaledSum, sum), sums, {lane});
    store(max, maxima, {lane});
    store(factor, factors, {lane});
  });
}
