// RUN: %softcap-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(softcap-check-placement)'

// Softcap ops are checked like raw IR.

func.func @mask_before_cap(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<2x4x8xf32>, %m: tensor<2x4x4xi1>) -> tensor<2x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %masked_value = arith.constant dense<0xFF800000> : tensor<2x4x4xf32>
  %q3 = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<1x2x4x8xf32> into tensor<2x4x8xf32>
  %k3 = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<1x2x4x8xf32> into tensor<2x4x8xf32>
  %e = tensor.empty() : tensor<2x4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %s = linalg.batch_matmul
    indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
    ins(%q3, %k3 : tensor<2x4x8xf32>, tensor<2x4x8xf32>) outs(%init : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  // expected-error @below {{SC001 mask-before-cap: the mask is applied before the cap, so that masked keys get about -50; apply it after the cap}}
  %w = arith.select %m, %s, %masked_value : tensor<2x4x4xi1>, tensor<2x4x4xf32>
  // expected-note @below {{capped here}}
  %c = softcap.cap %w cap(50.0) : tensor<2x4x4xf32>
  %p = linalg.softmax dimension(2) ins(%c : tensor<2x4x4xf32>) outs(%e : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %oe = tensor.empty() : tensor<2x4x8xf32>
  %oi = linalg.fill ins(%zero : f32) outs(%oe : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  // expected-note @below {{consumed here}}
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x4x4xf32>, tensor<2x4x8xf32>) outs(%oi : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// -----

// Legal: nothing is said.

func.func @fused(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<1x2x4x8xf32>, %init: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  %o = softcap.attention
    ins(%q, %k, %v : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
    cap(50.0) pre_scale(0.0625) causal outs(%init : tensor<1x2x4x8xf32>)
  return %o : tensor<1x2x4x8xf32>
}

// -----

// A further cap on a capped surface.

func.func @twice(%h: tensor<4x8xf32>, %w: tensor<16x8xf32>, %init: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-note @below {{capped here already}}
  %l = softcap.logits ins(%h, %w : tensor<4x8xf32>, tensor<16x8xf32>) cap(30.0) outs(%init : tensor<4x16xf32>)
  // expected-error @below {{SC009 repeated-cap: the surface is capped twice in a row; keep one cap}}
  %c = softcap.cap %l cap(30.0) : tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}

// -----

// An op that is not understood is named, and nothing is claimed.

func.func @unknown(%h: tensor<4x8xf32>, %w: tensor<16x8xf32>, %init: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-note @below {{capped here}}
  %l = softcap.logits ins(%h, %w : tensor<4x8xf32>, tensor<16x8xf32>) cap(30.0) outs(%init : tensor<4x16xf32>)
  // expected-warning @below {{inconclusive: 'func.call' is not understood, and a soft cap depends on it}}
  %c = func.call @external(%l) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %c : tensor<4x16xf32>
}
func.func private @external(tensor<4x16xf32>) -> tensor<4x16xf32>
