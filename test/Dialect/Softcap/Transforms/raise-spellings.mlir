// RUN: %softcap-opt %s --pass-pipeline='builtin.module(softcap-raise{surfaces=false})' --split-input-file | FileCheck %s

// CHECK-LABEL: func @divide
// CHECK-NEXT:    %[[Y:.*]] = softcap.cap %{{.*}} cap(50.0) : tensor<4x8xf32>
// CHECK-NEXT:    return %[[Y]]
func.func @divide(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = arith.constant dense<50.0> : tensor<4x8xf32>
  %d = arith.divf %x, %c : tensor<4x8xf32>
  %t = math.tanh %d : tensor<4x8xf32>
  %y = arith.mulf %t, %c : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

// 0.02 is 1/50 within the rounding of f32.
// CHECK-LABEL: func @reciprocal
// CHECK:         softcap.cap %{{.*}} cap(50.0) : vector<8xf32>
// CHECK-NOT:     tanh
func.func @reciprocal(%x: vector<8xf32>) -> vector<8xf32> {
  %r = arith.constant dense<0.02> : vector<8xf32>
  %c = arith.constant dense<50.0> : vector<8xf32>
  %d = arith.mulf %r, %x : vector<8xf32>
  %t = math.tanh %d : vector<8xf32>
  %y = arith.mulf %t, %c : vector<8xf32>
  return %y : vector<8xf32>
}

// -----

// 0.0334473 is 1/30 in bf16.
// CHECK-LABEL: func @reciprocal_bf16
// CHECK:         softcap.cap %{{.*}} cap(30.0) : bf16
func.func @reciprocal_bf16(%x: bf16) -> bf16 {
  %r = arith.constant 3.344730e-02 : bf16
  %c = arith.constant 30.0 : bf16
  %d = arith.mulf %x, %r : bf16
  %t = math.tanh %d : bf16
  %y = arith.mulf %t, %c : bf16
  return %y : bf16
}

// -----

// CHECK-LABEL: func @folded_scale
// CHECK-SAME:    %[[X:.*]]: tensor<4x?xf32>
// CHECK:         %[[S:.*]] = arith.constant 2.500000e-01 : f32
// CHECK:         %[[SX:.*]] = linalg.generic {{.*}} ins(%[[X]]
// CHECK:           arith.mulf %{{.*}}, %[[S]] : f32
// CHECK:         softcap.cap %[[SX]] cap(50.0) : tensor<4x?xf32>
func.func @folded_scale(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %r = arith.constant 0.005 : f32
  %c = arith.constant 50.0 : f32
  %y = linalg.map ins(%x : tensor<4x?xf32>) outs(%x : tensor<4x?xf32>)
    (%in: f32, %o: f32) {
      %d = arith.mulf %in, %r : f32
      linalg.yield %d : f32
    }
  %t = math.tanh %y : tensor<4x?xf32>
  %z = linalg.map ins(%t : tensor<4x?xf32>) outs(%x : tensor<4x?xf32>)
    (%in: f32, %o: f32) {
      %d = arith.mulf %in, %c : f32
      linalg.yield %d : f32
    }
  return %z : tensor<4x?xf32>
}

// -----

// The pair 50 wins over the other factors, before and after.
// CHECK-LABEL: func @pair
// CHECK:         %[[X:.*]] = arith.mulf %{{.*}}, %{{.*}}
// CHECK:         %[[Y:.*]] = softcap.cap %[[X]] cap(50.0) : f32
// CHECK:         arith.mulf %[[Y]]
func.func @pair(%x: f32) -> f32 {
  %s = arith.constant 0.25 : f32
  %c = arith.constant 50.0 : f32
  %l = arith.constant 1.44269504 : f32
  %x0 = arith.mulf %x, %s : f32
  %d = arith.divf %x0, %c : f32
  %t = math.tanh %d : f32
  %y = arith.mulf %t, %c : f32
  %z = arith.mulf %y, %l : f32
  return %z : f32
}

// -----

// CHECK-LABEL: func @symbolic
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[C:.*]]: f64
// CHECK:         %[[T:.*]] = arith.truncf %[[C]] : f64 to f32
// CHECK:         softcap.cap %[[X]] cap(%[[T]] : f32) : tensor<4xf32>
#id = affine_map<(i) -> (i)>
func.func @symbolic(%x: tensor<4xf32>, %c64: f64) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %c = arith.truncf %c64 : f64 to f32
    %q = arith.divf %in, %c : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  %t = linalg.tanh ins(%d : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %c = arith.truncf %c64 : f64 to f32
    %q = arith.mulf %in, %c : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A rank-0 tensor as the cap, multiplied by its reciprocal.
// CHECK-LABEL: func @rank0
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[C:.*]]: tensor<f32>
// CHECK:         %[[S:.*]] = tensor.extract %[[C]][]
// CHECK:         softcap.cap %[[X]] cap(%[[S]] : f32) : tensor<4xf32>
#id = affine_map<(i) -> (i)>
#sc = affine_map<(i) -> ()>
func.func @rank0(%x: tensor<4xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  %r = arith.divf %one, %c : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#id, #sc, #id], iterator_types = ["parallel"]}
    ins(%x, %r : tensor<4xf32>, tensor<f32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %k: f32, %o: f32):
    %q = arith.mulf %in, %k : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  %t = math.tanh %d : tensor<4xf32>
  %cb = linalg.broadcast ins(%c : tensor<f32>) outs(%e : tensor<4xf32>) dimensions = [0]
  %y = linalg.mul ins(%cb, %t : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A fused body keeps the mask, and takes the capped tensor.
// CHECK-LABEL: func @partly_fused
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[M:.*]]: tensor<4xi1>
// CHECK:         %[[Y:.*]] = softcap.cap %[[X]] cap(50.0) : tensor<4xf32>
// CHECK:         linalg.generic {{.*}} ins(%[[M]], %[[Y]] : tensor<4xi1>, tensor<4xf32>)
// CHECK-NEXT:      ^bb0(%[[B:.*]]: i1, %[[A:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      %[[W:.*]] = arith.select %[[B]], %[[A]], %{{.*}} : f32
// CHECK-NEXT:      linalg.yield %[[W]]
#id = affine_map<(i) -> (i)>
func.func @partly_fused(%x: tensor<4xf32>, %m: tensor<4xi1>) -> tensor<4xf32> {
  %c = arith.constant 50.0 : f32
  %n = arith.constant -1.0e9 : f32
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %d = arith.divf %in, %c : f32
    %q = math.tanh %d : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
    ins(%t, %m : tensor<4xf32>, tensor<4xi1>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %b: i1, %o: f32):
    %q = arith.mulf %in, %c : f32
    %w = arith.select %b, %q, %n : f32
    linalg.yield %w : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The scale stands in the body of the divide: it keeps an op of its own.
// CHECK-LABEL: func @split_body
// CHECK:         %[[S:.*]] = linalg.generic
// CHECK:           arith.mulf
// CHECK-NEXT:      linalg.yield
// CHECK:         softcap.cap %[[S]] cap(50.0) : tensor<4xf32>
// CHECK-NOT:     linalg
#id = affine_map<(i) -> (i)>
func.func @split_body(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = arith.constant 0.25 : f32
  %c = arith.constant 50.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %p = arith.mulf %in, %s : f32
    %q = arith.divf %p, %c : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  %cs = tensor.splat %c : tensor<4xf32>
  %t = math.tanh %d : tensor<4xf32>
  %y = arith.mulf %cs, %t : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// CHECK-LABEL: func @resource
// CHECK:         softcap.cap %{{.*}} cap(50.0) : tensor<2xf32>
func.func @resource(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant dense_resource<fifty> : tensor<2xf32>
  %d = arith.divf %x, %c : tensor<2xf32>
  %t = math.tanh %d : tensor<2xf32>
  %y = arith.mulf %t, %c : tensor<2xf32>
  return %y : tensor<2xf32>
}
{-#
  dialect_resources: { builtin: { fifty: "0x040000000000484200004842" } }
#-}

// -----

// CHECK-LABEL: func @tosa
// CHECK:         softcap.cap %arg0 cap(30.0) : tensor<1x3x16xf32>
// CHECK-NOT:     tosa.tanh
func.func @tosa(%x: tensor<1x3x16xf32>) -> tensor<1x3x16xf32> {
  %sh = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %rc = "tosa.const"() <{values = dense<0.0333333351> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %c = "tosa.const"() <{values = dense<30.0> : tensor<1x1x1xf32>}> : () -> tensor<1x1x1xf32>
  %d = tosa.mul %x, %rc, %sh : (tensor<1x3x16xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x3x16xf32>
  %t = tosa.tanh %d : (tensor<1x3x16xf32>) -> tensor<1x3x16xf32>
  %y = tosa.mul %t, %c, %sh : (tensor<1x3x16xf32>, tensor<1x1x1xf32>, tensor<1xi8>) -> tensor<1x3x16xf32>
  return %y : tensor<1x3x16xf32>
}

// -----

// A cap on a narrower type than its steps: computed wide, rounded once.
// CHECK-LABEL: func @casts
// CHECK-SAME:    %[[X:.*]]: f32
// CHECK-NEXT:    %[[Y:.*]] = softcap.cap %[[X]] cap(50.0) : f32
// CHECK-NEXT:    %[[Z:.*]] = arith.truncf %[[Y]] : f32 to bf16
// CHECK-NEXT:    return %[[Z]]
func.func @casts(%x: f32) -> bf16 {
  %c = arith.constant 50.0 : f32
  %cb = arith.constant 50.0 : bf16
  %d = arith.divf %x, %c : f32
  %t = math.tanh %d : f32
  %tb = arith.truncf %t : f32 to bf16
  %y = arith.mulf %tb, %cb : bf16
  return %y : bf16
}

// -----

// CHECK-LABEL: func @helper
// CHECK:         softcap.cap %arg0 cap(50.0) : tensor<4xf32>
// CHECK-NOT:     @div
func.func @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<50.0> : tensor<4xf32>
  %d = call @div(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = math.tanh %d : tensor<4xf32>
  %y = arith.mulf %t, %c : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func private @div(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %d = arith.divf %a, %b : tensor<4xf32>
  return %d : tensor<4xf32>
}
