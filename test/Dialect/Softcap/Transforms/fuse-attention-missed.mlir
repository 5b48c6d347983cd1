// What is not fused, and the remark that says why.

// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-attention)' --split-input-file --remarks-filter=softcap-fuse-attention %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-attention)' --split-input-file %s | FileCheck %s --implicit-check-not=softcap.attention

// REMARK: attention is not fused: the scores or probabilities are used elsewhere
// CHECK: func.func @probabilities_leave(
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @probabilities_leave(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> (tensor<4x8x16xf32>, tensor<4x8x12xf32>) {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = softcap.cap %s cap(5.0) : tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o, %p : tensor<4x8x16xf32>, tensor<4x8x12xf32>
}

// -----

// REMARK: attention is not fused: a mask, or a tensor that may be one, is added before the cap
// CHECK: func.func @mask_before_the_cap(
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @mask_before_the_cap(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>, %b: tensor<4x8x12xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %a = arith.addf %s, %b : tensor<4x8x12xf32>
  %m = softcap.cap %a cap(5.0) : tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// REMARK: attention is not fused: the scores are capped twice
// CHECK: func.func @capped_twice(
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @capped_twice(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %a = softcap.cap %s cap(5.0) : tensor<4x8x12xf32>
  %m = softcap.cap %a cap(5.0) : tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// REMARK: attention is not fused: the scores are multiplied by a run-time value
// CHECK: func.func @run_time_temperature(
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @run_time_temperature(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>, %t: tensor<4x8x12xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %a = softcap.cap %s cap(5.0) : tensor<4x8x12xf32>
  %m = arith.mulf %a, %t : tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// REMARK: attention is not fused: 'arith.minimumf' stands between the contraction and the softmax
// CHECK: func.func @clamped(
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @clamped(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>, %t: tensor<4x8x12xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = arith.minimumf %s, %t : tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// REMARK: attention is not fused: a select stands before the cap
// CHECK: func.func @select_before_the_cap(
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @select_before_the_cap(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>, %ok: tensor<4x8x12xi1>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant dense<-1.0e9> : tensor<4x8x12xf32>
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %a = arith.select %ok, %s, %low : tensor<4x8x12xi1>, tensor<4x8x12xf32>
  %m = softcap.cap %a cap(5.0) : tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// REMARK: attention is not fused: the sentinel of a mask cannot be told from minus infinity
// CHECK: func.func @sentinel_in_range(
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @sentinel_in_range(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>, %ok: tensor<4x8x12xi1>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant dense<-1.0e4> : tensor<4x8x12xf32>
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = arith.select %ok, %s, %low : tensor<4x8x12xi1>, tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}
