// DEFINE: %{lower} = --convert-softcap-to-linalg --convert-elementwise-to-linalg --convert-softcap-to-math \
// DEFINE:   --one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' \
// DEFINE:   --convert-linalg-to-loops --convert-bufferization-to-memref --expand-strided-metadata --lower-affine \
// DEFINE:   --convert-math-to-libm --convert-scf-to-cf --convert-vector-to-llvm --convert-arith-to-llvm --convert-math-to-llvm \
// DEFINE:   --convert-index-to-llvm --finalize-memref-to-llvm --convert-cf-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts
// DEFINE: %{run} = mlir-runner -e main --entry-point-result=void --shared-libs=%llvm_lib/libmlir_runner_utils.so,%llvm_lib/libmlir_c_runner_utils.so
// DEFINE: %{direction} = none
// DEFINE: %{algebra} = %softcap-opt %s --pass-pipeline='builtin.module(func.func(softcap-use-algebra{direction=%{direction}}))'
// RUN: %softcap-opt %s %{lower} | %{run} | grep -v "base@" > %t.before.txt
// RUN: FileCheck %s --input-file=%t.before.txt
// REDEFINE: %{direction} = inward
// RUN: %{algebra} | %softcap-opt %{lower} | %{run} | grep -v "base@" | diff %t.before.txt -
// REDEFINE: %{direction} = outward
// RUN: %{algebra} | %softcap-opt %{lower} | %{run} | grep -v "base@" | diff %t.before.txt -

// The rewritten programs compute the same to the digits printed, in f64. The
// expected values are those of a 30-digit evaluation.

#id = affine_map<(d0) -> (d0)>
#scalar = affine_map<(d0) -> ()>

func.func private @printMemrefF64(tensor<*xf64>) attributes {llvm.emit_c_interface}

func.func private @show(%x: tensor<6xf64>) attributes {noinline} {
  %0 = tensor.cast %x : tensor<6xf64> to tensor<*xf64>
  call @printMemrefF64(%0) : (tensor<*xf64>) -> ()
  return
}

func.func private @factors(%x: tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>) attributes {noinline} {
  %k = arith.constant dense<-0.3> : tensor<6xf64>
  %t = arith.constant dense<4.0> : tensor<6xf64>
  %0 = softcap.cap %x cap(30.0) : tensor<6xf64>
  %1 = arith.mulf %0, %k : tensor<6xf64>
  %2 = arith.divf %x, %t : tensor<6xf64>
  %3 = softcap.cap %2 cap(30.0) : tensor<6xf64>
  return %1, %3 : tensor<6xf64>, tensor<6xf64>
}

// The largest and the smallest cap at c = 5.
func.func private @extrema(%x: tensor<6xf64>) -> tensor<6xf64> attributes {noinline} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ninf = arith.constant dense<0xFFF0000000000000> : tensor<f64>
  %inf = arith.constant dense<0x7FF0000000000000> : tensor<f64>
  %0 = softcap.cap %x cap(5.0) : tensor<6xf64>
  %max = linalg.reduce { arith.maximumf } ins(%0 : tensor<6xf64>) outs(%ninf : tensor<f64>) dimensions = [0]
  %min = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%x : tensor<6xf64>) outs(%inf : tensor<f64>) {
    ^bb0(%in: f64, %out: f64):
      %y = softcap.cap %in cap(5.0) : f64
      %m = arith.minimumf %y, %out : f64
      linalg.yield %m : f64
    } -> tensor<f64>
  %a = tensor.extract %max[] : tensor<f64>
  %b = tensor.extract %min[] : tensor<f64>
  %1 = tensor.insert %a into %x[%c0] : tensor<6xf64>
  %2 = tensor.insert %b into %1[%c1] : tensor<6xf64>
  return %2 : tensor<6xf64>
}

// Six queries of one number, two keys 1 and -1, values 1 and 0: a logistic
// function of twice the capped score.
func.func private @attention(%x: tensor<6xf64>) -> tensor<6xf64> attributes {noinline} {
  %k = arith.constant dense<[[[[1.0], [-1.0]]]]> : tensor<1x1x2x1xf64>
  %v = arith.constant dense<[[[[1.0], [0.0]]]]> : tensor<1x1x2x1xf64>
  %q = tensor.expand_shape %x [[0, 1, 2, 3]] output_shape [1, 1, 6, 1] : tensor<6xf64> into tensor<1x1x6x1xf64>
  %empty = tensor.empty() : tensor<1x1x6x1xf64>
  %0 = softcap.attention ins(%q, %k, %v : tensor<1x1x6x1xf64>, tensor<1x1x2x1xf64>, tensor<1x1x2x1xf64>)
    cap(3.0) pre_scale(0.1) post_scale(0.7) outs(%empty : tensor<1x1x6x1xf64>)
  %1 = tensor.collapse_shape %0 [[0, 1, 2, 3]] : tensor<1x1x6x1xf64> into tensor<6xf64>
  return %1 : tensor<6xf64>
}

func.func @main() {
  %x = arith.constant dense<[-200.0, -50.0, -3.0, 0.5, 7.0, 60.0]> : tensor<6xf64>
  %0:2 = call @factors(%x) : (tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>)
  // CHECK: [8.99997,  8.37999,  0.897012,  -0.149986,  -2.0627,  -8.67625]
  call @show(%0#0) : (tensor<6xf64>) -> ()
  // CHECK: [-27.9333,  -11.8236,  -0.749844,  0.124999,  1.74802,  13.8635]
  call @show(%0#1) : (tensor<6xf64>) -> ()
  // CHECK: [5,  -5,  -3,  0.5,  7,  60]
  %1 = call @extrema(%x) : (tensor<6xf64>) -> tensor<6xf64>
  call @show(%1) : (tensor<6xf64>) -> ()
  // CHECK: [0.0147742,  0.0196341,  0.39685,  0.517491,  0.723641,  0.982858]
  %2 = call @attention(%x) : (tensor<6xf64>) -> tensor<6xf64>
  call @show(%2) : (tensor<6xf64>) -> ()
  return
}
