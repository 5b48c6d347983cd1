//===- DecomposeAttention.cpp - Attention in plain linalg -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops are named b, h, m, n, d throughout: batch, query head, query, key, and
// head size (of the query or of the value).
//
//===----------------------------------------------------------------------===//

#include "DecomposeAttention.h"

#include "softcap/Dialect/Softcap/Interfaces/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::softcap;

enum Loop : unsigned { B, H, M, N, D };

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Key or value heads repeated to the query's when the group size is not known
/// before run time: an affine map can only divide by a constant.
static Value repeatHeads(LinalgEmitter &e, Value kv, OpFoldResult queryHeads) {
  ImplicitLocOpBuilder &b = e.builder();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), kv);
  Value group = arith::DivUIOp::create(
      b, getValueOrCreateConstantIndexOp(b, b.getLoc(), queryHeads),
      getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[1]));
  sizes[1] = queryHeads;
  Value init = e.empty(sizes, getElementTypeOrSelf(kv));
  return e.generic({}, {init, e.loops({0, 1, 2, 3})}, 4,
                   [&](ImplicitLocOpBuilder &body, ValueRange) -> Value {
                     SmallVector<Value> at;
                     for (unsigned i = 0; i < 4; ++i)
                       at.push_back(linalg::IndexOp::create(body, i));
                     at[1] = arith::DivUIOp::create(body, at[1], group);
                     return tensor::ExtractOp::create(body, kv, at);
                   });
}

/// Key or value at [b, h / group, n, d].
static Access groupedAccess(LinalgEmitter &e, Value kv, Value queryLike) {
  int64_t queryHeads = cast<ShapedType>(queryLike.getType()).getDimSize(1);
  int64_t heads = cast<ShapedType>(kv.getType()).getDimSize(1);
  if (heads == 1 && queryHeads != 1)
    return {kv,
            {e.loop(B), e.builder().getAffineConstantExpr(0), e.loop(N),
             e.loop(D)}};
  if (heads == queryHeads && !ShapedType::isDynamic(heads))
    return {kv, e.loops({B, H, N, D})};
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(queryHeads)) {
    ImplicitLocOpBuilder &b = e.builder();
    OpFoldResult size = tensor::getMixedSize(b, b.getLoc(), queryLike, 1);
    return {repeatHeads(e, kv, size), e.loops({B, H, N, D})};
  }
  return {kv,
          {e.loop(B), e.loop(H).floorDiv(queryHeads / heads), e.loop(N),
           e.loop(D)}};
}

Value softcap::multiplyAccumulate(ImplicitLocOpBuilder &b, ValueRange args) {
  Value out = args.back();
  Value left = convertFloat(b, args[0], out.getType());
  Value right = convertFloat(b, args[1], out.getType());
  Value product = arith::MulFOp::create(b, left, right);
  return arith::AddFOp::create(b, out, product);
}

Value softcap::emitScoreProduct(LinalgEmitter &e, Value query, Value key,
                                Type type) {
  ImplicitLocOpBuilder &b = e.builder();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), query);
  sizes[3] = tensor::getMixedSize(b, b.getLoc(), key, 2);
  Access keys = groupedAccess(e, key, query);
  Value zero = e.filled(sizes, type, 0.0);
  return e.generic({{query, e.loops({B, H, M, D})}, keys},
                   {zero, e.loops({B, H, M, N})}, 5, multiplyAccumulate);
}

Access softcap::broadcastAccess(LinalgEmitter &e, Value value, Value scores) {
  auto type = cast<RankedTensorType>(value.getType());
  auto target = cast<RankedTensorType>(scores.getType());
  SmallVector<AffineExpr> exprs = e.loops({B, H, M, N});
  for (unsigned i = 0; i < 4; ++i)
    if (type.getDimSize(i) == 1 && target.getDimSize(i) != 1)
      exprs[i] = e.builder().getAffineConstantExpr(0);
  return {value, exprs};
}

//===----------------------------------------------------------------------===//
// Score map and mask
//===----------------------------------------------------------------------===//

namespace {
/// What the body of the score map reads besides the product, in the order of
/// the generic's inputs.
struct ScoreOperands {
  std::optional<unsigned> preBias, postBias, mask, lengths, querySegments,
      keySegments;
  SmallVector<Access> accesses;
};
} // namespace

template <typename OpTy>
static ScoreOperands collectScoreOperands(LinalgEmitter &e, OpTy op,
                                          Value product) {
  ScoreOperands operands;
  operands.accesses.push_back({product, e.loops({B, H, M, N})});
  auto add = [&](std::optional<unsigned> &slot, Access access) {
    slot = operands.accesses.size();
    operands.accesses.push_back(access);
  };
  auto addBroadcast = [&](std::optional<unsigned> &slot, Value value) {
    if (value)
      add(slot, broadcastAccess(e, e.asTensor(value), product));
  };
  addBroadcast(operands.preBias, op.getPreBias());
  addBroadcast(operands.postBias, op.getPostBias());
  addBroadcast(operands.mask, op.getMask());
  if (Value lengths = op.getLengths())
    add(operands.lengths, {e.asTensor(lengths), e.loops({B})});
  if (Value segments = op.getQuerySegments())
    add(operands.querySegments, {e.asTensor(segments), e.loops({B, M})});
  if (Value segments = op.getKeySegments())
    add(operands.keySegments, {e.asTensor(segments), e.loops({B, N})});
  return operands;
}

static Value toIndex(ImplicitLocOpBuilder &b, Value integer) {
  if (integer.getType().isIndex())
    return integer;
  return arith::IndexCastOp::create(b, b.getIndexType(), integer);
}

namespace {
/// A conjunction of conditions; none is "always true".
class Conjunction {
public:
  explicit Conjunction(ImplicitLocOpBuilder &b) : b(b) {}
  void add(Value condition) {
    all = all ? Value(arith::AndIOp::create(b, all, condition)) : condition;
  }
  void add(arith::CmpIPredicate predicate, Value left, Value right) {
    add(arith::CmpIOp::create(b, predicate, left, right));
  }
  Value get() const { return all; }

private:
  ImplicitLocOpBuilder &b;
  Value all;
};
} // namespace

/// The conditions on the distance between query and key.
template <typename OpTy>
static void addPositions(ImplicitLocOpBuilder &b, OpTy op, Value key,
                         Conjunction &visible) {
  if (!op.getCausal() && !op.getWindowLeft() && !op.getWindowRight())
    return;
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value position = linalg::IndexOp::create(b, unsigned(M));
  if (Value offset = op.getOffsetValue())
    position = arith::AddIOp::create(b, position, offset);
  else if (int64_t offset = op.getOffset().value_or(0))
    position = arith::AddIOp::create(b, position, constant(offset));
  if (op.getCausal())
    visible.add(arith::CmpIPredicate::sle, key, position);
  // Compared as distances: position + right could overflow for a huge window.
  if (std::optional<uint64_t> left = op.getWindowLeft())
    visible.add(arith::CmpIPredicate::sle,
                arith::SubIOp::create(b, position, key), constant(*left));
  if (std::optional<uint64_t> right = op.getWindowRight())
    visible.add(arith::CmpIPredicate::sle,
                arith::SubIOp::create(b, key, position), constant(*right));
}

/// Whether key n is visible to query m; null when every key is.
template <typename OpTy>
static Value emitVisible(ImplicitLocOpBuilder &b, OpTy op,
                         const ScoreOperands &operands, ValueRange args) {
  Conjunction visible(b);
  Value key;
  if (op.getCausal() || op.getWindowLeft() || op.getWindowRight() ||
      operands.lengths)
    key = linalg::IndexOp::create(b, unsigned(N));
  addPositions(b, op, key, visible);
  if (operands.lengths)
    visible.add(arith::CmpIPredicate::slt, key,
                toIndex(b, args[*operands.lengths]));
  if (operands.querySegments)
    visible.add(arith::CmpIPredicate::eq,
                toIndex(b, args[*operands.querySegments]),
                toIndex(b, args[*operands.keySegments]));
  if (operands.mask)
    visible.add(args[*operands.mask]);
  return visible.get();
}

static Value scaleBy(ImplicitLocOpBuilder &b, Value value, double factor) {
  if (factor == 1.0)
    return value;
  return arith::MulFOp::create(b, value,
                               constantFloat(b, value.getType(), factor));
}

static Value addBias(ImplicitLocOpBuilder &b, Value value,
                     std::optional<unsigned> slot, ValueRange args) {
  if (!slot)
    return value;
  return arith::AddFOp::create(b, value,
                               convertFloat(b, args[*slot], value.getType()));
}

/// A masked score: -inf, or the lowest finite value where rows without a
/// visible key are to end as the mean of V.
template <typename OpTy>
static double maskedScore(OpTy op, Type type) {
  return op.getMaskedRows() == MaskedRows::mean
             ? lowestFinite(type)
             : -std::numeric_limits<double>::infinity();
}

template <typename OpTy>
static Value emitScoreMap(LinalgEmitter &e, OpTy op, Value product) {
  ImplicitLocOpBuilder &b = e.builder();
  Type type = getElementTypeOrSelf(product);
  ScoreOperands operands = collectScoreOperands(e, op, product);
  Value init = e.empty(tensor::getMixedSizes(b, b.getLoc(), product), type);
  return e.generic(
      operands.accesses, {init, e.loops({B, H, M, N})}, 4,
      [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
        Value score =
            scaleBy(body, args[0], op.getPreScale().convertToDouble());
        score = addBias(body, score, operands.preBias, args);
        if (op.getCapAttr() || op.getCapValue())
          score = CapOp::create(body, type, score, op.getCapAttr(),
                                op.getCapValue(), op.getAccuracy());
        score = scaleBy(body, score, op.getPostScale().convertToDouble());
        score = addBias(body, score, operands.postBias, args);
        Value visible = emitVisible(body, op, operands, args);
        if (!visible)
          return score;
        Value masked = constantFloat(body, type, maskedScore(op, type));
        return arith::SelectOp::create(body, visible, score, masked);
      });
}

template <typename OpTy>
static Value emitScores(LinalgEmitter &e, OpTy op, Type type) {
  Value product = emitScoreProduct(e, e.asTensor(op.getQuery()),
                                   e.asTensor(op.getKey()), type);
  return emitScoreMap(e, op, product);
}

//===----------------------------------------------------------------------===//
// Softmax over keys
//===----------------------------------------------------------------------===//

/// max(init, max_n s). A NaN score is ignored here: it makes its own weight,
/// hence the sum and the row, NaN.
static Value emitRowMax(LinalgEmitter &e, Value scores, Value init) {
  return e.generic({{scores, e.loops({B, H, M, N})}},
                   {init, e.loops({B, H, M})}, 4,
                   [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                     return arith::MaxNumFOp::create(b, args[0], args[1]);
                   });
}

Value softcap::emitSafeMax(ImplicitLocOpBuilder &b, Value max) {
  Type type = max.getType();
  Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, max,
                                     negativeInfinity(b, type));
  return arith::SelectOp::create(b, none, constantFloat(b, type, 0.0), max);
}

/// exp(value - max).
static Value emitWeight(ImplicitLocOpBuilder &b, Value value, Value max) {
  Value difference = arith::SubFOp::create(b, value, emitSafeMax(b, max));
  return math::ExpOp::create(b, difference);
}

static Value emitWeights(LinalgEmitter &e, Value scores, Value max) {
  ImplicitLocOpBuilder &b = e.builder();
  Value init = e.empty(tensor::getMixedSizes(b, b.getLoc(), scores),
                       getElementTypeOrSelf(scores));
  return e.generic({{scores, e.loops({B, H, M, N})}, {max, e.loops({B, H, M})}},
                   {init, e.loops({B, H, M, N})}, 4,
                   [](ImplicitLocOpBuilder &body, ValueRange args) {
                     return emitWeight(body, args[0], args[1]);
                   });
}

static Value emitRowSum(LinalgEmitter &e, Value weights, Value init) {
  return e.generic({{weights, e.loops({B, H, M, N})}},
                   {init, e.loops({B, H, M})}, 4,
                   [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                     return arith::AddFOp::create(b, args[1], args[0]);
                   });
}

/// init + P V. A masked key has weight 0, but 0 * NaN is NaN: with `guard`, its
/// value is not read. (A visible weight may underflow to 0; its score tells.)
static Value emitValueProduct(LinalgEmitter &e, Value weights, Value value,
                              Value init, Value scores, double masked,
                              bool guard) {
  Access weight = {weights, e.loops({B, H, M, N})};
  Access values = groupedAccess(e, value, weights);
  Access out = {init, e.loops({B, H, M, D})};
  if (!guard)
    return e.generic({weight, values}, out, 5, multiplyAccumulate);
  return e.generic({weight, values, {scores, e.loops({B, H, M, N})}}, out, 5,
                   [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                     Type type = args[0].getType();
                     Value zero = constantFloat(b, type, 0.0);
                     Value noWeight = arith::CmpFOp::create(
                         b, arith::CmpFPredicate::OEQ, args[0], zero);
                     Value isMasked = arith::CmpFOp::create(
                         b, arith::CmpFPredicate::OEQ, args[2],
                         constantFloat(b, type, masked));
                     Value skip = arith::AndIOp::create(b, noWeight, isMasked);
                     Value sum = multiplyAccumulate(b, args);
                     return arith::SelectOp::create(b, skip, args.back(), sum);
                   });
}

/// Whether a score can be the masked one.
template <typename OpTy>
static bool canMask(OpTy op) {
  return op.getCausal() || op.getWindowLeft() || op.getWindowRight() ||
         op.getMask() || op.getLengths() || op.getQuerySegments() ||
         op.getPostBias();
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

/// exp(max - total) * state. A state that holds masked keys only (`masked_rows
/// mean`) has weight 0 beside any other, and is then dropped, even if it is
/// NaN.
static Value weightPart(ImplicitLocOpBuilder &b, Value state, Value max,
                        Value total) {
  Type type = state.getType();
  Value zero = constantFloat(b, type, 0.0);
  Value weight = emitWeight(b, max, total);
  Value noWeight =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, weight, zero);
  Value onlyMasked =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, max,
                            constantFloat(b, type, lowestFinite(type)));
  Value drop = arith::AndIOp::create(b, noWeight, onlyMasked);
  Value weighted = arith::MulFOp::create(b, state, weight);
  return arith::SelectOp::create(b, drop, zero, weighted);
}

namespace {
/// A row's final maximum and sum.
struct Row {
  Value max, sum;
};
} // namespace

/// Joins the sink logit to a row. The maximum covers the sink too, so that a
/// large one cannot overflow.
static Row joinSink(ImplicitLocOpBuilder &b, Value max, Value sum, Value sink) {
  if (!sink)
    return {max, sum};
  Type type = max.getType();
  sink = convertFloat(b, sink, type);
  Value joined = arith::MaxNumFOp::create(b, max, sink);
  Value factor = emitWeight(b, max, joined);
  Value rescaled = arith::MulFOp::create(b, sum, factor);
  Value total = arith::AddFOp::create(b, rescaled, emitWeight(b, sink, joined));
  return {joined, total};
}

static Value emitLse(LinalgEmitter &e, ArrayRef<Access> row, Value lse) {
  return e.generic(row, {lse, e.loops({B, H, M})}, 3,
                   [&](ImplicitLocOpBuilder &b, ValueRange args) {
                     Row r = joinSink(b, args[0], args[1],
                                      row.size() == 3 ? args[2] : Value());
                     Value log = math::LogOp::create(b, r.sum);
                     Value sum =
                         arith::AddFOp::create(b, emitSafeMax(b, r.max), log);
                     return convertFloat(b, sum, args.back().getType());
                   });
}

/// Divides by the sum after joining the sinks, and takes the LSE. Returns O
/// and, if there is a destination for it, the LSE.
static SmallVector<Value> emitNormalization(LinalgEmitter &e, Value accumulator,
                                            Value max, Value sum, Value sinks,
                                            Value output, Value lse) {
  // Loop 3 is D here; the rows are over the loops before it.
  SmallVector<Access> row = {{max, e.loops({B, H, M})},
                             {sum, e.loops({B, H, M})}};
  if (sinks)
    row.push_back({sinks, e.loops({H})});
  // Only a sink needs the maximum.
  SmallVector<Access> ins = sinks ? row : SmallVector<Access>{row[1]};
  ins.push_back({accumulator, e.loops({B, H, M, 3})});
  Value o = e.generic(ins, {output, e.loops({B, H, M, 3})}, 4,
                      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                        Row r = sinks ? joinSink(b, args[0], args[1], args[2])
                                      : Row{Value(), args[0]};
                        Value acc = args[ins.size() - 1];
                        Value zero = constantFloat(b, acc.getType(), 0.0);
                        if (sinks)
                          acc = weightPart(b, acc, args[0], r.max);
                        Value none = arith::CmpFOp::create(
                            b, arith::CmpFPredicate::OEQ, r.sum, zero);
                        Value quotient = arith::DivFOp::create(b, acc, r.sum);
                        Value result =
                            arith::SelectOp::create(b, none, zero, quotient);
                        return convertFloat(b, result, args.back().getType());
                      });
  SmallVector<Value> results = {o};
  if (lse)
    results.push_back(emitLse(e, row, lse));
  return results;
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> softcap::decomposeAttention(OpBuilder &builder,
                                                          AttentionOp op) {
  LinalgEmitter e(builder, op.getLoc());
  ImplicitLocOpBuilder &b = e.builder();
  Type type = computeType(op.getContext(),
                          {op.getQuery().getType(), op.getKey().getType(),
                           op.getValue().getType(), op.getOutput().getType()});
  Value scores = emitScores(e, op, type);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), scores);
  sizes.pop_back();
  double masked = maskedScore(op, type);
  Value max = emitRowMax(e, scores, e.filled(sizes, type, masked));
  Value weights = emitWeights(e, scores, max);
  Value sum = emitRowSum(e, weights, e.filled(sizes, type, 0.0));
  Value values = e.asTensor(op.getValue());
  sizes.push_back(tensor::getMixedSize(b, b.getLoc(), values, 3));
  Value accumulator =
      emitValueProduct(e, weights, values, e.filled(sizes, type, 0.0), scores,
                       masked, canMask(op));
  Value sinks = op.getSinks() ? e.asTensor(op.getSinks()) : Value();
  Value lse =
      op.getLse() ? e.asTensor(op.getLse(), /*writable=*/true) : Value();
  SmallVector<Value> results =
      emitNormalization(e, accumulator, max, sum, sinks,
                        e.asTensor(op.getOutput(), /*writable=*/true), lse);
  return e.finish(results, op.getDpsInits());
}

/// exp(m - m'), by which a row's state is rescaled for its new maximum.
static Value emitRescale(LinalgEmitter &e, Value max, Value newMax) {
  ImplicitLocOpBuilder &b = e.builder();
  Value init = e.empty(tensor::getMixedSizes(b, b.getLoc(), max),
                       getElementTypeOrSelf(max));
  return e.generic({{max, e.loops({B, H, M})}, {newMax, e.loops({B, H, M})}},
                   {init, e.loops({B, H, M})}, 3,
                   [](ImplicitLocOpBuilder &body, ValueRange args) {
                     return emitWeight(body, args[0], args[1]);
                   });
}

/// factor * state, for the sum (rank 3) and the accumulator (rank 4). With
/// `masked_rows mean` a row may so far hold the masked keys' values, which the
/// first visible key drops, even if they are NaN: `max` then tells.
static Value emitScaled(LinalgEmitter &e, Value factor, Value state, Value max,
                        bool holdsMaskedKeys) {
  unsigned rank = cast<RankedTensorType>(state.getType()).getRank();
  SmallVector<AffineExpr> exprs = e.loops({B, H, M});
  if (rank == 4)
    exprs.push_back(e.loop(3));
  SmallVector<Access> ins = {{factor, e.loops({B, H, M})}};
  if (holdsMaskedKeys)
    ins.push_back({max, e.loops({B, H, M})});
  return e.generic(
      ins, {state, exprs}, rank,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value scaled = arith::MulFOp::create(b, args[0], args.back());
        if (!holdsMaskedKeys)
          return scaled;
        Type type = scaled.getType();
        Value zero = constantFloat(b, type, 0.0);
        Value lowest = constantFloat(b, type, lowestFinite(type));
        Value noWeight =
            arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, args[0], zero);
        Value onlyMasked = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ,
                                                 args[1], lowest);
        Value drop = arith::AndIOp::create(b, noWeight, onlyMasked);
        return arith::SelectOp::create(b, drop, zero, scaled);
      });
}

FailureOr<SmallVector<Value>>
softcap::decomposeOnlineAttention(OpBuilder &builder, OnlineAttentionOp op,
                                  bool guardValues) {
  LinalgEmitter e(builder, op.getLoc());
  Type type = getElementTypeOrSelf(op.getAccumulator());
  Value scores = emitScores(e, op, type);
  Value oldMax = e.asTensor(op.getMax(), /*writable=*/true);
  Value oldSum = e.asTensor(op.getSum(), /*writable=*/true);
  Value oldAccumulator = e.asTensor(op.getAccumulator(), /*writable=*/true);
  Value max = emitRowMax(e, scores, oldMax);
  Value weights = emitWeights(e, scores, max);
  Value factor = emitRescale(e, oldMax, max);
  bool mean = op.getMaskedRows() == MaskedRows::mean;
  Value sum =
      emitRowSum(e, weights, emitScaled(e, factor, oldSum, oldMax, mean));
  Value accumulator = emitValueProduct(
      e, weights, e.asTensor(op.getValue()),
      emitScaled(e, factor, oldAccumulator, oldMax, mean), scores,
      maskedScore(op, type), guardValues && canMask(op));
  return e.finish({accumulator, max, sum}, op.getDpsInits());
}

//===----------------------------------------------------------------------===//
// Merge
//===----------------------------------------------------------------------===//

/// init + sum_p w_p state_p, where w_p = exp(m_p - m), or 1 without maxima. The
/// parts stand in the loop after those of the row or accumulator.
static Value emitMergedSum(LinalgEmitter &e, Value parts, Value maxima,
                           Value max, Value init) {
  unsigned rank = cast<RankedTensorType>(init.getType()).getRank();
  AffineExpr part = e.loop(rank);
  SmallVector<AffineExpr> out = e.loops({B, H, M});
  SmallVector<AffineExpr> rowOfPart = {part};
  rowOfPart.append(out);
  if (rank == 4)
    out.push_back(e.loop(3));
  SmallVector<AffineExpr> in = {part};
  in.append(out);
  SmallVector<Access> ins = {{parts, in}};
  if (maxima)
    ins.append({{maxima, rowOfPart}, {max, e.loops({B, H, M})}});
  return e.generic(ins, {init, out}, rank + 1,
                   [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                     Value state =
                         convertFloat(b, args[0], args.back().getType());
                     if (maxima)
                       state = weightPart(b, state, args[1], args[2]);
                     return arith::AddFOp::create(b, args.back(), state);
                   });
}

FailureOr<SmallVector<Value>> softcap::decomposeMerge(OpBuilder &builder,
                                                      MergeOp op) {
  LinalgEmitter e(builder, op.getLoc());
  ImplicitLocOpBuilder &b = e.builder();
  Type type = getElementTypeOrSelf(op.getAccumulators());
  Value accumulators = e.asTensor(op.getAccumulators());
  Value sums = e.asTensor(op.getSums());
  Value maxima = op.getMaxima() ? e.asTensor(op.getMaxima()) : Value();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), accumulators);
  sizes.erase(sizes.begin());
  ArrayRef<OpFoldResult> rows = ArrayRef(sizes).drop_back();
  Value max;
  if (maxima) {
    Value init = e.filled(rows, type, -std::numeric_limits<double>::infinity());
    max =
        e.generic({{maxima, e.loops({3, B, H, M})}}, {init, e.loops({B, H, M})},
                  4, [](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
                    return arith::MaxNumFOp::create(body, args[0], args[1]);
                  });
  } else {
    max = e.filled(rows, type, op.getShift().convertToDouble());
  }
  Value sum = emitMergedSum(e, sums, maxima, max, e.filled(rows, type, 0.0));
  Value accumulator =
      emitMergedSum(e, accumulators, maxima, max, e.filled(sizes, type, 0.0));
  Value sinks = op.getSinks() ? e.asTensor(op.getSinks()) : Value();
  Value lse =
      op.getLse() ? e.asTensor(op.getLse(), /*writable=*/true) : Value();
  SmallVector<Value> results =
      emitNormalization(e, accumulator, max, sum, sinks,
                        e.asTensor(op.getOutput(), /*writable=*/true), lse);
  return e.finish(results, op.getDpsInits());
}
