//===- SoftcapOps.cpp - Verifiers, folders and shape functions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every softcap op demands of its operands, and the interfaces that need
// no other dialect.
//
//===----------------------------------------------------------------------===//

#include "SoftcapAssembly.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::softcap;

#define GET_OP_CLASSES
#include "softcap/Dialect/Softcap/IR/SoftcapOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shared by all ops
//===----------------------------------------------------------------------===//

/// Exactly one of attribute and SSA value; an attribute is positive and finite.
template <typename OpTy>
static LogicalResult verifyCap(OpTy op, bool required) {
  if (op.getCapAttr() && op.getCapValue())
    return op.emitOpError("has a constant cap and a run-time cap");
  if (!op.getCapAttr() && !op.getCapValue())
    return required ? op.emitOpError("needs a cap") : success();
  if (!op.getCapAttr())
    return success();
  APFloat cap = op.getCapAttr().getValue();
  if (!cap.isFinite() || cap.isNegative() || cap.isZero())
    return op.emitOpError("cap must be positive and finite");
  return success();
}

static void destinationEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand,
                         SideEffects::DefaultResource::get());
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

/// Results have the shapes of the tensor destinations.
static LogicalResult reifyFromInits(OpBuilder &builder,
                                    DestinationStyleOpInterface op,
                                    ReifiedRankedShapedTypeDims &shapes) {
  for (Value init : op.getDpsInits())
    if (isa<RankedTensorType>(init.getType()))
      shapes.push_back(tensor::getMixedSizes(builder, op->getLoc(), init));
  return success();
}

#define SOFTCAP_DPS_METHODS(Op, firstInit)                                     \
  MutableOperandRange Op::getDpsInitsMutable() {                               \
    unsigned first = getODSOperandIndexAndLength(firstInit).first;             \
    return MutableOperandRange(*this, first, getNumOperands() - first);        \
  }                                                                            \
  LogicalResult Op::inferReturnTypes(MLIRContext *, std::optional<Location>,   \
                                     ValueRange operands, DictionaryAttr,      \
                                     OpaqueProperties properties, RegionRange, \
                                     SmallVectorImpl<Type> &types) {           \
    auto &sizes = properties.as<Properties *>()->operandSegmentSizes;          \
    unsigned first =                                                           \
        std::accumulate(sizes.begin(), sizes.begin() + firstInit, 0);          \
    for (Value init : operands.drop_front(first))                              \
      if (isa<RankedTensorType>(init.getType()))                               \
        types.push_back(init.getType());                                       \
    return success();                                                          \
  }                                                                            \
  void Op::getEffects(                                                         \
      SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>      \
          &effects) {                                                          \
    destinationEffects(*this, effects);                                        \
  }                                                                            \
  LogicalResult Op::reifyResultShapes(OpBuilder &builder,                      \
                                      ReifiedRankedShapedTypeDims &shapes) {   \
    return reifyFromInits(builder, *this, shapes);                             \
  }

// The number is the index of the first destination among the ODS operands.
SOFTCAP_DPS_METHODS(ScoresOp, 4)
SOFTCAP_DPS_METHODS(LogitsOp, 4)
SOFTCAP_DPS_METHODS(AttentionOp, 12)
SOFTCAP_DPS_METHODS(OnlineAttentionOp, 11)
SOFTCAP_DPS_METHODS(MergeOp, 4)
#undef SOFTCAP_DPS_METHODS

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

void CapOp::build(OpBuilder &builder, OperationState &state, Value input,
                  double cap) {
  build(builder, state, input.getType(), input, builder.getF64FloatAttr(cap),
        Value(), Accuracy::precise);
}

LogicalResult CapOp::verify() { return verifyCap(*this, /*required=*/true); }
LogicalResult CapGradOp::verify() {
  return verifyCap(*this, /*required=*/true);
}

OpFoldResult CapOp::fold(FoldAdaptor adaptor) { return {}; }
OpFoldResult CapGradOp::fold(FoldAdaptor adaptor) { return {}; }
void CapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {}

//===----------------------------------------------------------------------===//
// Surfaces and attention
//===----------------------------------------------------------------------===//

LogicalResult ScoresOp::verify() { return verifyCap(*this, /*required=*/true); }
LogicalResult LogitsOp::verify() { return verifyCap(*this, /*required=*/true); }
LogicalResult AttentionOp::verify() {
  return verifyCap(*this, /*required=*/false);
}
LogicalResult OnlineAttentionOp::verify() {
  return verifyCap(*this, /*required=*/false);
}
LogicalResult MergeOp::verify() { return success(); }
