// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each exit code: success, results that differ, bad input, a cap in an illegal
// place.
// RUN: %python %S/exits.py 0 softcap-run %s --reference | FileCheck %s --check-prefix=OK
// RUN: %python %S/exits.py 1 softcap-run %s --reference --tolerance=1e-30 | FileCheck %s --check-prefix=DIFFERS
// RUN: %python %S/exits.py 2 softcap-run %t.missing.mlir | FileCheck %s --check-prefix=MISSING
// RUN: %python %S/exits.py 2 softcap-run %s --no-such-flag | FileCheck %s --check-prefix=FLAG
// RUN: %python %S/exits.py 2 softcap-run %s --repeat=0 | FileCheck %s --check-prefix=REPEAT
// RUN: %python %S/exits.py 2 softcap-run %s --target=cuda | FileCheck %s --check-prefix=TARGET
// RUN: %python %S/exits.py 2 softcap-run %s --int-range=3:3 | FileCheck %s --check-prefix=RANGE
// RUN: %python %S/exits.py 2 softcap-run %s --target-cpu=no-such-cpu | FileCheck %s --check-prefix=CPU
// RUN: %python %S/exits.py 3 softcap-run %S/../../Inputs/graphs/bad_mask_first_f32.mlir | FileCheck %s --check-prefix=ILLEGAL
// RUN: %python %S/exits.py 0 softcap-run %S/../../Inputs/graphs/bad_mask_first_f32.mlir --no-check
// RUN: %python %S/exits.py 3 softcap-run %s --expect=logits=30 | FileCheck %s --check-prefix=EXPECT
// RUN: %python %S/exits.py 2 softcap-run %s --expect=nonsense | FileCheck %s --check-prefix=NONSENSE

// OK: time
// OK: against f64 {{.*}}: ok
// DIFFERS: against f64 {{.*}}: differs
// MISSING: softcap-run: {{.*}}missing.mlir: error: No such file or directory
// FLAG: softcap-run: {{.*}}no-such-flag
// REPEAT: --repeat=0: expected at least 1
// TARGET: --target=emulator and --target=cuda are not available
// RANGE: --int-range=3:3: expected A:B with A < B
// CPU: no-such-cpu
// ILLEGAL: bad_mask_first_f32.mlir:26:10: error: SC001 mask-before-cap:
// EXPECT: SC0{{[0-9]+}}
// NONSENSE: nonsense

func.func @main(%hidden: tensor<8x16xf32>, %weight: tensor<32x16xf32>) -> tensor<8x32xf32> {
  %init = tensor.empty() : tensor<8x32xf32>
  %0 = softcap.logits ins(%hidden, %weight : tensor<8x16xf32>, tensor<32x16xf32>) cap(5.0) outs(%init : tensor<8x32xf32>)
  return %0 : tensor<8x32xf32>
}
