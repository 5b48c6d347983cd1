// softcap-reduce keeps the cap that the interesting test asks for, and no more.
// RUN: softcap-reduce %s --reduction-tree='traversal-mode=0 test=%S/has-cap.sh' | FileCheck %s

// CHECK-LABEL: func.func @wanted
// CHECK: softcap.cap
// CHECK-NOT: @unwanted
func.func @unwanted(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @wanted(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = softcap.cap %x cap(50.0) : tensor<4xf32>
  return %0 : tensor<4xf32>
}
