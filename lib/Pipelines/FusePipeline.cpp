//===- FusePipeline.cpp - softcap-fuse-pipeline --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of softcap-fuse-pipeline, in order.
//
//===----------------------------------------------------------------------===//

#include "softcap/Pipelines/Pipelines.h"

#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::softcap;

void softcap::buildFusePipeline(OpPassManager &pm,
                                const FusePipelineOptions &options) {
  if (options.check)
    pm.addPass(createSoftcapCheckPlacementPass());
  // Raising and fusing read structured tensor ops only.
  pm.addNestedPass<func::FuncOp>(createSoftcapNormalizeShapesPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}
