// RUN: %softcap-opt %s --pass-pipeline='builtin.module(softcap-lower-pipeline{vector-bytes=64})' | FileCheck %s
// RUN: %softcap-opt %s --pass-pipeline='builtin.module(softcap-lower-pipeline{vector-bytes=32 parallel=false})' | FileCheck %s --check-prefix=SEQUENTIAL

// Threads share out blocks as they finish; no libm, no casts, no cap left.
// CHECK-NOT: llvm.func @{{tanh|exp|log}}
// CHECK-LABEL: llvm.func @attention
// CHECK-NOT: unrealized_conversion_cast
// CHECK: omp.parallel
// CHECK: omp.wsloop schedule(dynamic)
// CHECK: vector<16xf32>
// CHECK-NOT: softcap.

// SEQUENTIAL-LABEL: llvm.func @attention
// SEQUENTIAL-NOT: omp.
// SEQUENTIAL: vector<8xf32>
func.func @attention(%q: tensor<1x4x?x64xf32>, %k: tensor<1x2x?x64xf32>, %v: tensor<1x2x?x64xf32>) -> tensor<1x4x?x64xf32> {
  %c2 = arith.constant 2 : index
  %m = tensor.dim %q, %c2 : tensor<1x4x?x64xf32>
  %init = tensor.empty(%m) : tensor<1x4x?x64xf32>
  %0 = softcap.attention ins(%q, %k, %v : tensor<1x4x?x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>)
    cap(50.0) pre_scale(0.125) causal outs(%init : tensor<1x4x?x64xf32>)
  return %0 : tensor<1x4x?x64xf32>
}

// Everything else of a model: a projection, the capped head, an elementwise op.
// CHECK-LABEL: llvm.func @head
// SEQUENTIAL-LABEL: llvm.func @head
// SEQUENTIAL-NOT: omp.
func.func @head(%h: tensor<16x256xbf16>, %w: tensor<512x256xbf16>) -> tensor<16x512xbf16> {
  %init = tensor.empty() : tensor<16x512xbf16>
  %l = softcap.logits ins(%h, %w : tensor<16x256xbf16>, tensor<512x256xbf16>) cap(30.0) outs(%init : tensor<16x512xbf16>)
  %c = softcap.cap %l cap(5.0) : tensor<16x512xbf16>
  return %c : tensor<16x512xbf16>
}
