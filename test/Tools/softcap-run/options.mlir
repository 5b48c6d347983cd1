// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random arguments by seed, integer ranges, threads and targets.
// RUN: softcap-run %s --entry=floats --random=7 --output=%t.a.npy
// RUN: softcap-run %s --entry=floats --random=7 --threads=1 --output=%t.b.npy
// RUN: softcap-run %s --entry=floats --random=8 --output=%t.c.npy
// RUN: softcap-run %s --entry=integers --output=%t.d.npy
// RUN: softcap-run %s --entry=integers --int-range=-3:5 --output=%t.e.npy
// RUN: softcap-run %s --entry=floats --random=7 --target-cpu=x86-64 --output=%t.f.npy
// RUN: softcap-run %s --entry=floats --random=7 --target-features=-avx512f,-avx2 --output=%t.g.npy
// RUN: %python %S/options.py %t

func.func @floats(%x: tensor<20000xf32>) -> tensor<20000xf32> {
  %0 = softcap.cap %x cap(1.0) : tensor<20000xf32>
  return %0 : tensor<20000xf32>
}

func.func @integers(%x: tensor<20000xi64>) -> tensor<20000xi64> {
  return %x : tensor<20000xi64>
}
