//===- LivePairs.cpp - Work of attention ops ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the arithmetic that attention has to do on visible pairs.
//
//===----------------------------------------------------------------------===//

#include "LivePairs.h"

#include "softcap/Dialect/Softcap/IR/Softcap.h"

using namespace mlir;
using namespace mlir::softcap;

/// Pairs of one head that the causal mask and the window leave.
static double countPairs(AttentionOp op, int64_t queries, int64_t keys) {
  int64_t offset = op.getOffset().value_or(0);
  double pairs = 0;
  for (int64_t i = 0; i < queries; ++i) {
    int64_t position = i + offset, first = 0, last = keys - 1;
    if (op.getCausal())
      last = std::min(last, position);
    if (auto right = op.getWindowRight())
      last = std::min<int64_t>(last, position + int64_t(*right));
    if (auto left = op.getWindowLeft())
      first = std::max<int64_t>(first, position - int64_t(*left));
    pairs += std::max<int64_t>(0, last - first + 1);
  }
  return pairs;
}

static std::optional<double> countFlops(AttentionOp op) {
  auto query = cast<ShapedType>(op.getQuery().getType());
  auto value = cast<ShapedType>(op.getValue().getType());
  if (!query.hasStaticShape() || !value.hasStaticShape() || op.getMask() ||
      op.getLengths() || op.getQuerySegments() || op.getOffsetValue())
    return std::nullopt;
  double heads = double(query.getDimSize(0)) * query.getDimSize(1);
  double perPair = 2.0 * query.getDimSize(3) + 2.0 * value.getDimSize(3);
  return heads * perPair *
         countPairs(op, query.getDimSize(2), value.getDimSize(2));
}

std::optional<double> softcap::countAttentionFlops(ModuleOp module) {
  double total = 0;
  WalkResult result = module.walk([&](AttentionOp op) {
    std::optional<double> flops = countFlops(op);
    if (!flops)
      return WalkResult::interrupt();
    total += *flops;
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || total == 0)
    return std::nullopt;
  return total;
}
