// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An assertion of the program that fails at run time is bad input: one line with
// its message, and no output.
// RUN: rm -f %t.npy
// RUN: %python %S/exits.py 2 softcap-run %s --shape=0=3 --shape=1=4 --output=%t.npy | FileCheck %s
// RUN: not ls %t.npy
// RUN: %python %S/exits.py 0 softcap-run %s --shape=0=4 --shape=1=4 --output=%t.npy
// RUN: ls %t.npy

// CHECK: softcap-run: error: an assertion of the program failed: sizes of x and y differ

func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %n, %m : index
  cf.assert %same, "sizes of x and y differ"
  %init = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
