//===- LinalgEmitter.h - Writing linalg.generic briefly ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A builder for the decompositions: operands that may be memrefs, maps given as
// lists of loops, and bodies as lambdas.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_INTERFACES_LINALGEMITTER_H
#define SOFTCAP_LIB_INTERFACES_LINALGEMITTER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::softcap {

/// A tensor read or written by a generic, with one expression per dimension.
struct Access {
  Value tensor;
  SmallVector<AffineExpr> exprs;
};

class LinalgEmitter {
public:
  using Body = function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  LinalgEmitter(OpBuilder &builder, Location loc) : b(loc, builder) {}

  ImplicitLocOpBuilder &builder() { return b; }
  AffineExpr loop(unsigned i) { return b.getAffineDimExpr(i); }
  SmallVector<AffineExpr> loops(ArrayRef<unsigned> indices);

  /// The tensor itself, or the contents of a memref. A memref is read once,
  /// because its `to_tensor` must be the only one.
  Value asTensor(Value value, bool writable = false);

  Value empty(ArrayRef<OpFoldResult> sizes, Type elementType);
  Value filled(ArrayRef<OpFoldResult> sizes, Type elementType, double value);

  /// Emits a generic; the loops that `out` does not use are reductions.
  Value generic(ArrayRef<Access> ins, Access out, unsigned numLoops, Body body);

  /// Values for the results of a destination-style op: what was computed for
  /// tensor destinations; memref destinations are written.
  SmallVector<Value> finish(ValueRange computed, ValueRange destinations);

private:
  ImplicitLocOpBuilder b;
  llvm::SmallDenseMap<Value, Value> tensors;
};

/// f64 if any of the types is, else f32: the type the arithmetic is done in.
Type computeType(MLIRContext *context, ArrayRef<Type> storageTypes);

/// Extends or rounds a float scalar; no-op for equal types.
Value convertFloat(ImplicitLocOpBuilder &b, Value value, Type type);

Value constantFloat(ImplicitLocOpBuilder &b, Type type, double value);
Value negativeInfinity(ImplicitLocOpBuilder &b, Type type);

/// The most negative finite value of a float type.
double lowestFinite(Type type);

} // namespace mlir::softcap

#endif // SOFTCAP_LIB_INTERFACES_LINALGEMITTER_H
