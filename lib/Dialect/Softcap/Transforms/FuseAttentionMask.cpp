//===- FuseAttentionMask.cpp - Masks of attention -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads causal masks, windows and key lengths off comparisons of positions,
// and decides what a finite sentinel may become.
//
//===----------------------------------------------------------------------===//

#include "FuseAttention.h"

#include "softcap/Analysis/SizeExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::fuse;

namespace {
/// index + sum of coefficient * element.
struct Linear {
  IndexExpr index;
  SmallVector<std::pair<const ElementExpr *, int64_t>, 2> elements;

  Linear operator*(int64_t factor) const {
    Linear result{index * factor, elements};
    for (auto &[element, coefficient] : result.elements)
      coefficient *= factor;
    return result;
  }
  Linear operator+(const Linear &other) const {
    Linear result{index + other.index, elements};
    for (auto [element, coefficient] : other.elements) {
      auto *it = llvm::find_if(result.elements, [&, e = element](auto &entry) {
        return entry.first == e;
      });
      if (it != result.elements.end())
        it->second += coefficient;
      else
        result.elements.push_back({element, coefficient});
    }
    llvm::erase_if(result.elements, [](auto &entry) { return !entry.second; });
    return result;
  }
};

class MaskMatcher {
public:
  MaskMatcher(ElementExprs &exprs, const ValueContraction &value,
              VisibleKeys &keys)
      : exprs(exprs), value(value), keys(keys) {}

  /// Restricts the visible keys by a condition (or its opposite).
  void match(const ElementExpr *condition, bool negated);

private:
  Linear getLinear(const ElementExpr *expr);
  bool matchComparison(const ElementExpr *expr, bool negated);
  /// Restricts the visible keys by `linear` <= 0, if it is a known form.
  bool matchBound(const Linear &linear);
  bool isAlwaysTrue(const Linear &linear);
  bool matchKeyBound(const Linear &linear);
  bool matchPositionBound(const Linear &linear, IndexExpr::Term key,
                          IndexExpr::Term query);

  ElementExprs &exprs;
  const ValueContraction &value;
  VisibleKeys &keys;
};
} // namespace

Linear MaskMatcher::getLinear(const ElementExpr *expr) {
  if (expr->kind == ElementExpr::Kind::index)
    return {expr->access.indices[0], {}};
  if (expr->kind == ElementExpr::Kind::constant)
    if (auto number = dyn_cast<IntegerAttr>(expr->attribute))
      return {IndexExpr(number.getValue().getSExtValue()), {}};
  // Positions are far from the limits of their types.
  if (expr->is<arith::IndexCastOp>() || expr->is<arith::IndexCastUIOp>() ||
      expr->is<arith::ExtSIOp>() || expr->is<arith::TruncIOp>())
    if (!expr->operands[0]->type.isInteger(1))
      return getLinear(expr->operands[0]);
  if (expr->is<arith::AddIOp>())
    return getLinear(expr->operands[0]) + getLinear(expr->operands[1]);
  if (expr->is<arith::SubIOp>())
    return getLinear(expr->operands[0]) + getLinear(expr->operands[1]) * -1;
  if (expr->is<arith::MulIOp>())
    for (unsigned side : {0, 1})
      if (auto factor = ElementExprs::getConstant(expr->operands[side]))
        return getLinear(expr->operands[1 - side]) *
               static_cast<int64_t>(*factor);
  return {IndexExpr(0), {{expr, 1}}};
}

void MaskMatcher::match(const ElementExpr *condition, bool negated) {
  if (auto constant = ElementExprs::getConstant(condition))
    if ((*constant != 0.0) != negated)
      return;
  bool conjunction =
      negated ? condition->is<arith::OrIOp>() : condition->is<arith::AndIOp>();
  if (conjunction) {
    match(condition->operands[0], negated);
    match(condition->operands[1], negated);
    return;
  }
  if (condition->is<arith::XOrIOp>())
    for (unsigned side : {0, 1})
      if (auto flip = ElementExprs::getConstant(condition->operands[side])) {
        match(condition->operands[1 - side], negated != (*flip != 0.0));
        return;
      }
  if (condition->is<arith::SelectOp>()) {
    auto whenTrue = ElementExprs::getConstant(condition->operands[1]);
    auto whenFalse = ElementExprs::getConstant(condition->operands[2]);
    // select(c, a, false) and select(c, a, true), when they are conjunctions.
    if (whenFalse && (*whenFalse != 0.0) == negated) {
      match(condition->operands[0], false);
      match(condition->operands[1], negated);
      return;
    }
    if (whenTrue && (*whenTrue != 0.0) == negated) {
      match(condition->operands[0], true);
      match(condition->operands[2], negated);
      return;
    }
  }
  if (condition->is<arith::CmpIOp>() && matchComparison(condition, negated))
    return;
  keys.tensors.push_back({condition, negated});
}

bool MaskMatcher::matchComparison(const ElementExpr *expr, bool negated) {
  auto predicate = cast<arith::CmpIPredicateAttr>(
                       cast<DictionaryAttr>(expr->attribute).get("predicate"))
                       .getValue();
  // A condition in an integer: c != 0 where c is an extended i1.
  if (predicate == arith::CmpIPredicate::ne ||
      predicate == arith::CmpIPredicate::eq) {
    const ElementExpr *input = expr->operands[0];
    if ((!input->is<arith::ExtUIOp>() && !input->is<arith::ExtSIOp>()) ||
        !input->operands[0]->type.isInteger(1) ||
        ElementExprs::getConstant(expr->operands[1]) != 0.0)
      return false;
    match(input->operands[0],
          negated != (predicate == arith::CmpIPredicate::eq));
    return true;
  }
  Linear lhs = getLinear(expr->operands[0]);
  Linear rhs = getLinear(expr->operands[1]);
  Linear one{IndexExpr(1), {}};
  Linear bound;
  switch (predicate) {
  case arith::CmpIPredicate::sle:
    bound = lhs + rhs * -1;
    break;
  case arith::CmpIPredicate::slt:
    bound = lhs + rhs * -1 + one;
    break;
  case arith::CmpIPredicate::sge:
    bound = rhs + lhs * -1;
    break;
  case arith::CmpIPredicate::sgt:
    bound = rhs + lhs * -1 + one;
    break;
  default:
    return false;
  }
  return matchBound(negated ? bound * -1 + one : bound);
}

bool MaskMatcher::isAlwaysTrue(const Linear &linear) {
  if (!linear.elements.empty())
    return false;
  int64_t largest = linear.index.getConstant();
  for (const IndexExpr::Term &term : linear.index.getTerms()) {
    if (term.coefficient < 0)
      continue;
    if (ShapedType::isDynamic(term.digit.extent))
      return false;
    largest += term.coefficient * (term.digit.extent - 1);
  }
  return largest <= 0;
}

bool MaskMatcher::matchBound(const Linear &linear) {
  if (isAlwaysTrue(linear))
    return true;
  ArrayRef<IndexExpr::Term> terms = linear.index.getTerms();
  IndexExpr key = exprs.getVariable(value.keyVariable);
  if (key.isConstant())
    return false;
  auto isKey = [&](const IndexExpr::Term &term) {
    return term.digit == key.getTerms()[0].digit;
  };
  if (terms.size() == 1 && isKey(terms[0]))
    return terms[0].coefficient == 1 && matchKeyBound(linear);
  if (terms.size() != 2)
    return false;
  unsigned keyTerm = isKey(terms[0]) ? 0 : 1;
  if (!isKey(terms[keyTerm]) ||
      terms[1 - keyTerm].digit.variable == value.keyVariable)
    return false;
  return matchPositionBound(linear, terms[keyTerm], terms[1 - keyTerm]);
}

/// j + constant - length <= 0.
bool MaskMatcher::matchKeyBound(const Linear &linear) {
  int64_t limit = 1 - linear.index.getConstant();
  if (linear.elements.empty()) {
    keys.constantLength = std::min(keys.constantLength.value_or(limit), limit);
    return true;
  }
  if (linear.elements.size() != 1 || linear.elements[0].second != -1 ||
      keys.length)
    return false;
  const ElementExpr *length = linear.elements[0].first;
  bool usable = length->kind == ElementExpr::Kind::leaf &&
                isa<RankedTensorType>(length->access.tensor.getType()) &&
                (length->type.isInteger(32) || length->type.isInteger(64));
  if (!usable)
    return false;
  keys.length = length;
  keys.lengthOffset = limit;
  return true;
}

/// j - i + constant <= 0, or i - j + constant <= 0.
bool MaskMatcher::matchPositionBound(const Linear &linear, IndexExpr::Term key,
                                     IndexExpr::Term query) {
  if (std::abs(key.coefficient) != 1 || query.coefficient != -key.coefficient ||
      (keys.query && *keys.query != query.digit))
    return false;
  int64_t limit = -linear.index.getConstant();
  std::optional<int64_t> &bound = key.coefficient == 1 ? keys.right : keys.left;
  if (!linear.elements.empty()) {
    bool runtimeOffset =
        key.coefficient == 1 && linear.elements.size() == 1 &&
        linear.elements[0].second == -1 && !keys.right && !keys.left &&
        limit == 0 &&
        linear.elements[0].first->kind == ElementExpr::Kind::leaf &&
        llvm::all_of(linear.elements[0].first->access.indices,
                     [](const IndexExpr &index) { return index.isConstant(); });
    if (!runtimeOffset)
      return false;
    keys.rightValue = linear.elements[0].first;
  } else if (keys.rightValue) {
    return false;
  } else {
    bound = std::min(bound.value_or(limit), limit);
  }
  keys.query = query.digit;
  return true;
}

/// True if every query is sure to see some key.
static bool everyRowHasKey(ElementExprs &exprs, const ValueContraction &value,
                           const ScoreMap &map, const VisibleKeys &keys) {
  if (!keys.tensors.empty() || keys.length || keys.rightValue)
    return false;
  if (keys.constantLength && *keys.constantLength <= 0)
    return false;
  if (keys.right.value_or(0) < 0 || keys.left.value_or(0) < 0)
    return false;
  if (!keys.left)
    return true;
  // Key i - left must exist for the last query.
  int64_t keyCount = exprs.getExtent(value.keyVariable);
  int64_t queryCount = keys.query->extent;
  if (keys.constantLength)
    return !ShapedType::isDynamic(queryCount) &&
           queryCount - 1 - *keys.left <= *keys.constantLength - 1;
  if (!ShapedType::isDynamic(keyCount) && !ShapedType::isDynamic(queryCount))
    return queryCount - 1 - *keys.left <= keyCount - 1;
  auto sizeOf = [&](const ElementAccess &access,
                    unsigned variable) -> std::optional<SizeExpr> {
    for (auto [dim, index] : llvm::enumerate(access.indices))
      if (index == exprs.getVariable(variable))
        return SizeExpr::getDim(access.tensor, dim);
    return std::nullopt;
  };
  std::optional<SizeExpr> queries = sizeOf(map.query, keys.query->variable);
  std::optional<SizeExpr> keySize = sizeOf(map.key, value.keyVariable);
  return queries && keySize && *queries == *keySize;
}

/// The largest magnitude that the unmasked scores are proved to have.
static double getScoreBound(const ScoreMap &map) {
  if (!map.cap)
    return 1e20;
  return *map.cap * std::abs(map.postScale);
}

/// True if the mask's sentinel can replace or swallow any score, so that it is
/// the same as minus infinity in a row with a visible key.
static bool isOutOfRange(const ScoreMap &map, const MaskTerm &mask) {
  return mask.sentinel < -2.0 * getScoreBound(map) - 104.0;
}

/// True if adding the sentinel to any score gives the sentinel exactly.
static bool absorbsScores(const ScoreMap &map, const MaskTerm &mask) {
  if (!mask.added)
    return true;
  double ulp = std::ldexp(std::abs(mask.sentinel), -25);
  return getScoreBound(map) < ulp;
}

/// Adds masks as they are: they become biases.
static LogicalResult keepAsBias(ScoreMap &map, VisibleKeys &keys,
                                Mismatch &mismatch) {
  for (const MaskTerm &mask : map.masks) {
    if (!mask.added)
      return mismatch("the sentinel of a mask cannot be told from minus "
                      "infinity only where every row keeps a key, which is "
                      "not proved");
    map.postBiases.push_back({mask.added, 1.0});
  }
  map.masks.clear();
  keys = VisibleKeys();
  return success();
}

LogicalResult fuse::matchMasks(ElementExprs &exprs,
                               const ValueContraction &value, ScoreMap &map,
                               VisibleKeys &keys, Mismatch &mismatch) {
  MaskMatcher matcher(exprs, value, keys);
  for (const MaskTerm &mask : map.masks)
    matcher.match(mask.visible, mask.negated);
  bool finite = llvm::any_of(map.masks, [](const MaskTerm &mask) {
    return !std::isinf(mask.sentinel);
  });
  if (!finite)
    return success();
  // A bias may hide the keys that the masks leave.
  bool equalsInfinity = map.postBiases.empty() &&
                        llvm::all_of(map.masks, [&](const MaskTerm &mask) {
                          return isOutOfRange(map, mask);
                        });
  if (!equalsInfinity)
    return keepAsBias(map, keys, mismatch);
  if (everyRowHasKey(exprs, value, map, keys))
    return success();
  if (map.masks.size() == 1 && absorbsScores(map, map.masks[0])) {
    keys.meanOfMaskedRows = true;
    return success();
  }
  return keepAsBias(map, keys, mismatch);
}
