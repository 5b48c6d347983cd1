// RUN: %softcap-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(softcap-use-algebra{direction=inward}))' | FileCheck %s --check-prefixes=CHECK,IN
// RUN: %softcap-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(func.func(softcap-use-algebra{direction=outward}))' | FileCheck %s --check-prefixes=CHECK,OUT
// RUN: %softcap-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(softcap-use-algebra{direction=none commute-max=false},canonicalize))' -o %t.none
// RUN: %softcap-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(canonicalize))' | diff - %t.none

// CHECK-LABEL: @factor_after
//  CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: f32
func.func @factor_after(%x: tensor<8xf32>, %y: f32) -> (tensor<8xf32>, f32, f32) {
  %k = arith.constant dense<-0.3> : tensor<8xf32>
  %t = arith.constant 5.0 : f32
  %half = arith.constant 0.5 : f32
  // IN: %[[M:.*]] = arith.mulf %[[X]], %{{.*}}
  // IN: softcap.cap %[[M]] cap(9.000000{{.*}}) accuracy fast : tensor<8xf32>
  // OUT: softcap.cap %[[X]] cap(30.0)
  // OUT: arith.mulf
  %0 = softcap.cap %x cap(30.0) accuracy fast : tensor<8xf32>
  %1 = arith.mulf %0, %k : tensor<8xf32>
  // IN: %[[D:.*]] = arith.divf %[[Y]], %{{.*}}
  // IN: softcap.cap %[[D]] cap(10.0) : f32
  %2 = softcap.cap %y cap(50.0) : f32
  %3 = arith.divf %2, %t : f32
  // IN: %[[H:.*]] = arith.mulf %[[Y]], %{{.*}}
  // IN: softcap.cap %[[H]] cap(25.0) : f32
  %4 = softcap.cap %y cap(50.0) : f32
  %5 = arith.mulf %half, %4 : f32
  return %1, %3, %5 : tensor<8xf32>, f32, f32
}

// -----

// CHECK-LABEL: @factor_before
//  CHECK-SAME: %[[X:.*]]: vector<8xf64>
func.func @factor_before(%x: vector<8xf64>) -> (vector<8xf64>, vector<8xf64>) {
  %k = arith.constant dense<-0.25> : vector<8xf64>
  // IN: arith.mulf
  // IN: softcap.cap %{{.*}} cap(30.0)
  // OUT: %[[C:.*]] = softcap.cap %[[X]] cap(120.0) : vector<8xf64>
  // OUT: arith.mulf %[[C]], %{{.*}} : vector<8xf64>
  %0 = arith.mulf %x, %k : vector<8xf64>
  %1 = softcap.cap %0 cap(30.0) : vector<8xf64>
  // OUT: %[[D:.*]] = softcap.cap %[[X]] cap(7.5) : vector<8xf64>
  // OUT: arith.divf %[[D]], %{{.*}} : vector<8xf64>
  %2 = arith.divf %x, %k : vector<8xf64>
  %3 = softcap.cap %2 cap(30.0) : vector<8xf64>
  return %1, %3 : vector<8xf64>, vector<8xf64>
}

// -----

// No constant, no constant cap, another use of the cap, a factor that leaves no
// cap, and on 16 bits a factor that would add a rounding.
// CHECK-LABEL: @factors_that_stay
func.func @factors_that_stay(%x: f32, %k: f32, %h: bf16) -> (f32, f32, f32, f32, f32, bf16, bf16) {
  %third = arith.constant 0.33333334 : f32
  %tiny = arith.constant 1.0e-38 : f32
  %zero = arith.constant 0.0 : f32
  %h3 = arith.constant 3.0 : bf16
  %h2 = arith.constant 2.0 : bf16
  // IN: softcap.cap %{{.*}} cap(20.0)
  // IN-NEXT: arith.mulf
  %0 = softcap.cap %x cap(20.0) : f32
  %1 = arith.mulf %0, %k : f32
  // IN: softcap.cap %{{.*}} cap(%{{.*}} : f32)
  // IN-NEXT: arith.mulf
  %2 = softcap.cap %x cap(%k : f32) : f32
  %3 = arith.mulf %2, %third : f32
  // IN: softcap.cap %{{.*}} cap(30.0)
  // IN-NEXT: arith.mulf
  %4 = softcap.cap %x cap(30.0) : f32
  %5 = arith.mulf %4, %third : f32
  // IN: softcap.cap %{{.*}} cap(0.5)
  // IN-NEXT: arith.mulf
  %6 = softcap.cap %x cap(0.5) : f32
  %7 = arith.mulf %6, %tiny : f32
  // IN: softcap.cap %{{.*}} cap(40.0)
  // IN-NEXT: arith.mulf
  %8 = softcap.cap %h cap(40.0) : bf16
  %9 = arith.mulf %8, %h3 : bf16
  // IN: arith.mulf
  // IN-NEXT: softcap.cap %{{.*}} cap(100.0)
  %10 = softcap.cap %h cap(50.0) : bf16
  %11 = arith.mulf %10, %h2 : bf16
  return %1, %3, %5, %4, %7, %9, %11 : f32, f32, f32, f32, f32, bf16, bf16
}

// -----

// CHECK-LABEL: @surfaces
func.func @surfaces(%q: tensor<1x1x4x8xbf16>, %s: tensor<1x1x4x4xf32>, %h: tensor<4x8xf32>, %l: tensor<4x4xf32>,
    %b: tensor<4xf32>) -> (tensor<1x1x4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %k = arith.constant dense<0.7> : tensor<1x1x4x4xf32>
  %t = arith.constant dense<2.0> : tensor<4x4xf32>
  // IN: softcap.scores {{.*}} cap(34.99999{{.*}}) scale(0.17499{{.*}}) outs(
  // OUT: softcap.scores {{.*}} cap(50.0) scale(0.25)
  // OUT: arith.mulf
  %0 = softcap.scores ins(%q, %q : tensor<1x1x4x8xbf16>, tensor<1x1x4x8xbf16>) cap(50.0) scale(0.25)
    outs(%s : tensor<1x1x4x4xf32>)
  %1 = arith.mulf %0, %k : tensor<1x1x4x4xf32>
  // IN: softcap.logits {{.*}} cap(15.0) scale(0.5) outs(
  %2 = softcap.logits ins(%h, %h : tensor<4x8xf32>, tensor<4x8xf32>) cap(30.0) outs(%l : tensor<4x4xf32>)
  %3 = arith.divf %2, %t : tensor<4x4xf32>
  // IN-NOT: arith
  // The bias is not scaled, so neither is the cap.
  // IN: softcap.logits {{.*}} cap(30.0) bias({{.*}}) outs(
  // IN: arith.divf
  %4 = softcap.logits ins(%h, %h : tensor<4x8xf32>, tensor<4x8xf32>) cap(30.0) bias(%b : tensor<4xf32>)
    outs(%l : tensor<4x4xf32>)
  %5 = arith.divf %4, %t : tensor<4x4xf32>
  return %1, %3, %5 : tensor<1x1x4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<1x1x4x8xf32>, %b: tensor<1x1x4x4xf32>, %c: f32) -> tensor<1x1x4x8xf32> {
  // IN: softcap.attention {{.*}} cap(100.0) pre_scale(0.125) causal outs(
  // OUT: softcap.attention {{.*}} cap(800.0) post_scale(0.125) causal outs(
  %0 = softcap.attention ins(%q, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
    cap(50.0) pre_scale(0.0625) post_scale(2.0) causal outs(%q : tensor<1x1x4x8xf32>)
  // A bias behind the cap is in the way of nothing, one before it is.
  // IN: softcap.attention {{.*}} cap(100.0) pre_scale(2.0) post_bias({{.*}}) outs(
  %1 = softcap.attention ins(%0, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
    cap(50.0) post_scale(2.0) post_bias(%b : tensor<1x1x4x4xf32>) outs(%q : tensor<1x1x4x8xf32>)
  // CHECK: softcap.attention {{.*}} cap(50.0) pre_scale(0.5) pre_bias({{.*}}) post_scale(2.0) outs(
  %2 = softcap.attention ins(%1, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
    cap(50.0) pre_scale(0.5) pre_bias(%b : tensor<1x1x4x4xf32>) post_scale(2.0) outs(%q : tensor<1x1x4x8xf32>)
  // CHECK: softcap.attention {{.*}} cap(%{{.*}} : f32) post_scale(2.0) outs(
  %3 = softcap.attention ins(%2, %q, %q : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
    cap(%c : f32) post_scale(2.0) outs(%q : tensor<1x1x4x8xf32>)
  return %3 : tensor<1x1x4x8xf32>
}

// -----

// CHECK-LABEL: @maximum
//  CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>, %[[C:.*]]: f32
func.func @maximum(%x: tensor<8xf32>, %y: tensor<8xf32>, %c: f32) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[M:.*]] = arith.maximumf %[[X]], %[[Y]]
  // CHECK: softcap.cap %[[M]] cap(30.0) accuracy fast
  %0 = softcap.cap %x cap(30.0) accuracy fast : tensor<8xf32>
  %1 = softcap.cap %y cap(30.0) accuracy fast : tensor<8xf32>
  %2 = arith.maximumf %0, %1 : tensor<8xf32>
  // CHECK: %[[N:.*]] = arith.minimumf %[[X]], %[[Y]]
  // CHECK: softcap.cap %[[N]] cap(%[[C]] : f32)
  %3 = softcap.cap %x cap(%c : f32) : tensor<8xf32>
  %4 = softcap.cap %y cap(%c : f32) : tensor<8xf32>
  %5 = arith.minimumf %3, %4 : tensor<8xf32>
  // Two caps, or two accuracies.
  // CHECK: softcap.cap %[[X]] cap(20.0)
  // CHECK: softcap.cap %[[Y]] cap(30.0)
  // CHECK: arith.maximumf
  %6 = softcap.cap %x cap(20.0) : tensor<8xf32>
  %7 = softcap.cap %y cap(30.0) : tensor<8xf32>
  %8 = arith.maximumf %6, %7 : tensor<8xf32>
  // CHECK: softcap.cap %[[X]] cap(30.0) accuracy fast
  // CHECK: softcap.cap %[[Y]] cap(30.0)
  // CHECK: arith.maximumf
  %9 = softcap.cap %x cap(30.0) accuracy fast : tensor<8xf32>
  %10 = softcap.cap %y cap(30.0) : tensor<8xf32>
  %11 = arith.maximumf %9, %10 : tensor<8xf32>
  return %2, %5, %8, %11 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: @reductions
//  CHECK-SAME: %[[X:.*]]: tensor<?x8xf32>, %{{.*}}: tensor<?xf32>, %[[C:.*]]: f32
func.func @reductions(%x: tensor<?x8xf32>, %e: tensor<?xf32>, %c: f32) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %ninf = arith.constant 0xFF800000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %low = linalg.fill ins(%ninf : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %high = linalg.fill ins(%inf : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  // CHECK: %[[R:.*]] = linalg.reduce ins(%[[X]] : tensor<?x8xf32>)
  // CHECK: softcap.cap %[[R]] cap(30.0) : tensor<?xf32>
  %0 = softcap.cap %x cap(30.0) : tensor<?x8xf32>
  %1 = linalg.reduce ins(%0 : tensor<?x8xf32>) outs(%low : tensor<?xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %m = arith.maximumf %in, %out : f32
      linalg.yield %m : f32
    }
  // CHECK: %[[G:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<?x8xf32>)
  // CHECK: arith.minimumf
  // CHECK: softcap.cap %[[G]] cap(20.0) : tensor<?xf32>
  %2 = softcap.cap %x cap(20.0) : tensor<?x8xf32>
  %3 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%2 : tensor<?x8xf32>) outs(%high : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %m = arith.minimumf %out, %in : f32
      linalg.yield %m : f32
    } -> tensor<?xf32>
  // CHECK: %[[B:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<?x8xf32>)
  // CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
  // CHECK-NEXT: arith.maximumf %[[IN]], %[[OUT]]
  // CHECK: softcap.cap %[[B]] cap(%[[C]] : f32) : tensor<?xf32>
  %4 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x8xf32>) outs(%low : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %y = softcap.cap %in cap(%c : f32) : f32
      %m = arith.maximumf %y, %out : f32
      linalg.yield %m : f32
    } -> tensor<?xf32>
  return %1, %3, %4 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// A maximum of nothing is -inf but would be -c; an accumulator of its own is
// capped by no one; the softmax needs the caps anyway; a sum does not commute.
// CHECK-LABEL: @reductions_that_stay
func.func @reductions_that_stay(%x: tensor<?x8xf32>, %e: tensor<?xf32>, %e8: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x8xf32>) {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %low8 = linalg.fill ins(%ninf : f32) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %low = linalg.fill ins(%ninf : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  // CHECK-COUNT-4: softcap.cap %{{.*}} : tensor<?x8xf32>
  // CHECK-NOT: softcap.cap
  %0 = softcap.cap %x cap(10.0) : tensor<?x8xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%0 : tensor<?x8xf32>) outs(%low8 : tensor<8xf32>) dimensions = [0]
  %2 = softcap.cap %x cap(20.0) : tensor<?x8xf32>
  %3 = linalg.reduce { arith.maximumf } ins(%2 : tensor<?x8xf32>) outs(%e : tensor<?xf32>) dimensions = [1]
  %4 = softcap.cap %x cap(30.0) : tensor<?x8xf32>
  %5 = linalg.reduce { arith.maximumf } ins(%4 : tensor<?x8xf32>) outs(%low : tensor<?xf32>) dimensions = [1]
  %6 = softcap.cap %x cap(40.0) : tensor<?x8xf32>
  %7 = linalg.reduce { arith.addf } ins(%6 : tensor<?x8xf32>) outs(%low : tensor<?xf32>) dimensions = [1]
  return %1, %3, %5, %7, %4 : tensor<8xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?x8xf32>
}

// -----

// CHECK-LABEL: @vectors
//  CHECK-SAME: %[[X:.*]]: vector<4x8xf16>, %[[ACC:.*]]: vector<4xf16>, %[[V:.*]]: vector<8xf32>
func.func @vectors(%x: vector<4x8xf16>, %acc: vector<4xf16>, %v: vector<8xf32>) -> (vector<4xf16>, f32, f32) {
  // CHECK-DAG: %[[LOW:.*]] = arith.constant dense<0xFC00> : vector<4xf16>
  // CHECK: %[[R:.*]] = vector.multi_reduction <maximumf>, %[[X]], %[[LOW]] [1]
  // CHECK: %[[C:.*]] = softcap.cap %[[R]] cap(50.0) : vector<4xf16>
  // CHECK: arith.maximumf %[[C]], %[[ACC]]
  %0 = softcap.cap %x cap(50.0) : vector<4x8xf16>
  %1 = vector.multi_reduction <maximumf>, %0, %acc [1] : vector<4x8xf16> to vector<4xf16>
  // CHECK: %[[S:.*]] = vector.reduction <minimumf>, %[[V]] : vector<8xf32> into f32
  // CHECK: softcap.cap %[[S]] cap(50.0) : f32
  %2 = softcap.cap %v cap(50.0) : vector<8xf32>
  %3 = vector.reduction <minimumf>, %2 : vector<8xf32> into f32
  // CHECK: softcap.cap %[[V]] cap(30.0) : vector<8xf32>
  // CHECK: vector.reduction <add>
  %4 = softcap.cap %v cap(30.0) : vector<8xf32>
  %5 = vector.reduction <add>, %4 : vector<8xf32> into f32
  return %1, %3, %5 : vector<4xf16>, f32, f32
}
