// RUN: %softcap-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map})' | FileCheck %s

// Written in place: the destination's old contents are not read.
// CHECK-LABEL: @attention
// CHECK-NOT: alloc
// CHECK: softcap.attention ins(%{{.*}} : memref<1x2x?x16xf32>, memref<1x2x?x16xf32>, memref<1x2x?x16xf32>)
// CHECK-SAME: cap(50.0) causal
// CHECK-SAME: outs(%arg2 : memref<1x2x?x16xf32>)
func.func @attention(%q: tensor<1x2x?x16xf32>, %k: tensor<1x2x?x16xf32>, %init: tensor<1x2x?x16xf32>)
    -> tensor<1x2x?x16xf32> {
  %0 = softcap.attention ins(%q, %k, %k : tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>)
    cap(50.0) causal outs(%init : tensor<1x2x?x16xf32>)
  return %0 : tensor<1x2x?x16xf32>
}

// -----

// The running state is read, so a state still needed is copied.
// CHECK-LABEL: @online
// CHECK-COUNT-3: memref.copy
// CHECK: softcap.online_attention
func.func @online(%q: tensor<1x1x8x16xf32>, %k: tensor<1x1x32x16xf32>, %a: tensor<1x1x8x16xf32>, %m: tensor<1x1x8xf32>,
    %l: tensor<1x1x8xf32>) -> (tensor<1x1x8x16xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>,
                              tensor<1x1x8x16xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>) {
  %0:3 = softcap.online_attention ins(%q, %k, %k : tensor<1x1x8x16xf32>, tensor<1x1x32x16xf32>, tensor<1x1x32x16xf32>)
    cap(50.0) outs(%a, %m, %l : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>)
  return %0#0, %0#1, %0#2, %a, %m, %l : tensor<1x1x8x16xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>,
    tensor<1x1x8x16xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>
}

// -----

func.func @cap(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{on tensors cannot be bufferized: run convert-softcap-to-linalg first}}
  // expected-error @below {{failed to bufferize op}}
  %0 = softcap.cap %x cap(50.0) : tensor<4xf32>
  return %0 : tensor<4xf32>
}
