// RUN: %softcap-opt %S/../../../Inputs/graphs/gemma2_attention_dynamic_f32.mlir \
// RUN:   --pass-pipeline='builtin.module(func.func(softcap-normalize-shapes,canonicalize,cse))' -o %t.f32.mlir
// RUN: FileCheck %s --input-file=%t.f32.mlir --check-prefixes=CHECK,F32
// RUN: %softcap-opt %S/../../../Inputs/graphs/gemma2_attention_dynamic_causal_bf16.mlir \
// RUN:   --pass-pipeline='builtin.module(func.func(softcap-normalize-shapes,canonicalize,cse))' -o %t.bf16.mlir
// RUN: FileCheck %s --input-file=%t.bf16.mlir --check-prefixes=CHECK,BF16

// Two real exported graphs with dynamic batch and length. No reshape to computed
// sizes and no arithmetic on them is left. Q, K and V may be broadcast over the
// batch, or have other lengths, so their extractions stay, for that case;
// nothing N x N does.
// The mask's lengths are checked at run time in the first graph; in the second
// the graph computes the mask and nothing is left to check.

// CHECK-LABEL: func.func @main
// CHECK-NOT: tensor.reshape
// CHECK-NOT: arith.divsi
// CHECK-COUNT-3: scf.if
// CHECK: tensor.extract %{{.*}} : tensor<{{.*}}x256x{{b?}}f{{16|32}}>
// CHECK-NOT: tensor.reshape
// CHECK-NOT: arith.divsi
// CHECK-NOT: tensor.extract
// F32-COUNT-2: cf.assert
// F32-NOT: cf.assert
// BF16-NOT: cf.assert
// CHECK: return
