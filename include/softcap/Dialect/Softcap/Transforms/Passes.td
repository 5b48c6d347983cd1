//===- Passes.td - Softcap transform passes ---------------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor level in, tensor level out.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_TRANSFORMS_PASSES_TD
#define SOFTCAP_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SoftcapRaisePass : Pass<"softcap-raise", "::mlir::ModuleOp"> {
  let summary = "Recognise soft caps and capped surfaces in ordinary IR";
  let dependentDialects = ["::mlir::softcap::SoftcapDialect"];
}

def SoftcapFuseAttentionPass : Pass<"softcap-fuse-attention", "::mlir::ModuleOp"> {
  let summary = "Fuse scores, mask, softmax and value contraction into softcap.attention";
  let dependentDialects = ["::mlir::softcap::SoftcapDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def SoftcapNormalizeShapesPass : InterfacePass<"softcap-normalize-shapes", "::mlir::FunctionOpInterface"> {
  let summary = "Turn dynamic reshapes and broadcasts of exporters into structured tensor ops";
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def SoftcapTileAttentionPass : InterfacePass<"softcap-tile-attention", "::mlir::FunctionOpInterface"> {
  let summary = "Tile softcap.attention into a parallel loop and a loop over blocks of keys";
  let dependentDialects = ["::mlir::softcap::SoftcapDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SoftcapUseAlgebraPass : InterfacePass<"softcap-use-algebra", "::mlir::FunctionOpInterface"> {
  let summary = "Opt-in rewrites by homogeneity and monotonicity of the cap";
  let dependentDialects = ["::mlir::softcap::SoftcapDialect", "::mlir::arith::ArithDialect"];
}

#endif // SOFTCAP_TRANSFORMS_PASSES_TD
