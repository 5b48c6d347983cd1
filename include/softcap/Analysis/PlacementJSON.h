//===- PlacementJSON.h - Placement reports as JSON --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Schema 1 of the placement report: stable, versioned, one object per file.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_ANALYSIS_PLACEMENTJSON_H
#define SOFTCAP_ANALYSIS_PLACEMENTJSON_H

#include "softcap/Analysis/Placement.h"

#include "llvm/Support/JSON.h"

namespace mlir::softcap {

/// The position of an op in the parsed text, as line and column from 1.
using PositionFn =
    llvm::function_ref<std::optional<std::pair<unsigned, unsigned>>(
        Operation *)>;

/// `position` may know nothing, as for bytecode.
llvm::json::Object toJSON(const PlacementReport &report, StringRef file,
                          StringRef version, PositionFn position);

} // namespace mlir::softcap

#endif // SOFTCAP_ANALYSIS_PLACEMENTJSON_H
