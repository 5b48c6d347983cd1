//===- SurfaceVerifiers.cpp - Verifiers of caps and surfaces --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbered constraints of softcap.cap, cap_grad, scores and logits, as
// listed in the descriptions of the ops.
//
//===----------------------------------------------------------------------===//

#include "VerifierSupport.h"

using namespace mlir;
using namespace mlir::softcap;

// (C1)-(C3).
template <typename OpTy>
static LogicalResult verifyRequiredCap(OpTy op, Value storage) {
  return verifyCap(op, op.getCapAttr(), op.getCapValue(),
                   getElementTypeOrSelf(storage), /*required=*/true);
}

LogicalResult CapOp::verify() { return verifyRequiredCap(*this, getInput()); }

LogicalResult CapGradOp::verify() {
  return verifyRequiredCap(*this, getInput());
}

LogicalResult ScoresOp::verify() {
  // (C1)-(C3)
  if (failed(verifyRequiredCap(*this, getQuery())))
    return failure();
  // (C4)
  if (failed(verifySameKind(*this)))
    return failure();
  // (C5)
  Type storage = getElementTypeOrSelf(getQuery());
  if (failed(verifyElementType(*this, "key", getKey(), storage)) ||
      failed(verifyOutputType(*this, "output", getOutput(), storage)))
    return failure();
  // (C6)
  NamedDims dims(*this);
  if (failed(dims.bind("query", getQuery(), {"B", "Hq", "M", "D"})) ||
      failed(dims.bind("key", getKey(), {"B", "Hkv", "N", "D"})) ||
      failed(dims.bind("output", getOutput(), {"B", "Hq", "M", "N"})))
    return failure();
  // (C7)
  if (failed(dims.verifyHeadGroups()))
    return failure();
  // (C8)
  if (getPreBias() &&
      failed(dims.broadcast("pre_bias", getPreBias(), {"B", "Hq", "M", "N"})))
    return failure();
  // (C9)
  return verifyScale(*this, "scale", getScale());
}

/// Names for the leading dimensions of `hidden`, then `last`.
static SmallVector<StringRef> leadingNames(int64_t leading, StringRef last) {
  static constexpr StringLiteral names[] = {"T0", "T1", "T2", "T3",
                                            "T4", "T5", "T6", "T7"};
  SmallVector<StringRef> result(ArrayRef(names).take_front(leading));
  if (!last.empty())
    result.push_back(last);
  return result;
}

LogicalResult LogitsOp::verify() {
  // (C1)-(C3)
  if (failed(verifyRequiredCap(*this, getHidden())))
    return failure();
  // (C4)
  if (failed(verifySameKind(*this)))
    return failure();
  // (C5)
  Type storage = getElementTypeOrSelf(getHidden());
  if (failed(verifyElementType(*this, "weight", getWeight(), storage)) ||
      failed(verifyOutputType(*this, "output", getOutput(), storage)))
    return failure();
  // (C6)
  int64_t leading = cast<ShapedType>(getHidden().getType()).getRank() - 1;
  if (leading < 0 || leading > 8)
    return emitOpError("has 'hidden' of rank ")
           << leading + 1 << ", but the rank must be from 1 to 9";
  NamedDims dims(*this);
  if (failed(dims.bind("hidden", getHidden(), leadingNames(leading, "D"))) ||
      failed(dims.bind("weight", getWeight(), {"V", "D"})) ||
      failed(dims.bind("output", getOutput(), leadingNames(leading, "V"))))
    return failure();
  // (C7)
  if (getBias() && failed(dims.bind("bias", getBias(), {"V"})))
    return failure();
  // (C8)
  if (failed(verifyScale(*this, "scale", getScale())))
    return failure();
  // (C9)
  if (getLse() &&
      (failed(verifyElementType(*this, "lse", getLse(),
                                getComputeType(storage))) ||
       failed(dims.bind("lse", getLse(), leadingNames(leading, "")))))
    return failure();
  return success();
}
