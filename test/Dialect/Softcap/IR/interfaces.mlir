// RUN: %softcap-opt %s --resolve-ranked-shaped-type-result-dims --cse --canonicalize | FileCheck %s

// Result shapes are those of the destinations; ops on tensors have no effects,
// ops on memrefs write their destination.

// CHECK-LABEL: @attention_shape
//  CHECK-SAME: %{{.*}}: tensor<?x8x?x64xf32>, %[[INIT:.*]]: tensor<?x8x?x64xf32>, %[[LSE:.*]]: tensor<?x8x?xf32>
func.func @attention_shape(%q: tensor<?x8x?x64xf32>, %init: tensor<?x8x?x64xf32>, %lse: tensor<?x8x?xf32>)
    -> (index, index, index) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[B:.*]] = tensor.dim %[[INIT]], %[[C0]]
  // CHECK-DAG: %[[M:.*]] = tensor.dim %[[INIT]], %[[C2]]
  // CHECK-DAG: %[[L:.*]] = tensor.dim %[[LSE]], %[[C2]]
  // CHECK-NOT: softcap.attention
  // CHECK: return %[[B]], %[[M]], %[[L]]
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %0:2 = softcap.attention ins(%q, %q, %q : tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>)
    cap(50.0) outs(%init : tensor<?x8x?x64xf32>) lse(%lse : tensor<?x8x?xf32>)
  %b = tensor.dim %0#0, %c0 : tensor<?x8x?x64xf32>
  %m = tensor.dim %0#0, %c2 : tensor<?x8x?x64xf32>
  %l = tensor.dim %0#1, %c2 : tensor<?x8x?xf32>
  return %b, %m, %l : index, index, index
}

// CHECK-LABEL: @logits_shape
//  CHECK-SAME: %{{.*}}, %{{.*}}, %[[INIT:.*]]: tensor<?x?xf32>)
func.func @logits_shape(%h: tensor<?x16xf32>, %w: tensor<?x16xf32>, %init: tensor<?x?xf32>) -> index {
  // CHECK: tensor.dim %[[INIT]]
  // CHECK-NOT: softcap.logits
  %c1 = arith.constant 1 : index
  %0 = softcap.logits ins(%h, %w : tensor<?x16xf32>, tensor<?x16xf32>) cap(30.0) outs(%init : tensor<?x?xf32>)
  %v = tensor.dim %0, %c1 : tensor<?x?xf32>
  return %v : index
}

// Equal ops on tensors are one; ops on memrefs are not merged or dropped.
// CHECK-LABEL: @effects
func.func @effects(%q: tensor<1x1x4x16xf32>, %m: memref<1x1x4x16xf32>) -> (tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>) {
  // CHECK-COUNT-2: softcap.attention {{.*}} memref<1x1x4x16xf32>
  softcap.attention ins(%m, %m, %m : memref<1x1x4x16xf32>, memref<1x1x4x16xf32>, memref<1x1x4x16xf32>)
    cap(50.0) outs(%m : memref<1x1x4x16xf32>)
  softcap.attention ins(%m, %m, %m : memref<1x1x4x16xf32>, memref<1x1x4x16xf32>, memref<1x1x4x16xf32>)
    cap(50.0) outs(%m : memref<1x1x4x16xf32>)
  // CHECK: %[[O:.*]] = softcap.attention
  // CHECK-NOT: softcap.attention
  // CHECK: return %[[O]], %[[O]]
  %0 = softcap.attention ins(%q, %q, %q : tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>)
    cap(50.0) outs(%q : tensor<1x1x4x16xf32>)
  %1 = softcap.attention ins(%q, %q, %q : tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>)
    cap(50.0) outs(%q : tensor<1x1x4x16xf32>)
  return %0, %1 : tensor<1x1x4x16xf32>, tensor<1x1x4x16xf32>
}
