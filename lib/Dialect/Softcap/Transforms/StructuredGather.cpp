//===- StructuredGather.cpp - Broadcasts written as extractions -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A generic without inputs that extracts from a captured tensor, at loop
// indices that are replaced by 0 where the size is 1, becomes a generic with
// that tensor as input: a plain broadcast, or nothing at all. Where equal sizes
// are not proved, the extraction is reduced to the loops that it uses, so that
// the rest of the broadcast is structured, and is skipped at run time if the
// sizes turn out to be equal.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/SizeExpr.h"
#include "softcap/Dialect/Softcap/Transforms/NormalizeShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::softcap;

namespace {
/// How one dimension of the source is indexed.
struct SourceIndex {
  std::optional<int64_t> loop; // absent: the only index of a size of 1
  bool proven = true;          // the loop runs over exactly that dimension
};

/// A generic that copies elements of `source`.
struct Gather {
  tensor::ExtractOp extract;
  SmallVector<SourceIndex> indices;

  bool isProven() const {
    return llvm::all_of(indices, [](const SourceIndex &i) { return i.proven; });
  }

  /// The loops in use, in the order of the source's dimensions.
  SmallVector<int64_t> getLoops() const {
    SmallVector<int64_t> loops;
    for (const SourceIndex &index : indices)
      if (index.loop)
        loops.push_back(*index.loop);
    return loops;
  }

  AffineMap getSourceMap(int64_t numLoops, MLIRContext *context) const {
    SmallVector<AffineExpr> exprs;
    for (const SourceIndex &index : indices)
      exprs.push_back(index.loop ? getAffineDimExpr(*index.loop, context)
                                 : getAffineConstantExpr(0, context));
    return AffineMap::get(numLoops, 0, exprs, context);
  }
};
} // namespace

static bool isPlainParallel(linalg::GenericOp op) {
  return op.getNumDpsInputs() == 0 && op.getNumDpsInits() == 1 &&
         op.hasPureTensorSemantics() &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
}

/// The number of iterations of a loop of a plain parallel generic.
static SizeExpr getExtent(linalg::GenericOp op, int64_t loop) {
  return SizeExpr::getDim(op.getDpsInitOperand(0)->get(), loop);
}

/// `index`, or what it is when dimension `dim` of `source` is not 1 if it reads
/// `select(size == 1, 0, index)`.
static Value skipBroadcastGuard(Value index, Value source, int64_t dim) {
  auto select = index.getDefiningOp<arith::SelectOp>();
  if (!select || !matchPattern(select.getTrueValue(), m_Zero()))
    return index;
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(compare.getRhs(), m_One()) ||
      SizeExpr::get(compare.getLhs()) != SizeExpr::getDim(source, dim))
    return index;
  return select.getFalseValue();
}

static std::optional<SourceIndex>
matchIndex(Value index, Value source, int64_t dim, linalg::GenericOp generic) {
  SizeExpr size = SizeExpr::getDim(source, dim);
  if (size.getConstant() == 1)
    return SourceIndex{};
  index = skipBroadcastGuard(index, source, dim);
  auto loop = index.getDefiningOp<linalg::IndexOp>();
  if (!loop || loop->getParentOp() != generic)
    return std::nullopt;
  int64_t number = loop.getDim();
  return SourceIndex{number, getExtent(generic, number) == size};
}

static std::optional<Gather> matchGather(linalg::GenericOp op) {
  if (!isPlainParallel(op))
    return std::nullopt;
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  Gather gather{yield.getOperand(0).getDefiningOp<tensor::ExtractOp>(), {}};
  if (!gather.extract || gather.extract->getBlock() != op.getBody())
    return std::nullopt;
  Value source = gather.extract.getTensor();
  if (source.getParentRegion() == &op.getRegion())
    return std::nullopt;
  for (auto [dim, index] : llvm::enumerate(gather.extract.getIndices())) {
    std::optional<SourceIndex> match = matchIndex(index, source, dim, op);
    if (!match)
      return std::nullopt;
    gather.indices.push_back(*match);
  }
  llvm::SmallDenseSet<int64_t> distinct;
  for (int64_t loop : gather.getLoops())
    if (!distinct.insert(loop).second)
      return std::nullopt;
  return gather;
}

/// A generic over the loops of `op` that yields its input.
static Value createBroadcast(PatternRewriter &rewriter, linalg::GenericOp op,
                             Value input, AffineMap map) {
  OpOperand *init = op.getDpsInitOperand(0);
  return linalg::GenericOp::create(
             rewriter, op.getLoc(), op->getResultTypes(), input, init->get(),
             ArrayRef{map, op.getMatchingIndexingMap(init)},
             op.getIteratorTypesArray(),
             [](OpBuilder &builder, Location loc, ValueRange args) {
               linalg::YieldOp::create(builder, loc, args[0]);
             })
      .getResult(0);
}

/// The extraction over the loops in `loops` only, in that order.
static Value createReducedGather(PatternRewriter &rewriter,
                                 linalg::GenericOp op,
                                 ArrayRef<int64_t> loops) {
  Location loc = op.getLoc();
  Value init = op.getDpsInitOperand(0)->get();
  SmallVector<OpFoldResult> sizes;
  for (int64_t loop : loops)
    sizes.push_back(tensor::getMixedSize(rewriter, loc, init, loop));
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, getElementTypeOrSelf(init));
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
    IRMapping mapping;
    mapping.map(op.getBody()->getArguments(), args);
    for (Operation &inner : *op.getBody()) {
      Operation *copy = builder.clone(inner, mapping);
      if (auto index = dyn_cast<linalg::IndexOp>(copy))
        index.setDim(llvm::find(loops, index.getDim()) - loops.begin());
    }
  };
  SmallVector<utils::IteratorType> iterators(loops.size(),
                                             utils::IteratorType::parallel);
  AffineMap map = rewriter.getMultiDimIdentityMap(loops.size());
  return linalg::GenericOp::create(rewriter, loc, empty.getType(), ValueRange(),
                                   empty, map, iterators, body)
      .getResult(0);
}

/// True at run time if each dimension of the source whose size is not proved
/// has the size of its loop.
static Value createSizesAgree(PatternRewriter &rewriter, linalg::GenericOp op,
                              Value source, const Gather &gather) {
  Location loc = op.getLoc();
  Value init = op.getDpsInitOperand(0)->get();
  Value agree;
  for (auto [dim, index] : llvm::enumerate(gather.indices)) {
    if (index.proven)
      continue;
    Value size = tensor::DimOp::create(rewriter, loc, source, dim);
    Value extent = tensor::DimOp::create(rewriter, loc, init, *index.loop);
    Value same = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                       size, extent);
    agree = agree
                ? arith::AndIOp::create(rewriter, loc, agree, same).getResult()
                : same;
  }
  return agree;
}

/// Which dimensions of the source to collapse so that one is left per loop;
/// none if the loops are not in the order of the source.
static std::optional<SmallVector<ReassociationIndices>>
getSourceGroups(const Gather &gather) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leadingOnes;
  for (auto [dim, index] : llvm::enumerate(gather.indices)) {
    int64_t number = dim;
    if (!index.loop) {
      (groups.empty() ? leadingOnes : groups.back()).push_back(number);
      continue;
    }
    if (*index.loop != static_cast<int64_t>(groups.size()))
      return std::nullopt;
    groups.push_back(std::exchange(leadingOnes, {}));
    groups.back().push_back(number);
  }
  return groups;
}

namespace {
/// select(size == 1, 0, i) -> i for a loop index i below that size.
struct DropIdleGuard : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto index = op.getFalseValue().getDefiningOp<linalg::IndexOp>();
    auto compare = op.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!index || !compare || !matchPattern(op.getTrueValue(), m_Zero()) ||
        compare.getPredicate() != arith::CmpIPredicate::eq ||
        !matchPattern(compare.getRhs(), m_One()))
      return rewriter.notifyMatchFailure(op, "no guarded loop index");
    auto generic = dyn_cast<linalg::GenericOp>(index->getParentOp());
    if (!generic || !isPlainParallel(generic) ||
        SizeExpr::get(compare.getLhs()) != getExtent(generic, index.getDim()))
      return rewriter.notifyMatchFailure(op, "the guard is of another size");
    rewriter.replaceOp(op, index.getResult());
    return success();
  }
};

/// Every size is proved: a broadcast with an indexing map, or a plain copy.
struct StructureGather : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Gather> gather = matchGather(op);
    if (!gather || !gather->isProven())
      return rewriter.notifyMatchFailure(op, "no extraction with known sizes");
    Value source = gather->extract.getTensor();
    AffineMap map = gather->getSourceMap(op.getNumLoops(), op.getContext());
    if (!map.isIdentity()) {
      rewriter.replaceOp(op, createBroadcast(rewriter, op, source, map));
      return success();
    }
    Type type = op.getResult(0).getType();
    if (source.getType() != type)
      source = tensor::CastOp::create(rewriter, op.getLoc(), type, source);
    rewriter.replaceOp(op, source);
    return success();
  }
};

/// Some size is unknown: separates what is broadcast over loops that the
/// extraction does not use.
struct ReduceGather : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Gather> gather = matchGather(op);
    if (!gather || gather->isProven())
      return rewriter.notifyMatchFailure(op, "no extraction of unknown sizes");
    SmallVector<int64_t> loops = gather->getLoops();
    if (loops.size() == op.getNumLoops())
      return rewriter.notifyMatchFailure(op, "uses all its loops");
    for (linalg::IndexOp index : op.getBody()->getOps<linalg::IndexOp>())
      if (!llvm::is_contained(loops, index.getDim()))
        return rewriter.notifyMatchFailure(op, "reads another loop's index");
    Value reduced = createReducedGather(rewriter, op, loops);
    SmallVector<AffineExpr> exprs;
    for (int64_t loop : loops)
      exprs.push_back(rewriter.getAffineDimExpr(loop));
    AffineMap map = AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
    rewriter.replaceOp(op, createBroadcast(rewriter, op, reduced, map));
    return success();
  }
};

/// The extraction copies its source if nothing is broadcast, which only the
/// sizes at run time tell: then uses the source itself.
struct SkipCopy : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Gather> gather = matchGather(op);
    if (!gather || gather->isProven() ||
        gather->getLoops().size() != op.getNumLoops() ||
        isa<scf::IfOp>(op->getParentOp()))
      return rewriter.notifyMatchFailure(op, "no extraction of unknown sizes");
    auto groups = getSourceGroups(*gather);
    Value source = gather->extract.getTensor();
    auto sourceType = cast<RankedTensorType>(source.getType());
    Type type = op.getResult(0).getType();
    if (!groups ||
        !tensor::CastOp::areCastCompatible(
            tensor::CollapseShapeOp::inferCollapsedType(sourceType, *groups),
            type))
      return rewriter.notifyMatchFailure(op, "never a copy");

    Location loc = op.getLoc();
    auto branch = scf::IfOp::create(
        rewriter, loc, type, createSizesAgree(rewriter, op, source, *gather),
        true, true);
    rewriter.setInsertionPointToEnd(branch.thenBlock());
    if (groups->size() != gather->indices.size())
      source = tensor::CollapseShapeOp::create(rewriter, loc, source, *groups);
    if (source.getType() != type)
      source = tensor::CastOp::create(rewriter, loc, type, source);
    scf::YieldOp::create(rewriter, loc, source);
    rewriter.replaceAllUsesWith(op.getResult(0), branch.getResult(0));
    rewriter.setInsertionPointToEnd(branch.elseBlock());
    rewriter.moveOpBefore(op, branch.elseBlock(), branch.elseBlock()->end());
    scf::YieldOp::create(rewriter, loc, op.getResult(0));
    return success();
  }
};
} // namespace

void softcap::populateStructuredGatherPatterns(RewritePatternSet &patterns) {
  patterns.add<DropIdleGuard, StructureGather, ReduceGather>(
      patterns.getContext());
}

void softcap::populateSkipCopyPatterns(RewritePatternSet &patterns) {
  patterns.add<SkipCopy>(patterns.getContext());
}
