//===- SoftcapToMath.cpp - Expansion of caps ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expansion of caps.
//
//===----------------------------------------------------------------------===//

#include "softcap/Conversion/Passes.h"

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
#define GEN_PASS_DEF_CONVERTSOFTCAPTOMATHPASS
#include "softcap/Conversion/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

namespace {
struct ConvertSoftcapToMathPass
    : softcap::impl::ConvertSoftcapToMathPassBase<ConvertSoftcapToMathPass> {
  void runOnOperation() override {}
};
} // namespace
