// RUN: %softcap-opt %s --pass-pipeline='builtin.module(convert-softcap-to-math)' | FileCheck %s --check-prefix=KEPT
// RUN: %softcap-opt %s --pass-pipeline='builtin.module(convert-softcap-to-math{expand-exp})' | FileCheck %s

// KEPT: math.exp
// KEPT: math.exp2
// KEPT: math.log
// CHECK-LABEL: @softmax_functions
// CHECK-NOT: math.
func.func @softmax_functions(%x: vector<8xf32>, %y: f64, %z: vector<4xbf16>) -> (vector<8xf32>, f64, vector<4xbf16>) {
  %0 = math.exp %x : vector<8xf32>
  %1 = math.exp2 %y : f64
  %2 = math.log %z : vector<4xbf16>
  return %0, %1, %2 : vector<8xf32>, f64, vector<4xbf16>
}
