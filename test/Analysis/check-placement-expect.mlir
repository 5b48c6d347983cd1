// RUN: %softcap-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(softcap-check-placement{expect=scores=50,scores-scale=0.0625,logits=30})'
// RUN: %softcap-opt %s --split-input-file -o %t --pass-pipeline='builtin.module(softcap-check-placement{report=true})' | FileCheck %s

// CHECK: verdict no-softcap
// CHECK-NEXT: surface scores function=uncapped cap=none pre_scale=0.0625 operand_scale=1 post_scale=1 pre_bias=false order=contraction-scale-softmax verdict=no-softcap
func.func @uncapped(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<1x2x4x8xf32>, %init: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  // expected-error @below {{SC002 cap-missing: scores have no cap where one of 50 is expected}}
  %o = softcap.attention
    ins(%q, %k, %v : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
    pre_scale(0.0625) outs(%init : tensor<1x2x4x8xf32>)
  return %o : tensor<1x2x4x8xf32>
}

// -----

// CHECK: surface scores function=scale cap=50 pre_scale=0.125
func.func @scale(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<1x2x4x8xf32>, %init: tensor<1x2x4x8xf32>) -> tensor<1x2x4x8xf32> {
  // expected-error @below {{SC007 unexpected-value: the scale inside the cap is 0.125, expected 0.0625}}
  %o = softcap.attention
    ins(%q, %k, %v : tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>)
    cap(50.0) pre_scale(0.125) outs(%init : tensor<1x2x4x8xf32>)
  return %o : tensor<1x2x4x8xf32>
}

// -----

// CHECK: surface logits function=swapped cap=50
func.func @swapped(%h: tensor<4x8xf32>, %w: tensor<16x8xf32>, %init: tensor<4x16xf32>) -> tensor<4x16xf32> {
  // expected-error @below {{SC007 unexpected-value: the cap is 50, expected 30; the caps of scores and logits are exchanged}}
  %l = softcap.logits ins(%h, %w : tensor<4x8xf32>, tensor<16x8xf32>) cap(50.0) outs(%init : tensor<4x16xf32>)
  return %l : tensor<4x16xf32>
}

// -----

// A head without its cap is found when nothing else can be the logits.

// CHECK: verdict no-softcap
func.func @bare_head(%h: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  // expected-error @below {{SC002 cap-missing: logits have no cap where one of 30 is expected}}
  %l = linalg.matmul ins(%h, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%init : tensor<4x16xf32>) -> tensor<4x16xf32>
  // expected-note @below {{consumed here}}
  return %l : tensor<4x16xf32>
}
