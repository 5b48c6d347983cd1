// RUN: %softcap-opt %s --pass-pipeline='builtin.module(convert-softcap-to-vector{vector-bytes=64},canonicalize)' | FileCheck %s
// RUN: %softcap-opt %s --pass-pipeline='builtin.module(convert-softcap-to-vector{vector-bytes=16},canonicalize)' | FileCheck %s --check-prefix=SSE
// RUN: not %softcap-opt %s --pass-pipeline='builtin.module(convert-softcap-to-vector{vector-bytes=48})' 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: vector-bytes must be 16, 32 or 64, and key-block positive; got 48 and 96

// Scratch of tile size; a register tile of 6 keys by 4 vectors of queries; the
// keys are read in place; keys after the last row's position are not visited; a
// block of V with NaN or infinity takes the path that skips masked keys.

// CHECK-LABEL: func @causal
// CHECK: memref.alloc() {{.*}} : memref<128x64xf32>
// CHECK: memref.alloc() {{.*}} : memref<128x64xf32>
// CHECK: memref.alloc() {{.*}} : memref<96x64xf32>
// CHECK-NOT: memref.alloc() {{.*}} : memref<{{.*}}1000
// The product, over 64 of the 1000 keys:
// CHECK: scf.for {{.*}} = %c0 to %c60 step %c6
// CHECK:   scf.for %{{.*}} = %c0 to %c128 step %c1 iter_args({{.*}}) -> ({{(vector<16xf32>, ){23}vector<16xf32>}})
// CHECK:     memref.load %arg1
// CHECK:     vector.broadcast
// CHECK:     arith.mulf {{.*}} fastmath<contract> : vector<16xf32>
// CHECK:     arith.addf {{.*}} fastmath<contract> : vector<16xf32>
// The score map:
// CHECK: softcap.cap %{{.*}} cap(50.0) accuracy fast : vector<16xf32>
// CHECK: arith.select
// CHECK: math.exp
// The guard:
// CHECK: vector.reduction <add>
// CHECK: arith.cmpf uno
// CHECK: scf.if
// CHECK-NOT: softcap.online_attention

// SSE-LABEL: func @causal
// SSE: scf.for %{{.*}} = %c0 to %c128 step %c1 iter_args({{.*}}) -> ({{(vector<4xf32>, ){11}vector<4xf32>}})
func.func @causal(%q: memref<1x1x64x128xf32>, %k: memref<1x1x1000x128xf32>, %v: memref<1x1x1000x128xf32>, %acc: memref<1x1x64x128xf32>, %m: memref<1x1x64xf32>, %l: memref<1x1x64xf32>) {
  softcap.online_attention ins(%q, %k, %v : memref<1x1x64x128xf32>, memref<1x1x1000x128xf32>, memref<1x1x1000x128xf32>)
    cap(50.0) causal outs(%acc, %m, %l : memref<1x1x64x128xf32>, memref<1x1x64xf32>, memref<1x1x64xf32>)
  return
}

// Without any mask there is nothing to guard; narrow keys are widened a
// block at a time; with a single query the lanes run along the head size.
// CHECK-LABEL: func @decode
// CHECK-DAG: memref.alloc() {{.*}} : memref<128x16xf32>
// CHECK-DAG: memref.alloc() {{.*}} : memref<96x128xf32>
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: scf.for %{{.*}} = %c0 to %c128 step %c16 iter_args({{.*}}) -> ({{(vector<16xf32>, ){3}vector<16xf32>}})
// CHECK: vector.reduction <add>
// CHECK-NOT: scf.if
// CHECK: return
func.func @decode(%q: memref<1x1x1x128xbf16>, %k: memref<1x1x1000x128xbf16>, %v: memref<1x1x1000x128xbf16>, %acc: memref<1x1x1x128xf32>, %m: memref<1x1x1xf32>, %l: memref<1x1x1xf32>) {
  softcap.online_attention ins(%q, %k, %v : memref<1x1x1x128xbf16>, memref<1x1x1000x128xbf16>, memref<1x1x1000x128xbf16>)
    cap(50.0) outs(%acc, %m, %l : memref<1x1x1x128xf32>, memref<1x1x1xf32>, memref<1x1x1xf32>)
  return
}
