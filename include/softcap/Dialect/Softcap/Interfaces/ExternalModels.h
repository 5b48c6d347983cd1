//===- ExternalModels.h - Interfaces attached on demand ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the interface implementations that need other dialects, and
// the parts of the decomposition that the tiled lowering reuses.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_DIALECT_SOFTCAP_INTERFACES_EXTERNALMODELS_H
#define SOFTCAP_DIALECT_SOFTCAP_INTERFACES_EXTERNALMODELS_H

#include "softcap/Dialect/Softcap/IR/Softcap.h"

namespace mlir::softcap {

/// linalg::AggregatedOpInterface: every op decomposes into linalg.generic ops
/// whose bodies keep scalar `softcap.cap`, so that the accuracy asked for
/// reaches convert-softcap-to-math.
void registerAggregatedOpInterfaceExternalModels(DialectRegistry &registry);

/// One-shot bufferization keeps the destination-style ops, on memrefs.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

/// TilingInterface: `softcap.attention` tiles over batch, query head and query,
/// its online form over keys too.
void registerTilingInterfaceExternalModels(DialectRegistry &registry);

/// Decomposes one step of online attention into linalg.generic ops, in this
/// order: Q K^T, score map with mask, row maximum, exponential, rescaled and
/// new row sum, rescaled accumulator, P V. Returns accumulator, max and sum.
///
/// With `guardValues` the P V product skips masked keys, so that a NaN in a
/// masked row of V stays out; without it that product is a plain contraction,
/// and the caller answers for values that are not finite.
FailureOr<SmallVector<Value>> decomposeOnlineAttention(OpBuilder &builder,
                                                       OnlineAttentionOp op,
                                                       bool guardValues);

} // namespace mlir::softcap

#endif // SOFTCAP_DIALECT_SOFTCAP_INTERFACES_EXTERNALMODELS_H
