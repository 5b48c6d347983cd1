//===- PromoteFloats.cpp - softcap-promote-floats -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes every float of a module an f64: the same program in more precision, to
// compare with. Constants keep their values, so a finite mask sentinel such as
// the lowest bf16 stays what it was.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPPROMOTEFLOATSPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

static bool isNarrowFloat(Type type) {
  auto floatType = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return floatType && floatType.getWidth() < 64;
}

static bool mentionsNarrowFloat(Type type) {
  bool found = false;
  type.walk([&](Type inner) { found |= isNarrowFloat(inner); });
  return found;
}

//===----------------------------------------------------------------------===//
// What cannot be promoted
//===----------------------------------------------------------------------===//

/// Bits of a float have no counterpart in another width.
static LogicalResult verifyPromotable(Operation *op) {
  if (isa<arith::BitcastOp, tensor::BitcastOp, vector::BitCastOp>(op) &&
      (isNarrowFloat(op->getOperand(0).getType()) ||
       isNarrowFloat(op->getResult(0).getType())))
    return op->emitOpError("reads or makes the bits of a float, which cannot "
                           "be promoted to f64");
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    if (function.isExternal() &&
        mentionsNarrowFloat(function.getFunctionType()))
      return op->emitOpError("is external and has floats in its signature: it "
                             "cannot be promoted to f64");
  for (NamedAttribute attribute : op->getAttrs()) {
    auto resource = dyn_cast<DenseResourceElementsAttr>(attribute.getValue());
    if (resource && isNarrowFloat(resource.getType()) &&
        !resource.getRawHandle().getBlob())
      return op->emitOpError("has a dense_resource without data");
    auto dense = dyn_cast<DenseElementsAttr>(attribute.getValue());
    if (dense && isa<ComplexType>(dense.getElementType()))
      return op->emitOpError("has complex constants: they are not supported");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static APFloat widened(APFloat value) {
  bool lossy = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return value;
}

/// The elements of a resource: floats as they lie in memory.
static Attribute promoteResource(DenseResourceElementsAttr resource,
                                 Type target) {
  auto type = cast<FloatType>(resource.getType().getElementType());
  ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
  unsigned bytes = llvm::divideCeil(type.getWidth(), 8);
  SmallVector<APFloat> values;
  values.reserve(data.size() / bytes);
  for (size_t at = 0; at + bytes <= data.size(); at += bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, data.data() + at, bytes);
    values.push_back(widened(
        APFloat(type.getFloatSemantics(), APInt(type.getWidth(), bits, false,
                                                /*implicitTrunc=*/true))));
  }
  return DenseElementsAttr::get(resource.getType().clone(target), values);
}

static void addReplacements(AttrTypeReplacer &replacer, Type target) {
  using Result = std::optional<std::pair<Attribute, WalkResult>>;
  auto done = [](Attribute attribute) -> Result {
    return std::make_pair(attribute, WalkResult::skip());
  };
  replacer.addReplacement([=](FloatType type) -> std::optional<Type> {
    return isNarrowFloat(type) ? std::optional<Type>(target) : std::nullopt;
  });
  replacer.addReplacement([=](FloatAttr attribute) -> Result {
    if (!isNarrowFloat(attribute.getType()))
      return std::nullopt;
    return done(FloatAttr::get(target, widened(attribute.getValue())));
  });
  replacer.addReplacement([=](DenseFPElementsAttr attribute) -> Result {
    if (!isNarrowFloat(attribute.getElementType()))
      return std::nullopt;
    return done(attribute.mapValues(target, [](const APFloat &value) {
      return widened(value).bitcastToAPInt();
    }));
  });
  replacer.addReplacement([=](DenseResourceElementsAttr attribute) -> Result {
    if (!isNarrowFloat(attribute.getType()))
      return std::nullopt;
    return done(promoteResource(attribute, target));
  });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// f64 to f64 is no conversion.
static void eraseConversions(Operation *root) {
  root->walk([](Operation *op) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(op) ||
        op->getOperand(0).getType() != op->getResult(0).getType())
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
}

namespace {
struct SoftcapPromoteFloatsPass
    : softcap::impl::SoftcapPromoteFloatsPassBase<SoftcapPromoteFloatsPass> {
  void runOnOperation() override {
    WalkResult checked = getOperation()->walk(
        [](Operation *op) { return WalkResult(verifyPromotable(op)); });
    if (checked.wasInterrupted())
      return signalPassFailure();
    AttrTypeReplacer replacer;
    addReplacements(replacer, Float64Type::get(&getContext()));
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
    eraseConversions(getOperation());
  }
};
} // namespace
