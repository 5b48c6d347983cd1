// Every score surface of the exported graphs is read off as it is meant: scale,
// cap, masks. Nothing of the size of the scores is computed outside of the op.

// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_attention_f32.mlir | FileCheck %s --check-prefix=GEMMA2-ATTENTION-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_attention_bf16.mlir | FileCheck %s --check-prefix=GEMMA2-ATTENTION-BF16
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_attention_causal_f32.mlir | FileCheck %s --check-prefix=GEMMA2-ATTENTION-CAUSAL-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_attention_sliding_f32.mlir | FileCheck %s --check-prefix=GEMMA2-ATTENTION-SLIDING-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_attention_f32.tosa.mlir | FileCheck %s --check-prefix=GEMMA2-ATTENTION-F32-TOSA
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_attention_dynamic_f32.mlir | FileCheck %s --check-prefix=GEMMA2-ATTENTION-DYNAMIC-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_attention_dynamic_causal_bf16.mlir | FileCheck %s --check-prefix=GEMMA2-ATTENTION-DYNAMIC-CAUSAL-BF16
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_decode_f32.mlir | FileCheck %s --check-prefix=GEMMA2-DECODE-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_layer_f32.mlir | FileCheck %s --check-prefix=GEMMA2-LAYER-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_2b_layer_bf16.mlir | FileCheck %s --check-prefix=GEMMA2-2B-LAYER-BF16
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_tiny_lm_f32.mlir | FileCheck %s --check-prefix=GEMMA2-TINY-LM-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma2_tiny_lm_bf16.mlir | FileCheck %s --check-prefix=GEMMA2-TINY-LM-BF16
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/gemma4_audio_attention_f32.mlir | FileCheck %s --check-prefix=GEMMA4-AUDIO-ATTENTION-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/grok1_attention_f32.mlir | FileCheck %s --check-prefix=GROK1-ATTENTION-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/grok1_attention_bf16.mlir | FileCheck %s --check-prefix=GROK1-ATTENTION-BF16
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/jax_attention_f32.mlir | FileCheck %s --check-prefix=JAX-ATTENTION-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/jax_attention_bf16.mlir | FileCheck %s --check-prefix=JAX-ATTENTION-BF16
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/jax_paged_attention_f32.mlir | FileCheck %s --check-prefix=JAX-PAGED-ATTENTION-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/jax_tiny_lm_f32.mlir | FileCheck %s --check-prefix=JAX-TINY-LM-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/jax_tiny_lm_bf16.mlir | FileCheck %s --check-prefix=JAX-TINY-LM-BF16
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/bad_one_layer_uncapped_f32.mlir | FileCheck %s --check-prefix=BAD-ONE-LAYER-UNCAPPED-F32
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-pipeline{check=false})' %S/../Inputs/graphs/bad_gemma2_sdpa_lm_f32.mlir | FileCheck %s --check-prefix=SDPA

// GEMMA2-ATTENTION-F32-NOT: linalg.softmax
// GEMMA2-ATTENTION-F32-NOT: math.exp
// GEMMA2-ATTENTION-F32: softcap.attention {{.*}}cap(50.0) pre_scale(0.0625) post_bias(%arg3
// GEMMA2-ATTENTION-F32-NOT: softcap.attention
// GEMMA2-ATTENTION-F32-NOT: softcap.scores

// GEMMA2-ATTENTION-BF16-NOT: linalg.softmax
// GEMMA2-ATTENTION-BF16-NOT: math.exp
// GEMMA2-ATTENTION-BF16: softcap.attention {{.*}}cap(50.0) pre_scale(0.0625) post_bias(%arg3
// GEMMA2-ATTENTION-BF16-NOT: softcap.attention
// GEMMA2-ATTENTION-BF16-NOT: softcap.scores

// GEMMA2-ATTENTION-CAUSAL-F32-NOT: linalg.softmax
// GEMMA2-ATTENTION-CAUSAL-F32-NOT: math.exp
// GEMMA2-ATTENTION-CAUSAL-F32: softcap.attention {{.*}}cap(50.0) pre_scale(0.0625) causal outs
// GEMMA2-ATTENTION-CAUSAL-F32-NOT: softcap.attention
// GEMMA2-ATTENTION-CAUSAL-F32-NOT: softcap.scores

// GEMMA2-ATTENTION-SLIDING-F32-NOT: linalg.softmax
// GEMMA2-ATTENTION-SLIDING-F32-NOT: math.exp
// GEMMA2-ATTENTION-SLIDING-F32: softcap.attention {{.*}}cap(50.0) pre_scale(0.0625) causal window_left(127) outs
// GEMMA2-ATTENTION-SLIDING-F32-NOT: softcap.attention
// GEMMA2-ATTENTION-SLIDING-F32-NOT: softcap.scores

// GEMMA2-ATTENTION-F32-TOSA-NOT: linalg.softmax
// GEMMA2-ATTENTION-F32-TOSA-NOT: math.exp
// GEMMA2-ATTENTION-F32-TOSA: softcap.attention {{.*}}cap(50.0) pre_scale(0.0625) post_bias(%arg3
// GEMMA2-ATTENTION-F32-TOSA-NOT: softcap.attention
// GEMMA2-ATTENTION-F32-TOSA-NOT: softcap.scores

// GEMMA2-ATTENTION-DYNAMIC-F32-NOT: linalg.softmax
// GEMMA2-ATTENTION-DYNAMIC-F32-NOT: math.exp
// GEMMA2-ATTENTION-DYNAMIC-F32: softcap.attention {{.*}}cap(50.0) pre_scale(0.0625) post_bias(%arg3
// GEMMA2-ATTENTION-DYNAMIC-F32-NOT: softcap.attention
// GEMMA2-ATTENTION-DYNAMIC-F32-NOT: softcap.scores

// GEMMA2-ATTENTION-DYNAMIC-CAUSAL-BF16-NOT: linalg.softmax
// GEMMA2-ATTENTION-DYNAMIC-CAUSAL-BF16-NOT: math.exp
// GEMMA2-ATTENTION-DYNAMIC-CAUSAL-BF16: softcap.attention {{.*}}cap(50.0) pre_scale(0.0625) causal outs
// GEMMA2-ATTENTION-DYNAMIC-CAUSAL-BF16-NOT: softcap.attention
// GEMMA2-ATTENTION-DYNAMIC-CAUSAL-BF16-NOT: softcap.scores

// GEMMA2-DECODE-F32-NOT: linalg.softmax
// GEMMA2-DECODE-F32-NOT: math.exp
// GEMMA2-DECODE-F32: softcap.attention {{.*}}cap(50.0) pre_scale(0.0625) lengths(
// GEMMA2-DECODE-F32-NOT: softcap.attention
// GEMMA2-DECODE-F32-NOT: softcap.scores

// GEMMA2-LAYER-F32-NOT: linalg.softmax
// GEMMA2-LAYER-F32-NOT: math.exp
// GEMMA2-LAYER-F32: softcap.attention {{.*}}cap(50.0) pre_scale(0.0883883461356163) post_bias(%arg3
// GEMMA2-LAYER-F32-NOT: softcap.attention
// GEMMA2-LAYER-F32-NOT: softcap.scores

// GEMMA2-2B-LAYER-BF16-NOT: linalg.softmax
// GEMMA2-2B-LAYER-BF16-NOT: math.exp
// GEMMA2-2B-LAYER-BF16: softcap.attention {{.*}}cap(50.0) pre_scale(0.0625) post_bias(%arg3
// GEMMA2-2B-LAYER-BF16-NOT: softcap.attention
// GEMMA2-2B-LAYER-BF16-NOT: softcap.scores

// GEMMA2-TINY-LM-F32-NOT: linalg.softmax
// GEMMA2-TINY-LM-F32-NOT: math.exp
// GEMMA2-TINY-LM-F32: softcap.attention {{.*}}cap(50.0) pre_scale(0.1767766922712326) causal window_left(15) mask(
// GEMMA2-TINY-LM-F32: softcap.attention {{.*}}cap(50.0) pre_scale(0.1767766922712326) causal mask(
// GEMMA2-TINY-LM-F32-NOT: softcap.attention
// GEMMA2-TINY-LM-F32-NOT: softcap.scores

// GEMMA2-TINY-LM-BF16-NOT: linalg.softmax
// GEMMA2-TINY-LM-BF16-NOT: math.exp
// GEMMA2-TINY-LM-BF16: softcap.attention {{.*}}cap(50.0) pre_scale(0.1767578125) causal window_left(15) mask(
// GEMMA2-TINY-LM-BF16: softcap.attention {{.*}}cap(50.0) pre_scale(0.1767578125) causal mask(
// GEMMA2-TINY-LM-BF16-NOT: softcap.attention
// GEMMA2-TINY-LM-BF16-NOT: softcap.scores

// GEMMA4-AUDIO-ATTENTION-F32-NOT: linalg.softmax
// GEMMA4-AUDIO-ATTENTION-F32: softcap.attention {{.*}}cap(50.0) pre_bias({{.*}}) mask(
// GEMMA4-AUDIO-ATTENTION-F32-NOT: softcap.attention
// GEMMA4-AUDIO-ATTENTION-F32-NOT: softcap.scores

// GROK1-ATTENTION-F32-NOT: linalg.softmax
// GROK1-ATTENTION-F32-NOT: math.exp
// GROK1-ATTENTION-F32: softcap.attention {{.*}}cap(30.0) pre_scale(0.0883883461356163) mask(%arg3
// GROK1-ATTENTION-F32-NOT: softcap.attention
// GROK1-ATTENTION-F32-NOT: softcap.scores

// GROK1-ATTENTION-BF16-NOT: linalg.softmax
// GROK1-ATTENTION-BF16-NOT: math.exp
// GROK1-ATTENTION-BF16: softcap.attention {{.*}}cap(30.0) pre_scale(0.0883883461356163) mask(%arg3
// GROK1-ATTENTION-BF16-NOT: softcap.attention
// GROK1-ATTENTION-BF16-NOT: softcap.scores

// JAX-ATTENTION-F32-NOT: linalg.softmax
// JAX-ATTENTION-F32-NOT: math.exp
// JAX-ATTENTION-F32: softcap.attention {{.*}}cap(50.0) causal outs
// JAX-ATTENTION-F32-NOT: softcap.attention
// JAX-ATTENTION-F32-NOT: softcap.scores

// JAX-ATTENTION-BF16-NOT: linalg.softmax
// JAX-ATTENTION-BF16-NOT: math.exp
// JAX-ATTENTION-BF16: softcap.attention {{.*}}cap(50.0) causal outs
// JAX-ATTENTION-BF16-NOT: softcap.attention
// JAX-ATTENTION-BF16-NOT: softcap.scores

// JAX-PAGED-ATTENTION-F32-NOT: linalg.softmax
// JAX-PAGED-ATTENTION-F32-NOT: math.exp
// JAX-PAGED-ATTENTION-F32: softcap.attention {{.*}}cap(30.0) lengths(%arg3 : tensor<3xi32>) masked_rows mean
// JAX-PAGED-ATTENTION-F32-NOT: softcap.attention
// JAX-PAGED-ATTENTION-F32-NOT: softcap.scores

// JAX-TINY-LM-F32-NOT: linalg.softmax
// JAX-TINY-LM-F32-NOT: math.exp
// JAX-TINY-LM-F32: softcap.attention {{.*}}cap(50.0) causal window_left(15) outs
// JAX-TINY-LM-F32: softcap.attention {{.*}}cap(50.0) causal outs
// JAX-TINY-LM-F32-NOT: softcap.attention
// JAX-TINY-LM-F32-NOT: softcap.scores

// JAX-TINY-LM-BF16-NOT: linalg.softmax
// JAX-TINY-LM-BF16-NOT: math.exp
// JAX-TINY-LM-BF16: softcap.attention {{.*}}cap(50.0) causal window_left(15) outs
// JAX-TINY-LM-BF16: softcap.attention {{.*}}cap(50.0) causal outs
// JAX-TINY-LM-BF16-NOT: softcap.attention
// JAX-TINY-LM-BF16-NOT: softcap.scores

// BAD-ONE-LAYER-UNCAPPED-F32-NOT: linalg.softmax
// BAD-ONE-LAYER-UNCAPPED-F32-NOT: math.exp
// BAD-ONE-LAYER-UNCAPPED-F32: softcap.attention {{.*}}cap(50.0) pre_scale(0.1767766922712326) causal window_left(15) mask(
// BAD-ONE-LAYER-UNCAPPED-F32: softcap.attention {{.*}}tensor<1x2x64x32xf32>) pre_scale(0.1767766922712326) causal mask(
// BAD-ONE-LAYER-UNCAPPED-F32-NOT: softcap.attention
// BAD-ONE-LAYER-UNCAPPED-F32-NOT: softcap.scores

// SDPA-NOT: linalg.softmax
// SDPA-NOT: math.exp
// SDPA-COUNT-2: softcap.attention {{.*}} post_bias(
// SDPA-NOT: softcap.attention
