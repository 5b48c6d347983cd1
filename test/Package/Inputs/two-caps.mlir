func.func @two(%x: tensor<4xf32>, %y: f32) -> (tensor<4xf32>, f32) {
  %0 = softcap.cap %x cap(50.0) : tensor<4xf32>
  %1 = softcap.cap %y cap(30.0) : f32
  return %0, %1 : tensor<4xf32>, f32
}
