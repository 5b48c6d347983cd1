// RUN: %softcap-opt %s --allow-unregistered-dialect --split-input-file -o %t --pass-pipeline='builtin.module(softcap-check-placement{report=true})' | FileCheck %s
// RUN: not %softcap-opt %s --allow-unregistered-dialect --split-input-file -o %t --pass-pipeline='builtin.module(softcap-check-placement{strict=true})' 2>&1 | FileCheck %s --check-prefix=STRICT

// Kernels and fused ops of dialects that are known by name only.

// CHECK: verdict legal
// CHECK-NEXT: surface scores function=triton cap=30 pre_scale=1
"tt.func"() <{sym_name = "triton", function_type = (!tt.ptr<f32>, !tt.ptr<f32>) -> ()}> ({
^bb0(%q: !tt.ptr<f32>, %k: !tt.ptr<f32>):
  %ld = "tt.load"(%q) : (!tt.ptr<f32>) -> tensor<16x16xf32>
  %lk = "tt.load"(%k) : (!tt.ptr<f32>) -> tensor<16x16xf32>
  %m = "tt.load"(%k) : (!tt.ptr<f32>) -> tensor<16x16xi1>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %ninf = arith.constant dense<0xFF800000> : tensor<16x16xf32>
  %c = arith.constant dense<30.0> : tensor<16x16xf32>
  %s = "tt.dot"(%ld, %lk, %z) <{inputPrecision = 0 : i32}> : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %d = arith.divf %s, %c : tensor<16x16xf32>
  %t = "tt.extern_elementwise"(%d) <{symbol = "__nv_tanhf", libname = "", libpath = "", pure = true}> : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %u = arith.mulf %t, %c : tensor<16x16xf32>
  %w = arith.select %m, %u, %ninf : tensor<16x16xi1>, tensor<16x16xf32>
  %r = "tt.reduce"(%w) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %x = arith.maxnumf %a, %b : f32
    "tt.reduce.return"(%x) : (f32) -> ()
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %re = "tt.expand_dims"(%r) <{axis = 1 : i32}> : (tensor<16xf32>) -> tensor<16x1xf32>
  %rb = "tt.broadcast"(%re) : (tensor<16x1xf32>) -> tensor<16x16xf32>
  %df = arith.subf %w, %rb : tensor<16x16xf32>
  %e = math.exp %df : tensor<16x16xf32>
  %o = "tt.dot"(%e, %lk, %z) <{inputPrecision = 0 : i32}> : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  "tt.store"(%q, %o) : (!tt.ptr<f32>, tensor<16x16xf32>) -> ()
  "tt.return"() : () -> ()
}) : () -> ()

// -----

// The region of the op maps the scores.

// CHECK: verdict legal
// CHECK-NEXT: surface scores function=linalg_ext cap=50 pre_scale=0.25
func.func @linalg_ext(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>, %o: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %s = arith.constant 0.25 : f32
  %r = "iree_linalg_ext.attention"(%q, %k, %v, %s, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1>}> ({
  ^bb0(%x: f32):
    %c = arith.constant 50.0 : f32
    %d = arith.divf %x, %c : f32
    %t = math.tanh %d : f32
    %u = arith.mulf %t, %c : f32
    "iree_linalg_ext.yield"(%u) : (f32) -> ()
  }) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>, f32, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// -----

// What an unknown op does to capped scores is not guessed.

// CHECK: verdict inconclusive
// STRICT: error: inconclusive: 'vendor.postprocess' is not understood, and a soft cap depends on it
func.func @unknown(%h: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %l = linalg.matmul ins(%h, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%i : tensor<4x16xf32>) -> tensor<4x16xf32>
  %c = softcap.cap %l cap(30.0) : tensor<4x16xf32>
  %p = "vendor.postprocess"(%c) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %p : tensor<4x16xf32>
}
