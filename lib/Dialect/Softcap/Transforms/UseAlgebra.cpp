//===- UseAlgebra.cpp - Opt-in algebra of the cap -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opt-in algebra of the cap.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPUSEALGEBRAPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

namespace {
struct SoftcapUseAlgebraPass
    : softcap::impl::SoftcapUseAlgebraPassBase<SoftcapUseAlgebraPass> {
  void runOnOperation() override {}
};
} // namespace
