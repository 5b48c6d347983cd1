// RUN: %softcap-opt %s --canonicalize --split-input-file | FileCheck %s

// Expected constants are c * tanh(x / c) of a 50-digit evaluation, rounded once.

// CHECK-LABEL: @fold_cap
func.func @fold_cap() -> (f32, f32, bf16, f16, f64) {
  // CHECK-DAG: %[[F32:.*]] = arith.constant 38.0797081 : f32
  // CHECK-DAG: %[[NEG:.*]] = arith.constant -38.0797081 : f32
  // CHECK-DAG: %[[BF16:.*]] = arith.constant 3.800000e+01 : bf16
  // CHECK-DAG: %[[F16:.*]] = arith.constant 3.809380e+01 : f16
  // CHECK-DAG: %[[F64:.*]] = arith.constant 38.079707797788245 : f64
  // CHECK: return %[[F32]], %[[NEG]], %[[BF16]], %[[F16]], %[[F64]]
  %x = arith.constant 50.0 : f32
  %n = arith.constant -50.0 : f32
  %b = arith.constant 50.0 : bf16
  %h = arith.constant 50.0 : f16
  %d = arith.constant 50.0 : f64
  %0 = softcap.cap %x cap(50.0) : f32
  %1 = softcap.cap %n cap(50.0) accuracy fast : f32
  %2 = softcap.cap %b cap(50.0) : bf16
  %3 = softcap.cap %h cap(50.0) : f16
  %4 = softcap.cap %d cap(50.0) : f64
  return %0, %1, %2, %3, %4 : f32, f32, bf16, f16, f64
}

// -----

// CHECK-LABEL: @fold_shaped
func.func @fold_shaped() -> (tensor<2x?xf32>, tensor<3xf32>, vector<4xf32>) {
  // CHECK-DAG: arith.constant dense<[0xFFC00000, 5.000000e+01, -5.000000e+01]> : tensor<3xf32>
  // CHECK-DAG: arith.constant dense<38.0797081> : tensor<2x2xf32>
  // CHECK-DAG: arith.constant dense<38.0797081> : vector<4xf32>
  // CHECK-NOT: softcap.cap
  %s = arith.constant dense<50.0> : tensor<2x2xf32>
  %0 = softcap.cap %s cap(50.0) : tensor<2x2xf32>
  %c = tensor.cast %0 : tensor<2x2xf32> to tensor<2x?xf32>
  // NaN stays NaN, infinities give exactly the cap.
  %e = arith.constant dense<[0xFFC00000, 0x7F800000, 0xFF800000]> : tensor<3xf32>
  %1 = softcap.cap %e cap(50.0) : tensor<3xf32>
  %v = arith.constant dense<50.0> : vector<4xf32>
  %2 = softcap.cap %v cap(50.0) : vector<4xf32>
  return %c, %1, %2 : tensor<2x?xf32>, tensor<3xf32>, vector<4xf32>
}

// -----

// At u = 20 the factor is 1.7e-17, where 1 - tanh^2 has been zero for long.
// CHECK-LABEL: @fold_cap_grad
func.func @fold_cap_grad() -> (f32, f32) {
  // CHECK-DAG: arith.constant 0.419974327 : f32
  // CHECK-DAG: arith.constant 1.69934165E-17 : f32
  // CHECK-NOT: softcap.cap_grad
  %dy = arith.constant 1.0 : f32
  %x = arith.constant 50.0 : f32
  %far = arith.constant 1000.0 : f32
  %0 = softcap.cap_grad %dy, %x cap(50.0) : f32
  %1 = softcap.cap_grad %dy, %far cap(50.0) : f32
  return %0, %1 : f32, f32
}

// -----

// A cap that is constant but not yet known is no value to fold with.
// CHECK-LABEL: @run_time_cap
func.func @run_time_cap(%c: f32) -> f32 {
  // CHECK: softcap.cap %{{.*}} cap(%{{.*}} : f32) : f32
  %x = arith.constant 50.0 : f32
  %0 = softcap.cap %x cap(%c : f32) : f32
  return %0 : f32
}

// -----

// CHECK-LABEL: @constant_cap
func.func @constant_cap(%x: tensor<4xf32>, %b: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>) {
  // CHECK: softcap.cap %{{.*}} cap(50.0) accuracy fast : tensor<4xf32>
  %c = arith.constant 50.0 : f32
  %0 = softcap.cap %x cap(%c : f32) accuracy fast : tensor<4xf32>
  // A negative run-time cap means its magnitude.
  // CHECK: softcap.cap_grad %{{.*}}, %{{.*}} cap(30.0) : tensor<4xf32>
  %n = arith.constant -30.0 : f32
  %1 = softcap.cap_grad %x, %x cap(%n : f32) : tensor<4xf32>
  // The attribute is the value that the operand had, 50.1 in bf16.
  // CHECK: softcap.cap %{{.*}} cap(50.0) : tensor<4xbf16>
  %h = arith.constant 50.1 : bf16
  %2 = softcap.cap %b cap(%h : bf16) : tensor<4xbf16>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>
}

// -----

// These give NaN at run time; an attribute could not say so.
// CHECK-LABEL: @constant_no_cap
func.func @constant_no_cap(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-3: softcap.cap %{{.*}} cap(%{{.*}} : f32)
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %0 = softcap.cap %x cap(%zero : f32) : tensor<4xf32>
  %1 = softcap.cap %x cap(%inf : f32) : tensor<4xf32>
  %2 = softcap.cap %x cap(%nan : f32) : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: @odd
//  CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @odd(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[C:.*]] = softcap.cap %[[X]] cap(50.0) accuracy fast {note} : tensor<4xf32>
  // CHECK: arith.negf %[[C]]
  %n = arith.negf %x : tensor<4xf32>
  %0 = softcap.cap %n cap(50.0) accuracy fast {note} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: @even
//  CHECK-SAME: %[[DY:.*]]: f32, %[[X:.*]]: f32, %[[C:.*]]: f32
func.func @even(%dy: f32, %x: f32, %c: f32) -> f32 {
  // CHECK-NOT: arith.negf
  // CHECK: softcap.cap_grad %[[DY]], %[[X]] cap(%[[C]] : f32) : f32
  %n = arith.negf %x : f32
  %0 = softcap.cap_grad %dy, %n cap(%c : f32) : f32
  return %0 : f32
}

// -----

// CHECK-LABEL: @casts
//  CHECK-SAME: %[[X:.*]]: bf16, %[[C:.*]]: f32
func.func @casts(%x: bf16, %c: f32) -> (bf16, bf16) {
  // CHECK: softcap.cap %[[X]] cap(50.0) accuracy fast : bf16
  %w = arith.extf %x : bf16 to f32
  %0 = softcap.cap %w cap(50.0) accuracy fast : f32
  %1 = arith.truncf %0 : f32 to bf16
  // CHECK: softcap.cap %[[X]] cap(%[[C]] : f32) : bf16
  %2 = softcap.cap %w cap(%c : f32) : f32
  %3 = arith.truncf %2 : f32 to bf16
  return %1, %3 : bf16, bf16
}

// -----

// Not the same function: another compute type, another result type, a rounding
// mode, a rounding before the cap; or no gain, when the f32 value lives on.
// CHECK-LABEL: @casts_that_stay
func.func @casts_that_stay(%x: f32, %h: f16) -> (f32, bf16, f16, f32, f16, f32) {
  // CHECK: softcap.cap %{{.*}} cap(50.0) : f64
  %0 = arith.extf %x : f32 to f64
  %1 = softcap.cap %0 cap(50.0) : f64
  %2 = arith.truncf %1 : f64 to f32
  // CHECK: softcap.cap %{{.*}} cap(30.0) : f32
  %3 = arith.extf %h : f16 to f32
  %4 = softcap.cap %3 cap(30.0) : f32
  %5 = arith.truncf %4 : f32 to bf16
  // CHECK: softcap.cap %{{.*}} cap(20.0) : f32
  %6 = softcap.cap %3 cap(20.0) : f32
  %7 = arith.truncf %6 downward : f32 to f16
  // CHECK: softcap.cap %{{.*}} cap(10.0) : f16
  %8 = arith.truncf %x : f32 to f16
  %9 = softcap.cap %8 cap(10.0) : f16
  %10 = arith.extf %9 : f16 to f32
  // CHECK: softcap.cap %{{.*}} cap(5.0) : f32
  %11 = softcap.cap %3 cap(5.0) : f32
  %12 = arith.truncf %11 : f32 to f16
  return %2, %5, %7, %10, %12, %11 : f32, bf16, f16, f32, f16, f32
}

// -----

// CHECK-LABEL: @attention_constants
func.func @attention_constants(%q: tensor<1x8x?x64xf32>, %k: tensor<1x4x?x64xf32>) -> tensor<1x8x?x64xf32> {
  // CHECK: softcap.attention {{.*}} cap(50.0) causal offset(7) outs(
  %c = arith.constant 50.0 : f32
  %p = arith.constant 7 : index
  %0 = softcap.attention ins(%q, %k, %k : tensor<1x8x?x64xf32>, tensor<1x4x?x64xf32>, tensor<1x4x?x64xf32>)
    cap(%c : f32) causal offset(%p) outs(%q : tensor<1x8x?x64xf32>)
  return %0 : tensor<1x8x?x64xf32>
}

// -----

// 5 queries at positions 3 to 7, 8 keys: no key is further than 7 to the left
// or 4 to the right.
// CHECK-LABEL: @idle_windows
func.func @idle_windows(%q: tensor<1x1x5x64xf32>, %k: tensor<1x1x8x64xf32>) -> tensor<1x1x5x64xf32> {
  // CHECK: softcap.attention {{.*}} tensor<1x1x8x64xf32>) outs(
  %0 = softcap.attention ins(%q, %k, %k : tensor<1x1x5x64xf32>, tensor<1x1x8x64xf32>, tensor<1x1x8x64xf32>)
    offset(3) window_left(7) window_right(4) outs(%q : tensor<1x1x5x64xf32>)
  // CHECK: softcap.attention {{.*}} offset(3) window_left(6) window_right(3) outs(
  %1 = softcap.attention ins(%0, %k, %k : tensor<1x1x5x64xf32>, tensor<1x1x8x64xf32>, tensor<1x1x8x64xf32>)
    offset(3) window_left(6) window_right(3) outs(%q : tensor<1x1x5x64xf32>)
  // CHECK: softcap.attention {{.*}} causal offset(3) outs(
  %2 = softcap.attention ins(%1, %k, %k : tensor<1x1x5x64xf32>, tensor<1x1x8x64xf32>, tensor<1x1x8x64xf32>)
    causal offset(3) window_left(7) window_right(0) outs(%q : tensor<1x1x5x64xf32>)
  // Strictly causal: the tighter bound stays.
  // CHECK: softcap.attention {{.*}} offset(3) window_right(-1) outs(
  %3 = softcap.attention ins(%2, %k, %k : tensor<1x1x5x64xf32>, tensor<1x1x8x64xf32>, tensor<1x1x8x64xf32>)
    causal offset(3) window_right(-1) outs(%q : tensor<1x1x5x64xf32>)
  return %3 : tensor<1x1x5x64xf32>
}

// -----

// One query that stands at or behind the last key sees all.
// CHECK-LABEL: @decode
func.func @decode(%q: tensor<1x1x1x64xf32>, %k: tensor<1x1x8x64xf32>) -> tensor<1x1x1x64xf32> {
  // CHECK: softcap.attention {{.*}} tensor<1x1x8x64xf32>) outs(
  %0 = softcap.attention ins(%q, %k, %k : tensor<1x1x1x64xf32>, tensor<1x1x8x64xf32>, tensor<1x1x8x64xf32>)
    causal offset(7) outs(%q : tensor<1x1x1x64xf32>)
  // CHECK: softcap.attention {{.*}} causal offset(6) outs(
  %1 = softcap.attention ins(%0, %k, %k : tensor<1x1x1x64xf32>, tensor<1x1x8x64xf32>, tensor<1x1x8x64xf32>)
    causal offset(6) outs(%q : tensor<1x1x1x64xf32>)
  return %1 : tensor<1x1x1x64xf32>
}

// -----

// Nothing is known of run-time sizes and positions.
// CHECK-LABEL: @dynamic_windows
func.func @dynamic_windows(%q: tensor<1x1x?x64xf32>, %k: tensor<1x1x8x64xf32>, %p: index) -> tensor<1x1x?x64xf32> {
  // CHECK: softcap.attention {{.*}} window_left(1000) outs(
  %0 = softcap.attention ins(%q, %k, %k : tensor<1x1x?x64xf32>, tensor<1x1x8x64xf32>, tensor<1x1x8x64xf32>)
    offset(0) window_left(1000) window_right(7) outs(%q : tensor<1x1x?x64xf32>)
  // CHECK: softcap.attention {{.*}} causal offset(%{{.*}}) window_left(1000) outs(
  %1 = softcap.attention ins(%0, %k, %k : tensor<1x1x?x64xf32>, tensor<1x1x8x64xf32>, tensor<1x1x8x64xf32>)
    causal offset(%p) window_left(1000) window_right(1000) outs(%q : tensor<1x1x?x64xf32>)
  return %1 : tensor<1x1x?x64xf32>
}

// -----

// CHECK-LABEL: @idle_operands
func.func @idle_operands(%q: tensor<2x1x5x64xf32>, %k: tensor<2x1x8x64xf32>) -> tensor<2x1x5x64xf32> {
  %true = arith.constant dense<true> : tensor<1x1x5x8xi1>
  %full = arith.constant dense<[8, 9]> : tensor<2xi32>
  %zero = arith.constant dense<0.0> : tensor<1x1x1x1xf32>
  // CHECK: softcap.attention {{.*}} cap(50.0) outs(
  %0 = softcap.attention ins(%q, %k, %k : tensor<2x1x5x64xf32>, tensor<2x1x8x64xf32>, tensor<2x1x8x64xf32>)
    cap(50.0) pre_bias(%zero : tensor<1x1x1x1xf32>) post_bias(%zero : tensor<1x1x1x1xf32>)
    mask(%true : tensor<1x1x5x8xi1>) lengths(%full : tensor<2xi32>) outs(%q : tensor<2x1x5x64xf32>)
  // CHECK: softcap.attention {{.*}} mask({{.*}}) lengths({{.*}}) outs(
  %some = arith.constant dense<[[[[true, true, true, true, true, true, true, false]]]]> : tensor<1x1x1x8xi1>
  %short = arith.constant dense<[8, 7]> : tensor<2xi32>
  %1 = softcap.attention ins(%0, %k, %k : tensor<2x1x5x64xf32>, tensor<2x1x8x64xf32>, tensor<2x1x8x64xf32>)
    cap(50.0) mask(%some : tensor<1x1x1x8xi1>) lengths(%short : tensor<2xi32>) outs(%q : tensor<2x1x5x64xf32>)
  return %1 : tensor<2x1x5x64xf32>
}

// -----

// CHECK-LABEL: @masked_rows
func.func @masked_rows(%q: tensor<1x1x5x64xf32>, %k: tensor<1x1x?x64xf32>) -> tensor<1x1x5x64xf32> {
  // CHECK: softcap.attention {{.*}} tensor<1x1x5x64xf32>) outs(
  %0 = softcap.attention ins(%q, %q, %q : tensor<1x1x5x64xf32>, tensor<1x1x5x64xf32>, tensor<1x1x5x64xf32>)
    masked_rows mean outs(%q : tensor<1x1x5x64xf32>)
  // A row of no keys, or one that the window leaves without any.
  // CHECK: softcap.attention {{.*}} masked_rows mean outs(
  %1 = softcap.attention ins(%0, %k, %k : tensor<1x1x5x64xf32>, tensor<1x1x?x64xf32>, tensor<1x1x?x64xf32>)
    masked_rows mean outs(%q : tensor<1x1x5x64xf32>)
  // CHECK: softcap.attention {{.*}} causal offset(-1) masked_rows mean outs(
  %2 = softcap.attention ins(%1, %q, %q : tensor<1x1x5x64xf32>, tensor<1x1x5x64xf32>, tensor<1x1x5x64xf32>)
    causal offset(-1) masked_rows mean outs(%q : tensor<1x1x5x64xf32>)
  return %2 : tensor<1x1x5x64xf32>
}

// -----

// CHECK-LABEL: @unused_lse
func.func @unused_lse(%q: tensor<1x1x5x64xf32>, %lse: tensor<1x1x5xf32>, %h: tensor<5x64xf32>, %l: tensor<5x5xf32>,
    %hlse: tensor<5xf32>, %acc: tensor<2x1x1x5x64xf32>, %sums: tensor<2x1x1x5xf32>)
    -> (tensor<1x1x5x64xf32>, tensor<5x5xf32>, tensor<1x1x5x64xf32>) {
  // CHECK: softcap.attention {{.*}} outs(%{{.*}} : tensor<1x1x5x64xf32>) {note}
  %0:2 = softcap.attention ins(%q, %q, %q : tensor<1x1x5x64xf32>, tensor<1x1x5x64xf32>, tensor<1x1x5x64xf32>)
    cap(50.0) outs(%q : tensor<1x1x5x64xf32>) lse(%lse : tensor<1x1x5xf32>) {note}
  // CHECK: softcap.logits {{.*}} outs(%{{.*}} : tensor<5x5xf32>){{$}}
  %1:2 = softcap.logits ins(%h, %h : tensor<5x64xf32>, tensor<5x64xf32>) cap(30.0)
    outs(%l : tensor<5x5xf32>) lse(%hlse : tensor<5xf32>)
  // CHECK: softcap.merge {{.*}} outs(%{{.*}} : tensor<1x1x5x64xf32>){{$}}
  %2:2 = softcap.merge ins(%acc, %sums : tensor<2x1x1x5x64xf32>, tensor<2x1x1x5xf32>)
    outs(%q : tensor<1x1x5x64xf32>) lse(%lse : tensor<1x1x5xf32>)
  return %0#0, %1#0, %2#0 : tensor<1x1x5x64xf32>, tensor<5x5xf32>, tensor<1x1x5x64xf32>
}

// -----

// The output of a memref form is written even if nobody reads it here.
// CHECK-LABEL: @memref_lse
func.func @memref_lse(%q: memref<1x1x5x64xf32>, %lse: memref<1x1x5xf32>) {
  // CHECK: softcap.attention {{.*}} lse(
  softcap.attention ins(%q, %q, %q : memref<1x1x5x64xf32>, memref<1x1x5x64xf32>, memref<1x1x5x64xf32>)
    cap(50.0) outs(%q : memref<1x1x5x64xf32>) lse(%lse : memref<1x1x5xf32>)
  return
}

// -----

// Unused tensor forms have no effect and disappear.
// CHECK-LABEL: @dead
func.func @dead(%q: tensor<1x1x5x64xf32>) {
  // CHECK-NEXT: return
  %0 = softcap.attention ins(%q, %q, %q : tensor<1x1x5x64xf32>, tensor<1x1x5x64xf32>, tensor<1x1x5x64xf32>)
    cap(50.0) outs(%q : tensor<1x1x5x64xf32>)
  return
}

// -----

// Static sizes behind casts reach the op.
// CHECK-LABEL: @static_sizes
func.func @static_sizes(%q: tensor<1x8x16x64xf32>, %k: tensor<1x4x16x64xf32>) -> tensor<?x?x?x?xf32> {
  // CHECK: softcap.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<1x8x16x64xf32>, tensor<1x4x16x64xf32>, tensor<1x4x16x64xf32>) {{.*}} outs(%{{.*}} : tensor<1x8x16x64xf32>)
  %qd = tensor.cast %q : tensor<1x8x16x64xf32> to tensor<?x?x?x?xf32>
  %kd = tensor.cast %k : tensor<1x4x16x64xf32> to tensor<?x?x?x?xf32>
  %0 = softcap.attention ins(%qd, %kd, %kd : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>)
    cap(50.0) outs(%qd : tensor<?x?x?x?xf32>)
  return %0 : tensor<?x?x?x?xf32>
}
