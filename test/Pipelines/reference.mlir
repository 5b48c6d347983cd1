// RUN: %softcap-opt %s --pass-pipeline='builtin.module(softcap-reference-pipeline)' | FileCheck %s
// RUN: %softcap-opt %s --pass-pipeline='builtin.module(softcap-reference-pipeline{promote=false})' | FileCheck %s --check-prefix=STORED

// Everything in f64, with the tanh of libm, down to LLVM.
// CHECK: llvm.func @tanh(f64) -> f64
// STORED: llvm.func @tanhf(f32) -> f32
// CHECK-LABEL: llvm.func @attention
// CHECK-NOT: unrealized_conversion_cast
// CHECK: llvm.call @tanh
// CHECK-NOT: memrefCopy
func.func @attention(%q: tensor<1x4x?x16xf32>, %k: tensor<1x2x?x16xf32>, %mask: tensor<1x1x?x?xi1>) -> tensor<1x4x?x16xf32> {
  %c2 = arith.constant 2 : index
  %m = tensor.dim %q, %c2 : tensor<1x4x?x16xf32>
  %init = tensor.empty(%m) : tensor<1x4x?x16xf32>
  %0 = softcap.attention ins(%q, %k, %k : tensor<1x4x?x16xf32>, tensor<1x2x?x16xf32>, tensor<1x2x?x16xf32>)
    cap(50.0) mask(%mask : tensor<1x1x?x?xi1>) outs(%init : tensor<1x4x?x16xf32>)
  return %0 : tensor<1x4x?x16xf32>
}

// CHECK-LABEL: llvm.func @softmax
func.func @softmax(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %init = tensor.empty() : tensor<4x8xf16>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<4x8xf16>) outs(%init : tensor<4x8xf16>) -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}

// The result is a buffer of its own, even where it is an argument.
// CHECK-LABEL: llvm.func @identity
// CHECK: llvm.call @malloc
func.func @identity(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
