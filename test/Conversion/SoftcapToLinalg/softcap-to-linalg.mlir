// RUN: %softcap-opt %s --pass-pipeline='builtin.module(convert-softcap-to-linalg)' | FileCheck %s
// RUN: %softcap-opt %s --pass-pipeline='builtin.module(convert-softcap-to-linalg,canonicalize,cse,one-shot-bufferize{bufferize-function-boundaries},canonicalize)' | FileCheck %s --check-prefix=BUFFERS

// CHECK: #[[$GROUP:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 floordiv 2, d3, d4)>

// The body keeps the scalar cap with its accuracy.
// CHECK-LABEL: @cap
// CHECK: linalg.generic
// CHECK: softcap.cap %{{.*}} cap(%{{.*}} : f32) accuracy fast : bf16
// CHECK: softcap.cap_grad %[[X:.*]], %[[X]] cap(30.0) : bf16
func.func @cap(%x: tensor<4x?xbf16>, %c: f32) -> (tensor<4x?xbf16>, tensor<4x?xbf16>) {
  %0 = softcap.cap %x cap(%c : f32) accuracy fast : tensor<4x?xbf16>
  %1 = softcap.cap_grad %x, %x cap(30.0) : tensor<4x?xbf16>
  return %0, %1 : tensor<4x?xbf16>, tensor<4x?xbf16>
}

// CHECK-LABEL: @capped_constant_shape
// CHECK: softcap.cap %{{.*}} cap(50.0) : f32
func.func @capped_constant_shape(%x: tensor<f32>) -> tensor<f32> {
  %0 = softcap.cap %x cap(50.0) : tensor<f32>
  return %0 : tensor<f32>
}

// Computed in f32, rounded once, when stored.
// CHECK-LABEL: @scores
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[$GROUP]], #{{.*}}]
// CHECK-SAME: tensor<1x8x?x16xf16>, tensor<1x4x?x16xf16>) outs(%{{.*}} : tensor<1x8x?x?xf32>)
// CHECK: softcap.cap %{{.*}} cap(50.0) : f32
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
// BUFFERS-LABEL: @scores
// BUFFERS-NOT: memref.copy
// BUFFERS: return
func.func @scores(%q: tensor<1x8x?x16xf16>, %k: tensor<1x4x?x16xf16>, %b: tensor<1x1x?x1xf32>,
    %init: tensor<1x8x?x?xf16>) -> tensor<1x8x?x?xf16> {
  %0 = softcap.scores ins(%q, %k : tensor<1x8x?x16xf16>, tensor<1x4x?x16xf16>) cap(50.0) scale(0.25)
    pre_bias(%b : tensor<1x1x?x1xf32>) outs(%init : tensor<1x8x?x?xf16>)
  return %0 : tensor<1x8x?x?xf16>
}

// A number of heads known at run time only: the heads are gathered.
// CHECK-LABEL: @dynamic_heads
// CHECK: arith.divui
// CHECK: tensor.extract
func.func @dynamic_heads(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %init: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %0 = softcap.scores ins(%q, %k : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) cap(50.0) outs(%init : tensor<?x?x?x?xf32>)
  return %0 : tensor<?x?x?x?xf32>
}

// The P V product of an op that masks keys does not read their values.
// CHECK-LABEL: @attention
// CHECK: linalg.index
// CHECK: arith.cmpi sle
// CHECK: math.exp
// CHECK: %[[SKIP:.*]] = arith.andi
// CHECK: arith.select %[[SKIP]], %{{.*}}
// CHECK: math.log
func.func @attention(%q: tensor<1x8x?x16xf16>, %k: tensor<1x4x?x16xf16>, %init: tensor<1x8x?x16xf16>,
    %lse: tensor<1x8x?xf32>, %p: index) -> (tensor<1x8x?x16xf16>, tensor<1x8x?xf32>) {
  %0:2 = softcap.attention ins(%q, %k, %k : tensor<1x8x?x16xf16>, tensor<1x4x?x16xf16>, tensor<1x4x?x16xf16>)
    cap(50.0) causal offset(%p) outs(%init : tensor<1x8x?x16xf16>) lse(%lse : tensor<1x8x?xf32>)
  return %0#0, %0#1 : tensor<1x8x?x16xf16>, tensor<1x8x?xf32>
}

// One generic per step; unmasked, P V is a plain contraction.
// CHECK-LABEL: @online
// CHECK-COUNT-9: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @online(%q: tensor<1x1x8x16xf32>, %k: tensor<1x1x32x16xf32>, %a: tensor<1x1x8x16xf32>,
    %m: tensor<1x1x8xf32>, %l: tensor<1x1x8xf32>) -> (tensor<1x1x8x16xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>) {
  %0:3 = softcap.online_attention ins(%q, %k, %k : tensor<1x1x8x16xf32>, tensor<1x1x32x16xf32>, tensor<1x1x32x16xf32>)
    cap(50.0) outs(%a, %m, %l : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>)
  return %0#0, %0#1, %0#2 : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>
}

// Buffers are written in place.
// BUFFERS-LABEL: @on_buffers
// BUFFERS-NOT: memref.copy
// BUFFERS: linalg.generic {{.*}} outs(%arg2 : memref<1x8x8x16xf32>)
// BUFFERS-NOT: memref.copy
func.func @on_buffers(%q: memref<1x8x8x16xf32>, %k: memref<1x1x9x16xf32>, %init: memref<1x8x8x16xf32>) {
  softcap.attention ins(%q, %k, %k : memref<1x8x8x16xf32>, memref<1x1x9x16xf32>, memref<1x1x9x16xf32>)
    cap(50.0) outs(%init : memref<1x8x8x16xf32>)
  return
}
