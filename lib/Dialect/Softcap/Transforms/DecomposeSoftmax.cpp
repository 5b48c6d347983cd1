//===- DecomposeSoftmax.cpp - softcap-decompose-softmax -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg.softmax has no lowering to loops of its own.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPDECOMPOSESOFTMAXPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

namespace {
struct SoftcapDecomposeSoftmaxPass
    : softcap::impl::SoftcapDecomposeSoftmaxPassBase<
          SoftcapDecomposeSoftmaxPass> {
  void runOnOperation() override {
    SmallVector<linalg::SoftmaxOp> ops;
    getOperation()->walk([&](linalg::SoftmaxOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::SoftmaxOp op : ops) {
      if (!op.hasPureTensorSemantics()) {
        op.emitOpError("on buffers cannot be decomposed: run "
                       "softcap-decompose-softmax before bufferization");
        return signalPassFailure();
      }
      rewriter.setInsertionPoint(op);
      FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
      if (failed(values)) {
        op.emitOpError("cannot be decomposed");
        return signalPassFailure();
      }
      rewriter.replaceOp(op, *values);
    }
  }
};
} // namespace
