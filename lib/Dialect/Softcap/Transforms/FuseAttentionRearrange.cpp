//===- FuseAttentionRearrange.cpp - Operands into B x H x M x D -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Brings a tensor whose dimensions are digits of loop variables into another
// order and grouping of these digits.
//
//===----------------------------------------------------------------------===//

#include "FuseAttention.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Utils/Utils.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::fuse;

static RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

static int64_t getSize(const Digits &digits) {
  int64_t size = 1;
  for (const IndexDigit &digit : digits)
    size = ShapedType::isDynamic(digit.extent) || ShapedType::isDynamic(size)
               ? ShapedType::kDynamic
               : size * digit.extent;
  return size;
}

/// Groups of neighbouring dimensions, of `sizes[i]` members each, where groups
/// without members join a neighbour.
static SmallVector<ReassociationIndices>
getReassociation(ArrayRef<int64_t> members) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (int64_t count : members) {
    groups.emplace_back();
    for (int64_t i = 0; i < count; ++i)
      groups.back().push_back(next++);
  }
  return groups;
}

/// Drops the dimensions of size 1, which have no digits.
static Value dropUnitDims(OpBuilder &builder, Location loc, Value tensor,
                          ArrayRef<Digits> dims) {
  SmallVector<int64_t> members, shape;
  int64_t leading = 0;
  for (auto [digits, size] : llvm::zip_equal(dims, typeOf(tensor).getShape())) {
    if (!digits.empty()) {
      members.push_back(1 + (members.empty() ? leading : 0));
      shape.push_back(size);
    } else if (members.empty()) {
      ++leading;
    } else {
      ++members.back();
    }
  }
  if (shape.size() == dims.size())
    return tensor;
  auto type = RankedTensorType::get(shape, typeOf(tensor).getElementType());
  return tensor::CollapseShapeOp::create(builder, loc, type, tensor,
                                         getReassociation(members));
}

/// One dimension per digit.
static Value expandDigits(OpBuilder &builder, Location loc, Value tensor,
                          ArrayRef<Digits> dims) {
  SmallVector<int64_t> members, shape;
  for (const Digits &digits : dims) {
    if (digits.empty())
      continue;
    members.push_back(digits.size());
    for (const IndexDigit &digit : digits)
      shape.push_back(digit.extent);
  }
  if (members.size() == shape.size())
    return tensor;
  auto type = RankedTensorType::get(shape, typeOf(tensor).getElementType());
  return tensor::ExpandShapeOp::create(builder, loc, type, tensor,
                                       getReassociation(members));
}

static Value transposeDigits(OpBuilder &builder, Location loc, Value tensor,
                             const Digits &from, const Digits &to) {
  SmallVector<int64_t> permutation;
  SmallVector<OpFoldResult> sizes;
  for (const IndexDigit &digit : to) {
    auto *it = llvm::find(from, digit);
    assert(it != from.end() && "digits are permuted");
    permutation.push_back(it - from.begin());
    sizes.push_back(
        tensor::getMixedSize(builder, loc, tensor, permutation.back()));
  }
  if (llvm::is_sorted(permutation))
    return tensor;
  Value init = tensor::EmptyOp::create(builder, loc, sizes,
                                       typeOf(tensor).getElementType());
  return linalg::TransposeOp::create(builder, loc, tensor, init, permutation)
      ->getResult(0);
}

static Value collapseDigits(OpBuilder &builder, Location loc, Value tensor,
                            ArrayRef<Digits> dims) {
  SmallVector<int64_t> members, shape;
  for (const Digits &digits : dims) {
    if (digits.empty())
      continue;
    members.push_back(digits.size());
    shape.push_back(getSize(digits));
  }
  if (shape.size() == static_cast<size_t>(typeOf(tensor).getRank()))
    return tensor;
  auto type = RankedTensorType::get(shape, typeOf(tensor).getElementType());
  return tensor::CollapseShapeOp::create(builder, loc, type, tensor,
                                         getReassociation(members));
}

/// Adds the dimensions of size 1.
static Value addUnitDims(OpBuilder &builder, Location loc, Value tensor,
                         ArrayRef<Digits> dims) {
  SmallVector<int64_t> members, shape;
  int64_t leading = 0;
  for (const Digits &digits : dims) {
    shape.push_back(getSize(digits));
    if (!digits.empty())
      members.push_back(1 + (members.empty() ? leading : 0));
    else if (members.empty())
      ++leading;
    else
      ++members.back();
  }
  if (shape.size() == static_cast<size_t>(typeOf(tensor).getRank()))
    return tensor;
  auto type = RankedTensorType::get(shape, typeOf(tensor).getElementType());
  return tensor::ExpandShapeOp::create(builder, loc, type, tensor,
                                       getReassociation(members));
}

Value fuse::rearrange(OpBuilder &builder, Location loc, Value tensor,
                      ArrayRef<Digits> from, ArrayRef<Digits> to) {
  if (llvm::equal(from, to))
    return tensor;
  Digits source, target;
  for (const Digits &digits : from)
    llvm::append_range(source, digits);
  for (const Digits &digits : to)
    llvm::append_range(target, digits);
  tensor = dropUnitDims(builder, loc, tensor, from);
  tensor = expandDigits(builder, loc, tensor, from);
  tensor = transposeDigits(builder, loc, tensor, source, target);
  tensor = collapseDigits(builder, loc, tensor, to);
  return addUnitDims(builder, loc, tensor, to);
}
