//===- ExpandCopies.cpp - softcap-expand-copies ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes copies between buffers ordinary loops: the lowering to LLVM would call
// a runtime function, memrefCopy, for those that are not contiguous.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPEXPANDCOPIESPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

/// Contiguous buffers are copied by memcpy.
static bool isContiguous(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getLayout().isIdentity();
}

namespace {
struct SoftcapExpandCopiesPass
    : softcap::impl::SoftcapExpandCopiesPassBase<SoftcapExpandCopiesPass> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) {
      bool ranked = isa<MemRefType>(copy.getSource().getType()) &&
                    isa<MemRefType>(copy.getTarget().getType());
      if (ranked &&
          !(isContiguous(copy.getSource()) && isContiguous(copy.getTarget())))
        copies.push_back(copy);
    });
    IRRewriter rewriter(&getContext());
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      linalg::CopyOp::create(rewriter, copy.getLoc(), copy.getSource(),
                             copy.getTarget());
      rewriter.eraseOp(copy);
    }
  }
};
} // namespace
