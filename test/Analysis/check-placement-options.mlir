// RUN: not %softcap-opt %s --pass-pipeline='builtin.module(softcap-check-placement{expect=scores=-1})' 2>&1 | FileCheck %s
// RUN: not %softcap-opt %s --pass-pipeline='builtin.module(softcap-check-placement{expect=weights=3})' 2>&1 | FileCheck %s --check-prefix=KEY

// CHECK: error: 'scores=-1' is no expectation; expected scores=C
// KEY: error: 'weights=3' is no expectation
module {
}
