//===- Raise.cpp - softcap-raise ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass: helpers inlined, caps found and rewritten until none is left, then
// the surfaces.
//
//===----------------------------------------------------------------------===//

#include "RaiseCaps.h"

#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "softcap/Dialect/Softcap/IR/Softcap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPRAISEPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

namespace {
// Each round raises every cap except further ones in a rebuilt body.
constexpr unsigned roundLimit = 8;

struct SoftcapRaisePass
    : softcap::impl::SoftcapRaisePassBase<SoftcapRaisePass> {
  using Base::Base;

  void runOnOperation() override {
    if (inlineHelpers)
      raise::inlineHelpers(getOperation());
    if (caps)
      raiseCaps();
    if (!surfaces)
      return;
    raise::SurfaceCounts counts = raise::raiseSurfaces(getOperation());
    numScores += counts.scores;
    numLogits += counts.logits;
  }

  void raiseCaps() {
    for (unsigned round = 0; round < roundLimit; ++round) {
      unsigned raised =
          raise::rewriteCaps(raise::findCaps(getOperation(), preserveRounding));
      numCaps += raised;
      if (!raised)
        break;
    }
  }
};
} // namespace
