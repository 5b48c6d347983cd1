// RUN: %softcap-opt %s --verify-roundtrip | FileCheck %s
// RUN: %softcap-opt %s --mlir-print-op-generic | %softcap-opt | FileCheck %s

// Every op and clause, in the custom and the generic form.

// CHECK-LABEL: @cap_scalars
func.func @cap_scalars(%h: f16, %b: bf16, %s: f32, %d: f64) -> (f16, bf16, f32, f64) {
  // CHECK: softcap.cap %{{.*}} cap(50.0) : f16
  %0 = softcap.cap %h cap(50.0) : f16
  // CHECK: softcap.cap %{{.*}} cap(30.5) : bf16
  %1 = softcap.cap %b cap(30.5) : bf16
  // CHECK: softcap.cap %{{.*}} cap(1.0e-05) accuracy fast : f32
  %2 = softcap.cap %s cap(0.00001) accuracy fast : f32
  // CHECK: softcap.cap %{{.*}} cap(%{{.*}} : f64) accuracy approx : f64
  %3 = softcap.cap %d cap(%d : f64) accuracy approx : f64
  return %0, %1, %2, %3 : f16, bf16, f32, f64
}

// Numbers are printed as the shortest decimals that read back as the same.
// CHECK-LABEL: @numbers
func.func @numbers(%x: f64) -> f64 {
  // CHECK: cap(0.1) : f64
  %0 = softcap.cap %x cap(0.1) : f64
  // CHECK: cap(0.30000000000000004) : f64
  %1 = softcap.cap %0 cap(0.30000000000000004) : f64
  // CHECK: cap(1.0e+300) : f64
  %2 = softcap.cap %1 cap(1.0e300) : f64
  // CHECK: cap(1.2345678901234567e-200) : f64
  %3 = softcap.cap %2 cap(1.2345678901234567e-200) : f64
  return %3 : f64
}

// CHECK-LABEL: @cap_shaped
func.func @cap_shaped(%t: tensor<4x?xf32>, %u: tensor<*xbf16>, %v: vector<8xf32>, %w: vector<[4]xf16>, %c: f32)
    -> (tensor<4x?xf32>, tensor<*xbf16>, vector<8xf32>, vector<[4]xf16>) {
  // CHECK: softcap.cap %{{.*}} cap(%{{.*}} : f32) accuracy fast : tensor<4x?xf32>
  %0 = softcap.cap %t cap(%c : f32) accuracy fast : tensor<4x?xf32>
  // CHECK: softcap.cap %{{.*}} cap(30.0) {note = "kept"} : tensor<*xbf16>
  %1 = softcap.cap %u cap(30.0) {note = "kept"} : tensor<*xbf16>
  // CHECK: softcap.cap %{{.*}} cap(50.0) : vector<8xf32>
  %2 = softcap.cap %v cap(50.0) : vector<8xf32>
  // CHECK: softcap.cap %{{.*}} cap(50.0) : vector<[4]xf16>
  %3 = softcap.cap %w cap(50.0) : vector<[4]xf16>
  return %0, %1, %2, %3 : tensor<4x?xf32>, tensor<*xbf16>, vector<8xf32>, vector<[4]xf16>
}

// CHECK-LABEL: @cap_grad
func.func @cap_grad(%dy: tensor<?xbf16>, %x: tensor<?xbf16>, %c: bf16) -> tensor<?xbf16> {
  // CHECK: softcap.cap_grad %{{.*}}, %{{.*}} cap(30.0) : tensor<?xbf16>
  %0 = softcap.cap_grad %dy, %x cap(30.0) : tensor<?xbf16>
  // CHECK: softcap.cap_grad %{{.*}}, %{{.*}} cap(%{{.*}} : bf16) accuracy fast : tensor<?xbf16>
  %1 = softcap.cap_grad %0, %x cap(%c : bf16) accuracy fast : tensor<?xbf16>
  return %1 : tensor<?xbf16>
}

// CHECK-LABEL: @scores
func.func @scores(%q: tensor<?x8x?x64xbf16>, %k: tensor<?x4x?x64xbf16>, %b: tensor<1x8x1x?xf32>,
    %init: tensor<?x8x?x?xf32>, %c: f32) -> tensor<?x8x?x?xf32> {
  // CHECK: softcap.scores ins(%{{.*}}, %{{.*}} : tensor<?x8x?x64xbf16>, tensor<?x4x?x64xbf16>) cap(50.0) outs(%{{.*}} : tensor<?x8x?x?xf32>)
  %0 = softcap.scores ins(%q, %k : tensor<?x8x?x64xbf16>, tensor<?x4x?x64xbf16>)
    cap(50.0) outs(%init : tensor<?x8x?x?xf32>)
  // CHECK: softcap.scores {{.*}} cap(%{{.*}} : f32) scale(0.125) pre_bias(%{{.*}} : tensor<1x8x1x?xf32>) accuracy fast outs(
  %1 = softcap.scores ins(%q, %k : tensor<?x8x?x64xbf16>, tensor<?x4x?x64xbf16>)
    cap(%c : f32) scale(0.125) pre_bias(%b : tensor<1x8x1x?xf32>) accuracy fast outs(%0 : tensor<?x8x?x?xf32>)
  return %1 : tensor<?x8x?x?xf32>
}

// CHECK-LABEL: @scores_memref
func.func @scores_memref(%q: memref<1x8x4x64xf64>, %k: memref<1x1x9x64xf64, strided<[?, ?, ?, ?], offset: ?>>,
    %out: memref<1x8x4x9xf64>) {
  // CHECK: softcap.scores {{.*}} outs(%{{.*}} : memref<1x8x4x9xf64>)
  softcap.scores ins(%q, %k : memref<1x8x4x64xf64>, memref<1x1x9x64xf64, strided<[?, ?, ?, ?], offset: ?>>)
    cap(50.0) outs(%out : memref<1x8x4x9xf64>)
  return
}

// CHECK-LABEL: @logits
func.func @logits(%h: tensor<2x?x256xf16>, %w: tensor<1000x256xf16>, %b: tensor<1000xf16>,
    %init: tensor<2x?x1000xf16>, %lse: tensor<2x?xf32>) -> (tensor<2x?x1000xf16>, tensor<2x?xf32>) {
  // CHECK: softcap.logits {{.*}} cap(30.0) outs(%{{.*}} : tensor<2x?x1000xf16>){{$}}
  %0 = softcap.logits ins(%h, %w : tensor<2x?x256xf16>, tensor<1000x256xf16>)
    cap(30.0) outs(%init : tensor<2x?x1000xf16>)
  // CHECK: softcap.logits {{.*}} scale(0.5) bias(%{{.*}} : tensor<1000xf16>) accuracy fast outs({{.*}}) lse(%{{.*}} : tensor<2x?xf32>)
  %1:2 = softcap.logits ins(%h, %w : tensor<2x?x256xf16>, tensor<1000x256xf16>)
    cap(30.0) scale(0.5) bias(%b : tensor<1000xf16>) accuracy fast
    outs(%0 : tensor<2x?x1000xf16>) lse(%lse : tensor<2x?xf32>)
  return %1#0, %1#1 : tensor<2x?x1000xf16>, tensor<2x?xf32>
}

// CHECK-LABEL: @logits_one_token
func.func @logits_one_token(%h: memref<256xf32>, %w: memref<?x256xf32>, %out: memref<?xf32>, %lse: memref<f32>) {
  // CHECK: softcap.logits {{.*}} outs(%{{.*}} : memref<?xf32>) lse(%{{.*}} : memref<f32>)
  softcap.logits ins(%h, %w : memref<256xf32>, memref<?x256xf32>) cap(30.0)
    outs(%out : memref<?xf32>) lse(%lse : memref<f32>)
  return
}

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<1x8x?x64xf16>, %k: tensor<1x4x?x64xf16>, %init: tensor<1x8x?x64xf16>,
    %lse: tensor<1x8x?xf32>, %m: tensor<1x1x?x?xi1>, %len: tensor<1xi32>, %p: index, %sinks: tensor<8xf32>)
    -> (tensor<1x8x?x64xf16>, tensor<1x8x?xf32>) {
  // CHECK: softcap.attention ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<1x8x?x64xf16>, tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>) cap(50.0) pre_scale(0.0625) causal offset(%{{.*}}) window_left(127) mask(%{{.*}} : tensor<1x1x?x?xi1>) lengths(%{{.*}} : tensor<1xi32>) sinks(%{{.*}} : tensor<8xf32>) masked_rows mean outs(%{{.*}} : tensor<1x8x?x64xf16>) lse(%{{.*}} : tensor<1x8x?xf32>)
  %o:2 = softcap.attention ins(%q, %k, %k : tensor<1x8x?x64xf16>, tensor<1x4x?x64xf16>, tensor<1x4x?x64xf16>)
    cap(50.0) pre_scale(0.0625) causal offset(%p) window_left(127) mask(%m : tensor<1x1x?x?xi1>)
    lengths(%len : tensor<1xi32>) sinks(%sinks : tensor<8xf32>) masked_rows mean
    outs(%init : tensor<1x8x?x64xf16>) lse(%lse : tensor<1x8x?xf32>)
  return %o#0, %o#1 : tensor<1x8x?x64xf16>, tensor<1x8x?xf32>
}

// CHECK-LABEL: @attention_plain
func.func @attention_plain(%q: tensor<2x3x5x7xf64>, %v: tensor<2x3x5x11xf64>, %init: tensor<2x3x5x11xf64>) -> tensor<2x3x5x11xf64> {
  // CHECK: softcap.attention ins({{.*}}) outs(%{{.*}} : tensor<2x3x5x11xf64>)
  %o = softcap.attention ins(%q, %q, %v : tensor<2x3x5x7xf64>, tensor<2x3x5x7xf64>, tensor<2x3x5x11xf64>)
    outs(%init : tensor<2x3x5x11xf64>)
  return %o : tensor<2x3x5x11xf64>
}

// CHECK-LABEL: @attention_map
func.func @attention_map(%q: tensor<?x?x?x?xbf16>, %k: tensor<?x?x?x?xbf16>, %b: tensor<?x1x?x?xf32>,
    %qs: tensor<?x?xi64>, %c: f32, %init: tensor<?x?x?x?xbf16>) -> tensor<?x?x?x?xbf16> {
  // CHECK: softcap.attention {{.*}} cap(%{{.*}} : f32) pre_scale(-0.1) pre_bias(%{{.*}} : tensor<?x1x?x?xf32>) post_scale(2.0) post_bias(%{{.*}} : tensor<?x1x?x?xf32>) offset(-3) window_left(0) window_right(9) segments(%{{.*}}, %{{.*}} : tensor<?x?xi64>, tensor<?x?xi64>) accuracy precise outs(
  %o = softcap.attention ins(%q, %k, %k : tensor<?x?x?x?xbf16>, tensor<?x?x?x?xbf16>, tensor<?x?x?x?xbf16>)
    cap(%c : f32) pre_scale(-0.1) pre_bias(%b : tensor<?x1x?x?xf32>) post_scale(2.0) post_bias(%b : tensor<?x1x?x?xf32>)
    offset(-3) window_left(0) window_right(9) segments(%qs, %qs : tensor<?x?xi64>, tensor<?x?xi64>) accuracy precise
    outs(%init : tensor<?x?x?x?xbf16>)
  return %o : tensor<?x?x?x?xbf16>
}

// CHECK-LABEL: @attention_memref
func.func @attention_memref(%q: memref<1x8x?x64xf32>, %k: memref<1x4x?x64xf32>, %out: memref<1x8x?x64xf32>,
    %lse: memref<1x8x?xf32>) {
  // CHECK: softcap.attention {{.*}} outs(%{{.*}} : memref<1x8x?x64xf32>) lse(%{{.*}} : memref<1x8x?xf32>) {note}
  softcap.attention ins(%q, %k, %k : memref<1x8x?x64xf32>, memref<1x4x?x64xf32>, memref<1x4x?x64xf32>)
    cap(50.0) outs(%out : memref<1x8x?x64xf32>) lse(%lse : memref<1x8x?xf32>) {note}
  return
}

// CHECK-LABEL: @online_attention
func.func @online_attention(%q: tensor<1x1x8x64xf16>, %k: tensor<1x1x32x64xf16>, %acc: tensor<1x1x8x64xf32>,
    %m: tensor<1x1x8xf32>, %p: index) -> tensor<1x1x8x64xf32> {
  // CHECK: softcap.online_attention ins({{.*}}) cap(50.0) pre_scale(0.125) causal offset(%{{.*}}) outs(%{{.*}}, %{{.*}}, %{{.*}} : tensor<1x1x8x64xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>)
  %o:3 = softcap.online_attention ins(%q, %k, %k : tensor<1x1x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x64xf16>)
    cap(50.0) pre_scale(0.125) causal offset(%p)
    outs(%acc, %m, %m : tensor<1x1x8x64xf32>, tensor<1x1x8xf32>, tensor<1x1x8xf32>)
  return %o#0 : tensor<1x1x8x64xf32>
}

// CHECK-LABEL: @online_attention_memref
func.func @online_attention_memref(%q: memref<1x1x8x64xf32>, %acc: memref<1x1x8x64xf32>, %m: memref<1x1x8xf32>) {
  // CHECK: softcap.online_attention {{.*}} outs(%{{.*}}, %{{.*}}, %{{.*}} : memref<
  softcap.online_attention ins(%q, %q, %q : memref<1x1x8x64xf32>, memref<1x1x8x64xf32>, memref<1x1x8x64xf32>)
    outs(%acc, %m, %m : memref<1x1x8x64xf32>, memref<1x1x8xf32>, memref<1x1x8xf32>)
  return
}

// CHECK-LABEL: @merge
func.func @merge(%acc: tensor<?x1x8x4x16xf32>, %l: tensor<?x1x8x4xf32>, %sinks: tensor<8xbf16>,
    %init: tensor<1x8x4x16xbf16>, %lse: tensor<1x8x4xf32>) -> (tensor<1x8x4x16xbf16>, tensor<1x8x4xf32>) {
  // CHECK: softcap.merge ins({{.*}}) maxima(%{{.*}} : tensor<?x1x8x4xf32>) sinks(%{{.*}} : tensor<8xbf16>) outs(%{{.*}} : tensor<1x8x4x16xbf16>){{$}}
  %0 = softcap.merge ins(%acc, %l : tensor<?x1x8x4x16xf32>, tensor<?x1x8x4xf32>) maxima(%l : tensor<?x1x8x4xf32>)
    sinks(%sinks : tensor<8xbf16>) outs(%init : tensor<1x8x4x16xbf16>)
  // CHECK: softcap.merge ins({{.*}}) shift(-1.5) outs(%{{.*}} : tensor<1x8x4x16xbf16>) lse(%{{.*}} : tensor<1x8x4xf32>)
  %1:2 = softcap.merge ins(%acc, %l : tensor<?x1x8x4x16xf32>, tensor<?x1x8x4xf32>) shift(-1.5)
    outs(%0 : tensor<1x8x4x16xbf16>) lse(%lse : tensor<1x8x4xf32>)
  return %1#0, %1#1 : tensor<1x8x4x16xbf16>, tensor<1x8x4xf32>
}
