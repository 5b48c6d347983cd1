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
  let options = [
    Option<"keepOnlineAttention", "keep-online-attention", "bool", "false",
           "Leave softcap.online_attention to convert-softcap-to-vector">];
  let statistics = [Statistic<"numDecomposed", "num-decomposed", "Ops decomposed">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::bufferization::BufferizationDialect"];
}

def ConvertSoftcapToMathPass : Pass<"convert-softcap-to-math"> {
  let summary = "Expand scalar and vector caps into arith and math in the accuracy asked for";
  let description = [{
    Storage types of 16 bits are extended, and the result is rounded once. A
    run-time cap means its magnitude; 0, infinity and NaN give NaN.

    * `precise`: at most 2 ulp of f32 (of f64 for f64), odd, never above the cap;
      monotone in f16, bf16 and f32, which is computed in f64. (In f64 itself
      neighbouring inputs may come out of order by one ulp.)
    * `fast` (and `approx`, which means hardware that a CPU does not have):
      absolute error at most 1.5e-5 for a constant cap up to 64. Above, and for a
      run-time cap, `precise` is used, with an analysis remark. f64 is always
      computed precisely.
    * `softcap.cap_grad`: relative error at most 1e-6, and not zero before
      x / c = 43 in f32.

    No function of libm is called, unless `use-libm` asks for the reference.
  }];
  let options = [
    Option<"useLibm", "use-libm", "bool", "false",
           "Expand to math.tanh and math.cosh, whatever the accuracy">,
    Option<"expandExp", "expand-exp", "bool", "false",
           "Expand math.exp, math.exp2 and math.log too">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertSoftcapToVectorPass : Pass<"convert-softcap-to-vector"> {
  let summary = "Lower softcap.online_attention on memrefs to vector loops";
  let description = [{
    Vector lanes are queries: a block of queries is transposed into scratch once,
    and keys and values are read in place, broadcast one element at a time, so
    that neither needs packing, no sum crosses lanes and no size needs a tail
    loop of vectors. Scores exist for one block of `key-block` keys at a time.
    Blocks without a visible key are skipped. Products are accumulated in
    register tiles; scalar caps stay as `softcap.cap` on vectors, and weights as
    `math.exp`, for convert-softcap-to-math.

    A value that is not finite must not leak through a masked key's weight of
    zero: each block of values is checked, and one with such a value takes a
    path that skips masked keys.
  }];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "16",
           "Bytes of a vector register: 16, 32 or 64">,
    Option<"keyBlock", "key-block", "int64_t", "96", "Keys whose scores exist at a time">];
  let statistics = [Statistic<"numLowered", "num-lowered", "Ops lowered">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // SOFTCAP_CONVERSION_PASSES_TD
