// RUN: %softcap-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(softcap-promote-floats)' | FileCheck %s

// Conversions disappear; constants and finite sentinels keep their value.
// CHECK-LABEL: func.func @body(
// CHECK-SAME: %{{.*}}: tensor<4x?xf64>, %{{.*}}: tensor<4xi32>) -> tensor<4x?xf64>
// CHECK-DAG: arith.constant -3.3895313892515355E+38 : f64
// CHECK-DAG: arith.constant 0.019999999552965164 : f64
// CHECK-DAG: arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>
// CHECK-NOT: f32
// CHECK-NOT: extf
// CHECK-NOT: truncf
// CHECK: softcap.cap %{{.*}} cap(50.0) : f64
func.func @body(%x: tensor<4x?xbf16>, %i: tensor<4xi32>) -> tensor<4x?xbf16> {
  %lowest = arith.constant 0xFF7F : bf16
  %fiftieth = arith.constant 0.02 : f32
  %dense = arith.constant dense<[1.0, 2.0]> : tensor<2xf16>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%x : tensor<4x?xbf16>) {
  ^bb0(%in: bf16):
    %1 = arith.extf %in : bf16 to f32
    %2 = arith.mulf %1, %fiftieth : f32
    %3 = softcap.cap %2 cap(50.0) : f32
    %4 = arith.truncf %3 : f32 to bf16
    %5 = arith.maximumf %4, %lowest : bf16
    linalg.yield %5 : bf16
  } -> tensor<4x?xbf16>
  return %0 : tensor<4x?xbf16>
}

// -----

// CHECK-LABEL: @resource
// CHECK: arith.constant dense<[1.000000e+00, -2.000000e+00]> : tensor<2xf64>
func.func @resource() -> tensor<2xf32> {
  %0 = arith.constant dense_resource<weights> : tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-# dialect_resources: { builtin: { weights: "0x040000000000803F000000C0" } } #-}

// -----

// CHECK-LABEL: @attention
// CHECK: softcap.attention
// CHECK-SAME: tensor<1x2x4x8xf64>
// CHECK-SAME: lse(%{{.*}} : tensor<1x2x4xf64>)
func.func @attention(%q: tensor<1x2x4x8xf16>, %init: tensor<1x2x4x8xf16>, %lse: tensor<1x2x4xf32>)
    -> (tensor<1x2x4x8xf16>, tensor<1x2x4xf32>) {
  %0:2 = softcap.attention ins(%q, %q, %q : tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>, tensor<1x2x4x8xf16>)
    cap(50.0) outs(%init : tensor<1x2x4x8xf16>) lse(%lse : tensor<1x2x4xf32>)
  return %0#0, %0#1 : tensor<1x2x4x8xf16>, tensor<1x2x4xf32>
}

// -----

func.func @bits(%x: f32) -> i32 {
  // expected-error @below {{reads or makes the bits of a float, which cannot be promoted to f64}}
  %0 = arith.bitcast %x : f32 to i32
  return %0 : i32
}

// -----

// expected-error @below {{is external and has floats in its signature: it cannot be promoted to f64}}
func.func private @external(f32) -> f32
