// RUN: %softcap-opt %s --pass-pipeline='builtin.module(func.func(softcap-normalize-shapes,canonicalize,cse))' -o %t.after.mlir
// RUN: FileCheck %s --input-file=%t.after.mlir --check-prefix=IR
// DEFINE: %{lower} = --one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops' \
// DEFINE:   --convert-linalg-to-loops --convert-bufferization-to-memref --expand-strided-metadata --lower-affine \
// DEFINE:   --convert-scf-to-cf --convert-arith-to-llvm --convert-index-to-llvm --finalize-memref-to-llvm \
// DEFINE:   --convert-cf-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main --entry-point-result=void --shared-libs=%llvm_lib/libmlir_runner_utils.so,%llvm_lib/libmlir_c_runner_utils.so
// RUN: %softcap-opt %s %{lower} | %{run} > %t.before.txt
// RUN: %softcap-opt %t.after.mlir %{lower} | %{run} > %t.after.txt
// RUN: FileCheck %s --input-file=%t.after.txt
// RUN: grep -v "base@" %t.before.txt > %t.expected.txt
// RUN: grep -v "base@" %t.after.txt | diff %t.expected.txt -

// Key heads as exporters repeat them: the batch of the key may be 1 or the
// batch of the query; the program runs before and after the pass, with equal
// results. Element [b, h, n, d] of the key is 1000 b + 100 h + 10 n + d.

#id4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#id5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>

// IR-LABEL: @repeat
// IR-NOT: tensor.reshape
// IR: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2], [3], [4]]
func.func private @repeat(%key: tensor<?x2x?x2xf32>, %batch: index) -> tensor<?x?x2xf32> attributes {noinline} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c0_i64 = arith.constant 0 : i64
  %c1_i64 = arith.constant 1 : i64
  %c2_i64 = arith.constant 2 : i64
  %c4_i64 = arith.constant 4 : i64
  %own = tensor.dim %key, %c0 : tensor<?x2x?x2xf32>
  %length = tensor.dim %key, %c2 : tensor<?x2x?x2xf32>
  %n = arith.index_cast %length : index to i64
  %expanded = tensor.expand_shape %key [[0], [1], [2, 3], [4]] output_shape [%own, 2, 1, %length, 2] : tensor<?x2x?x2xf32> into tensor<?x2x1x?x2xf32>
  %nonnegative = arith.cmpi sge, %n, %c0_i64 : i64
  cf.assert %nonnegative, "negative broadcast size"
  %empty = tensor.empty(%batch, %length) : tensor<?x2x2x?x2xf32>
  %repeated = linalg.generic {indexing_maps = [#id5], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%empty : tensor<?x2x2x?x2xf32>) {
  ^bb0(%out: f32):
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i3 = linalg.index 3 : index
    %i4 = linalg.index 4 : index
    %one = arith.cmpi eq, %own, %c1 : index
    %j0 = arith.select %one, %c0, %i0 : index
    %single = arith.cmpi eq, %length, %c1 : index
    %j3 = arith.select %single, %c0, %i3 : index
    %v = tensor.extract %expanded[%j0, %i1, %c0, %j3, %i4] : tensor<?x2x1x?x2xf32>
    linalg.yield %v : f32
  } -> tensor<?x2x2x?x2xf32>
  %rows_of_batch = tensor.dim %repeated, %c0 : tensor<?x2x2x?x2xf32>
  %b = arith.index_cast %rows_of_batch : index to i64
  %heads = tensor.from_elements %b, %c4_i64, %n, %c2_i64 : tensor<4xi64>
  %grouped = tensor.reshape %repeated(%heads) : (tensor<?x2x2x?x2xf32>, tensor<4xi64>) -> tensor<?x4x?x2xf32>
  %negative = arith.cmpi slt, %n, %c0_i64 : i64
  %safe = arith.select %negative, %c1_i64, %n : i64
  %bh = arith.muli %b, %c4_i64 : i64
  %flat_shape = tensor.from_elements %bh, %safe, %c2_i64 : tensor<3xi64>
  %flat = tensor.reshape %grouped(%flat_shape) : (tensor<?x4x?x2xf32>, tensor<3xi64>) -> tensor<?x?x2xf32>
  return %flat : tensor<?x?x2xf32>
}

func.func private @key(%batch: index, %length: index) -> tensor<?x2x?x2xf32> attributes {noinline} {
  %empty = tensor.empty(%batch, %length) : tensor<?x2x?x2xf32>
  %0 = linalg.generic {indexing_maps = [#id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%empty : tensor<?x2x?x2xf32>) {
  ^bb0(%out: f32):
    %c10 = arith.constant 10 : index
    %i0 = linalg.index 0 : index
    %i1 = linalg.index 1 : index
    %i2 = linalg.index 2 : index
    %i3 = linalg.index 3 : index
    %0 = arith.muli %i0, %c10 : index
    %1 = arith.addi %0, %i1 : index
    %2 = arith.muli %1, %c10 : index
    %3 = arith.addi %2, %i2 : index
    %4 = arith.muli %3, %c10 : index
    %5 = arith.addi %4, %i3 : index
    %6 = arith.index_cast %5 : index to i32
    %7 = arith.sitofp %6 : i32 to f32
    linalg.yield %7 : f32
  } -> tensor<?x2x?x2xf32>
  return %0 : tensor<?x2x?x2xf32>
}

func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}

func.func private @show(%own: index, %length: index, %batch: index) {
  %key = call @key(%own, %length) : (index, index) -> tensor<?x2x?x2xf32>
  %0 = call @repeat(%key, %batch) : (tensor<?x2x?x2xf32>, index) -> tensor<?x?x2xf32>
  %1 = tensor.cast %0 : tensor<?x?x2xf32> to tensor<*xf32>
  call @printMemrefF32(%1) : (tensor<*xf32>) -> ()
  return
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  // A batch of two of its own: heads 0 0 1 1 of both rows.
  // CHECK: sizes = [8, 3, 2]
  // CHECK-NEXT: [0,    1], {{[[:space:]]+}}[10,    11], {{[[:space:]]+}}[20,    21]
  // CHECK: [0,    1]
  // CHECK: [100,    101]
  // CHECK: [100,    101]
  // CHECK: [1000,    1001]
  // CHECK: [1120,    1121]
  call @show(%c2, %c3, %c2) : (index, index, index) -> ()
  // A batch of one, broadcast to three; one key.
  // CHECK: sizes = [12, 1, 2]
  // CHECK-COUNT-3: [100,    101]
  call @show(%c1, %c1, %c3) : (index, index, index) -> ()
  return
}
