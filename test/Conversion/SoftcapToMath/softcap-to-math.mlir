// RUN: %softcap-opt %s --pass-pipeline='builtin.module(convert-softcap-to-math)' | FileCheck %s
// RUN: %softcap-opt %s --pass-pipeline='builtin.module(convert-softcap-to-math{use-libm})' | FileCheck %s --check-prefix=LIBM
// RUN: %softcap-opt %s --pass-pipeline='builtin.module(convert-softcap-to-math)' --remarks-filter-analyse='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// f32 in f64, where neighbouring results stay in order; no libm.
// CHECK-LABEL: @precise
// CHECK-NOT: math.
// CHECK: arith.extf %{{.*}} : vector<8xf32> to vector<8xf64>
// CHECK-NOT: math.
// CHECK: arith.truncf %{{.*}} : vector<8xf64> to vector<8xf32>
// CHECK-NEXT: return
// LIBM-LABEL: @precise
// LIBM: arith.divf
// LIBM: math.tanh %{{.*}} : vector<8xf32>
// LIBM: arith.mulf
func.func @precise(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = softcap.cap %x cap(50.0) : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: @fast
// CHECK-NOT: f64
// CHECK-NOT: math.
// CHECK: return
// LIBM-LABEL: @fast
// LIBM: math.tanh
func.func @fast(%x: f32) -> f32 {
  %0 = softcap.cap %x cap(50.0) accuracy fast : f32
  return %0 : f32
}

// 16-bit storage: extended to f32, rounded once.
// CHECK-LABEL: @half
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK-NOT: arith.truncf
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: return
func.func @half(%x: f16) -> f16 {
  %0 = softcap.cap %x cap(50.0) : f16
  return %0 : f16
}

// REMARK: computed precisely: the fast form is accurate up to a cap of 64 only
// CHECK-LABEL: @fast_beyond_its_range
// CHECK: f64
func.func @fast_beyond_its_range(%x: f32) -> f32 {
  %0 = softcap.cap %x cap(65.0) accuracy fast : f32
  return %0 : f32
}

// REMARK: computed precisely: the fast form needs a constant cap
// CHECK-LABEL: @run_time
// CHECK: %[[ZERO:.*]] = arith.cmpf ogt
// CHECK: %[[FINITE:.*]] = arith.cmpf olt
// CHECK: %[[VALID:.*]] = arith.andi %[[ZERO]], %[[FINITE]]
// CHECK: arith.select %[[VALID]]
func.func @run_time(%x: vector<4xf32>, %c: bf16) -> vector<4xf32> {
  %0 = softcap.cap %x cap(%c : bf16) accuracy fast : vector<4xf32>
  return %0 : vector<4xf32>
}

// CHECK-LABEL: @grad
// CHECK-NOT: math.
// CHECK: return
// LIBM-LABEL: @grad
// LIBM: math.cosh
func.func @grad(%dy: vector<2x4xbf16>, %x: vector<2x4xbf16>) -> vector<2x4xbf16> {
  %0 = softcap.cap_grad %dy, %x cap(30.0) : vector<2x4xbf16>
  return %0 : vector<2x4xbf16>
}
