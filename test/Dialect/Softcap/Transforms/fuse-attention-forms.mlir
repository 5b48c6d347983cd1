// The forms of softmax and of contractions that are read as attention.

// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-attention)' --split-input-file %s | FileCheck %s

#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>

// Base 2 with the change of base after the cap, no maximum, divided after the
// values.
// CHECK-LABEL: func.func @deferred_exp2(
// CHECK: %[[A:.*]] = softcap.attention {{.*}} cap(5.0) outs
// CHECK-NOT: linalg.batch_matmul
func.func @deferred_exp2(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %log2e = arith.constant 1.44269502 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %w = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %y = arith.mulf %c, %log2e : f32
    %z = math.exp2 %y : f32
    linalg.yield %z : f32
  } -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8xf32>
  %l0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %l = linalg.reduce ins(%w : tensor<4x8x12xf32>) outs(%l0 : tensor<4x8xf32>) dimensions = [2]
    (%x: f32, %acc: f32) {
      %y = arith.addf %x, %acc : f32
      linalg.yield %y : f32
    }
  %e2 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%w, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %r = linalg.generic {indexing_maps = [#map, #row, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%o, %l : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%e2 : tensor<4x8x16xf32>) {
  ^bb0(%x: f32, %sum: f32, %out: f32):
    %y = arith.divf %x, %sum : f32
    linalg.yield %y : f32
  } -> tensor<4x8x16xf32>
  return %r : tensor<4x8x16xf32>
}

// -----

// One head; the cap is a run-time value, the factors stand on both sides.
// CHECK-LABEL: func.func @rank_two(
// CHECK-SAME: %[[CAP:[a-z0-9]+]]: f32
// CHECK: softcap.attention {{.*}}tensor<1x1x8x16xf32>, tensor<1x1x12x16xf32>, tensor<1x1x12x16xf32>) cap(%[[CAP]] : f32) pre_scale(0.25) post_scale(2.0) outs
func.func @rank_two(%q: tensor<8x16xf32>, %k: tensor<16x12xf32>, %v: tensor<12x16xf32>, %cap: f32) -> tensor<8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %quarter = arith.constant dense<0.25> : tensor<8x12xf32>
  %two = arith.constant dense<2.0> : tensor<8x12xf32>
  %e0 = tensor.empty() : tensor<8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  %s = linalg.matmul ins(%q, %k : tensor<8x16xf32>, tensor<16x12xf32>) outs(%s0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  %a = arith.mulf %s, %quarter : tensor<8x12xf32>
  %c = softcap.cap %a cap(%cap : f32) : tensor<8x12xf32>
  %b = arith.mulf %c, %two : tensor<8x12xf32>
  %p = linalg.softmax dimension(1) ins(%b : tensor<8x12xf32>) outs(%e0 : tensor<8x12xf32>) -> tensor<8x12xf32>
  %e1 = tensor.empty() : tensor<8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %o = linalg.matmul ins(%p, %v : tensor<8x12xf32>, tensor<12x16xf32>) outs(%o0 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %o : tensor<8x16xf32>
}

// -----

// softcap.scores stands for cap, scale and grouped heads.
// CHECK-LABEL: func.func @scores_op(
// CHECK: softcap.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x8x8x16xf32>, tensor<2x4x12x16xf32>, tensor<2x4x12x16xf32>) cap(5.0) pre_scale(0.25) outs
func.func @scores_op(%q: tensor<2x8x8x16xf32>, %k: tensor<2x4x12x16xf32>, %v: tensor<2x4x12x16xf32>) -> tensor<2x8x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x8x8x12xf32>
  %s = softcap.scores ins(%q, %k : tensor<2x8x8x16xf32>, tensor<2x4x12x16xf32>) cap(5.0) scale(0.25) outs(%e0 : tensor<2x8x8x12xf32>)
  %p = linalg.softmax dimension(3) ins(%s : tensor<2x8x8x12xf32>) outs(%e0 : tensor<2x8x8x12xf32>) -> tensor<2x8x8x12xf32>
  %ev = tensor.empty() : tensor<2x4x2x12x16xf32>
  %vb = linalg.broadcast ins(%v : tensor<2x4x12x16xf32>) outs(%ev : tensor<2x4x2x12x16xf32>) dimensions = [2]
  %pc = tensor.collapse_shape %p [[0, 1], [2], [3]] : tensor<2x8x8x12xf32> into tensor<16x8x12xf32>
  %vc = tensor.collapse_shape %vb [[0, 1, 2], [3], [4]] : tensor<2x4x2x12x16xf32> into tensor<16x12x16xf32>
  %e1 = tensor.empty() : tensor<16x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<16x8x16xf32>) -> tensor<16x8x16xf32>
  %o = linalg.batch_matmul ins(%pc, %vc : tensor<16x8x12xf32>, tensor<16x12x16xf32>) outs(%o0 : tensor<16x8x16xf32>) -> tensor<16x8x16xf32>
  %r = tensor.expand_shape %o [[0, 1], [2], [3]] output_shape [2, 8, 8, 16] : tensor<16x8x16xf32> into tensor<2x8x8x16xf32>
  return %r : tensor<2x8x8x16xf32>
}
