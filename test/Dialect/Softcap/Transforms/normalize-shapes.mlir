// RUN: %softcap-opt %s --split-input-file \
// RUN:   --pass-pipeline='builtin.module(func.func(softcap-normalize-shapes,canonicalize,cse))' | FileCheck %s

// Sizes are not negative: the checks and the cases for -1 disappear.
// CHECK-LABEL: @proved_asserts
func.func @proved_asserts(%x: tensor<?x8xf32>) -> (i64, i64) {
  // CHECK-NOT: cf.assert
  // CHECK: %[[DIM:.*]] = tensor.dim
  // CHECK: %[[I64:.*]] = arith.index_cast %[[DIM]] : index to i64
  // CHECK: %[[ROWS:.*]] = arith.muli %[[I64]]
  // CHECK: return %[[I64]], %[[ROWS]]
  %c0 = arith.constant 0 : index
  %c0_i64 = arith.constant 0 : i64
  %c1_i64 = arith.constant 1 : i64
  %c8_i64 = arith.constant 8 : i64
  %dim = tensor.dim %x, %c0 : tensor<?x8xf32>
  %n = arith.index_cast %dim : index to i64
  %positive = arith.cmpi sge, %n, %c0_i64 : i64
  cf.assert %positive, "negative"
  %negative = arith.cmpi slt, %n, %c0_i64 : i64
  %count = arith.extui %negative : i1 to i64
  %one = arith.cmpi sle, %count, %c1_i64 : i64
  cf.assert %one, "more than one inferred dimension"
  %rows = arith.muli %n, %c8_i64 : i64
  %rows_negative = arith.cmpi sgt, %c0_i64, %rows : i64
  %quotient = arith.divsi %rows, %n : i64
  %guarded = arith.select %negative, %quotient, %n : i64
  %guarded_rows = arith.select %rows_negative, %c1_i64, %rows : i64
  %again = arith.muli %guarded, %c8_i64 : i64
  %same = arith.cmpi eq, %again, %rows : i64
  cf.assert %same, "mismatch"
  return %guarded, %guarded_rows : i64, i64
}

// -----

// What depends on the sizes stays.
// CHECK-LABEL: @unproved_asserts
func.func @unproved_asserts(%x: tensor<?x?xf32>, %n: i64) -> i64 {
  // CHECK: cf.assert %{{.*}}, "square"
  // CHECK: cf.assert %{{.*}}, "an argument"
  // CHECK: cf.assert %{{.*}}, "not one"
  // CHECK: arith.select
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i64 = arith.constant 0 : i64
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %square = arith.cmpi eq, %rows, %columns : index
  cf.assert %square, "square"
  %positive = arith.cmpi sge, %n, %c0_i64 : i64
  cf.assert %positive, "an argument"
  %not_one = arith.cmpi ne, %rows, %c1 : index
  cf.assert %not_one, "not one"
  %empty = arith.cmpi sle, %rows, %c0 : index
  %result = arith.select %empty, %c0_i64, %n : i64
  return %result : i64
}

// -----

// Grouped heads: B x 4 x 2 x N x 16 -> B x 8 x N x 16 -> B*8 x N x 16 and back.
// CHECK-LABEL: @reshapes
//  CHECK-SAME: %[[X:.*]]: tensor<?x4x2x?x16xf32>
func.func @reshapes(%x: tensor<?x4x2x?x16xf32>) -> (tensor<?x8x?x16xf32>, tensor<?x?x16xf32>, tensor<?x8x?x16xf32>) {
  // CHECK-DAG: %[[A:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0], [1, 2], [3], [4]]
  // CHECK-DAG: %[[B:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2], [3], [4]]
  // CHECK-NOT: tensor.reshape
  // CHECK: return %[[A]], %[[B]], %[[A]]
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : i64
  %c16 = arith.constant 16 : i64
  %d0 = tensor.dim %x, %c0 : tensor<?x4x2x?x16xf32>
  %d3 = tensor.dim %x, %c3 : tensor<?x4x2x?x16xf32>
  %b = arith.index_cast %d0 : index to i64
  %n = arith.index_cast %d3 : index to i64
  %s0 = tensor.from_elements %b, %c8, %n, %c16 : tensor<4xi64>
  %0 = tensor.reshape %x(%s0) : (tensor<?x4x2x?x16xf32>, tensor<4xi64>) -> tensor<?x8x?x16xf32>
  %bh = arith.muli %b, %c8 : i64
  %s1 = tensor.from_elements %bh, %n, %c16 : tensor<3xi64>
  %1 = tensor.reshape %0(%s1) : (tensor<?x8x?x16xf32>, tensor<3xi64>) -> tensor<?x?x16xf32>
  %2 = tensor.reshape %1(%s0) : (tensor<?x?x16xf32>, tensor<4xi64>) -> tensor<?x8x?x16xf32>
  return %0, %1, %2 : tensor<?x8x?x16xf32>, tensor<?x?x16xf32>, tensor<?x8x?x16xf32>
}

// -----

// Many to many goes through the common product; sizes of 1 join the last group.
// CHECK-LABEL: @regroup
//  CHECK-SAME: %[[X:.*]]: tensor<6x?x4xf32>
func.func @regroup(%x: tensor<6x?x4xf32>) -> tensor<?x12x1xf32> {
  // CHECK: %[[C:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2]] : tensor<6x?x4xf32> into tensor<?xf32>
  // CHECK: tensor.expand_shape %[[C]] {{\[\[}}0, 1, 2]] output_shape [%{{.*}}, 12, 1]
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  %n = tensor.dim %x, %c1 : tensor<6x?x4xf32>
  %n2 = arith.muli %n, %c2 : index
  %s = tensor.from_elements %n2, %c12, %c1 : tensor<3xindex>
  %0 = tensor.reshape %x(%s) : (tensor<6x?x4xf32>, tensor<3xindex>) -> tensor<?x12x1xf32>
  return %0 : tensor<?x12x1xf32>
}

// -----

// No proof, no rewrite: sizes of arguments, or a shape that is itself data.
// CHECK-LABEL: @unproved_reshapes
func.func @unproved_reshapes(%x: tensor<?x?xf32>, %n: index, %s: tensor<2xindex>) -> (tensor<?x2xf32>, tensor<?x?xf32>) {
  // CHECK-COUNT-2: tensor.reshape
  %c2 = arith.constant 2 : index
  %shape = tensor.from_elements %n, %c2 : tensor<2xindex>
  %0 = tensor.reshape %x(%shape) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x2xf32>
  %1 = tensor.reshape %x(%s) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x2xf32>, tensor<?x?xf32>
}

// -----

#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// A broadcast to the tensor's own sizes is a copy, whatever the sizes are.
// CHECK-LABEL: @copy
//  CHECK-SAME: %[[X:.*]]: tensor<?x8x?x?xf32>
func.func @copy(%x: tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32> {
  // CHECK: return %[[X]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %b = tensor.dim %x, %c0 : tensor<?x8x?x?xf32>
  %m = tensor.dim %x, %c2 : tensor<?x8x?x?xf32>
  %n = tensor.dim %x, %c3 : tensor<?x8x?x?xf32>
  %e = tensor.empty(%b, %m, %n) : tensor<?x8x?x?xf32>
  %0 = linalg.generic {indexing_maps = [#id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<?x8x?x?xf32>) {
  ^bb0(%out: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %g0 = arith.cmpi eq, %b, %c1 : index
    %j0 = arith.select %g0, %c0, %i0 : index
    %g2 = arith.cmpi eq, %m, %c1 : index
    %j2 = arith.select %g2, %c0, %i2 : index
    %v = tensor.extract %x[%j0, %i1, %j2, %i3] : tensor<?x8x?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x8x?x?xf32>
  return %0 : tensor<?x8x?x?xf32>
}

// -----

#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>

// CHECK: #[[$MAP:.*]] = affine_map<(d0, d1, d2, d3) -> (0, d2, d3)>
// CHECK-LABEL: @broadcast
//  CHECK-SAME: %[[X:.*]]: tensor<1x?x?xi1>
func.func @broadcast(%x: tensor<1x?x?xi1>, %b: index) -> tensor<?x1x?x?xi1> {
  // CHECK: linalg.generic {indexing_maps = [#[[$MAP]], #{{.*}}], iterator_types = {{.*}}} ins(%[[X]] : tensor<1x?x?xi1>)
  // CHECK-NEXT: ^bb0(%[[IN:.*]]: i1, %{{.*}}: i1):
  // CHECK-NEXT: linalg.yield %[[IN]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c1 : tensor<1x?x?xi1>
  %n = tensor.dim %x, %c2 : tensor<1x?x?xi1>
  %e = tensor.empty(%b, %m, %n) : tensor<?x1x?x?xi1>
  %0 = linalg.generic {indexing_maps = [#id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<?x1x?x?xi1>) {
  ^bb0(%out: i1):
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %g2 = arith.cmpi eq, %m, %c1 : index
    %j2 = arith.select %g2, %c0, %i2 : index
    %v = tensor.extract %x[%c0, %j2, %i3] : tensor<1x?x?xi1>
    linalg.yield %v : i1
  } -> tensor<?x1x?x?xi1>
  return %0 : tensor<?x1x?x?xi1>
}

// -----

#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// The batch may be broadcast or not: that extraction stays, over the two
// dimensions that it reads, for the case that it is; the repeat of heads is
// structured.
// CHECK: #[[$REPEAT:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: @reduced
//  CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>, %[[B:.*]]: index
func.func @reduced(%x: tensor<?x4xf32>, %b: index) -> tensor<?x2x4xf32> {
  // CHECK-DAG: %[[OWN:.*]] = tensor.dim %[[X]]
  // CHECK-DAG: %[[E:.*]] = tensor.empty(%[[B]]) : tensor<?x4xf32>
  // CHECK-DAG: %[[SAME:.*]] = arith.cmpi eq, %[[OWN]], %[[B]] : index
  // CHECK: %[[G:.*]] = scf.if %[[SAME]] -> (tensor<?x4xf32>) {
  // CHECK-NEXT: scf.yield %[[X]]
  // CHECK-NEXT: } else {
  // CHECK: linalg.generic {{.*}} outs(%[[E]] : tensor<?x4xf32>)
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: %[[J:.*]] = linalg.index 1
  // CHECK: %[[S:.*]] = arith.select %{{.*}}, %{{.*}}, %[[I]]
  // CHECK: tensor.extract %[[X]][%[[S]], %[[J]]]
  // CHECK: scf.yield
  // CHECK: linalg.generic {indexing_maps = [#[[$REPEAT]], #{{.*}}], {{.*}}} ins(%[[G]] : tensor<?x4xf32>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %own = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%b) : tensor<?x2x4xf32>
  %0 = linalg.generic {indexing_maps = [#id3], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e : tensor<?x2x4xf32>) {
  ^bb0(%out: f32):
    %i0 = linalg.index 0 : index
    %i2 = linalg.index 2 : index
    %g = arith.cmpi eq, %own, %c1 : index
    %j0 = arith.select %g, %c0, %i0 : index
    %v = tensor.extract %x[%j0, %i2] : tensor<?x4xf32>
    linalg.yield %v : f32
  } -> tensor<?x2x4xf32>
  return %0 : tensor<?x2x4xf32>
}

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>

// A guard on a size that the loop does not exceed goes, one that may bite stays.
// CHECK-LABEL: @guards
func.func @guards(%x: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  // CHECK: scf.if
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: %[[J:.*]] = linalg.index 1
  // CHECK: %[[K:.*]] = arith.select %{{.*}}, %{{.*}}, %[[J]]
  // CHECK: tensor.extract %{{.*}}[%[[I]], %[[K]]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%rows, %n) : tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %g = arith.cmpi eq, %rows, %c1 : index
    %h = arith.select %g, %c0, %i : index
    %f = arith.cmpi eq, %columns, %c1 : index
    %k = arith.select %f, %c0, %j : index
    %v = tensor.extract %x[%h, %k] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>

// Not copies: a transposed slice of unknown size, a diagonal, an index that
// comes from data, a guard on another tensor's size.
// CHECK-LABEL: @other_extractions
func.func @other_extractions(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %ids: tensor<4xindex>, %n: index)
    -> (tensor<?x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<?x4xf32>) {
  // CHECK-NOT: scf.if
  // CHECK-COUNT-3: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<?x?xf32>
  // CHECK-NOT: scf.if
  // CHECK: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = tensor.empty() : tensor<4x4xf32>
  %0 = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%j, %i] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<4x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i, %i] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<4x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = tensor.extract %ids[%i] : tensor<4xindex>
    %v = tensor.extract %x[%row, %j] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  %rows = tensor.dim %y, %c0 : tensor<?x?xf32>
  %3 = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %g = arith.cmpi eq, %rows, %c1 : index
    %k = arith.select %g, %c0, %i : index
    %v = tensor.extract %x[%k, %j] : tensor<?x?xf32>
    linalg.yield %v : f32
  } -> tensor<?x4xf32>
  return %0, %1, %2, %3 : tensor<?x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<?x4xf32>
}
