//===- LowerPipeline.cpp - softcap-lower-pipeline ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of softcap-lower-pipeline, in order.
//
//===----------------------------------------------------------------------===//

#include "softcap/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::softcap;

void softcap::buildLowerPipeline(OpPassManager &pm,
                                 const LowerPipelineOptions &options) {}
