//===- BufferizableOpInterfaceImpl.cpp - Softcap ops on memrefs -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Destination-style ops bufferize to themselves; elementwise ops on tensors
// must be decomposed first, and say so.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/Interfaces/ExternalModels.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::softcap;

namespace {
template <typename OpTy>
struct DestinationStyleModel
    : DstBufferizableOpInterfaceExternalModel<DestinationStyleModel<OpTy>,
                                              OpTy> {
  /// Only the running state of online attention is read from its destination.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return isa<OnlineAttentionOp>(op) ||
           !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto destinations = cast<DestinationStyleOpInterface>(op);
    if (destinations.hasPureBufferSemantics())
      return success();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        operands.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    OperationState onBuffers(op->getLoc(), op->getName(), operands, TypeRange(),
                             op->getDiscardableAttrDictionary().getValue());
    onBuffers.propertiesAttr = op->getPropertiesAsAttribute();
    unsigned firstInit =
        destinations.getDpsInitsMutable()[0].getOperandNumber();
    rewriter.create(onBuffers);
    replaceOpWithBufferizedValues(
        rewriter, op, ArrayRef<Value>(operands).drop_front(firstInit));
    return success();
  }
};

template <typename OpTy>
struct ElementwiseModel
    : BufferizableOpInterface::ExternalModel<ElementwiseModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }
  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }
  AliasingValueList getAliasingValues(Operation *, OpOperand &,
                                      const AnalysisState &) const {
    return {};
  }
  bool bufferizesToAllocation(Operation *, Value) const { return true; }
  LogicalResult bufferize(Operation *op, RewriterBase &,
                          const BufferizationOptions &,
                          BufferizationState &) const {
    return op->emitOpError("on tensors cannot be bufferized: run "
                           "convert-softcap-to-linalg first");
  }
};
} // namespace

void softcap::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SoftcapDialect *) {
    CapOp::attachInterface<ElementwiseModel<CapOp>>(*context);
    CapGradOp::attachInterface<ElementwiseModel<CapGradOp>>(*context);
    ScoresOp::attachInterface<DestinationStyleModel<ScoresOp>>(*context);
    LogitsOp::attachInterface<DestinationStyleModel<LogitsOp>>(*context);
    AttentionOp::attachInterface<DestinationStyleModel<AttentionOp>>(*context);
    OnlineAttentionOp::attachInterface<
        DestinationStyleModel<OnlineAttentionOp>>(*context);
    MergeOp::attachInterface<DestinationStyleModel<MergeOp>>(*context);
    context->loadDialect<BufferizationDialect>();
  });
}
