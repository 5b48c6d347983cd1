//===- RaiseSurfaces.cpp - Capped contractions ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contraction, scale, bias and cap as one op.
//
//===----------------------------------------------------------------------===//

#include "RaiseCaps.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::raise;

SurfaceCounts raise::raiseSurfaces(Operation *scope) { return {}; }
