//===- SoftcapOps.cpp - Shape functions, effects and builders -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Destinations, result types and memory effects of the softcap ops.
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
// Destination style
//===----------------------------------------------------------------------===//

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
