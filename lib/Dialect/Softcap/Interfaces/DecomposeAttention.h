//===- DecomposeAttention.h - Attention in plain linalg ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of attention that the fused op, its online form and the merge
// share.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_INTERFACES_DECOMPOSEATTENTION_H
#define SOFTCAP_LIB_INTERFACES_DECOMPOSEATTENTION_H

#include "LinalgEmitter.h"
#include "softcap/Dialect/Softcap/IR/Softcap.h"

namespace mlir::softcap {

/// out + left * right for the block arguments (left, right, ..., out), in the
/// type of out: the body of a contraction.
Value multiplyAccumulate(ImplicitLocOpBuilder &b, ValueRange args);

/// Q K^T in the compute type, with query head h reading key head h / group:
/// B x Hq x M x N.
Value emitScoreProduct(LinalgEmitter &e, Value query, Value key, Type type);

/// The access of a rank 4 mask or bias that broadcasts over size-1 dimensions
/// to B x Hq x M x N.
Access broadcastAccess(LinalgEmitter &e, Value value, Value scores);

/// max, or max with -inf replaced by 0: exp(s - safe) is then 0, not NaN, for
/// a masked key in a row without any visible one.
Value emitSafeMax(ImplicitLocOpBuilder &b, Value max);

FailureOr<SmallVector<Value>> decomposeAttention(OpBuilder &builder,
                                                 AttentionOp op);
FailureOr<SmallVector<Value>> decomposeMerge(OpBuilder &builder, MergeOp op);

} // namespace mlir::softcap

#endif // SOFTCAP_LIB_INTERFACES_DECOMPOSEATTENTION_H
