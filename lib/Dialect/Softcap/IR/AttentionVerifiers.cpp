//===- AttentionVerifiers.cpp - Verifiers of the attention ops ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbered constraints of softcap.attention, online_attention and merge, as
// listed in the descriptions of the ops. (C1) to (C14) are shared by the first
// two.
//
//===----------------------------------------------------------------------===//

#include "VerifierSupport.h"

using namespace mlir;
using namespace mlir::softcap;

/// (C4)-(C7): kinds, types, shapes and head groups of the inputs.
template <typename OpTy>
static LogicalResult verifyInputs(OpTy op, NamedDims &dims) {
  // (C4)
  if (failed(verifySameKind(op)))
    return failure();
  // (C5)
  Type storage = getElementTypeOrSelf(op.getQuery());
  if (failed(verifyElementType(op, "key", op.getKey(), storage)) ||
      failed(verifyElementType(op, "value", op.getValue(), storage)))
    return failure();
  // (C6)
  if (failed(dims.bind("query", op.getQuery(), {"B", "Hq", "M", "D"})) ||
      failed(dims.bind("key", op.getKey(), {"B", "Hkv", "N", "D"})) ||
      failed(dims.bind("value", op.getValue(), {"B", "Hkv", "N", "Dv"})))
    return failure();
  // (C7)
  return dims.verifyHeadGroups();
}

/// (C8), (C9): the score map.
template <typename OpTy>
static LogicalResult verifyScoreMap(OpTy op, NamedDims &dims) {
  // (C8)
  if (failed(verifyScale(op, "pre_scale", op.getPreScale())) ||
      failed(verifyScale(op, "post_scale", op.getPostScale())))
    return failure();
  // (C9)
  std::pair<StringRef, Value> operands[] = {{"pre_bias", op.getPreBias()},
                                            {"post_bias", op.getPostBias()},
                                            {"mask", op.getMask()}};
  for (auto [name, value] : operands)
    if (value && failed(dims.broadcast(name, value, {"B", "Hq", "M", "N"})))
      return failure();
  return success();
}

/// (C12)-(C14): positions and windows.
template <typename OpTy>
static LogicalResult verifyPositions(OpTy op) {
  // (C12)
  if (op.getOffset() && op.getOffsetValue())
    return op.emitOpError(
        "has both a constant and a run-time offset; give one of them");
  // (C13)
  bool positional = op.getCausal() || op.getWindowLeft() || op.getWindowRight();
  if ((op.getOffset() || op.getOffsetValue()) && !positional)
    return op.emitOpError("has an offset that nothing uses; give 'causal' or a "
                          "window too, or drop it");
  // (C14)
  if (!op.getWindowLeft() || !(op.getWindowRight() || op.getCausal()))
    return success();
  int64_t left = *op.getWindowLeft();
  int64_t right = op.getWindowRight().value_or(0);
  if (op.getCausal())
    right = std::min<int64_t>(right, 0);
  APInt width = APInt(64, left, true).sadd_sat(APInt(64, right, true));
  if (width.isNegative())
    return op.emitOpError("has an empty window: from ")
           << left << " keys to the left to " << right
           << " to the right; left + right must not be negative";
  return success();
}

/// (C1)-(C14).
template <typename OpTy>
static LogicalResult verifyAttentionLike(OpTy op, NamedDims &dims) {
  // (C1)-(C3)
  if (failed(verifyCap(op, op.getCapAttr(), op.getCapValue(),
                       getElementTypeOrSelf(op.getQuery()),
                       /*required=*/false)) ||
      failed(verifyInputs(op, dims)) || failed(verifyScoreMap(op, dims)))
    return failure();
  // (C10)
  if (op.getLengths() && failed(dims.bind("lengths", op.getLengths(), {"B"})))
    return failure();
  // (C11)
  if (!op.getQuerySegments() != !op.getKeySegments())
    return op.emitOpError("has segments of only one side; give those of the "
                          "queries and those of the keys");
  if (op.getQuerySegments() &&
      (failed(dims.bind("query segments", op.getQuerySegments(), {"B", "M"})) ||
       failed(dims.bind("key segments", op.getKeySegments(), {"B", "N"})) ||
       failed(verifyElementType(op, "key segments", op.getKeySegments(),
                                getElementTypeOrSelf(op.getQuerySegments())))))
    return failure();
  return verifyPositions(op);
}

LogicalResult AttentionOp::verify() {
  NamedDims dims(*this);
  if (failed(verifyAttentionLike(*this, dims)))
    return failure();
  Type storage = getElementTypeOrSelf(getQuery());
  // (C15)
  if (failed(verifyOutputType(*this, "output", getOutput(), storage)) ||
      failed(dims.bind("output", getOutput(), {"B", "Hq", "M", "Dv"})))
    return failure();
  // (C16)
  if (getSinks() && failed(dims.bind("sinks", getSinks(), {"Hq"})))
    return failure();
  // (C17)
  if (getLse() && (failed(verifyElementType(*this, "lse", getLse(),
                                            getComputeType(storage))) ||
                   failed(dims.bind("lse", getLse(), {"B", "Hq", "M"}))))
    return failure();
  return success();
}

LogicalResult OnlineAttentionOp::verify() {
  NamedDims dims(*this);
  if (failed(verifyAttentionLike(*this, dims)))
    return failure();
  // (C15)
  Type compute = getComputeType(getElementTypeOrSelf(getQuery()));
  if (failed(
          verifyElementType(*this, "accumulator", getAccumulator(), compute)) ||
      failed(verifyElementType(*this, "max", getMax(), compute)) ||
      failed(verifyElementType(*this, "sum", getSum(), compute)))
    return failure();
  // (C16)
  return failure(failed(dims.bind("accumulator", getAccumulator(),
                                  {"B", "Hq", "M", "Dv"})) ||
                 failed(dims.bind("max", getMax(), {"B", "Hq", "M"})) ||
                 failed(dims.bind("sum", getSum(), {"B", "Hq", "M"})));
}

LogicalResult MergeOp::verify() {
  // (C1)
  if (failed(verifySameKind(*this)))
    return failure();
  // (C2)
  Type compute = getElementTypeOrSelf(getAccumulators());
  if (failed(verifyElementType(*this, "sums", getSums(), compute)) ||
      (getMaxima() &&
       failed(verifyElementType(*this, "maxima", getMaxima(), compute))) ||
      (getLse() && failed(verifyElementType(*this, "lse", getLse(), compute))))
    return failure();
  // (C3)
  NamedDims dims(*this);
  if (failed(dims.bind("accumulators", getAccumulators(),
                       {"P", "B", "Hq", "M", "Dv"})) ||
      failed(dims.bind("sums", getSums(), {"P", "B", "Hq", "M"})) ||
      (getMaxima() &&
       failed(dims.bind("maxima", getMaxima(), {"P", "B", "Hq", "M"}))) ||
      failed(dims.bind("output", getOutput(), {"B", "Hq", "M", "Dv"})) ||
      (getLse() && failed(dims.bind("lse", getLse(), {"B", "Hq", "M"}))))
    return failure();
  // (C4)
  if (getSinks() && failed(dims.bind("sinks", getSinks(), {"Hq"})))
    return failure();
  // (C5)
  if (!getShift().isFinite())
    return emitOpError("has a shift that is not finite");
  if (getMaxima() && !getShift().isZero())
    return emitOpError("has both maxima and a shift; the shift replaces "
                       "maxima where the bound is static");
  return success();
}
