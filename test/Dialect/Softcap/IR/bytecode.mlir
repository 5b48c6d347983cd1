// RUN: %softcap-opt %S/ops.mlir --emit-bytecode -o %t.mlirbc
// RUN: %softcap-opt %t.mlirbc -o %t.read.mlir
// RUN: %softcap-opt %S/ops.mlir -o %t.parsed.mlir
// RUN: diff %t.parsed.mlir %t.read.mlir
// RUN: FileCheck %S/ops.mlir --input-file=%t.read.mlir

// Every op and clause of ops.mlir survives bytecode.
