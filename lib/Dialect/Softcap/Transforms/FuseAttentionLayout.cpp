//===- FuseAttentionLayout.cpp - Batches, heads and positions -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorts the digits of the loop variables into batch, key heads, query heads of
// a key head, queries, keys and head size, by the operands that they index.
//
//===----------------------------------------------------------------------===//

#include "FuseAttention.h"

#include "mlir/IR/BuiltinTypes.h"

#include <set>

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::fuse;

FailureOr<Digits> HeadLayout::split(const IndexExpr &index) const {
  Digits result;
  if (index.getConstant() != 0)
    return failure();
  SmallVector<IndexExpr::Term> terms(index.getTerms());
  llvm::sort(terms,
             [](auto &a, auto &b) { return a.coefficient > b.coefficient; });
  int64_t stride = 1;
  for (const IndexExpr::Term &term : llvm::reverse(terms)) {
    if (term.coefficient != stride)
      return failure();
    // From the lowest part of the digit to the highest.
    int64_t div = term.digit.div;
    for (const IndexDigit &cut : cuts[term.digit.variable]) {
      if (cut.div != div)
        continue;
      result.insert(result.begin(), cut);
      if (ShapedType::isDynamic(cut.extent)) {
        div = stride = ShapedType::kDynamic;
        break;
      }
      div *= cut.extent;
      stride *= cut.extent;
      if (!ShapedType::isDynamic(term.digit.extent) &&
          div == term.digit.div * term.digit.extent)
        break;
    }
  }
  return result;
}

FailureOr<SmallVector<Digits, 4>>
HeadLayout::split(const ElementAccess &access) const {
  SmallVector<Digits, 4> result;
  auto shape = cast<RankedTensorType>(access.tensor.getType()).getShape();
  for (auto [index, size] : llvm::zip_equal(access.indices, shape)) {
    FailureOr<Digits> digits = split(index);
    if (failed(digits))
      return failure();
    // The whole dimension must be read.
    int64_t product = 1;
    for (const IndexDigit &digit : *digits)
      product =
          ShapedType::isDynamic(digit.extent) || ShapedType::isDynamic(product)
              ? ShapedType::kDynamic
              : product * digit.extent;
    if (product != size)
      return failure();
    result.push_back(*digits);
  }
  return result;
}

namespace {
/// The places at which each variable is cut.
class Cutter {
public:
  explicit Cutter(ElementExprs &exprs) : exprs(exprs) {}

  void add(ArrayRef<IndexExpr> indices) {
    for (const IndexExpr &index : indices)
      for (const IndexExpr::Term &term : index.getTerms())
        add(term.digit);
  }

  void add(const IndexDigit &digit) {
    places[digit.variable].insert(digit.div);
    if (!ShapedType::isDynamic(digit.extent))
      places[digit.variable].insert(digit.div * digit.extent);
  }

  LogicalResult cut(unsigned count, HeadLayout &layout) {
    layout.cuts.resize(count);
    for (unsigned variable = 0; variable < count; ++variable)
      if (failed(cutVariable(variable, layout.cuts[variable])))
        return failure();
    return success();
  }

private:
  LogicalResult cutVariable(unsigned variable, Digits &digits) {
    int64_t extent = exprs.getExtent(variable);
    std::set<int64_t> &at = places[variable];
    at.insert(1);
    if (!ShapedType::isDynamic(extent))
      at.insert(extent);
    for (auto it = at.begin(); std::next(it) != at.end(); ++it) {
      if (*std::next(it) % *it != 0)
        return failure();
      digits.push_back({variable, *it, *std::next(it) / *it});
    }
    if (ShapedType::isDynamic(extent))
      digits.push_back({variable, *at.rbegin(), ShapedType::kDynamic});
    return success();
  }

  ElementExprs &exprs;
  DenseMap<unsigned, std::set<int64_t>> places;
};

bool contains(ArrayRef<Digits> groups, const IndexDigit &digit) {
  return llvm::any_of(groups, [&](const Digits &group) {
    return llvm::is_contained(group, digit);
  });
}

/// True if no dimension of the fused op is partly broadcast for any of the
/// tensors that go with the scores.
bool fits(const HeadLayout &layout, ArrayRef<SmallVector<Digits, 4>> tensors) {
  auto whole = [](const Digits &group, ArrayRef<Digits> dims) {
    unsigned used = llvm::count_if(
        group, [&](const IndexDigit &digit) { return contains(dims, digit); });
    return used == 0 || used == group.size();
  };
  Digits heads = layout.keyHeads;
  llvm::append_range(heads, layout.group);
  return llvm::all_of(tensors, [&](const SmallVector<Digits, 4> &dims) {
    return whole(layout.batch, dims) && whole(heads, dims) &&
           whole(layout.query, dims);
  });
}

/// Which common digits are batch: the first as a rule, any others if biases
/// and masks fit better.
bool chooseBatch(HeadLayout &layout, const Digits &common, bool lengths,
                 ArrayRef<SmallVector<Digits, 4>> tensors,
                 const Digits &lengthDigits) {
  unsigned count = common.size();
  if (count > 6)
    return false;
  // Prefer one batch digit in front, then none, then any choice.
  SmallVector<unsigned> choices;
  if (count > 1)
    choices.push_back(1);
  choices.push_back(0);
  for (unsigned choice = 2; choice < (1u << count); ++choice)
    choices.push_back(choice);
  if (count == 1)
    choices.push_back(1);
  for (unsigned choice : choices) {
    layout.batch.clear();
    layout.keyHeads.clear();
    for (unsigned i = 0; i < count; ++i)
      (choice & (1u << i) ? layout.batch : layout.keyHeads)
          .push_back(common[i]);
    if (lengths && layout.batch != lengthDigits)
      continue;
    if (fits(layout, tensors))
      return true;
  }
  return false;
}
} // namespace

std::optional<ElementAccess> fuse::findOrigin(const HeadLayout &layout,
                                              const ElementExpr *expr) {
  SmallVector<ElementAccess, 1> candidates(expr->origins);
  if (expr->kind == ElementExpr::Kind::leaf && !expr->access.indices.empty())
    candidates.push_back(expr->access);
  for (const ElementAccess &access : candidates)
    if (isa<RankedTensorType>(access.tensor.getType()) &&
        succeeded(layout.split(access)))
      return access;
  return std::nullopt;
}

FailureOr<SmallVector<Digits, 4>>
fuse::getBroadcastGroups(const HeadLayout &layout,
                         const ElementAccess &access) {
  FailureOr<SmallVector<Digits, 4>> dims = layout.split(access);
  if (failed(dims))
    return failure();
  Digits heads = layout.keyHeads;
  llvm::append_range(heads, layout.group);
  SmallVector<Digits, 4> groups;
  unsigned found = 0, wanted = 0;
  for (const Digits &group : {layout.batch, heads, layout.query, layout.key}) {
    bool used = llvm::any_of(
        group, [&](const IndexDigit &digit) { return contains(*dims, digit); });
    bool partly = used && !llvm::all_of(group, [&](const IndexDigit &digit) {
                    return contains(*dims, digit);
                  });
    if (partly)
      return failure();
    groups.push_back(used ? group : Digits());
    found += groups.back().size();
  }
  for (const Digits &dim : *dims)
    wanted += dim.size();
  if (found != wanted)
    return failure();
  return groups;
}

LogicalResult fuse::matchLayout(ElementExprs &exprs,
                                const ValueContraction &value,
                                const ScoreMap &map, const VisibleKeys &keys,
                                HeadLayout &layout, Mismatch &mismatch) {
  Cutter cutter(exprs);
  cutter.add(map.query.indices);
  cutter.add(map.key.indices);
  cutter.add(value.value.indices);
  SmallVector<const ElementExpr *> extras;
  if (map.preBias)
    extras.push_back(map.preBias->value);
  for (const BiasTerm &bias : map.postBiases)
    extras.push_back(bias.value);
  for (const MaskTensor &tensor : keys.tensors)
    extras.push_back(tensor.condition);
  if (keys.length)
    extras.push_back(keys.length);
  for (const ElementExpr *extra : extras)
    for (const ElementAccess &origin : extra->origins)
      cutter.add(origin.indices);
  if (keys.query)
    cutter.add(*keys.query);
  unsigned count = std::max<unsigned>(map.headVariable, value.keyVariable) + 1;
  for (unsigned variable : value.resultVariables)
    count = std::max(count, variable + 1);
  if (failed(cutter.cut(count, layout)))
    return mismatch("the operands cut a dimension at places that do not nest");

  FailureOr<SmallVector<Digits, 4>> query = layout.split(map.query);
  FailureOr<SmallVector<Digits, 4>> key = layout.split(map.key);
  FailureOr<SmallVector<Digits, 4>> values = layout.split(value.value);
  if (failed(query) || failed(key) || failed(values))
    return mismatch("an operand is not read as a whole");

  Digits common, own;
  for (unsigned variable : value.resultVariables)
    for (const IndexDigit &digit : llvm::reverse(layout.cuts[variable])) {
      bool inQuery = contains(*query, digit), inKey = contains(*key, digit);
      bool inValue = contains(*values, digit);
      if (inQuery && inKey && inValue)
        common.push_back(digit);
      else if (inQuery && !inKey && !inValue)
        own.push_back(digit);
      else if (!inQuery && !inKey && inValue)
        layout.valueHead.push_back(digit);
      else
        return mismatch("a dimension is not shared as in attention");
    }
  for (const IndexDigit &digit :
       llvm::reverse(layout.cuts[value.keyVariable])) {
    if (!contains(*key, digit) || !contains(*values, digit))
      return mismatch("keys and values do not run together");
    layout.key.push_back(digit);
  }
  for (const IndexDigit &digit : llvm::reverse(layout.cuts[map.headVariable])) {
    if (!contains(*query, digit) || !contains(*key, digit))
      return mismatch("queries and keys are not contracted as a whole");
    layout.head.push_back(digit);
  }

  SmallVector<SmallVector<Digits, 4>, 2> tensors;
  for (const ElementExpr *extra : extras) {
    if (extra == keys.length)
      continue;
    std::optional<ElementAccess> origin = findOrigin(layout, extra);
    if (!origin)
      return mismatch("a mask or bias is not a tensor over heads, queries and "
                      "keys");
    tensors.push_back(*layout.split(*origin));
  }
  Digits lengthDigits;
  if (keys.length) {
    FailureOr<SmallVector<Digits, 4>> dims = layout.split(keys.length->access);
    if (failed(dims))
      return mismatch("the lengths of the keys are not read as a whole");
    for (const Digits &dim : *dims)
      llvm::append_range(lengthDigits, dim);
  }

  // Query positions are what masks speak of, else the longest dimension.
  std::optional<IndexDigit> position = keys.query;
  if (!position)
    for (const SmallVector<Digits, 4> &dims : tensors)
      for (const IndexDigit &digit : own)
        if (contains(dims, digit) &&
            (!position || position->extent < digit.extent))
          position = digit;
  if (!position)
    for (const IndexDigit &digit : own)
      if (ShapedType::isDynamic(digit.extent) || !position ||
          (!ShapedType::isDynamic(position->extent) &&
           position->extent < digit.extent))
        position = digit;
  if (position && !llvm::is_contained(own, *position))
    return mismatch("the position in a mask is not a query's");
  for (const IndexDigit &digit : own)
    (position && digit == *position ? layout.query : layout.group)
        .push_back(digit);
  if (!chooseBatch(layout, common, keys.length != nullptr, tensors,
                   lengthDigits))
    return mismatch("masks and biases do not fit batch and heads");
  return success();
}
