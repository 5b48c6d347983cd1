//===- SoftcapToLinalg.cpp - Reference decomposition ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces every softcap op on tensors or memrefs by its decomposition.
//
//===----------------------------------------------------------------------===//

#include "softcap/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_CONVERTSOFTCAPTOLINALGPASS
#include "softcap/Conversion/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

/// Scalar and vector caps stay for convert-softcap-to-math.
static bool isOnShapedStorage(Operation *op) {
  return !isa<CapOp, CapGradOp>(op) ||
         isa<TensorType>(op->getResult(0).getType());
}

namespace {
struct ConvertSoftcapToLinalgPass
    : softcap::impl::ConvertSoftcapToLinalgPassBase<
          ConvertSoftcapToLinalgPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<linalg::AggregatedOpInterface> ops;
    getOperation()->walk([&](linalg::AggregatedOpInterface op) {
      if (keepOnlineAttention && isa<OnlineAttentionOp>(op))
        return;
      if (isa<SoftcapDialect>(op->getDialect()) && isOnShapedStorage(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::AggregatedOpInterface op : ops) {
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
      if (failed(values)) {
        op->emitOpError("cannot be decomposed: a ranked tensor is needed");
        return signalPassFailure();
      }
      rewriter.replaceOp(op, *values);
      ++numDecomposed;
    }
  }
};
} // namespace
