// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The JSON report of a causal attention of 2 heads, 9 queries and 12 keys of 16.
// RUN: %python %S/report.py softcap-run %s

func.func @main(%q: tensor<1x2x9x16xf32>, %k: tensor<1x2x12x16xf32>, %v: tensor<1x2x12x16xf32>) -> tensor<1x2x9x16xf32> {
  %init = tensor.empty() : tensor<1x2x9x16xf32>
  %0 = softcap.attention ins(%q, %k, %v : tensor<1x2x9x16xf32>, tensor<1x2x12x16xf32>, tensor<1x2x12x16xf32>) cap(5.0) causal outs(%init : tensor<1x2x9x16xf32>)
  return %0 : tensor<1x2x9x16xf32>
}
