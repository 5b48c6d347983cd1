//===- VerifyLowering.cpp - What a lowering promises ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softcap-verify-lowering.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPVERIFYLOWERINGPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

static constexpr StringLiteral extentsName = "softcap.attention_extents";

namespace {
struct Attention {
  Operation *loop;
  int64_t queries, keys;
  /// Of the largest accumulator of a tile; a buffer no larger is harmless, and
  /// may have such extents because a head size equals one of them.
  int64_t tileElements;
};
} // namespace

/// The tiled attention loops, by the attribute that softcap-tile-attention
/// leaves on them.
static SmallVector<Attention> findAttention(ModuleOp module) {
  SmallVector<Attention> found;
  module->walk([&](Operation *op) {
    auto extents = op->getAttrOfType<ArrayAttr>(extentsName);
    if (!extents || extents.size() != 2)
      return;
    auto size = [&](unsigned i) {
      auto value = dyn_cast<IntegerAttr>(extents[i]);
      return value ? value.getInt() : -1;
    };
    int64_t tileElements = 0;
    op->walk([&](OnlineAttentionOp step) {
      auto type = cast<ShapedType>(step.getAccumulator().getType());
      if (type.hasStaticShape())
        tileElements = std::max(tileElements, type.getNumElements());
    });
    found.push_back({op, size(0), size(1), tileElements});
  });
  return found;
}

/// Whether the shape has `queries` and `keys` as two different dimensions.
static bool holdsScores(MemRefType type, const Attention &attention) {
  if (attention.queries <= 1 || attention.keys <= 1 || !type.hasStaticShape() ||
      type.getNumElements() <= attention.tileElements)
    return false;
  auto count = [&](int64_t size) { return llvm::count(type.getShape(), size); };
  if (attention.queries == attention.keys)
    return count(attention.queries) >= 2;
  return count(attention.queries) && count(attention.keys);
}

static LogicalResult verifyBuffer(Operation *op,
                                  ArrayRef<Attention> attentions) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  for (const Attention &attention : attentions)
    // Outside the loop stand arguments, results, and biases of the graph.
    if (attention.loop->isAncestor(op) && holdsScores(type, attention)) {
      InFlightDiagnostic diag = op->emitError("a buffer of ")
                                << type << " holds the scores of all "
                                << attention.queries << " queries and "
                                << attention.keys
                                << " keys; a fused attention needs tiles only";
      diag.attachNote(attention.loop->getLoc()) << "of this attention";
      return failure();
    }
  return success();
}

/// LLVM has an instruction or a few for these.
static bool isInline(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp,
             math::SqrtOp, math::FloorOp, math::CeilOp, math::TruncOp,
             math::RoundEvenOp, math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(
      op);
}

static LogicalResult verifyLoop(const Attention &attention) {
  WalkResult result = attention.loop->walk([&](Operation *op) {
    bool isMath = isa<math::MathDialect>(op->getDialect()) && !isInline(op);
    if (!isMath && !isa<func::CallOp>(op))
      return WalkResult::advance();
    InFlightDiagnostic diag =
        op->emitError() << "'" << op->getName()
                        << "' is left in an attention loop, where it would be "
                           "a call for each score; expand it into arith "
                           "(convert-softcap-to-math with expand-exp)";
    diag.attachNote(attention.loop->getLoc()) << "the loop";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult verifyNoCasts(ModuleOp module) {
  WalkResult result = module->walk([](UnrealizedConversionCastOp op) {
    op->emitError("is left after the lowering: ")
        << op->getOperandTypes() << " to " << op->getResultTypes()
        << " has no conversion in this pipeline";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct SoftcapVerifyLoweringPass
    : softcap::impl::SoftcapVerifyLoweringPassBase<SoftcapVerifyLoweringPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<Attention> attentions = findAttention(module);
    bool ok = true;
    if (buffers)
      module->walk([&](Operation *op) {
        if (isa<memref::AllocOp, memref::AllocaOp>(op))
          ok &= succeeded(verifyBuffer(op, attentions));
      });
    if (loops)
      for (const Attention &attention : attentions)
        ok &= succeeded(verifyLoop(attention));
    if (casts)
      ok &= succeeded(verifyNoCasts(module));
    if (!ok)
      signalPassFailure();
    else
      markAllAnalysesPreserved();
  }
};
} // namespace
