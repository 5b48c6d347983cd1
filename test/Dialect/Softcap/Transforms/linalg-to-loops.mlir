// RUN: %softcap-opt %s --pass-pipeline='builtin.module(func.func(softcap-linalg-to-loops,canonicalize))' | FileCheck %s
// RUN: %softcap-opt %s --pass-pipeline='builtin.module(func.func(softcap-linalg-to-loops{parallel=false},canonicalize))' | FileCheck %s --check-prefix=SEQUENTIAL

#a = affine_map<(b, m, n, k) -> (b, m, k)>
#b = affine_map<(b, m, n, k) -> (b, k, n)>
#bt = affine_map<(b, m, n, k) -> (b, n, k)>
#c = affine_map<(b, m, n, k) -> (b, m, n)>

// The contiguous columns go innermost; the batch of one is not the parallel loop.
// CHECK-LABEL: func @matmul
// CHECK: scf.parallel (%[[M:.*]]) = {{.*}} to (%c64)
// CHECK:   scf.for %[[K:.*]] = {{.*}} to %c32
// CHECK:     scf.for %[[N:.*]] = {{.*}} to %c128
// CHECK:         memref.load %{{.*}}[%{{.*}}, %[[K]], %[[N]]]
// CHECK:         arith.mulf {{.*}} fastmath<contract>
// CHECK:         arith.addf {{.*}} fastmath<reassoc,contract>
// SEQUENTIAL-NOT: scf.parallel
func.func @matmul(%a: memref<1x64x32xf32>, %b: memref<1x32x128xf32>, %c: memref<1x64x128xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<1x64x32xf32>, memref<1x32x128xf32>) outs(%c : memref<1x64x128xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// A transposed operand is contiguous in the reduction, which stays innermost.
// CHECK-LABEL: func @transposed
// CHECK: scf.parallel
// CHECK:   scf.for {{.*}} to %c128
// CHECK:     scf.for {{.*}} to %c32
func.func @transposed(%a: memref<1x64x32xf32>, %b: memref<1x128x32xf32>, %c: memref<1x64x128xf32>) {
  linalg.generic {indexing_maps = [#a, #bt, #c], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<1x64x32xf32>, memref<1x128x32xf32>) outs(%c : memref<1x64x128xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// Too little work for threads.
// CHECK-LABEL: func @small
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @small(%x: memref<64xf32>, %s: f32) {
  linalg.fill ins(%s : f32) outs(%x : memref<64xf32>)
  return
}

// A maximum is no sum: nothing is relaxed.
// CHECK-LABEL: func @maximum
// CHECK-NOT: fastmath
// CHECK: return
func.func @maximum(%x: memref<64x1024xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%x : memref<64x1024xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maximumf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}
