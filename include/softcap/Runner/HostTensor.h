//===- HostTensor.h - Tensors in host memory --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments and results of a compiled function: a type, a shape and the
// elements in row-major order, in the layout that compiled code expects.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_RUNNER_HOSTTENSOR_H
#define SOFTCAP_RUNNER_HOSTTENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"

namespace mlir::softcap {

struct HostTensor {
  /// f16, bf16, f32, f64, an integer of 1, 8, 16, 32 or 64 bits, or index.
  Type elementType;
  /// Empty for a scalar or a tensor of rank 0.
  SmallVector<int64_t> shape;
  std::vector<uint8_t> bytes;

  int64_t getNumElements() const;
  double getDouble(int64_t i) const;
  /// Rounds to nearest even; integers must fit.
  void setDouble(int64_t i, double value);
};

/// Bytes of one element in memory (i1 takes one), or nothing for a type that
/// cannot cross the boundary of a compiled function.
std::optional<unsigned> getElementBytes(Type elementType);

/// A zero-filled tensor.
HostTensor makeTensor(Type elementType, ArrayRef<int64_t> shape);

/// The same values in f64 if they are floats, else a copy.
HostTensor promoteToF64(const HostTensor &tensor);

/// The shape as text: 2x8x80x256.
std::string formatShape(ArrayRef<int64_t> shape);

} // namespace mlir::softcap

#endif // SOFTCAP_RUNNER_HOSTTENSOR_H
