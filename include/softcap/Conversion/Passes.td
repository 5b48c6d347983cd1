//===- Passes.td - Softcap conversion passes --------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Softcap ops to other dialects.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_CONVERSION_PASSES_TD
#define SOFTCAP_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertSoftcapToLinalgPass : Pass<"convert-softcap-to-linalg"> {
  let summary = "The plain reference decomposition of every softcap op";
  let description = [{
    Replaces each softcap op on tensors or memrefs by `linalg.generic` ops that
    compute it step by step, without tiling: `softcap.attention` materializes its
    scores. Arithmetic is in f32, or f64 where an operand is f64, and a result is
    rounded once, when it is stored. Scalar `softcap.cap` ops remain in the bodies
    for `convert-softcap-to-math`.

    A mask or bias broadcasts over dimensions that are statically 1; a dynamic
    dimension must equal that of the scores.
  }];
  let statistics = [Statistic<"numDecomposed", "num-decomposed", "Ops decomposed">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::bufferization::BufferizationDialect"];
}

def ConvertSoftcapToMathPass : Pass<"convert-softcap-to-math"> {
  let summary = "Expand scalar and vector caps into arith and math in the accuracy asked for";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // SOFTCAP_CONVERSION_PASSES_TD
