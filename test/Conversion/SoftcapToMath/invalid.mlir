// RUN: %softcap-opt %s --verify-diagnostics --pass-pipeline='builtin.module(convert-softcap-to-math)'

func.func @on_tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{is on tensors: run convert-softcap-to-linalg first}}
  %0 = softcap.cap %x cap(50.0) : tensor<4xf32>
  return %0 : tensor<4xf32>
}
