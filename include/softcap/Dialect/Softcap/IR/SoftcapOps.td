//===- SoftcapOps.td - Softcap dialect ops -----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes: B batch, Hq query heads, Hkv key/value heads, M queries, N keys,
// D head size, Dv value head size, T tokens, V vocabulary.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_OPS_TD
#define SOFTCAP_OPS_TD

include "softcap/Dialect/Softcap/IR/SoftcapBase.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Softcap_Op<string mnemonic, list<Trait> traits = []>
    : Op<Softcap_Dialect, mnemonic, traits>;

// Destination-passing ops work on tensors (results) and on memrefs (none).
class Softcap_DpsOp<string mnemonic, list<Trait> traits = []>
    : Softcap_Op<mnemonic, !listconcat([
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        DeclareOpInterfaceMethods<InferTypeOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>], traits)> {
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  // The destinations stand last among the operands.
  code dpsDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();
  }];
  let extraClassDeclaration = dpsDeclaration;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

def Softcap_CapOp : Softcap_Op<"cap", [
    Pure, Elementwise, Scalarizable, Vectorizable, Tensorizable,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "elementwise soft cap, c * tanh(x / c)";
  let description = [{
    `c` is a positive finite attribute or an SSA scalar. Whatever the storage
    type, the argument, tanh and product are computed in f32 or better and
    rounded once. `accuracy` says how exactly.

    A run-time cap means what the formula says: a negative one equals its
    magnitude; zero, infinity and NaN give NaN.

    Constraints:
    * (C1) There is either a constant `cap` or a run-time `cap_value`.
    * (C2) A constant cap is positive, finite and normal in the type of the
      arithmetic: f32, or f64 for f64 storage.
    * (C3) A run-time cap is not wider than that type.

    ```mlir
    func.func @caps(%x: tensor<4x8xf32>, %c: f32) -> tensor<4x8xf32> {
      %y = softcap.cap %x cap(50.0) : tensor<4x8xf32>
      %z = softcap.cap %y cap(%c : f32) accuracy fast : tensor<4x8xf32>
      return %z : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Softcap_FloatLike:$input, OptionalAttr<F64Attr>:$cap,
                       Optional<Softcap_Float>:$cap_value,
                       DefaultValuedAttr<Softcap_AccuracyAttr, "Accuracy::precise">:$accuracy);
  let results = (outs Softcap_FloatLike:$result);
  let assemblyFormat = [{
    $input custom<Cap>($cap, $cap_value, type($cap_value))
    (`accuracy` $accuracy^)? attr-dict `:` type($input)
  }];
  let builders = [OpBuilder<(ins "Value":$input, "double":$cap)>];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Softcap_CapGradOp : Softcap_Op<"cap_grad", [
    Pure, Elementwise, Scalarizable, Vectorizable, Tensorizable,
    AllTypesMatch<["grad", "input", "result"]>]> {
  let summary = "gradient of the cap, dy * sech^2(x / c), from the input x";
  let description = [{
    The factor is computed from the *input*: from the output it would be exactly
    zero beyond a horizon of a few c (the dead zone).

    Constraints: (C1) to (C3) of `softcap.cap`.

    ```mlir
    func.func @gradient(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %dx = softcap.cap_grad %dy, %x cap(50.0) : tensor<4x8xf32>
      return %dx : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins Softcap_FloatLike:$grad, Softcap_FloatLike:$input,
                       OptionalAttr<F64Attr>:$cap, Optional<Softcap_Float>:$cap_value,
                       DefaultValuedAttr<Softcap_AccuracyAttr, "Accuracy::precise">:$accuracy);
  let results = (outs Softcap_FloatLike:$result);
  let assemblyFormat = [{
    $grad `,` $input custom<Cap>($cap, $cap_value, type($cap_value))
    (`accuracy` $accuracy^)? attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

def Softcap_ScoresOp : Softcap_DpsOp<"scores"> {
  let summary = "capped attention scores, cap(scale * Q K^T + pre_bias)";
  let description = [{
    `query` is B x Hq x M x D, `key` B x Hkv x N x D with Hq a multiple of Hkv;
    query head h reads key head h / (Hq / Hkv). `pre_bias` broadcasts to
    B x Hq x M x N over size-1 dimensions. The result is B x Hq x M x N.

    Constraints, on static sizes, here and below:
    * (C1) to (C3) as in `softcap.cap`.
    * (C4) The shaped operands are all tensors or all memrefs.
    * (C5) `query` and `key` have the same element type; that of `output` is the
      same or the type of the arithmetic.
    * (C6) `query`, `key` and `output` have rank 4 and agree in B, Hq, M, N, D.
    * (C7) Hq is a multiple of Hkv.
    * (C8) `pre_bias` has rank 4 and broadcasts to B x Hq x M x N.
    * (C9) `scale` is finite and not zero.

    ```mlir
    func.func @scores(%q: tensor<1x8x64x256xf32>, %k: tensor<1x4x64x256xf32>,
                      %init: tensor<1x8x64x64xf32>) -> tensor<1x8x64x64xf32> {
      %s = softcap.scores ins(%q, %k : tensor<1x8x64x256xf32>, tensor<1x4x64x256xf32>)
             cap(50.0) scale(0.0625) outs(%init : tensor<1x8x64x64xf32>)
      return %s : tensor<1x8x64x64xf32>
    }
    ```
  }];
  let arguments = (ins Softcap_Tensor:$query, Softcap_Tensor:$key,
      Optional<Softcap_Tensor>:$pre_bias, Optional<Softcap_Float>:$cap_value,
      Softcap_Tensor:$output,
      OptionalAttr<F64Attr>:$cap, DefaultValuedAttr<F64Attr, "1.0">:$scale,
      DefaultValuedAttr<Softcap_AccuracyAttr, "Accuracy::precise">:$accuracy);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `:` type($query) `,` type($key) `)`
    custom<Cap>($cap, $cap_value, type($cap_value))
    oilist(`scale` `(` custom<Number>($scale) `)`
         | `pre_bias` `(` $pre_bias `:` type($pre_bias) `)`
         | `accuracy` $accuracy)
    `outs` `(` $output `:` type($output) `)` attr-dict
  }];
}

def Softcap_LogitsOp : Softcap_DpsOp<"logits"> {
  let summary = "capped vocabulary logits, cap(scale * H W^T + bias)";
  let description = [{
    `hidden` is ... x D (any leading dimensions), `weight` V x D, `bias` V. The
    result is ... x V. The optional second destination receives the natural
    log-sum-exp over V of the capped logits, in f32 (f64 for f64).

    Constraints:
    * (C1) to (C3) as in `softcap.cap`.
    * (C4) The shaped operands are all tensors or all memrefs.
    * (C5) `hidden` and `weight` have the same element type; that of `output` is
      the same or the type of the arithmetic.
    * (C6) `hidden` and `output` have equal ranks, from 1 to 9, and equal leading
      dimensions; `weight` has rank 2; V and D agree.
    * (C7) `bias` has rank 1 and V elements.
    * (C8) `scale` is finite and not zero.
    * (C9) `lse` has the leading dimensions of `hidden` and the type of the
      arithmetic.

    ```mlir
    func.func @logits(%h: tensor<16x256xf32>, %w: tensor<1024x256xf32>,
                      %init: tensor<16x1024xf32>, %lse: tensor<16xf32>) -> tensor<16xf32> {
      %l:2 = softcap.logits ins(%h, %w : tensor<16x256xf32>, tensor<1024x256xf32>)
               cap(30.0) outs(%init : tensor<16x1024xf32>) lse(%lse : tensor<16xf32>)
      return %l#1 : tensor<16xf32>
    }
    ```
  }];
  let arguments = (ins Softcap_Tensor:$hidden, Softcap_Tensor:$weight,
      Optional<Softcap_Tensor>:$bias, Optional<Softcap_Float>:$cap_value,
      Softcap_Tensor:$output, Optional<Softcap_Accumulator>:$lse,
      OptionalAttr<F64Attr>:$cap, DefaultValuedAttr<F64Attr, "1.0">:$scale,
      DefaultValuedAttr<Softcap_AccuracyAttr, "Accuracy::precise">:$accuracy);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $hidden `,` $weight `:` type($hidden) `,` type($weight) `)`
    custom<Cap>($cap, $cap_value, type($cap_value))
    oilist(`scale` `(` custom<Number>($scale) `)`
         | `bias` `(` $bias `:` type($bias) `)`
         | `accuracy` $accuracy)
    `outs` `(` $output `:` type($output) `)` (`lse` `(` $lse^ `:` type($lse) `)`)? attr-dict
  }];
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

// The operands and attributes that describe the score map and the mask, shared
// by the fused op and its online form.
defvar attentionDescription = [{
    `query` is B x Hq x M x D, `key` B x Hkv x N x D, `value` B x Hkv x N x Dv;
    query head h reads key/value head h / (Hq / Hkv). With x = Q K^T:

        s = post_scale * cap(pre_scale * x + pre_bias) + post_bias

    then the mask, then the softmax over keys, then the product with V. Without
    `cap` this is plain attention (a constant 0 is an error).

    Query i stands at p = i + offset (attribute, SSA index, default 0). Key j is
    visible iff j <= p (`causal`), p - j <= `window_left` and
    j - p <= `window_right` (both inclusive; a Hugging Face sliding window W is
    left = W - 1), `mask` is true, j < `lengths`[b], and
    `query_segments`[b, i] == `key_segments`[b, j]. Mask and biases are rank 4 and
    broadcast to B x Hq x M x N over static size-1 dimensions. A sink is one natural
    logit per query head, added to the softmax's denominator after all maps,
    neither capped nor scaled. A masked key contributes nothing, even if its K or
    V is NaN. A row without a visible key is zero with LSE = -inf, or with
    `masked_rows mean` the mean of V over all N keys.

    Constraints, on static sizes:
    * (C1) There is at most one of `cap` and `cap_value`.
    * (C2), (C3) as in `softcap.cap`.
    * (C4) The shaped operands are all tensors or all memrefs.
    * (C5) `query`, `key` and `value` have the same element type.
    * (C6) `query`, `key` and `value` have rank 4 and agree in B, N, D and Hkv.
    * (C7) Hq is a multiple of Hkv.
    * (C8) `pre_scale` and `post_scale` are finite and not zero.
    * (C9) `pre_bias`, `post_bias` and `mask` have rank 4 and broadcast to
      B x Hq x M x N.
    * (C10) `lengths` has rank 1 and B elements.
    * (C11) Segments are given for both sides or none, B x M and B x N, of one
      type.
    * (C12) The offset is either an attribute or a run-time value.
    * (C13) An offset needs `causal` or a window.
    * (C14) The window is not empty: `window_left` + `window_right` is not
      negative; `causal` stands for a `window_right` of 0.
}];
class Softcap_AttentionLike<string mnemonic> : Softcap_DpsOp<mnemonic> {
  let hasCustomAssemblyFormat = 1;
  dag attentionOperands = (ins Softcap_Tensor:$query, Softcap_Tensor:$key, Softcap_Tensor:$value,
      Optional<Softcap_Float>:$cap_value,
      Optional<Softcap_Tensor>:$pre_bias, Optional<Softcap_Tensor>:$post_bias,
      Optional<Softcap_Mask>:$mask, Optional<Softcap_Ids>:$lengths,
      Optional<Softcap_Ids>:$query_segments, Optional<Softcap_Ids>:$key_segments,
      Optional<Index>:$offset_value);
  dag attentionAttributes = (ins OptionalAttr<F64Attr>:$cap,
      DefaultValuedAttr<F64Attr, "1.0">:$pre_scale, DefaultValuedAttr<F64Attr, "1.0">:$post_scale,
      UnitAttr:$causal, OptionalAttr<I64Attr>:$window_left, OptionalAttr<I64Attr>:$window_right,
      OptionalAttr<I64Attr>:$offset,
      DefaultValuedAttr<Softcap_MaskedRowsAttr, "MaskedRows::zero">:$masked_rows,
      DefaultValuedAttr<Softcap_AccuracyAttr, "Accuracy::fast">:$accuracy);
}

def Softcap_AttentionOp : Softcap_AttentionLike<"attention"> {
  let summary = "fused capped attention";
  let description = attentionDescription # [{
    The first result is O, B x Hq x M x Dv. The optional second is the natural LSE
    (sink included), B x Hq x M, in f32 (f64 for f64).

    * (C15) `output` is B x Hq x M x Dv, in the element type of the inputs or the
      type of the arithmetic.
    * (C16) `sinks` has rank 1 and Hq elements.
    * (C17) `lse` is B x Hq x M, in the type of the arithmetic.

    ```mlir
    func.func @attention(%q: tensor<1x8x64x256xf32>, %k: tensor<1x4x64x256xf32>,
                         %v: tensor<1x4x64x256xf32>, %init: tensor<1x8x64x256xf32>)
        -> tensor<1x8x64x256xf32> {
      %o = softcap.attention
             ins(%q, %k, %v : tensor<1x8x64x256xf32>, tensor<1x4x64x256xf32>, tensor<1x4x64x256xf32>)
             cap(50.0) pre_scale(0.0625) causal window_left(31)
             outs(%init : tensor<1x8x64x256xf32>)
      return %o : tensor<1x8x64x256xf32>
    }
    ```
  }];
  let arguments = !con(attentionOperands,
      (ins Optional<Softcap_Tensor>:$sinks, Softcap_Tensor:$output, Optional<Softcap_Accumulator>:$lse),
      attentionAttributes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
}

def Softcap_OnlineAttentionOp : Softcap_AttentionLike<"online_attention"> {
  let summary = "one step of capped attention over a block of keys";
  let description = [{
    Adds the keys at hand to a running softmax: with s the masked scores of
    `softcap.attention` over this block,

        m' = max(m, max_j s);  a = exp(m - m')
        acc' = a * acc + exp(s - m') V;  l' = a * l + sum_j exp(s - m')

    The destinations are `accumulator` (B x Hq x M x Dv), `max` and `sum` (B x Hq x M),
    in f32 (f64 for f64), started from 0, -inf (see `masked_rows`) and 0. `offset` is
    relative to the first key of the block; `lengths` likewise. With `masked_rows mean`
    a masked score is the finite -finfo.max of the compute type instead of -inf, so
    that a row without any visible key ends as the mean of V; `max` starts at that
    same value. Sinks are added when the steps are merged (`softcap.merge`).

    * (C15) The destinations have the type of the arithmetic: f32, or f64 for f64.
    * (C16) Their shapes are B x Hq x M x Dv, B x Hq x M and B x Hq x M.

    ```mlir
    func.func @step(%q: tensor<1x1x8x64xf32>, %k: tensor<1x1x32x64xf32>,
                    %v: tensor<1x1x32x64xf32>, %acc0: tensor<1x1x8x64xf32>,
                    %m0: tensor<1x1x8xf32>, %l0: tensor<1x1x8xf32>)
        -> (tensor<1x1x8x64xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>) {
      %acc, %m, %l = softcap.online_attention
             ins(%q, %k, %v : tensor<1x1x8x64xf32>, tensor<1x1x32x64xf32>, tensor<1x1x32x64xf32>)
             cap(50.0) pre_scale(0.125) causal
             outs(%acc0, %m0, %l0 : tensor<1x1x8x64xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>)
      return %acc, %m, %l : tensor<1x1x8x64xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>
    }
    ```
  }];
  let arguments = !con(attentionOperands,
      (ins Softcap_Accumulator:$accumulator, Softcap_Accumulator:$max, Softcap_Accumulator:$sum),
      attentionAttributes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
}

def Softcap_MergeOp : Softcap_DpsOp<"merge"> {
  let summary = "combines partial results of split or sharded attention";
  let description = [{
    `accumulators` P x B x Hq x M x Dv, `sums` and `maxima` P x B x Hq x M are P
    partial states of `softcap.online_attention` over disjoint sets of keys. With
    m = max_p m_p and w_p = exp(m_p - m), or w_p = 1 and m = `shift` when the bound
    is static and there are no `maxima` (a plain sum):

        l = sum_p w_p l_p + exp(sink - m);  O = (sum_p w_p acc_p) / l;  LSE = m + ln l

    A row with l = 0 is zero, with LSE = -inf. `sinks` (Hq) are natural logits.

    Constraints:
    * (C1) The shaped operands are all tensors or all memrefs.
    * (C2) `accumulators`, `sums`, `maxima` and `lse` have the same element type.
    * (C3) Shapes agree in P, B, Hq, M and Dv.
    * (C4) `sinks` has rank 1 and Hq elements.
    * (C5) `shift` is finite, and 0 where there are `maxima`.

    ```mlir
    func.func @merge(%acc: tensor<2x1x8x64x256xf32>, %l: tensor<2x1x8x64xf32>,
                     %m: tensor<2x1x8x64xf32>, %init: tensor<1x8x64x256xf32>)
        -> tensor<1x8x64x256xf32> {
      %o = softcap.merge ins(%acc, %l : tensor<2x1x8x64x256xf32>, tensor<2x1x8x64xf32>)
             maxima(%m : tensor<2x1x8x64xf32>) outs(%init : tensor<1x8x64x256xf32>)
      return %o : tensor<1x8x64x256xf32>
    }
    ```
  }];
  let arguments = (ins Softcap_Accumulator:$accumulators, Softcap_Accumulator:$sums,
      Optional<Softcap_Accumulator>:$maxima, Optional<Softcap_Tensor>:$sinks,
      Softcap_Tensor:$output, Optional<Softcap_Accumulator>:$lse,
      DefaultValuedAttr<F64Attr, "0.0">:$shift);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $accumulators `,` $sums `:` type($accumulators) `,` type($sums) `)`
    oilist(`maxima` `(` $maxima `:` type($maxima) `)`
         | `shift` `(` custom<Number>($shift) `)`
         | `sinks` `(` $sinks `:` type($sinks) `)`)
    `outs` `(` $output `:` type($output) `)` (`lse` `(` $lse^ `:` type($lse) `)`)? attr-dict
  }];
}

#endif // SOFTCAP_OPS_TD
