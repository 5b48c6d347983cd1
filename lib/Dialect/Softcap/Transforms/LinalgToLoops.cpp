//===- LinalgToLoops.cpp - Loops of the rest of a model -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softcap-linalg-to-loops: everything but the attention kernel.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPLINALGTOLOOPSPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

/// The loop along which an operand is contiguous: that of its last dimension.
static std::optional<unsigned> contiguousLoop(AffineMap map) {
  if (map.getNumResults() == 0)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!dim)
    return std::nullopt;
  return dim.getPosition();
}

/// The parallel loop to vectorize in a contraction: contiguous in the output
/// and in an input.
static std::optional<unsigned> vectorLoop(linalg::LinalgOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  std::optional<unsigned> loop = contiguousLoop(maps.back());
  if (!loop)
    return std::nullopt;
  for (AffineMap map : ArrayRef(maps).drop_back())
    if (contiguousLoop(map) == loop)
      return loop;
  return std::nullopt;
}

/// Parallel loops, then reductions, then the loop to vectorize.
static linalg::LinalgOp orderLoops(RewriterBase &rewriter,
                                   linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  std::optional<unsigned> inner = vectorLoop(op);
  if (!generic || !inner || op.getNumReductionLoops() == 0 ||
      op.getNumDpsInits() != 1)
    return op;
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  SmallVector<unsigned> order;
  for (bool parallel : {true, false})
    for (unsigned i = 0; i < types.size(); ++i)
      if (i != *inner && linalg::isParallelIterator(types[i]) == parallel)
        order.push_back(i);
  order.push_back(*inner);
  rewriter.setInsertionPoint(generic);
  FailureOr<linalg::GenericOp> ordered =
      linalg::interchangeGenericOp(rewriter, generic, order);
  return succeeded(ordered) ? cast<linalg::LinalgOp>(ordered->getOperation())
                            : op;
}

/// Lets products and sums of a reduction be fused and, in the sum itself,
/// reordered: its order is not part of a contraction's meaning.
static void relaxSums(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInits() != 1)
    return;
  Value yielded = op.getBlock()->getTerminator()->getOperand(0);
  auto sum = yielded.getDefiningOp<arith::AddFOp>();
  BlockArgument out = op.getBlock()->getArguments().back();
  if (!sum || (sum.getLhs() != out && sum.getRhs() != out))
    return;
  arith::FastMathFlags flags = arith::FastMathFlags::contract;
  Value term = sum.getLhs() == out ? sum.getRhs() : sum.getLhs();
  if (auto product = term.getDefiningOp<arith::MulFOp>())
    product.setFastmath(product.getFastmath() | flags);
  sum.setFastmath(sum.getFastmath() | flags | arith::FastMathFlags::reassoc);
}

/// Executions of the body; a dynamic size counts as large.
static int64_t estimateWork(linalg::LinalgOp op) {
  int64_t work = 1;
  for (int64_t range : op.getStaticLoopRanges())
    work *= ShapedType::isDynamic(range) ? 1024 : std::max<int64_t>(range, 1);
  return work;
}

/// Replaces a loop without results by a parallel one.
static void makeParallel(RewriterBase &rewriter, scf::ForOp loop) {
  rewriter.setInsertionPoint(loop);
  auto parallel = scf::ParallelOp::create(
      rewriter, loop.getLoc(), ValueRange{loop.getLowerBound()},
      ValueRange{loop.getUpperBound()}, ValueRange{loop.getStep()});
  rewriter.eraseOp(loop.getBody()->getTerminator());
  Block *body = parallel.getBody();
  rewriter.inlineBlockBefore(loop.getBody(), body->getTerminator(),
                             {body->getArgument(0)});
  rewriter.eraseOp(loop);
}

static bool isInParallelLoop(Operation *op) {
  return op->getParentOfType<scf::ForallOp>() ||
         op->getParentOfType<scf::ParallelOp>();
}

/// The outermost loop with more than one iteration, if it is parallel.
static std::optional<unsigned> parallelLoop(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> types = op.getIteratorTypesArray();
  for (auto [i, range] : llvm::enumerate(op.getStaticLoopRanges())) {
    if (range == 1)
      continue;
    if (linalg::isParallelIterator(types[i]))
      return i;
    return std::nullopt;
  }
  return std::nullopt;
}

static LogicalResult lower(RewriterBase &rewriter, linalg::LinalgOp op,
                           bool parallel, int64_t minWork) {
  op = orderLoops(rewriter, op);
  relaxSums(op);
  std::optional<unsigned> outer = parallelLoop(op);
  parallel &= outer && !isInParallelLoop(op) && estimateWork(op) >= minWork;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::LinalgLoops> loops = linalg::linalgOpToLoops(rewriter, op);
  if (failed(loops))
    return op.emitOpError("cannot be lowered to loops: it must be on memrefs");
  rewriter.eraseOp(op);
  if (parallel && *outer < loops->size())
    if (auto loop = dyn_cast<scf::ForOp>((*loops)[*outer]))
      makeParallel(rewriter, loop);
  return success();
}

namespace {
struct SoftcapLinalgToLoopsPass
    : softcap::impl::SoftcapLinalgToLoopsPassBase<SoftcapLinalgToLoopsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      if (failed(lower(rewriter, op, parallel, minWork)))
        return signalPassFailure();
  }
};
} // namespace
