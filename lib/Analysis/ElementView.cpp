//===- ElementView.cpp - Elements behind reshapes and transposes ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops that only move elements: where the element at some indices comes from.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/ElementExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::softcap;

namespace {
/// The index into a collapsed group of dimensions.
FailureOr<IndexExpr> linearize(ArrayRef<int64_t> group, ArrayRef<int64_t> shape,
                               ArrayRef<IndexExpr> indices) {
  IndexExpr result;
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(group)) {
    if (shape[dim] == 1)
      continue;
    // Only the outermost size of a group may be unknown.
    if (ShapedType::isDynamic(stride))
      return failure();
    result = result + indices[dim] * stride;
    stride = ShapedType::isDynamic(shape[dim]) ? ShapedType::kDynamic
                                               : stride * shape[dim];
  }
  return result;
}

/// The indices of a group of dimensions from the index into their collapse.
LogicalResult delinearize(IndexExpr index, ArrayRef<int64_t> group,
                          ArrayRef<int64_t> shape,
                          MutableArrayRef<IndexExpr> indices) {
  int64_t outermost = -1;
  for (int64_t dim : group)
    if (shape[dim] != 1) {
      outermost = dim;
      break;
    }
  for (int64_t dim : llvm::reverse(group)) {
    if (shape[dim] == 1) {
      indices[dim] = IndexExpr(0);
      continue;
    }
    if (dim == outermost) {
      indices[dim] = index;
      return success();
    }
    FailureOr<std::pair<IndexExpr, IndexExpr>> parts = index.divide(shape[dim]);
    if (failed(parts))
      return failure();
    index = parts->first;
    indices[dim] = parts->second;
  }
  return success();
}

FailureOr<ElementAccess> throughExpand(tensor::ExpandShapeOp op,
                                       ArrayRef<IndexExpr> indices) {
  ElementAccess access{op.getSrc(), {}};
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    FailureOr<IndexExpr> index = linearize(group, shape, indices);
    if (failed(index))
      return failure();
    access.indices.push_back(*index);
  }
  return access;
}

FailureOr<ElementAccess> throughCollapse(tensor::CollapseShapeOp op,
                                         ArrayRef<IndexExpr> indices) {
  ElementAccess access{op.getSrc(), {}};
  ArrayRef<int64_t> shape = op.getSrcType().getShape();
  access.indices.resize(shape.size());
  for (auto [position, group] : llvm::enumerate(op.getReassociationIndices()))
    if (failed(delinearize(indices[position], group, shape, access.indices)))
      return failure();
  return access;
}

FailureOr<ElementAccess> throughSlice(tensor::ExtractSliceOp op,
                                      ArrayRef<IndexExpr> indices) {
  ElementAccess access{op.getSource(), {}};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  unsigned next = 0;
  for (unsigned dim = 0, rank = op.getSourceType().getRank(); dim < rank;
       ++dim) {
    std::optional<int64_t> offset =
        getConstantIntValue(op.getMixedOffsets()[dim]);
    std::optional<int64_t> stride =
        getConstantIntValue(op.getMixedStrides()[dim]);
    if (!offset || !stride)
      return failure();
    IndexExpr index = dropped[dim] ? IndexExpr(0) : indices[next++];
    access.indices.push_back(index * *stride + IndexExpr(*offset));
  }
  return access;
}

/// True if a linalg op only moves elements of its one input, without overlaps.
bool movesElements(linalg::LinalgOp op, bool throughExtensions) {
  if (op.getNumDpsInputs() != 1 || op->getNumResults() != 1 ||
      op.getNumLoops() != op.getNumParallelLoops())
    return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  if (!llvm::all_of(map.getResults(),
                    llvm::IsaPred<AffineDimExpr, AffineConstantExpr>))
    return false;
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  if (throughExtensions)
    if (auto extension = yielded.getDefiningOp<arith::ExtFOp>())
      yielded = extension.getIn();
  return yielded == op.getMatchingBlockArgument(op.getDpsInputOperand(0));
}
} // namespace

FailureOr<SmallVector<IndexExpr, 4>>
softcap::getLoopIndices(linalg::LinalgOp op, AffineMap resultMap,
                        ArrayRef<IndexExpr> indices,
                        function_ref<IndexExpr(unsigned)> fallback) {
  SmallVector<IndexExpr, 4> loops(op.getNumLoops());
  llvm::SmallBitVector known(op.getNumLoops());
  for (auto [expr, index] : llvm::zip_equal(resultMap.getResults(), indices)) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || known[dim.getPosition()])
      return failure();
    known.set(dim.getPosition());
    loops[dim.getPosition()] = index;
  }
  for (unsigned loop = 0; loop < loops.size(); ++loop) {
    if (known[loop])
      continue;
    if (!fallback)
      return failure();
    loops[loop] = fallback(loop);
  }
  return loops;
}

FailureOr<SmallVector<IndexExpr, 4>>
ElementExprs::getOperandIndices(linalg::LinalgOp op, OpOperand *operand,
                                ArrayRef<IndexExpr> loops) {
  SmallVector<IndexExpr, 4> indices;
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (map.getNumSymbols() != 0)
    return failure();
  ArrayRef<int64_t> shape = op.getShape(operand);
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), shape)) {
    if (size == 1) {
      indices.push_back(IndexExpr(0));
      continue;
    }
    FailureOr<IndexExpr> index = IndexExpr::compose(expr, loops);
    if (failed(index))
      return failure();
    indices.push_back(*index);
  }
  return indices;
}

FailureOr<ElementAccess> softcap::stepThroughView(Value tensor,
                                                  ArrayRef<IndexExpr> indices,
                                                  bool throughSlices) {
  Operation *op = tensor.getDefiningOp();
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return throughExpand(expand, indices);
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    return throughCollapse(collapse, indices);
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
    if (isa<RankedTensorType>(cast.getSource().getType()))
      return ElementAccess{cast.getSource(),
                           SmallVector<IndexExpr, 4>(indices)};
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op))
    if (throughSlices)
      return throughSlice(slice, indices);
  return failure();
}

ElementAccess ElementExprs::trace(Value tensor, ArrayRef<IndexExpr> indices,
                                  bool throughExtensions) {
  ElementAccess access{tensor, SmallVector<IndexExpr, 4>(indices)};
  while (Operation *op = access.tensor.getDefiningOp()) {
    FailureOr<ElementAccess> source =
        stepThroughView(access.tensor, access.indices,
                        /*throughSlices=*/false);
    if (auto extension = dyn_cast<arith::ExtFOp>(op);
        extension && throughExtensions)
      source = ElementAccess{extension.getIn(), access.indices};
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
        linalgOp && movesElements(linalgOp, throughExtensions)) {
      FailureOr<SmallVector<IndexExpr, 4>> loops =
          getLoopIndices(linalgOp, linalgOp.getIndexingMapsArray().back(),
                         access.indices, nullptr);
      if (failed(loops))
        return access;
      OpOperand *input = linalgOp.getDpsInputOperand(0);
      FailureOr<SmallVector<IndexExpr, 4>> source_indices =
          getOperandIndices(linalgOp, input, *loops);
      if (succeeded(source_indices))
        source = ElementAccess{input->get(), *source_indices};
    }
    if (failed(source) || !isa<RankedTensorType>(source->tensor.getType()))
      return access;
    access = *source;
  }
  return access;
}
