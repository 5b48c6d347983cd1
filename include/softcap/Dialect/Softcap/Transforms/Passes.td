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
  let description = [{
    Finds `c * tanh(x / c)` in linalg (named, generic, fused bodies), arith and math
    on scalars, vectors and tensors, and TOSA, and puts `softcap.cap` in its place: on
    tensors where nothing else shares the loop, as a scalar in the body otherwise.
    Division and multiplication by the reciprocal, folded scales
    (`a * tanh(b * x)` is a cap of a after a scale a b), sigmoids and quotients of
    exponentials, casts between the steps, and constants in any disguise (splats,
    resources, fills, broadcasts, one-element tensors, run-time scalars) are the same
    to it. Then contraction, scale, bias and cap become `softcap.scores` or
    `softcap.logits` where they are exactly that.

    What is raised is the same function in real arithmetic. 16-bit roundings between
    the steps of a cap are dropped, never added, unless `preserve-rounding`. Where a
    tanh looks like a cap but is none, or the pass is not sure, the code stays and a
    `missed` remark says why (`--remarks-filter=softcap-raise`). A GELU is not a cap.

    ```mlir
    func.func @caps(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %c50 = arith.constant dense<50.0> : tensor<4x8xf32>
      %d = arith.divf %x, %c50 : tensor<4x8xf32>
      %t = math.tanh %d : tensor<4x8xf32>
      // Becomes softcap.cap %x cap(50.0).
      %y = arith.mulf %t, %c50 : tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```
  }];
  let options = [
    Option<"caps", "caps", "bool", "true", "Raise caps">,
    Option<"surfaces", "surfaces", "bool", "true",
           "Raise capped contractions to softcap.scores and softcap.logits">,
    Option<"inlineHelpers", "inline-helpers", "bool", "true",
           "First inline small private functions that hold pieces of formulas">,
    Option<"preserveRounding", "preserve-rounding", "bool", "false",
           "Leave caps whose steps round to 16 bits as they are">
  ];
  let statistics = [
    Statistic<"numCaps", "caps", "Number of caps raised">,
    Statistic<"numScores", "scores", "Number of score surfaces raised">,
    Statistic<"numLogits", "logits", "Number of logit surfaces raised">
  ];
  let dependentDialects = ["::mlir::softcap::SoftcapDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect"];
}

def SoftcapFuseAttentionPass : Pass<"softcap-fuse-attention", "::mlir::ModuleOp"> {
  let summary = "Fuse scores, mask, softmax and value contraction into softcap.attention";
  let description = [{
    Starts from each contraction and reads backwards what one of its elements
    is: a softmax (named or decomposed, base e or 2, divided before or after the
    contraction), masks, biases, factors, a `softcap.cap` (or none: plain
    attention is fused too) and the contraction of queries with keys. Reshapes,
    transposes, broadcasts and the repetition of key/value heads for grouped
    queries do not matter; the fused op reads the operands behind them.

    Comparisons of positions become `causal`, windows and `lengths`; other
    conditions stay as `mask`, biases that are tensors as `post_bias`. A mask
    with a finite sentinel becomes a mask proper where every row provably keeps
    a key, `masked_rows mean` where that is what the program computes, and stays
    a bias otherwise. Masks before the cap are not fused, nor are scores that
    are used elsewhere. Remarks of category `softcap-fuse-attention` say what
    was fused and why something was not.

    ```mlir
    func.func @plain(%q: tensor<4x8x16xf32>, %k: tensor<4x16x8xf32>,
                     %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
      %zero = arith.constant 0.0 : f32
      %e0 = tensor.empty() : tensor<4x8x8xf32>
      %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
      %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x8xf32>)
             outs(%s0 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
      %c = softcap.cap %s cap(50.0) : tensor<4x8x8xf32>
      %p = linalg.softmax dimension(2) ins(%c : tensor<4x8x8xf32>)
             outs(%e0 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
      %e1 = tensor.empty() : tensor<4x8x16xf32>
      %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
      // Becomes softcap.attention with cap(50.0).
      %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32>)
             outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
      return %o : tensor<4x8x16xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numFused", "num-fused", "Number of attentions that were fused">,
    Statistic<"numMissed", "num-missed", "Number of softmax-weighted sums that were not fused">
  ];
  let dependentDialects = ["::mlir::softcap::SoftcapDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::arith::ArithDialect"];
}

def SoftcapNormalizeShapesPass : InterfacePass<"softcap-normalize-shapes", "::mlir::FunctionOpInterface"> {
  let summary = "Turn dynamic reshapes and broadcasts of exporters into structured tensor ops";
  let description = [{
    Exporters of dynamic graphs compute shapes with i64 arithmetic, check them
    with `cf.assert`, reshape with `tensor.reshape`, and broadcast with generics
    that have no inputs but `tensor.extract` from a captured tensor, each index
    guarded by "0 if that size is 1". This pass proves what it can about the
    sizes, as products of constants and dimensions, and rewrites:

    * comparisons of sizes that are always true or false, with the asserts and
      selects that hang on them; an assert that is not proved stays;
    * `tensor.reshape` into `tensor.collapse_shape` and `tensor.expand_shape`;
    * extracting generics into generics with indexing maps, or into nothing when
      they copy their input. Where a size may or may not be broadcast, the
      extraction stays, reduced to the dimensions that it reads, in the branch
      of an `scf.if` for sizes that differ.

    Nothing is rewritten on a guess. One thing is taken for granted: products of
    sizes of existing tensors do not overflow 64 bits.

    ```mlir
    func.func @heads(%x: tensor<?x8x64xf32>) -> tensor<?x64xf32> {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : i64
      %c64 = arith.constant 64 : i64
      %dim = tensor.dim %x, %c0 : tensor<?x8x64xf32>
      %batch = arith.index_cast %dim : index to i64
      %rows = arith.muli %batch, %c8 : i64
      %shape = tensor.from_elements %rows, %c64 : tensor<2xi64>
      // Becomes tensor.collapse_shape %x [[0, 1], [2]].
      %y = tensor.reshape %x(%shape) : (tensor<?x8x64xf32>, tensor<2xi64>) -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect"];
}

def SoftcapTileAttentionPass : InterfacePass<"softcap-tile-attention", "::mlir::FunctionOpInterface"> {
  let summary = "Tile softcap.attention into a parallel loop and a loop over blocks of keys";
  let description = [{
    Each `softcap.attention` on tensors becomes an `scf.forall` over batch, query
    head and block of `query-tile` queries. In its body stands the online form:
    a running state (accumulator, maximum, sum), an `scf.for` over blocks of
    `key-tile` keys around `softcap.online_attention`, and one `softcap.merge`
    that normalizes, adds the sink and takes the LSE. Everything is sliced through
    TilingInterface, so tails need no care: their tiles are smaller. With at most
    `key-tile` keys there is no inner loop; `key-tile=0` never makes one.

    The forall carries `softcap.attention_extents = [M, N]`, by which
    `softcap-verify-lowering` knows it again; a dynamic size is -1.

    ```mlir
    func.func @tiled(%q: tensor<1x8x64x256xf32>, %k: tensor<1x4x512x256xf32>,
                     %v: tensor<1x4x512x256xf32>, %init: tensor<1x8x64x256xf32>)
        -> tensor<1x8x64x256xf32> {
      %o = softcap.attention
             ins(%q, %k, %v : tensor<1x8x64x256xf32>, tensor<1x4x512x256xf32>, tensor<1x4x512x256xf32>)
             cap(50.0) pre_scale(0.0625) causal
             outs(%init : tensor<1x8x64x256xf32>)
      return %o : tensor<1x8x64x256xf32>
    }
    ```
  }];
  let options = [
    Option<"queryTile", "query-tile", "int64_t", "64", "Queries in a block">,
    Option<"keyTile", "key-tile", "int64_t", "4096", "Keys in a block; 0 for all">];
  let statistics = [
    Statistic<"numTiled", "num-tiled", "Attention ops tiled">];
  let dependentDialects = ["::mlir::softcap::SoftcapDialect", "::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def SoftcapUseAlgebraPass : InterfacePass<"softcap-use-algebra", "::mlir::FunctionOpInterface"> {
  let summary = "Opt-in rewrites by homogeneity and monotonicity of the cap";
  let description = [{
    Equal in real arithmetic, but these change c or move roundings, so no
    canonicalization does them.

    Homogeneity, `k * cap(x; c) = cap(k * x; |k| * c)`, for constant factors and
    divisors of elementwise caps, of `softcap.scores` and `softcap.logits`, and
    between `pre_scale` and `post_scale` of `softcap.attention`:
    `direction=inward` moves factors from the result to the argument,
    `direction=outward` the other way, `direction=none` leaves them. On 16-bit
    types only powers of two move, for they add no rounding.

    Monotonicity, `max(cap(x), cap(y)) = cap(max(x, y))`, likewise for minima and
    for reductions over at least one element: one cap remains where there were
    many. Reductions are linalg.reduce, linalg.generic (with the cap before it or
    in its body), vector.multi_reduction and vector.reduction.

    ```mlir
    func.func @temperature(%x: tensor<8xf32>) -> tensor<8xf32> {
      %k = arith.constant dense<0.5> : tensor<8xf32>
      %0 = softcap.cap %x cap(30.0) : tensor<8xf32>
      // Becomes softcap.cap of 0.5 * %x with cap(15.0).
      %1 = arith.mulf %0, %k : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"direction", "direction", "std::string", "\"inward\"",
           "Where constant factors go: inward, outward or none">,
    Option<"commuteMax", "commute-max", "bool", "true",
           "Take maxima and minima before the cap">];
  let statistics = [
    Statistic<"factorsMoved", "factors-moved", "Constant factors moved across a cap">,
    Statistic<"maximaCommuted", "maxima-commuted", "Maxima and minima taken before the cap">];
  let dependentDialects = ["::mlir::softcap::SoftcapDialect", "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect", "::mlir::vector::VectorDialect"];
}

def SoftcapCheckPlacementPass : Pass<"softcap-check-placement", "::mlir::ModuleOp"> {
  let summary = "Report soft caps that stand in an illegal place";
  let description = [{
    Finds every surface of attention scores and vocabulary logits, in softcap
    ops as well as in raw linalg, TOSA, arith, vector or memref IR and in the
    generic form of StableHLO, torch and ONNX, and applies the placement rules.
    Each finding is a diagnostic on the culprit that begins with the rule, as in
    `error: SC001 mask-before-cap: ...`, with notes on the cap and the consumer.
    Errors make the pass fail; warnings and notes do not. An op on the way that
    is not understood gives the warning `inconclusive`, an error with `strict`.
  }];
  let options = [
    Option<"expect", "expect", "std::string", /*default=*/"\"\"",
           "What the model has: scores=50,logits=30,scores-scale=0.0625,"
           "logits-scale=1.0,temperature=none, or none. Without it only what the "
           "module says about itself is checked">,
    Option<"strict", "strict", "bool", /*default=*/"false",
           "Fail where the verdict is inconclusive">,
    Option<"report", "report", "bool", /*default=*/"false",
           "Print the verdict, the surfaces and the findings to the standard "
           "output, one a line">,
  ];
  let statistics = [
    Statistic<"numSurfaces", "surfaces", "Surfaces found">,
    Statistic<"numFindings", "findings", "Findings reported">,
  ];
}

def SoftcapPromoteFloatsPass : Pass<"softcap-promote-floats", "::mlir::ModuleOp"> {
  let summary = "Make every float of a module an f64";
  let description = [{
    The same program in more precision, as a reference: types in signatures,
    values, constants (`dense_resource` too) and attributes of f16, bf16, f32 and
    narrower become f64, and conversions between them disappear. Constants keep
    their value. Fails where the bits of a float are used, and for external
    functions with floats.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SoftcapProtectArgumentsPass : Pass<"softcap-protect-arguments", "::mlir::ModuleOp"> {
  let summary = "Mark the tensor arguments of public functions as not writable";
  let description = [{
    One-shot bufferization would otherwise compute a result in the buffer of an
    input. Sets `bufferization.writable = false`.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def SoftcapDecomposeSoftmaxPass : Pass<"softcap-decompose-softmax"> {
  let summary = "Replace linalg.softmax by maximum, exponential, sum and quotient";
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def SoftcapExpandCopiesPass : Pass<"softcap-expand-copies"> {
  let summary = "Turn strided memref.copy into linalg.copy";
  let description = [{
    The lowering of `memref.copy` to LLVM calls the runtime function `memrefCopy`
    where a buffer is not contiguous; loops need no runtime. Contiguous copies
    stay, and become `memcpy`.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def SoftcapFuseElementwisePass : InterfacePass<"softcap-fuse-elementwise", "::mlir::FunctionOpInterface"> {
  let summary = "Fuse elementwise producers into their only elementwise consumer";
  let description = [{
    Like linalg-fuse-elementwise-ops, but never into a reduction: a contraction
    would compute its producer again for every output.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::affine::AffineDialect"];
}

def SoftcapLinalgToLoopsPass : InterfacePass<"softcap-linalg-to-loops", "::mlir::FunctionOpInterface"> {
  let summary = "Lower linalg on memrefs to loops that LLVM vectorizes, the outermost in parallel";
  let description = [{
    A contraction whose output and some operand are contiguous in one loop gets
    that loop innermost, after the reductions. Where only the reduction is
    contiguous (a transposed weight), its float sum may be reassociated. The
    outermost loop that is not trivial becomes `scf.parallel` with `parallel`, if
    the op is not in a parallel loop already and has enough work.
  }];
  let options = [
    Option<"parallel", "parallel", "bool", "true", "Make scf.parallel loops">,
    Option<"minWork", "min-work", "int64_t", "32768",
           "Fewest executions of the body worth a parallel loop">];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::affine::AffineDialect"];
}

def SoftcapVerifyLoweringPass : Pass<"softcap-verify-lowering", "::mlir::ModuleOp"> {
  let summary = "Check what a lowering promises: no big buffer, no libm, no unrealized cast";
  let description = [{
    * `buffers`: no `memref.alloc` or `memref.alloca` has both the query and the
      key count of an attention, as its tiled loop's `softcap.attention_extents`
      tells (dynamic counts are not compared).
    * `loops`: no op of the math dialect that becomes a call to libm, and no
      call to an external function, is left in such a loop.
    * `casts`: no `builtin.unrealized_conversion_cast` is left anywhere.
  }];
  let options = [
    Option<"buffers", "buffers", "bool", "false", "Check the size of allocations">,
    Option<"loops", "loops", "bool", "false", "Check the attention loops">,
    Option<"casts", "casts", "bool", "false", "Check for unrealized casts">];
}

def SoftcapDynamicSchedulePass : Pass<"softcap-dynamic-schedule", "::mlir::ModuleOp"> {
  let summary = "Give OpenMP loops without a schedule a dynamic one";
  let description = [{
    Blocks of a causal attention are uneven: with a static schedule one thread
    gets all of the long ones.
  }];
  let dependentDialects = ["::mlir::omp::OpenMPDialect"];
}

#endif // SOFTCAP_TRANSFORMS_PASSES_TD
