// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types that cannot cross the boundary of a compiled function are refused, with
// the argument or result that has them.
// RUN: %python %S/exits.py 2 softcap-run %s --entry=complex | FileCheck %s --check-prefix=COMPLEX
// RUN: %python %S/exits.py 2 softcap-run %s --entry=narrow | FileCheck %s --check-prefix=NARROW
// RUN: %python %S/exits.py 2 softcap-run %s --entry=f8 | FileCheck %s --check-prefix=FLOAT8
// RUN: %python %S/exits.py 2 softcap-run %s --entry=unranked | FileCheck %s --check-prefix=UNRANKED
// RUN: %python %S/exits.py 2 softcap-run %s --entry=vector | FileCheck %s --check-prefix=VECTOR
// RUN: %python %S/exits.py 2 softcap-run %s --entry=strided | FileCheck %s --check-prefix=STRIDED
// RUN: %python %S/exits.py 2 softcap-run %s --entry=dynamic | FileCheck %s --check-prefix=DYNAMIC
// RUN: %python %S/exits.py 2 softcap-run %s --entry=dynamic --shape=0=3x5 | FileCheck %s --check-prefix=MISFIT
// RUN: %python %S/exits.py 2 softcap-run %s --entry=dynamic --shape=0=4 | FileCheck %s --check-prefix=RANK
// RUN: %python %S/exits.py 2 softcap-run %s --entry=dynamic --shape=4xx4 | FileCheck %s --check-prefix=MALFORMED
// RUN: %python %S/exits.py 2 softcap-run %s --entry=dynamic --shape=0=4x100000000000 | FileCheck %s --check-prefix=LARGE
// RUN: %python %S/exits.py 0 softcap-run %s --entry=dynamic --shape=0=4x7 --output=%t.npy
// RUN: %python -c "import numpy as np; assert np.load('%t.npy').shape == (4, 7)"
// RUN: %python %S/exits.py 2 softcap-run %s --entry=dynamic --shape=0=4x7 --output=%t.npy --output=%t.1.npy | FileCheck %s --check-prefix=OUTPUTS

// COMPLEX: function 'complex': argument 0 has type tensor<2xcomplex<f32>>; expected a scalar or a ranked tensor of floats or integers
// NARROW: function 'narrow': argument 1 has type tensor<2xi4>
// FLOAT8: function 'f8': result 0 has type tensor<2xf8E4M3FN>
// UNRANKED: function 'unranked': argument 0 has type tensor<*xf32>
// VECTOR: function 'vector': argument 0 has type vector<4xf32>
// STRIDED: function 'strided': argument 0 has type memref<2xf32, strided<[2]>>
// DYNAMIC: argument 0 has type tensor<4x?xf32>; give its shape with --shape=0=
// MISFIT: --shape=0=3x5 does not fit tensor<4x?xf32>
// RANK: --shape=0=4 does not fit tensor<4x?xf32>
// MALFORMED: --shape=4xx4: expected ARGUMENT=SIZExSIZE
// LARGE: argument 0 of shape 4x100000000000 is too large
// OUTPUTS: 2 --output files for 1 results

func.func @complex(%x: tensor<2xcomplex<f32>>) {
  return
}

func.func @narrow(%x: tensor<2xf32>, %y: tensor<2xi4>) {
  return
}

func.func @f8(%x: tensor<2xf32>) -> tensor<2xf8E4M3FN> {
  %0 = arith.truncf %x : tensor<2xf32> to tensor<2xf8E4M3FN>
  return %0 : tensor<2xf8E4M3FN>
}

func.func @unranked(%x: tensor<*xf32>) {
  return
}

func.func @vector(%x: vector<4xf32>) {
  return
}

func.func @strided(%x: memref<2xf32, strided<[2]>>) {
  return
}

func.func @dynamic(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  return %x : tensor<4x?xf32>
}
