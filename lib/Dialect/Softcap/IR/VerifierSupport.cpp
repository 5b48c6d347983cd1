//===- VerifierSupport.cpp - Building blocks of the verifiers -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks that several ops share.
//
//===----------------------------------------------------------------------===//

#include "VerifierSupport.h"

using namespace mlir;
using namespace mlir::softcap;

FloatType softcap::getComputeType(Type storage) {
  return storage.isF64() ? cast<FloatType>(storage)
                         : Float32Type::get(storage.getContext());
}

bool softcap::isNormalIn(const APFloat &value, FloatType type) {
  APFloat converted = value;
  bool losesInfo;
  converted.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
  return converted.isNormal();
}

LogicalResult softcap::verifyCap(Operation *op, FloatAttr cap, Value capValue,
                                 Type storage, bool required) {
  // (C1) Exactly one of attribute and SSA value.
  if (cap && capValue)
    return op->emitOpError(
        "has both a constant cap and a run-time cap; give one of them");
  if (!cap && !capValue) {
    if (!required)
      return success();
    return op->emitOpError("has no cap; give a constant, cap(50.0), or a "
                           "run-time value, cap(%c : f32)");
  }
  FloatType compute = getComputeType(storage);
  // (C2) A constant cap is positive, finite and normal where it is used.
  if (cap &&
      (cap.getValue().isNegative() || !isNormalIn(cap.getValue(), compute)))
    return op->emitOpError("has the cap ")
           << cap.getValueAsDouble()
           << ", but a cap is a positive, finite, normal " << compute
           << " number";
  // (C3) A run-time cap is used unrounded.
  if (capValue &&
      capValue.getType().getIntOrFloatBitWidth() > compute.getWidth())
    return op->emitOpError("has a run-time cap of type ")
           << capValue.getType() << ", but computes in " << compute
           << "; the cap may not be wider than that";
  return success();
}

LogicalResult softcap::verifyScale(Operation *op, StringRef name,
                                   const APFloat &scale) {
  if (scale.isFinite() && !scale.isZero())
    return success();
  return op->emitOpError("has the ")
         << name << " " << scale.convertToDouble()
         << ", but a factor must be finite and not zero";
}

LogicalResult softcap::verifySameKind(Operation *op) {
  bool tensors = false, memrefs = false;
  for (Type type : op->getOperandTypes()) {
    tensors |= isa<TensorType>(type);
    memrefs |= isa<BaseMemRefType>(type);
  }
  if (tensors && memrefs)
    return op->emitOpError(
        "mixes tensors and memrefs; all shaped operands must be of one kind");
  return success();
}

LogicalResult softcap::verifyElementType(Operation *op, StringRef name,
                                         Value value, Type expected) {
  Type type = getElementTypeOrSelf(value);
  if (type == expected)
    return success();
  return op->emitOpError("has elements of type ")
         << type << " in '" << name << "', but must have " << expected;
}

LogicalResult softcap::verifyOutputType(Operation *op, StringRef name,
                                        Value value, Type storage) {
  Type type = getElementTypeOrSelf(value);
  Type compute = getComputeType(storage);
  if (type == storage || type == compute)
    return success();
  InFlightDiagnostic diag = op->emitOpError("has elements of type ")
                            << type << " in '" << name << "', but must have "
                            << storage;
  if (storage != compute)
    diag << " or " << compute;
  return diag;
}

//===----------------------------------------------------------------------===//
// NamedDims
//===----------------------------------------------------------------------===//

LogicalResult NamedDims::verifyRank(StringRef operand, Value value,
                                    ArrayRef<StringRef> names) {
  auto type = cast<ShapedType>(value.getType());
  if (type.getRank() == static_cast<int64_t>(names.size()))
    return success();
  return op->emitOpError("has '")
         << operand << "' of rank " << type.getRank() << ", but it must be "
         << llvm::join(names, " x ");
}

LogicalResult NamedDims::verifySizes(StringRef operand, Value value,
                                     ArrayRef<StringRef> names,
                                     bool broadcasts) {
  ArrayRef<int64_t> shape = cast<ShapedType>(value.getType()).getShape();
  for (auto [name, size] : llvm::zip_equal(names, shape)) {
    if (ShapedType::isDynamic(size) || (broadcasts && size == 1))
      continue;
    auto [it, inserted] = bindings.try_emplace(name, Binding{size, operand});
    if (inserted || it->second.size == size)
      continue;
    InFlightDiagnostic diag = op->emitOpError("has ")
                              << name << " = " << size << " in '" << operand
                              << "', but " << name << " = " << it->second.size
                              << " in '" << it->second.operand << "'";
    if (broadcasts)
      diag << "; it must be that or 1";
    return diag;
  }
  return success();
}

LogicalResult NamedDims::bind(StringRef operand, Value value,
                              ArrayRef<StringRef> names) {
  return failure(failed(verifyRank(operand, value, names)) ||
                 failed(verifySizes(operand, value, names, false)));
}

LogicalResult NamedDims::broadcast(StringRef operand, Value value,
                                   ArrayRef<StringRef> names) {
  return failure(failed(verifyRank(operand, value, names)) ||
                 failed(verifySizes(operand, value, names, true)));
}

LogicalResult NamedDims::verifyHeadGroups() {
  auto query = bindings.find("Hq"), key = bindings.find("Hkv");
  if (query == bindings.end() || key == bindings.end())
    return success();
  int64_t hq = query->second.size, hkv = key->second.size;
  if (hkv > 0 ? hq % hkv == 0 : hq == hkv)
    return success();
  return op->emitOpError("has ") << hq << " query heads and " << hkv
                                 << " key heads; Hq must be a multiple of Hkv";
}
