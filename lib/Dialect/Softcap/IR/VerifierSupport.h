//===- VerifierSupport.h - Building blocks of the verifiers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks that several ops share: caps, scales, named dimensions that must
// agree, element types. Each reports what is wrong and what would be right.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_DIALECT_SOFTCAP_IR_VERIFIERSUPPORT_H
#define SOFTCAP_LIB_DIALECT_SOFTCAP_IR_VERIFIERSUPPORT_H

#include "softcap/Dialect/Softcap/IR/Softcap.h"

#include "llvm/ADT/StringMap.h"

namespace mlir::softcap {

/// The type in which a value of `storage` is computed: f64 for f64, else f32.
FloatType getComputeType(Type storage);

/// True if `value` is neither zero, subnormal, infinite nor NaN in `type`.
bool isNormalIn(const APFloat &value, FloatType type);

/// C1 to C3 of every capped op. `required` is false where a missing cap means
/// no capping.
LogicalResult verifyCap(Operation *op, FloatAttr cap, Value capValue,
                        Type storage, bool required);

/// A factor such as `pre_scale` is finite and not zero.
LogicalResult verifyScale(Operation *op, StringRef name, const APFloat &scale);

/// The shaped operands are all tensors or all memrefs.
LogicalResult verifySameKind(Operation *op);

/// `name` has element type `expected`.
LogicalResult verifyElementType(Operation *op, StringRef name, Value value,
                                Type expected);

/// `name` has the storage type or the type in which it is computed.
LogicalResult verifyOutputType(Operation *op, StringRef name, Value value,
                               Type storage);

/// Binds names of dimensions to sizes, operand by operand, and reports the
/// first disagreement between two static sizes.
class NamedDims {
public:
  explicit NamedDims(Operation *op) : op(op) {}

  /// `operand` has one dimension per name, of the sizes bound so far.
  LogicalResult bind(StringRef operand, Value value, ArrayRef<StringRef> names);

  /// Like bind, but a size of 1 stands for any.
  LogicalResult broadcast(StringRef operand, Value value,
                          ArrayRef<StringRef> names);

  /// The number of query heads is a multiple of that of the key heads.
  LogicalResult verifyHeadGroups();

private:
  struct Binding {
    int64_t size;
    StringRef operand;
  };

  LogicalResult verifyRank(StringRef operand, Value value,
                           ArrayRef<StringRef> names);
  LogicalResult verifySizes(StringRef operand, Value value,
                            ArrayRef<StringRef> names, bool broadcasts);

  Operation *op;
  llvm::StringMap<Binding> bindings;
};

} // namespace mlir::softcap

#endif // SOFTCAP_LIB_DIALECT_SOFTCAP_IR_VERIFIERSUPPORT_H
