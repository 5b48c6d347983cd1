// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function runs: the only public one, or the one named.
// RUN: %python %S/exits.py 2 softcap-run %s | FileCheck %s --check-prefix=SEVERAL
// RUN: %python %S/exits.py 2 softcap-run %s --entry=third | FileCheck %s --check-prefix=WRONG
// RUN: %python %S/exits.py 0 softcap-run %s --entry=first --output=%t.first.npy
// RUN: %python %S/exits.py 0 softcap-run %s --entry=second --output=%t.second.npy
// RUN: %python -c "import numpy as np; assert np.load('%t.first.npy').shape == (2,); assert np.load('%t.second.npy') == 3"
// RUN: %python %S/exits.py 0 softcap-run %s --entry=helper
// RUN: echo 'func.func private @none()' > %t.none.mlir
// RUN: %python %S/exits.py 2 softcap-run %t.none.mlir | FileCheck %s --check-prefix=NONE
// RUN: %python %S/exits.py 2 softcap-run %t.none.mlir --entry=none | FileCheck %s --check-prefix=DECLARED

// SEVERAL: error: several public functions, choose one with --entry: first, second
// WRONG: error: no function 'third'; public functions: first, second
// NONE: error: the module has no public function
// DECLARED: error: no function 'none'; public functions: none

func.func @first(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

func.func @second() -> i64 {
  %0 = arith.constant 3 : i64
  return %0 : i64
}

func.func private @helper(%x: f32) -> f32 {
  return %x : f32
}
