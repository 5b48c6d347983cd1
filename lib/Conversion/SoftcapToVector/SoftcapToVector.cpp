//===- SoftcapToVector.cpp - The attention kernel as a pass ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// convert-softcap-to-vector.
//
//===----------------------------------------------------------------------===//

#include "softcap/Conversion/Passes.h"

#include "AttentionKernel.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_CONVERTSOFTCAPTOVECTORPASS
#include "softcap/Conversion/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

namespace {
struct ConvertSoftcapToVectorPass
    : softcap::impl::ConvertSoftcapToVectorPassBase<
          ConvertSoftcapToVectorPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    if (llvm::is_contained({16, 32, 64}, vectorBytes) && keyBlock > 0)
      return success();
    return emitError(UnknownLoc::get(context))
           << "vector-bytes must be 16, 32 or 64, and key-block positive; got "
           << vectorBytes.getValue() << " and " << keyBlock.getValue();
  }

  void runOnOperation() override {
    SmallVector<OnlineAttentionOp> ops;
    getOperation()->walk([&](OnlineAttentionOp op) { ops.push_back(op); });
    for (OnlineAttentionOp op : ops) {
      if (!isa<MemRefType>(op.getQuery().getType())) {
        op.emitOpError("must be on memrefs; bufferize it first");
        return signalPassFailure();
      }
      OpBuilder builder(op);
      AttentionKernel(builder, op, {vectorBytes, keyBlock}).emit();
      op.erase();
      ++numLowered;
    }
  }
};
} // namespace
