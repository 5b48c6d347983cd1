// RUN: %softcap-opt %s --split-input-file --pass-pipeline='builtin.module(softcap-raise{surfaces=false})' | FileCheck %s
// RUN: %softcap-opt %s --split-input-file --pass-pipeline='builtin.module(softcap-raise{surfaces=false})' --remarks-filter=softcap-raise 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: %softcap-opt %s --split-input-file --pass-pipeline='builtin.module(softcap-raise{surfaces=false preserve-rounding})' | FileCheck %s --check-prefix=KEEP
// RUN: %softcap-opt %s --split-input-file --pass-pipeline='builtin.module(softcap-raise{surfaces=false preserve-rounding})' --remarks-filter=softcap-raise 2>&1 >/dev/null | FileCheck %s --check-prefix=KEEP-REMARK

// REMARK: remark: [Passed] cap {{.*}}Function=bf16{{.*}}raised to a cap of 50.00{{.*}}without the roundings to 16 bits
// CHECK-LABEL: func @bf16
// CHECK:         softcap.cap
// KEEP-REMARK: remark: [Missed] cap {{.*}}Function=bf16{{.*}}its steps round to 16 bits (preserve-rounding)
// KEEP-LABEL:  func @bf16
// KEEP:          math.tanh
func.func @bf16(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %c = arith.constant dense<50.0> : tensor<4xbf16>
  %d = arith.divf %x, %c : tensor<4xbf16>
  %t = math.tanh %d : tensor<4xbf16>
  %y = arith.mulf %t, %c : tensor<4xbf16>
  return %y : tensor<4xbf16>
}

// -----

// REMARK: remark: [Missed] cap {{.*}}Function=times_input{{.*}}the argument is divided by 50.00
// CHECK-LABEL: func @times_input
// CHECK-NOT:     softcap.cap
// CHECK:         return
func.func @times_input(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant dense<50.0> : tensor<4xf32>
  %d = arith.divf %x, %c : tensor<4xf32>
  %t = math.tanh %d : tensor<4xf32>
  %y = arith.mulf %t, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// REMARK: remark: [Missed] cap {{.*}}Function=zero{{.*}}its value 0.00 is not positive and finite
// CHECK-LABEL: func @zero
// CHECK-NOT:     softcap.cap
// CHECK:         return
func.func @zero(%x: f32) -> f32 {
  %c = arith.constant 0.0 : f32
  %d = arith.divf %x, %c : f32
  %t = math.tanh %d : f32
  %y = arith.mulf %t, %c : f32
  return %y : f32
}

// -----

// REMARK: remark: [Missed] cap {{.*}}Function=infinite{{.*}}is not positive and finite
// CHECK-LABEL: func @infinite
// CHECK-NOT:     softcap.cap
// CHECK:         return
func.func @infinite(%x: f32) -> f32 {
  %c = arith.constant 0x7F800000 : f32
  %d = arith.divf %x, %c : f32
  %t = math.tanh %d : f32
  %y = arith.mulf %t, %c : f32
  return %y : f32
}

// -----

// REMARK: remark: [Missed] cap {{.*}}Function=nan{{.*}}is not positive and finite
// CHECK-LABEL: func @nan
// CHECK-NOT:     softcap.cap
// CHECK:         return
func.func @nan(%x: f32) -> f32 {
  %c = arith.constant 0x7FC00000 : f32
  %d = arith.divf %x, %c : f32
  %t = math.tanh %d : f32
  %y = arith.mulf %t, %c : f32
  return %y : f32
}

// -----

// REMARK: remark: [Missed] cap {{.*}}Function=two_values{{.*}}the factor after the tanh is not the divisor before it
// CHECK-LABEL: func @two_values
// CHECK-NOT:     softcap.cap
// CHECK:         return
func.func @two_values(%x: tensor<4xf32>, %a: f32, %b: f32) -> tensor<4xf32> {
  %as = tensor.splat %a : tensor<4xf32>
  %bs = tensor.splat %b : tensor<4xf32>
  %d = arith.divf %x, %as : tensor<4xf32>
  %t = math.tanh %d : tensor<4xf32>
  %y = arith.mulf %t, %bs : tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A GELU is no cap and no near miss, in any of its spellings.
// REMARK-NOT: remark
// CHECK-LABEL: func @gelu
// CHECK-NOT:     softcap.cap
// CHECK:         return
func.func @gelu(%x: f32) -> (f32, f32) {
  %k = arith.constant 0.797884583 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %s = arith.mulf %x, %k : f32
  %t = math.tanh %s : f32
  %t1 = arith.addf %t, %one : f32
  %hx = arith.mulf %x, %half : f32
  %y = arith.mulf %hx, %t1 : f32
  %ht = arith.mulf %t, %half : f32
  %sig = arith.addf %ht, %half : f32
  %z = arith.mulf %sig, %x : f32
  return %y, %z : f32, f32
}

// -----

// A logistic function stays one.
// REMARK-NOT: remark
// CHECK-LABEL: func @sigmoid
// CHECK-NOT:     softcap.cap
// CHECK:         return
func.func @sigmoid(%x: f32) -> f32 {
  %one = arith.constant 1.0 : f32
  %n = arith.negf %x : f32
  %e = math.exp %n : f32
  %d = arith.addf %e, %one : f32
  %y = arith.divf %one, %d : f32
  return %y : f32
}
