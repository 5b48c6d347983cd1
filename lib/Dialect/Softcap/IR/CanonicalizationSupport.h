//===- CanonicalizationSupport.h - Patterns for several ops -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Canonicalizations that are the same for every op with a cap or with an
// optional result.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_DIALECT_SOFTCAP_IR_CANONICALIZATIONSUPPORT_H
#define SOFTCAP_LIB_DIALECT_SOFTCAP_IR_CANONICALIZATIONSUPPORT_H

#include "VerifierSupport.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::softcap {

/// A run-time cap that is a constant becomes the attribute: its magnitude, for
/// the cap is even in c. Zero, infinite and NaN caps stay: they give NaN.
template <typename OpTy>
struct ConstantCap : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    APFloat cap(APFloat::IEEEdouble());
    if (!op.getCapValue() ||
        !matchPattern(op.getCapValue(), m_ConstantFloat(&cap)))
      return rewriter.notifyMatchFailure(op, "no constant operand");
    Type storage = getElementTypeOrSelf(op->getOperand(0));
    if (!isNormalIn(cap, getComputeType(storage)))
      return rewriter.notifyMatchFailure(op, "the result is not a cap");
    bool losesInfo;
    cap.clearSign();
    cap.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
    rewriter.modifyOpInPlace(op, [&] {
      op.setCapAttr(rewriter.getF64FloatAttr(cap.convertToDouble()));
      op.getCapValueMutable().clear();
    });
    return success();
  }
};

/// A log-sum-exp that nobody reads is not computed.
template <typename OpTy>
struct DropUnusedLse : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 2 || !op->getResult(1).use_empty())
      return rewriter.notifyMatchFailure(op, "the second result is used");
    OperationState state(op.getLoc(), op->getName());
    // The destination of the log-sum-exp is the last operand of every op.
    state.addOperands(op->getOperands().drop_back());
    state.addTypes(op->getResult(0).getType());
    state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
    typename OpTy::Properties properties = op.getProperties();
    properties.operandSegmentSizes.back() = 0;
    state.useProperties(properties);
    Operation *dropped = rewriter.create(state);
    rewriter.replaceAllUsesWith(op->getResult(0), dropped->getResult(0));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace mlir::softcap

#endif // SOFTCAP_LIB_DIALECT_SOFTCAP_IR_CANONICALIZATIONSUPPORT_H
