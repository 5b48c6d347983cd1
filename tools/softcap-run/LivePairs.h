//===- LivePairs.h - Work of attention ops ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the arithmetic that attention has to do on visible pairs.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_TOOLS_RUN_LIVEPAIRS_H
#define SOFTCAP_TOOLS_RUN_LIVEPAIRS_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace mlir::softcap {

/// Floating-point operations of all attention ops: 2 D + 2 Dv for each pair of
/// a query and a key that it sees. Nothing if there is no attention op, or if
/// its sizes or its mask are known at run time only.
std::optional<double> countAttentionFlops(ModuleOp module);

} // namespace mlir::softcap

#endif // SOFTCAP_TOOLS_RUN_LIVEPAIRS_H
