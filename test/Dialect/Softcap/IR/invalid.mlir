// RUN: %softcap-opt %s --split-input-file --verify-diagnostics

// One test for each numbered constraint of the op descriptions, named for it.

func.func @cap_c1_both(%x: tensor<4xf32>, %c: f32) {
  // expected-error@+1 {{has both a constant cap and a run-time cap; give one of them}}
  %0 = "softcap.cap"(%x, %c) {cap = 50.0 : f64} : (tensor<4xf32>, f32) -> tensor<4xf32>
  return
}

// -----

func.func @cap_c1_missing(%x: tensor<4xf32>) {
  // expected-error@+1 {{has no cap; give a constant, cap(50.0), or a run-time value}}
  %0 = "softcap.cap"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cap_c2_zero(%x: tensor<4xf32>) {
  // expected-error@+1 {{has the cap 0.000000e+00, but a cap is a positive, finite, normal 'f32' number}}
  %0 = softcap.cap %x cap(0.0) : tensor<4xf32>
  return
}

// -----

func.func @cap_c2_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{has the cap -5.000000e+01, but a cap is a positive}}
  %0 = softcap.cap %x cap(-50.0) : tensor<4xf32>
  return
}

// -----

func.func @cap_c2_infinite(%x: tensor<4xf32>) {
  // expected-error@+1 {{but a cap is a positive, finite}}
  %0 = softcap.cap %x cap(0x7FF0000000000000) : tensor<4xf32>
  return
}

// -----

func.func @cap_c2_nan(%x: tensor<4xf32>) {
  // expected-error@+1 {{but a cap is a positive, finite}}
  %0 = softcap.cap %x cap(0x7FF8000000000000) : tensor<4xf32>
  return
}

// -----

func.func @cap_c2_overflows_in_f32(%x: tensor<4xf32>) {
  // expected-error@+1 {{has the cap 1.000000e+300, but a cap is a positive, finite, normal 'f32' number}}
  %0 = softcap.cap %x cap(1.0e300) : tensor<4xf32>
  return
}

// -----

func.func @cap_c2_subnormal_in_f32(%x: tensor<4xf32>) {
  // expected-error@+1 {{normal 'f32' number}}
  %0 = softcap.cap %x cap(1.0e-40) : tensor<4xf32>
  return
}

// -----

func.func @cap_c2_subnormal_in_f64(%x: f64) {
  // expected-error@+1 {{normal 'f64' number}}
  %0 = softcap.cap %x cap(1.0e-310) : f64
  return
}

// -----

func.func @cap_c3_wider(%x: tensor<4xf32>, %c: f64) {
  // expected-error@+1 {{has a run-time cap of type 'f64', but computes in 'f32'; the cap may not be wider than that}}
  %0 = softcap.cap %x cap(%c : f64) : tensor<4xf32>
  return
}

// -----

func.func @cap_integer(%x: tensor<4xi32>) {
  // expected-error@+1 {{operand #0 must be f16, bf16, f32 or f64 scalar, vector or tensor, but got 'tensor<4xi32>'}}
  %0 = softcap.cap %x cap(50.0) : tensor<4xi32>
  return
}

// -----

func.func @cap_index_cap(%x: tensor<4xf32>, %c: index) {
  // expected-error@+1 {{operand #1 must be 16-bit float or bfloat16 type or 32-bit float or 64-bit float, but got 'index'}}
  %0 = softcap.cap %x cap(%c : index) : tensor<4xf32>
  return
}

// -----

func.func @cap_type_changes(%x: tensor<4xf32>) {
  // expected-error@+1 {{failed to verify that all of {input, result} have same type}}
  %0 = "softcap.cap"(%x) {cap = 50.0 : f64} : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @cap_grad_c1_missing(%x: tensor<4xf32>) {
  // expected-error@+1 {{has no cap}}
  %0 = "softcap.cap_grad"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cap_grad_c2_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{has the cap -1.000000e+00}}
  %0 = softcap.cap_grad %x, %x cap(-1.0) : tensor<4xf32>
  return
}

// -----

func.func @cap_grad_c3_wider(%x: tensor<4xf32>, %c: f64) {
  // expected-error@+1 {{has a run-time cap of type}}
  %0 = softcap.cap_grad %x, %x cap(%c : f64) : tensor<4xf32>
  return
}

// -----

func.func @scores_c1_missing(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %o: tensor<2x8x5x7xf32>) {
  // expected-error@+1 {{has no cap}}
  %0 = "softcap.scores"(%q, %k, %o) {operandSegmentSizes = array<i32: 1, 1, 0, 0, 1>} : (tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>, tensor<2x8x5x7xf32>) -> tensor<2x8x5x7xf32>
  return
}

// -----

func.func @scores_c2_zero(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %o: tensor<2x8x5x7xf32>) {
  // expected-error@+1 {{has the cap 0.0}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>) cap(0.0) outs(%o : tensor<2x8x5x7xf32>)
  return
}

// -----

func.func @scores_c3_wider(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %o: tensor<2x8x5x7xf32>, %c: f64) {
  // expected-error@+1 {{has a run-time cap of type}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>) cap(%c : f64) outs(%o : tensor<2x8x5x7xf32>)
  return
}

// -----

func.func @scores_c4_mixed(%q: tensor<2x8x5x64xf32>, %k: memref<2x4x7x64xf32>, %o: tensor<2x8x5x7xf32>) {
  // expected-error@+1 {{mixes tensors and memrefs; all shaped operands must be of one kind}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xf32>, memref<2x4x7x64xf32>) cap(50.0) outs(%o : tensor<2x8x5x7xf32>)
  return
}

// -----

func.func @scores_c5_key_type(%q: tensor<2x8x5x64xbf16>, %k: tensor<2x4x7x64xf16>, %o: tensor<2x8x5x7xbf16>) {
  // expected-error@+1 {{has elements of type 'f16' in 'key', but must have 'bf16'}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xbf16>, tensor<2x4x7x64xf16>) cap(50.0) outs(%o : tensor<2x8x5x7xbf16>)
  return
}

// -----

func.func @scores_c5_output_type(%q: tensor<2x8x5x64xbf16>, %k: tensor<2x4x7x64xbf16>, %o: tensor<2x8x5x7xf16>) {
  // expected-error@+1 {{has elements of type 'f16' in 'output', but must have 'bf16' or 'f32'}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xbf16>, tensor<2x4x7x64xbf16>) cap(50.0) outs(%o : tensor<2x8x5x7xf16>)
  return
}

// -----

func.func @scores_c6_rank(%q: tensor<8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %o: tensor<2x8x5x7xf32>) {
  // expected-error@+1 {{has 'query' of rank 3, but it must be B x Hq x M x D}}
  %0 = softcap.scores ins(%q, %k : tensor<8x5x64xf32>, tensor<2x4x7x64xf32>) cap(50.0) outs(%o : tensor<2x8x5x7xf32>)
  return
}

// -----

func.func @scores_c6_head_size(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x32xf32>, %o: tensor<2x8x5x7xf32>) {
  // expected-error@+1 {{has D = 32 in 'key', but D = 64 in 'query'}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xf32>, tensor<2x4x7x32xf32>) cap(50.0) outs(%o : tensor<2x8x5x7xf32>)
  return
}

// -----

func.func @scores_c6_output(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %o: tensor<2x8x5x9xf32>) {
  // expected-error@+1 {{has N = 9 in 'output', but N = 7 in 'key'}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>) cap(50.0) outs(%o : tensor<2x8x5x9xf32>)
  return
}

// -----

func.func @scores_c6_dynamic(%q: tensor<?x8x5x?xf32>, %k: tensor<?x4x?x64xf32>, %o: tensor<?x8x6x?xf32>) {
  // expected-error@+1 {{has M = 6 in 'output', but M = 5 in 'query'}}
  %0 = softcap.scores ins(%q, %k : tensor<?x8x5x?xf32>, tensor<?x4x?x64xf32>) cap(50.0) outs(%o : tensor<?x8x6x?xf32>)
  return
}

// -----

func.func @scores_c7_heads(%q: tensor<2x8x5x64xf32>, %k: tensor<2x3x7x64xf32>, %o: tensor<2x8x5x7xf32>) {
  // expected-error@+1 {{has 8 query heads and 3 key heads; Hq must be a multiple of Hkv}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xf32>, tensor<2x3x7x64xf32>) cap(50.0) outs(%o : tensor<2x8x5x7xf32>)
  return
}

// -----

func.func @scores_c8_rank(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %o: tensor<2x8x5x7xf32>, %b: tensor<5x7xf32>) {
  // expected-error@+1 {{has 'pre_bias' of rank 2, but it must be B x Hq x M x N}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>) cap(50.0) pre_bias(%b : tensor<5x7xf32>) outs(%o : tensor<2x8x5x7xf32>)
  return
}

// -----

func.func @scores_c8_size(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %o: tensor<2x8x5x7xf32>, %b: tensor<1x4x1x7xf32>) {
  // expected-error@+1 {{has Hq = 4 in 'pre_bias', but Hq = 8 in 'query'; it must be that or 1}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>) cap(50.0) pre_bias(%b : tensor<1x4x1x7xf32>) outs(%o : tensor<2x8x5x7xf32>)
  return
}

// -----

func.func @scores_c9_zero(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %o: tensor<2x8x5x7xf32>) {
  // expected-error@+1 {{has the scale 0.000000e+00, but a factor must be finite and not zero}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>) cap(50.0) scale(0.0) outs(%o : tensor<2x8x5x7xf32>)
  return
}

// -----

func.func @scores_c9_infinite(%q: tensor<2x8x5x64xf32>, %k: tensor<2x4x7x64xf32>, %o: tensor<2x8x5x7xf32>) {
  // expected-error@+1 {{but a factor must be finite and not zero}}
  %0 = softcap.scores ins(%q, %k : tensor<2x8x5x64xf32>, tensor<2x4x7x64xf32>) cap(50.0) scale(0x7FF0000000000000) outs(%o : tensor<2x8x5x7xf32>)
  return
}

// -----

func.func @logits_c1_both(%h: tensor<5x64xf32>, %w: tensor<9x64xf32>, %o: tensor<5x9xf32>, %c: f32) {
  // expected-error@+1 {{has both a constant cap and a run-time cap}}
  %0 = "softcap.logits"(%h, %w, %c, %o) {cap = 30.0, operandSegmentSizes = array<i32: 1, 1, 0, 1, 1, 0>} : (tensor<5x64xf32>, tensor<9x64xf32>, f32, tensor<5x9xf32>) -> tensor<5x9xf32>
  return
}

// -----

func.func @logits_c2_negative(%h: tensor<3x5x64xf32>, %w: tensor<100x64xf32>, %o: tensor<3x5x100xf32>) {
  // expected-error@+1 {{has the cap -3.0}}
  %0 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x64xf32>) cap(-30.0) outs(%o : tensor<3x5x100xf32>)
  return
}

// -----

func.func @logits_c3_wider(%h: tensor<3x5x64xf32>, %w: tensor<100x64xf32>, %o: tensor<3x5x100xf32>, %c: f64) {
  // expected-error@+1 {{has a run-time cap of type}}
  %0 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x64xf32>) cap(%c : f64) outs(%o : tensor<3x5x100xf32>)
  return
}

// -----

func.func @logits_c4_mixed(%h: tensor<3x5x64xf32>, %w: memref<100x64xf32>, %o: tensor<3x5x100xf32>) {
  // expected-error@+1 {{mixes tensors and memrefs}}
  %0 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, memref<100x64xf32>) cap(30.0) outs(%o : tensor<3x5x100xf32>)
  return
}

// -----

func.func @logits_c5_weight_type(%h: tensor<3x5x64xf32>, %w: tensor<100x64xbf16>, %o: tensor<3x5x100xf32>) {
  // expected-error@+1 {{has elements of type 'bf16' in 'weight', but must have 'f32'}}
  %0 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x64xbf16>) cap(30.0) outs(%o : tensor<3x5x100xf32>)
  return
}

// -----

func.func @logits_c5_output_type(%h: tensor<3x5x64xf32>, %w: tensor<100x64xf32>, %o: tensor<3x5x100xf64>) {
  // expected-error@+1 {{has elements of type 'f64' in 'output', but must have 'f32'}}
  %0 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x64xf32>) cap(30.0) outs(%o : tensor<3x5x100xf64>)
  return
}

// -----

func.func @logits_c6_scalar(%h: tensor<f32>, %w: tensor<100x64xf32>, %o: tensor<3x5x100xf32>) {
  // expected-error@+1 {{has 'hidden' of rank 0, but the rank must be from 1 to 9}}
  %0 = softcap.logits ins(%h, %w : tensor<f32>, tensor<100x64xf32>) cap(30.0) outs(%o : tensor<3x5x100xf32>)
  return
}

// -----

func.func @logits_c6_leading(%h: tensor<3x5x64xf32>, %w: tensor<100x64xf32>, %o: tensor<3x6x100xf32>) {
  // expected-error@+1 {{has T1 = 6 in 'output', but T1 = 5 in 'hidden'}}
  %0 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x64xf32>) cap(30.0) outs(%o : tensor<3x6x100xf32>)
  return
}

// -----

func.func @logits_c6_weight(%h: tensor<3x5x64xf32>, %w: tensor<100x65xf32>, %o: tensor<3x5x100xf32>) {
  // expected-error@+1 {{has D = 65 in 'weight', but D = 64 in 'hidden'}}
  %0 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x65xf32>) cap(30.0) outs(%o : tensor<3x5x100xf32>)
  return
}

// -----

func.func @logits_c6_vocabulary(%h: tensor<3x5x64xf32>, %w: tensor<100x64xf32>, %o: tensor<3x5x101xf32>) {
  // expected-error@+1 {{has V = 101 in 'output', but V = 100 in 'weight'}}
  %0 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x64xf32>) cap(30.0) outs(%o : tensor<3x5x101xf32>)
  return
}

// -----

func.func @logits_c6_rank(%h: tensor<3x5x64xf32>, %w: tensor<100x64xf32>, %o: tensor<15x100xf32>) {
  // expected-error@+1 {{has 'output' of rank 2, but it must be T0 x T1 x V}}
  %0 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x64xf32>) cap(30.0) outs(%o : tensor<15x100xf32>)
  return
}

// -----

func.func @logits_c7_size(%h: tensor<3x5x64xf32>, %w: tensor<100x64xf32>, %o: tensor<3x5x100xf32>, %b: tensor<99xf32>) {
  // expected-error@+1 {{has V = 99 in 'bias', but V = 100 in 'weight'}}
  %0 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x64xf32>) cap(30.0) bias(%b : tensor<99xf32>) outs(%o : tensor<3x5x100xf32>)
  return
}

// -----

func.func @logits_c8_zero(%h: tensor<3x5x64xf32>, %w: tensor<100x64xf32>, %o: tensor<3x5x100xf32>) {
  // expected-error@+1 {{has the scale 0.0}}
  %0 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x64xf32>) cap(30.0) scale(0.0) outs(%o : tensor<3x5x100xf32>)
  return
}

// -----

func.func @logits_c9_type(%h: tensor<3x5x64xf32>, %w: tensor<100x64xf32>, %o: tensor<3x5x100xf32>, %lse: tensor<3x5xf64>) {
  // expected-error@+1 {{has elements of type 'f64' in 'lse', but must have 'f32'}}
  %0:2 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x64xf32>) cap(30.0) outs(%o : tensor<3x5x100xf32>) lse(%lse : tensor<3x5xf64>)
  return
}

// -----

func.func @logits_c9_shape(%h: tensor<3x5x64xf32>, %w: tensor<100x64xf32>, %o: tensor<3x5x100xf32>, %lse: tensor<4x5xf32>) {
  // expected-error@+1 {{has T0 = 4 in 'lse', but T0 = 3 in 'hidden'}}
  %0:2 = softcap.logits ins(%h, %w : tensor<3x5x64xf32>, tensor<100x64xf32>) cap(30.0) outs(%o : tensor<3x5x100xf32>) lse(%lse : tensor<4x5xf32>)
  return
}

// -----

func.func @attention_c1_both(%q: tensor<1x1x5x8xf32>, %c: f32) {
  // expected-error@+1 {{has both a constant cap and a run-time cap}}
  %0 = "softcap.attention"(%q, %q, %q, %c, %q) {cap = 50.0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0>} : (tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, f32, tensor<1x1x5x8xf32>) -> tensor<1x1x5x8xf32>
  return
}

// -----

func.func @attention_c2_zero(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has the cap 0.0}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) cap(0.0) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c3_wider(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %c: f64) {
  // expected-error@+1 {{has a run-time cap of type}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) cap(%c : f64) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c4_mixed(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: memref<2x8x5x32xf16>) {
  // expected-error@+1 {{mixes tensors and memrefs}}
  softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) cap(50.0) outs(%o : memref<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c5_key(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xbf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has elements of type 'bf16' in 'key', but must have 'f16'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xbf16>, tensor<2x4x7x32xf16>) cap(50.0) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c5_value(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf32>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has elements of type 'f32' in 'value', but must have 'f16'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf32>) cap(50.0) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c6_batch(%q: tensor<2x8x5x64xf16>, %k: tensor<3x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has B = 3 in 'key', but B = 2 in 'query'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<3x4x7x64xf16>, tensor<2x4x7x32xf16>) cap(50.0) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c6_keys(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x8x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has N = 8 in 'value', but N = 7 in 'key'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x8x32xf16>) cap(50.0) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c6_heads(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x2x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has Hkv = 2 in 'value', but Hkv = 4 in 'key'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x2x7x32xf16>) cap(50.0) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c6_rank(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<4x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has 'value' of rank 3, but it must be B x Hkv x N x Dv}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<4x7x32xf16>) cap(50.0) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c6_head_size_dynamic(%q: tensor<?x8x?x64xf16>, %k: tensor<?x4x?x128xf16>, %v: tensor<?x4x?x32xf16>, %o: tensor<?x8x?x32xf16>) {
  // expected-error@+1 {{has D = 128 in 'key', but D = 64 in 'query'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<?x8x?x64xf16>, tensor<?x4x?x128xf16>, tensor<?x4x?x32xf16>) cap(50.0) outs(%o : tensor<?x8x?x32xf16>)
  return
}

// -----

func.func @attention_c7_groups(%q: tensor<2x8x5x64xf16>, %k: tensor<2x5x7x64xf16>, %v: tensor<2x5x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has 8 query heads and 5 key heads; Hq must be a multiple of Hkv}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x5x7x64xf16>, tensor<2x5x7x32xf16>) cap(50.0) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c8_pre_scale(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has the pre_scale 0.0}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) pre_scale(0.0) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c8_post_scale(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{but a factor must be finite and not zero}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) post_scale(0x7FF8000000000000) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c9_pre_bias_size(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %b: tensor<1x1x1x6xf16>) {
  // expected-error@+1 {{has N = 6 in 'pre_bias', but N = 7 in 'key'; it must be that or 1}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) pre_bias(%b : tensor<1x1x1x6xf16>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c9_post_bias_rank(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %b: tensor<8x5x7xf32>) {
  // expected-error@+1 {{has 'post_bias' of rank 3, but it must be B x Hq x M x N}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) post_bias(%b : tensor<8x5x7xf32>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c9_post_bias_type(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %b: tensor<1x1x5x7xi8>) {
  // expected-error@+1 {{operand #3 must be ranked tensor or memref of f16, bf16, f32 or f64 values, but got 'tensor<1x1x5x7xi8>'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) post_bias(%b : tensor<1x1x5x7xi8>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c9_mask_size(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %b: tensor<2x1x4x7xi1>) {
  // expected-error@+1 {{has M = 4 in 'mask', but M = 5 in 'query'; it must be that or 1}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) mask(%b : tensor<2x1x4x7xi1>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c9_mask_type(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %b: tensor<2x1x5x7xi8>) {
  // expected-error@+1 {{operand #3 must be ranked tensor or memref of i1 values, but got 'tensor<2x1x5x7xi8>'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) mask(%b : tensor<2x1x5x7xi8>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c10_size(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %b: tensor<1xi32>) {
  // expected-error@+1 {{has B = 1 in 'lengths', but B = 2 in 'query'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) lengths(%b : tensor<1xi32>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c10_rank(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %b: tensor<2x1xi32>) {
  // expected-error@+1 {{has 'lengths' of rank 2, but it must be B}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) lengths(%b : tensor<2x1xi32>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c11_one_side(%q: tensor<1x1x5x8xf32>, %s: tensor<1x5xi32>) {
  // expected-error@+1 {{has segments of only one side; give those of the queries and those of the keys}}
  %0 = "softcap.attention"(%q, %q, %q, %s, %q) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0>} : (tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x5xi32>, tensor<1x1x5x8xf32>) -> tensor<1x1x5x8xf32>
  return
}

// -----

func.func @attention_c11_queries(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %a: tensor<2x7xi32>, %b: tensor<2x7xi32>) {
  // expected-error@+1 {{has M = 7 in 'query segments', but M = 5 in 'query'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) segments(%a, %b : tensor<2x7xi32>, tensor<2x7xi32>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c11_keys(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %a: tensor<2x5xi32>, %b: tensor<2x5xi32>) {
  // expected-error@+1 {{has N = 5 in 'key segments', but N = 7 in 'key'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) segments(%a, %b : tensor<2x5xi32>, tensor<2x5xi32>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c11_type(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %a: tensor<2x5xi32>, %b: tensor<2x7xi64>) {
  // expected-error@+1 {{has elements of type 'i64' in 'key segments', but must have 'i32'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) segments(%a, %b : tensor<2x5xi32>, tensor<2x7xi64>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c12_both(%q: tensor<1x1x5x8xf32>, %p: index) {
  // expected-error@+1 {{has both a constant and a run-time offset; give one of them}}
  %0 = "softcap.attention"(%q, %q, %q, %p, %q) {causal, offset = 3 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0>} : (tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, index, tensor<1x1x5x8xf32>) -> tensor<1x1x5x8xf32>
  return
}

// -----

func.func @attention_c13_attribute(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has an offset that nothing uses; give 'causal' or a window too, or drop it}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) offset(3) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c13_value(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %p: index) {
  // expected-error@+1 {{has an offset that nothing uses}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) offset(%p) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c14_sum(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has an empty window: from 2 keys to the left to -3 to the right; left + right must not be negative}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) window_left(2) window_right(-3) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c14_causal(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has an empty window: from -1 keys to the left to 0 to the right}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) causal window_left(-1) window_right(5) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c14_extreme(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>) {
  // expected-error@+1 {{has an empty window}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) window_left(-9223372036854775808) window_right(-1) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c15_type(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xbf16>) {
  // expected-error@+1 {{has elements of type 'bf16' in 'output', but must have 'f16' or 'f32'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) cap(50.0) outs(%o : tensor<2x8x5x32xbf16>)
  return
}

// -----

func.func @attention_c15_shape(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x64xf16>) {
  // expected-error@+1 {{has Dv = 64 in 'output', but Dv = 32 in 'value'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) cap(50.0) outs(%o : tensor<2x8x5x64xf16>)
  return
}

// -----

func.func @attention_c16_size(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %b: tensor<4xf32>) {
  // expected-error@+1 {{has Hq = 4 in 'sinks', but Hq = 8 in 'query'}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) sinks(%b : tensor<4xf32>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c16_rank(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %b: tensor<1x8xf32>) {
  // expected-error@+1 {{has 'sinks' of rank 2, but it must be Hq}}
  %0 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) sinks(%b : tensor<1x8xf32>) outs(%o : tensor<2x8x5x32xf16>)
  return
}

// -----

func.func @attention_c17_type(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %lse: tensor<2x8x5xf16>) {
  // expected-error@+1 {{operand #4 must be ranked tensor or memref of f32 or f64 values, but got 'tensor<2x8x5xf16>'}}
  %0:2 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) cap(50.0) outs(%o : tensor<2x8x5x32xf16>) lse(%lse : tensor<2x8x5xf16>)
  return
}

// -----

func.func @attention_c17_compute_type(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %lse: tensor<2x8x5xf64>) {
  // expected-error@+1 {{has elements of type 'f64' in 'lse', but must have 'f32'}}
  %0:2 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) cap(50.0) outs(%o : tensor<2x8x5x32xf16>) lse(%lse : tensor<2x8x5xf64>)
  return
}

// -----

func.func @attention_c17_shape(%q: tensor<2x8x5x64xf16>, %k: tensor<2x4x7x64xf16>, %v: tensor<2x4x7x32xf16>, %o: tensor<2x8x5x32xf16>, %lse: tensor<2x8x7xf32>) {
  // expected-error@+1 {{has M = 7 in 'lse', but M = 5 in 'query'}}
  %0:2 = softcap.attention ins(%q, %k, %v : tensor<2x8x5x64xf16>, tensor<2x4x7x64xf16>, tensor<2x4x7x32xf16>) cap(50.0) outs(%o : tensor<2x8x5x32xf16>) lse(%lse : tensor<2x8x7xf32>)
  return
}

// -----

func.func @attention_results(%q: tensor<1x1x5x8xf32>) {
  // expected-error@+1 {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  "softcap.attention"(%q, %q, %q, %q) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0>} : (tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>) -> ()
  return
}

// -----

func.func @attention_clause_twice(%q: tensor<1x1x5x8xf32>) {
  // expected-error@+1 {{clause 'causal' given twice}}
  %0 = softcap.attention ins(%q, %q, %q : tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>) causal causal outs(%q : tensor<1x1x5x8xf32>)
  return
}

// -----

func.func @attention_clause_unknown(%q: tensor<1x1x5x8xf32>) {
  // expected-error@+1 {{unknown clause 'casual'}}
  %0 = softcap.attention ins(%q, %q, %q : tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>) casual outs(%q : tensor<1x1x5x8xf32>)
  return
}

// -----

func.func @attention_clause_masked_rows(%q: tensor<1x1x5x8xf32>) {
  // expected-error@+1 {{unknown masked_rows 'nan'}}
  %0 = softcap.attention ins(%q, %q, %q : tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>) masked_rows nan outs(%q : tensor<1x1x5x8xf32>)
  return
}

// -----

func.func @attention_clause_missing_outs(%q: tensor<1x1x5x8xf32>) {
  // expected-error@+1 {{expected a clause or 'outs'}}
  %0 = softcap.attention ins(%q, %q, %q : tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>) causal {a}  outs(%q : tensor<1x1x5x8xf32>)
  return
}

// -----

func.func @online_attention_c1_both(%q: tensor<1x1x5x8xf32>, %m: tensor<1x1x5xf32>, %c: f32) {
  // expected-error@+1 {{has both a constant cap and a run-time cap}}
  %0:3 = "softcap.online_attention"(%q, %q, %q, %c, %q, %m, %m) {cap = 50.0, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1>} : (tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, f32, tensor<1x1x5x8xf32>, tensor<1x1x5xf32>, tensor<1x1x5xf32>) -> (tensor<1x1x5x8xf32>, tensor<1x1x5xf32>, tensor<1x1x5xf32>)
  return
}

// -----

func.func @online_attention_c2_zero(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>) {
  // expected-error@+1 {{has the cap 0.0}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) cap(0.0) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c3_wider(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>, %c: f64) {
  // expected-error@+1 {{has a run-time cap of type}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) cap(%c : f64) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c4_mixed(%q: tensor<1x2x8x64xf16>, %k: memref<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>) {
  // expected-error@+1 {{mixes tensors and memrefs}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, memref<1x1x32x64xf16>, tensor<1x1x32x16xf16>) cap(50.0) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c5_key(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf32>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>) {
  // expected-error@+1 {{has elements of type 'f32' in 'key'}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf32>, tensor<1x1x32x16xf16>) cap(50.0) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c6_keys(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x16x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>) {
  // expected-error@+1 {{has N = 16 in 'value', but N = 32 in 'key'}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x16x16xf16>) cap(50.0) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c7_groups(%q: tensor<1x2x8x64xf16>, %k: tensor<1x3x32x64xf16>, %v: tensor<1x3x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>) {
  // expected-error@+1 {{has 2 query heads and 3 key heads}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x3x32x64xf16>, tensor<1x3x32x16xf16>) cap(50.0) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c8_pre_scale(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>) {
  // expected-error@+1 {{has the pre_scale 0.0}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) pre_scale(0.0) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c9_mask(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>, %b: tensor<1x1x8x8xi1>) {
  // expected-error@+1 {{has N = 8 in 'mask', but N = 32 in 'key'}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) mask(%b : tensor<1x1x8x8xi1>) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c10_lengths(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>, %b: tensor<2xi32>) {
  // expected-error@+1 {{has B = 2 in 'lengths', but B = 1 in 'query'}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) lengths(%b : tensor<2xi32>) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c11_segments(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>, %a: tensor<1x7xi32>, %b: tensor<1x32xi32>) {
  // expected-error@+1 {{has M = 7 in 'query segments'}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) segments(%a, %b : tensor<1x7xi32>, tensor<1x32xi32>) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c12_both(%q: tensor<1x1x5x8xf32>, %m: tensor<1x1x5xf32>, %p: index) {
  // expected-error@+1 {{has both a constant and a run-time offset}}
  %0:3 = "softcap.online_attention"(%q, %q, %q, %p, %q, %m, %m) {causal, offset = 3 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1>} : (tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, tensor<1x1x5x8xf32>, index, tensor<1x1x5x8xf32>, tensor<1x1x5xf32>, tensor<1x1x5xf32>) -> (tensor<1x1x5x8xf32>, tensor<1x1x5xf32>, tensor<1x1x5xf32>)
  return
}

// -----

func.func @online_attention_c13_offset(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>) {
  // expected-error@+1 {{has an offset that nothing uses}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) offset(3) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c14_window(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>) {
  // expected-error@+1 {{has an empty window}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) window_left(0) window_right(-1) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c15_max(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf64>, %s: tensor<1x2x8xf32>) {
  // expected-error@+1 {{has elements of type 'f64' in 'max', but must have 'f32'}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) cap(50.0) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf64>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c15_accumulator(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf16>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>) {
  // expected-error@+1 {{operand #3 must be ranked tensor or memref of f32 or f64 values}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) cap(50.0) outs(%acc, %m, %s : tensor<1x2x8x16xf16>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c16_accumulator(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x64xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8xf32>) {
  // expected-error@+1 {{has Dv = 64 in 'accumulator', but Dv = 16 in 'value'}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) cap(50.0) outs(%acc, %m, %s : tensor<1x2x8x64xf32>, tensor<1x2x8xf32>, tensor<1x2x8xf32>)
  return
}

// -----

func.func @online_attention_c16_sum(%q: tensor<1x2x8x64xf16>, %k: tensor<1x1x32x64xf16>, %v: tensor<1x1x32x16xf16>, %acc: tensor<1x2x8x16xf32>, %m: tensor<1x2x8xf32>, %s: tensor<1x2x8x1xf32>) {
  // expected-error@+1 {{has 'sum' of rank 4, but it must be B x Hq x M}}
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x2x8x64xf16>, tensor<1x1x32x64xf16>, tensor<1x1x32x16xf16>) cap(50.0) outs(%acc, %m, %s : tensor<1x2x8x16xf32>, tensor<1x2x8xf32>, tensor<1x2x8x1xf32>)
  return
}

// -----

func.func @merge_c1_mixed(%a: tensor<2x1x8x4x16xf32>, %l: memref<2x1x8x4xf32>, %o: tensor<1x8x4x16xf32>) {
  // expected-error@+1 {{mixes tensors and memrefs}}
  %0 = softcap.merge ins(%a, %l : tensor<2x1x8x4x16xf32>, memref<2x1x8x4xf32>)  outs(%o : tensor<1x8x4x16xf32>)
  return
}

// -----

func.func @merge_c2_sums(%a: tensor<2x1x8x4x16xf32>, %l: tensor<2x1x8x4xf64>, %o: tensor<1x8x4x16xf32>) {
  // expected-error@+1 {{has elements of type 'f64' in 'sums', but must have 'f32'}}
  %0 = softcap.merge ins(%a, %l : tensor<2x1x8x4x16xf32>, tensor<2x1x8x4xf64>)  outs(%o : tensor<1x8x4x16xf32>)
  return
}

// -----

func.func @merge_c2_maxima(%a: tensor<2x1x8x4x16xf32>, %l: tensor<2x1x8x4xf32>, %o: tensor<1x8x4x16xf32>, %b: tensor<2x1x8x4xf64>) {
  // expected-error@+1 {{has elements of type 'f64' in 'maxima', but must have 'f32'}}
  %0 = softcap.merge ins(%a, %l : tensor<2x1x8x4x16xf32>, tensor<2x1x8x4xf32>) maxima(%b : tensor<2x1x8x4xf64>) outs(%o : tensor<1x8x4x16xf32>)
  return
}

// -----

func.func @merge_c2_lse(%a: tensor<2x1x8x4x16xf32>, %l: tensor<2x1x8x4xf32>, %o: tensor<1x8x4x16xf32>, %lse: tensor<1x8x4xf64>) {
  // expected-error@+1 {{has elements of type 'f64' in 'lse', but must have 'f32'}}
  %0:2 = softcap.merge ins(%a, %l : tensor<2x1x8x4x16xf32>, tensor<2x1x8x4xf32>)  outs(%o : tensor<1x8x4x16xf32>) lse(%lse : tensor<1x8x4xf64>)
  return
}

// -----

func.func @merge_c3_parts(%a: tensor<2x1x8x4x16xf32>, %l: tensor<3x1x8x4xf32>, %o: tensor<1x8x4x16xf32>) {
  // expected-error@+1 {{has P = 3 in 'sums', but P = 2 in 'accumulators'}}
  %0 = softcap.merge ins(%a, %l : tensor<2x1x8x4x16xf32>, tensor<3x1x8x4xf32>)  outs(%o : tensor<1x8x4x16xf32>)
  return
}

// -----

func.func @merge_c3_maxima(%a: tensor<2x1x8x4x16xf32>, %l: tensor<2x1x8x4xf32>, %o: tensor<1x8x4x16xf32>, %b: tensor<2x1x8x5xf32>) {
  // expected-error@+1 {{has M = 5 in 'maxima', but M = 4 in 'accumulators'}}
  %0 = softcap.merge ins(%a, %l : tensor<2x1x8x4x16xf32>, tensor<2x1x8x4xf32>) maxima(%b : tensor<2x1x8x5xf32>) outs(%o : tensor<1x8x4x16xf32>)
  return
}

// -----

func.func @merge_c3_output(%a: tensor<2x1x8x4x16xf32>, %l: tensor<2x1x8x4xf32>, %o: tensor<1x8x4x8xf32>) {
  // expected-error@+1 {{has Dv = 8 in 'output', but Dv = 16 in 'accumulators'}}
  %0 = softcap.merge ins(%a, %l : tensor<2x1x8x4x16xf32>, tensor<2x1x8x4xf32>)  outs(%o : tensor<1x8x4x8xf32>)
  return
}

// -----

func.func @merge_c3_lse(%a: tensor<2x1x8x4x16xf32>, %l: tensor<2x1x8x4xf32>, %o: tensor<1x8x4x16xf32>, %lse: tensor<1x8x4x1xf32>) {
  // expected-error@+1 {{has 'lse' of rank 4, but it must be B x Hq x M}}
  %0:2 = softcap.merge ins(%a, %l : tensor<2x1x8x4x16xf32>, tensor<2x1x8x4xf32>)  outs(%o : tensor<1x8x4x16xf32>) lse(%lse : tensor<1x8x4x1xf32>)
  return
}

// -----

func.func @merge_c4_sinks(%a: tensor<2x1x8x4x16xf32>, %l: tensor<2x1x8x4xf32>, %o: tensor<1x8x4x16xf32>, %b: tensor<9xf32>) {
  // expected-error@+1 {{has Hq = 9 in 'sinks', but Hq = 8 in 'accumulators'}}
  %0 = softcap.merge ins(%a, %l : tensor<2x1x8x4x16xf32>, tensor<2x1x8x4xf32>) sinks(%b : tensor<9xf32>) outs(%o : tensor<1x8x4x16xf32>)
  return
}

// -----

func.func @merge_c5_infinite(%a: tensor<2x1x8x4x16xf32>, %l: tensor<2x1x8x4xf32>, %o: tensor<1x8x4x16xf32>) {
  // expected-error@+1 {{has a shift that is not finite}}
  %0 = softcap.merge ins(%a, %l : tensor<2x1x8x4x16xf32>, tensor<2x1x8x4xf32>) shift(0x7FF0000000000000) outs(%o : tensor<1x8x4x16xf32>)
  return
}

// -----

func.func @merge_c5_maxima(%a: tensor<2x1x8x4x16xf32>, %l: tensor<2x1x8x4xf32>, %o: tensor<1x8x4x16xf32>, %b: tensor<2x1x8x4xf32>) {
  // expected-error@+1 {{has both maxima and a shift; the shift replaces maxima where the bound is static}}
  %0 = softcap.merge ins(%a, %l : tensor<2x1x8x4x16xf32>, tensor<2x1x8x4xf32>) maxima(%b : tensor<2x1x8x4xf32>) shift(1.0) outs(%o : tensor<1x8x4x16xf32>)
  return
}
