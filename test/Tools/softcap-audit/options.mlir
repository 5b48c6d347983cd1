// RUN: not softcap-audit %s --config=%S/Inputs/config.json | FileCheck %s --check-prefix=CONFIG
// RUN: softcap-audit %s --expect=logits=50 | FileCheck %s --check-prefix=SUPPRESSED
// RUN: not softcap-audit %s --expect=logits=-1 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: not softcap-audit %s --config=%S/missing.json 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not softcap-audit %s %S/missing.mlir --format=json -o %t.json 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not softcap-audit %s %S/missing.mlir --format=json --output=%t.json --fail-on=note
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: softcap-audit --version | FileCheck %s --check-prefix=VERSION
// RUN: softcap-audit %s --color --expect=logits=50 | FileCheck %s --check-prefix=COLOR
// RUN: softcap-opt %s --emit-bytecode -o %t.mlirbc
// RUN: softcap-audit %t.mlirbc --expect=logits=50 | FileCheck %s --check-prefix=SUPPRESSED

// CONFIG: options.mlir:[[#]]:{{[0-9]+}}: error: SC007 unexpected-value: the cap is 50, expected 30
// CONFIG: options.mlir: illegal
// SUPPRESSED: note: SC301 factor-after-cap: {{.*}} [suppressed]
// SUPPRESSED: legal
// SUPPRESSED-NEXT: logits in @head: cap 50, scale 1, then times 2, legal (contraction, cap, factor, output)
// USAGE: softcap-audit: error: 'logits=-1' is no expectation
// MISSING: softcap-audit: error: cannot read
// UNKNOWN: Unknown command line argument '-o'
// JSON: "verdict": "legal"
// JSON: "error": {
// JSON: "message": "cannot read the file:
// COLOR: {{note:.*}}SC301
// VERSION: softcap-audit {{[0-9]+\.[0-9]+\.[0-9]+}}

func.func @head(%h: vector<4x8xf32>, %w: vector<16x8xf32>) -> vector<4x16xf32> {
  %z = arith.constant dense<0.0> : vector<4x16xf32>
  %two = arith.constant dense<2.0> : vector<4x16xf32>
  %l = vector.contract {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %h, %w, %z : vector<4x8xf32>, vector<16x8xf32> into vector<4x16xf32>
  %c = softcap.cap %l cap(50.0) : vector<4x16xf32>
  %o = arith.mulf %c, %two {softcap.suppress = ["SC301: a temperature of one half"]} : vector<4x16xf32>
  return %o : vector<4x16xf32>
}
