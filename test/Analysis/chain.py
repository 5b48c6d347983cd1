# ===- chain.py - A long chain of operations into a cap ---------------------===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Prints a module with a logits cap behind as many additions as asked for.
#
# ===-----------------------------------------------------------------------===#
import sys

n = int(sys.argv[1])
print("func.func @chain(%h: vector<4x8xf32>, %w: vector<16x8xf32>, %b: vector<4x8xf32>) -> vector<4x16xf32> {")
print("  %z = arith.constant dense<0.0> : vector<4x16xf32>")
print("  %c = arith.constant dense<30.0> : vector<4x16xf32>")
last = "%h"
for i in range(n):
    print(f"  %v{i} = arith.{'addf' if i % 2 else 'mulf'} {last}, %b : vector<4x8xf32>")
    last = f"%v{i}"
print(f"""  %l = vector.contract {{
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}}
    {last}, %w, %z : vector<4x8xf32>, vector<16x8xf32> into vector<4x16xf32>
  %d = arith.divf %l, %c : vector<4x16xf32>
  %t = math.tanh %d : vector<4x16xf32>
  %o = arith.mulf %t, %c : vector<4x16xf32>
  return %o : vector<4x16xf32>
}}""")
