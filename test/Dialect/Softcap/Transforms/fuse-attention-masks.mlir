// What becomes of masks. The shapes are 4 heads, 8 queries, 12 keys, so that an
// offset of 4 puts the last query at the last key.

// RUN: %softcap-opt --pass-pipeline='builtin.module(softcap-fuse-attention)' --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @causal_offset(
// CHECK: softcap.attention {{.*}} cap(5.0) causal offset(4) outs
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @causal_offset(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c4 = arith.constant 4 : index
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %pos = arith.addi %i, %c4 : index
    %ok = arith.cmpi sle, %j, %pos : index
    %y = arith.select %ok, %c, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @strictly_before(
// Query 0 sees nothing: minus infinity makes a NaN there, the op zeros.
// CHECK: softcap.attention {{.*}} cap(5.0) causal offset(-1) outs
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @strictly_before(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi slt, %j, %i : index
    %y = arith.select %ok, %c, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @window(
// CHECK: softcap.attention {{.*}} cap(5.0) causal offset(4) window_left(2) outs
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @window(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %pos = arith.addi %i, %c4 : index
    %a = arith.cmpi sle, %j, %pos : index
    %d = arith.subi %pos, %j : index
    %b = arith.cmpi slt, %d, %c3 : index
    %ok = arith.andi %a, %b : i1
    %y = arith.select %ok, %c, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @hidden_by_or(
// CHECK: softcap.attention {{.*}} cap(5.0) causal window_left(2) outs
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @hidden_by_or(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c3 = arith.constant 3 : index
  %true = arith.constant true
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %a = arith.cmpi sgt, %j, %i : index
    %d = arith.subi %i, %j : index
    %b = arith.cmpi sge, %d, %c3 : index
    %hide = arith.ori %a, %b : i1
    %ok = arith.xori %hide, %true : i1
    %y = arith.select %ok, %c, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @key_count(
// CHECK: %[[N:.*]] = tensor.splat %{{.*}} : tensor<1xi64>
// CHECK: softcap.attention {{.*}} cap(5.0) lengths(%[[N]] : tensor<1xi64>) outs
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @key_count(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c7 = arith.constant 7 : index
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi slt, %j, %c7 : index
    %y = arith.select %ok, %c, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @run_time_offset(
// CHECK: softcap.attention {{.*}} cap(5.0) causal offset(%{{.*}}) outs
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @run_time_offset(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>, %past: index) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %pos = arith.addi %i, %past : index
    %ok = arith.cmpi sle, %j, %pos : index
    %y = arith.select %ok, %c, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @boolean_argument(
// CHECK: %[[M:.*]] = tensor.expand_shape %{{.*}} : tensor<8x12xi1> into tensor<1x1x8x12xi1>
// CHECK: softcap.attention {{.*}} cap(5.0) mask(%[[M]] : tensor<1x1x8x12xi1>) outs
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @boolean_argument(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>, %b: tensor<8x12xi1>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, affine_map<(d0, d1, d2) -> (d1, d2)>, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %b : tensor<4x8x12xf32>, tensor<8x12xi1>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %ok: i1, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %y = arith.select %ok, %c, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @finite_where_rows_keep_a_key(
// CHECK: softcap.attention {{.*}} cap(5.0) causal outs
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @finite_where_rows_keep_a_key(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e9 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi sle, %j, %i : index
    %y = arith.select %ok, %c, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @finite_select_may_hide_a_row(
// A select gives equal scores to a row without a key: the mean of all values.
// CHECK: softcap.attention {{.*}} cap(5.0) causal offset(-1) masked_rows mean outs
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @finite_select_may_hide_a_row(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e9 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi slt, %j, %i : index
    %y = arith.select %ok, %c, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @finfo_min_absorbs(
// CHECK: softcap.attention {{.*}} cap(5.0) causal offset(-1) masked_rows mean outs
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @finfo_min_absorbs(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -3.40282347E+38 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi slt, %j, %i : index
    %add = arith.select %ok, %zero, %low : f32
    %y = arith.addf %c, %add : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @small_sentinel_selects(
// Without a cap -1e4 may be in the range of the scores.
// CHECK-NOT: softcap.attention
// CHECK: linalg.softmax
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @small_sentinel_selects(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e4 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi slt, %j, %i : index
    %y = arith.select %ok, %x, %low : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @additive_argument(
// CHECK: softcap.attention {{.*}} cap(5.0) post_bias(%{{.*}} : tensor<1x1x8x12xf32>) outs
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @additive_argument(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>, %b: tensor<8x12xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, affine_map<(d0, d1, d2) -> (d1, d2)>, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %b : tensor<4x8x12xf32>, tensor<8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %a: f32, %out: f32):
    %c = softcap.cap %x cap(5.0) : f32
    %y = arith.addf %c, %a : f32
    linalg.yield %y : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @additive_argument_before_the_cap(
// CHECK-NOT: softcap.attention
// CHECK: linalg.softmax
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @additive_argument_before_the_cap(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>, %b: tensor<8x12xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, affine_map<(d0, d1, d2) -> (d1, d2)>, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %b : tensor<4x8x12xf32>, tensor<8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %a: f32, %out: f32):
    %y = arith.addf %x, %a : f32
    %c = softcap.cap %y cap(5.0) : f32
    linalg.yield %c : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}

// -----

// CHECK-LABEL: func.func @select_before_the_cap(
// CHECK-NOT: softcap.attention
// CHECK: linalg.softmax
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @select_before_the_cap(%q: tensor<4x8x16xf32>, %k: tensor<4x16x12xf32>, %v: tensor<4x12x16xf32>) -> tensor<4x8x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e9 : f32
  %e0 = tensor.empty() : tensor<4x8x12xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x8x16xf32>, tensor<4x16x12xf32>) outs(%s0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %m = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) {
  ^bb0(%x: f32, %out: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ok = arith.cmpi sle, %j, %i : index
    %y = arith.select %ok, %x, %low : f32
    %c = softcap.cap %y cap(5.0) : f32
    linalg.yield %c : f32
  } -> tensor<4x8x12xf32>
  %p = linalg.softmax dimension(2) ins(%m : tensor<4x8x12xf32>) outs(%e0 : tensor<4x8x12xf32>) -> tensor<4x8x12xf32>
  %e1 = tensor.empty() : tensor<4x8x16xf32>
  %o0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x8x12xf32>, tensor<4x12x16xf32>) outs(%o0 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  return %o : tensor<4x8x16xf32>
}
