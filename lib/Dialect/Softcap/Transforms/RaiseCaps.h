//===- RaiseCaps.h - Choosing and rewriting caps ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of softcap-raise, each in a file of its own.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_TRANSFORMS_RAISECAPS_H
#define SOFTCAP_TRANSFORMS_RAISECAPS_H

#include "RaiseElement.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"

namespace mlir::softcap::raise {

/// root = cap(scale * input; cap).
struct CapMatch {
  Value root, input;
  Uniform cap;
  double scale = 1.0;
  /// 16-bit roundings between the steps go away.
  bool dropsRounding = false;
  bool exponentials = false;
};

/// The caps under `scope`, in program order; reports those that are none.
llvm::SmallVector<CapMatch> findCaps(Operation *scope, bool preserveRounding);

/// Replaces the matches by softcap.cap; true if anything changed. Matches in
/// the body of an op that had to be rebuilt are left for the next round.
unsigned rewriteCaps(llvm::ArrayRef<CapMatch> matches);

/// Turns contraction + scale + bias + softcap.cap into softcap.scores or
/// softcap.logits, wherever it is exactly that.
struct SurfaceCounts {
  unsigned scores = 0, logits = 0;
};
SurfaceCounts raiseSurfaces(Operation *scope);

/// Inlines private functions that hold parts of elementwise formulas.
void inlineHelpers(ModuleOp module);

remark::detail::InFlightRemark missed(Operation *op);
remark::detail::InFlightRemark passed(Operation *op);

} // namespace mlir::softcap::raise

#endif // SOFTCAP_TRANSFORMS_RAISECAPS_H
