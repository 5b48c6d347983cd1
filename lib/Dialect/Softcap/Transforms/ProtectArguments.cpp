//===- ProtectArguments.cpp - softcap-protect-arguments -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps bufferization from writing results into the caller's inputs.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPPROTECTARGUMENTSPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

namespace {
struct SoftcapProtectArgumentsPass
    : softcap::impl::SoftcapProtectArgumentsPassBase<
          SoftcapProtectArgumentsPass> {
  void runOnOperation() override {
    StringRef writable = bufferization::BufferizationDialect::kWritableAttrName;
    auto no = BoolAttr::get(&getContext(), false);
    getOperation()->walk([&](FunctionOpInterface function) {
      if (!function.isPublic() || function.isExternal())
        return;
      for (auto [i, argument] : llvm::enumerate(function.getArguments()))
        if (isa<TensorType>(argument.getType()))
          function.setArgAttr(i, writable, no);
    });
  }
};
} // namespace
