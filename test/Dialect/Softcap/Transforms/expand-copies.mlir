// RUN: %softcap-opt %s --pass-pipeline='builtin.module(softcap-expand-copies)' | FileCheck %s

// CHECK-LABEL: @copies
// CHECK: linalg.copy ins(%arg0 : memref<4x4xf32, strided<[8, 1]>>) outs(%arg1 : memref<4x4xf32>)
// CHECK: memref.copy %arg1, %arg2
func.func @copies(%strided: memref<4x4xf32, strided<[8, 1]>>, %a: memref<4x4xf32>, %b: memref<4x4xf32>) {
  memref.copy %strided, %a : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32>
  memref.copy %a, %b : memref<4x4xf32> to memref<4x4xf32>
  return
}
