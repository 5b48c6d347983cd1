// RUN: %softcap-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: @cap
func.func @cap(%x: tensor<4x?xf32>, %c: f32) -> tensor<4x?xf32> {
  // CHECK: softcap.cap %{{.*}} cap(5.000000e+01) : tensor<4x?xf32>
  %0 = softcap.cap %x cap(50.0) : tensor<4x?xf32>
  // CHECK: softcap.cap %{{.*}} cap(%{{.*}} : f32) accuracy fast : tensor<4x?xf32>
  %1 = softcap.cap %0 cap(%c : f32) accuracy fast : tensor<4x?xf32>
  // CHECK: softcap.cap_grad
  %2 = softcap.cap_grad %1, %x cap(30.0) : tensor<4x?xf32>
  return %2 : tensor<4x?xf32>
}

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<1x8x?x64xf16>, %k: tensor<1x4x?x64xf16>, %init: tensor<1x8x?x64xf16>,
    %lse: tensor<1x8x?xf32>, %m: tensor<1x1x?x?xi1>, %len: tensor<1xi32>, %p: index, %sinks: tensor<8xf32>)
    -> (tensor<1x8x?x64xf16>, tensor<1x8x?xf32>) {
  // CHECK: softcap.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<1x8x?x64xf16>, tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>) cap(5.000000e+01) pre_scale(6.250000e-02) causal offset(%{{.*}}) window_left(127) mask(%{{.*}} : tensor<1x1x?x?xi1>) lengths(%{{.*}} : tensor<1xi32>) sinks(%{{.*}} : tensor<8xf32>) masked_rows mean outs(%{{.*}} : tensor<1x8x?x64xf16>) lse(%{{.*}} : tensor<1x8x?xf32>)
  %o:2 = softcap.attention ins(%q, %k, %k : tensor<1x8x?x64xf16>, tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>)
    cap(50.0) pre_scale(0.0625) causal offset(%p) window_left(127) mask(%m : tensor<1x1x?x?xi1>)
    lengths(%len : tensor<1xi32>) sinks(%sinks : tensor<8xf32>) masked_rows mean
    outs(%init : tensor<1x8x?x64xf16>) lse(%lse : tensor<1x8x?xf32>)
  return %o#0, %o#1 : tensor<1x8x?x64xf16>, tensor<1x8x?xf32>
}
