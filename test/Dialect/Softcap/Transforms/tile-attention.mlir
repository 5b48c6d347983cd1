// RUN: %softcap-opt %s --pass-pipeline='builtin.module(func.func(softcap-tile-attention{query-tile=32 key-tile=128},canonicalize,cse))' | FileCheck %s
// RUN: %softcap-opt %s --pass-pipeline='builtin.module(func.func(softcap-tile-attention{key-tile=0},canonicalize,cse))' | FileCheck %s --check-prefix=WHOLE

// One parallel loop over batch, query head and query block; grouped heads read
// their own key head; the offset becomes that of the tile.

// CHECK-LABEL: func @causal
// CHECK: scf.forall (%[[H:.*]], %[[I:.*]]) = (0, 0) to (8, 64) step (1, 32)
// CHECK:   %[[KV:.*]] = affine.apply #{{.*}}()[%[[H]]]
// CHECK:   tensor.extract_slice %{{.*}}[0, %[[KV]], 0, 0] [1, 1, 512, 256]
// CHECK:   linalg.fill {{.*}} -> tensor<1x1x32x256xf32>
// CHECK:   scf.for %[[J:.*]] = %c0 to %c512 step %c128
// CHECK:     %[[OFFSET:.*]] = affine.apply #{{.*}}()[%[[I]], %[[J]]]
// CHECK:     softcap.online_attention
// CHECK-SAME: tensor<1x1x32x256xf32>, tensor<1x1x128x256xf32>
// CHECK-SAME: cap(50.0) pre_scale(0.0625) causal offset(%[[OFFSET]])
// CHECK:   softcap.merge
// CHECK:   tensor.parallel_insert_slice
// CHECK: softcap.attention_extents = [64, 512]

// WHOLE-LABEL: func @causal
// WHOLE: scf.forall
// WHOLE-NOT: scf.for %
// WHOLE: softcap.online_attention
// WHOLE-SAME: tensor<1x1x512x256xf32>
func.func @causal(%q: tensor<1x8x64x256xf32>, %k: tensor<1x4x512x256xf32>, %v: tensor<1x4x512x256xf32>, %init: tensor<1x8x64x256xf32>) -> tensor<1x8x64x256xf32> {
  %o = softcap.attention ins(%q, %k, %v : tensor<1x8x64x256xf32>, tensor<1x4x512x256xf32>, tensor<1x4x512x256xf32>)
    cap(50.0) pre_scale(0.0625) causal outs(%init : tensor<1x8x64x256xf32>)
  return %o : tensor<1x8x64x256xf32>
}

// Lengths count from the block's first key, a bias is sliced where it is not
// broadcast, sinks go to the merge, and dynamic sizes keep a bounded tile.

// CHECK-LABEL: func @operands
// CHECK-DAG: %[[LOWEST:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK: scf.forall (%[[B:.*]], %[[H:.*]], %[[I:.*]]) = (0, 0, 0) to (2, 2, %{{.*}}) step (1, 1, 32)
// CHECK:   %[[M:.*]] = affine.min
// CHECK:   linalg.fill ins(%[[LOWEST]] : f32)
// CHECK:   scf.for %[[J:.*]] = %c0 to %{{.*}} step %c128
// CHECK-DAG: tensor.extract_slice %{{.*}}[0, 0, 0, %[[J]]] [1, 1, %[[M]], %{{.*}}] [1, 1, 1, 1] : tensor<1x1x?x?xbf16>
// CHECK-DAG: arith.subi %{{.*}} : i32
// CHECK:     softcap.online_attention
// CHECK-SAME: post_bias(%{{.*}} : tensor<1x1x?x?xbf16>)
// CHECK-SAME: lengths(%{{.*}} : tensor<1xi32>)
// CHECK-SAME: masked_rows mean
// CHECK:   softcap.merge {{.*}} sinks(%{{.*}} : tensor<1xbf16>)
// CHECK: softcap.attention_extents = [-1, -1]
func.func @operands(%q: tensor<2x2x?x16xbf16>, %k: tensor<2x2x?x16xbf16>, %bias: tensor<1x1x?x?xbf16>, %lengths: tensor<2xi32>, %sinks: tensor<2xbf16>, %init: tensor<2x2x?x16xbf16>) -> tensor<2x2x?x16xbf16> {
  %o = softcap.attention ins(%q, %k, %k : tensor<2x2x?x16xbf16>, tensor<2x2x?x16xbf16>, tensor<2x2x?x16xbf16>)
    cap(50.0) post_bias(%bias : tensor<1x1x?x?xbf16>) lengths(%lengths : tensor<2xi32>) masked_rows mean
    sinks(%sinks : tensor<2xbf16>) outs(%init : tensor<2x2x?x16xbf16>)
  return %o : tensor<2x2x?x16xbf16>
}
