// RUN: %softcap-opt %s --verify-diagnostics --pass-pipeline='builtin.module(func.func(softcap-use-algebra{direction=sideways}))'

// expected-error@+1 {{unknown direction 'sideways'; use inward, outward or none}}
func.func @f() {
  return
}
