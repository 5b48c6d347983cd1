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

def ConvertSoftcapToLinalgPass : InterfacePass<"convert-softcap-to-linalg", "::mlir::FunctionOpInterface"> {
  let summary = "The plain reference decomposition of every softcap op";
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
