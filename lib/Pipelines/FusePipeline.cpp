//===- FusePipeline.cpp - softcap-fuse-pipeline ---------------------------===//
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

#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::softcap;

/// TOSA to linalg; nothing happens to functions without TOSA.
static void addTosaLowering(OpPassManager &pm) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(tosa::createTosaToLinalgNamed());
  functions.addPass(tosa::createTosaToLinalg());
  functions.addPass(createTosaToTensorPass());
  functions.addPass(createTosaToArithPass());
}

static void addCleanup(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void softcap::buildFusePipeline(OpPassManager &pm,
                                const FusePipelineOptions &options) {
  // The check reads the program as it was written: findings name its ops.
  if (options.check)
    pm.addPass(createSoftcapCheckPlacementPass());
  addTosaLowering(pm);
  addCleanup(pm);
  pm.nest<func::FuncOp>().addPass(createSoftcapNormalizeShapesPass());
  addCleanup(pm);
  // Raising also inlines the small helpers that exporters make of masks. Caps
  // come first: attention is read off the program as a whole. Surfaces that
  // are not part of one are raised after that.
  SoftcapRaisePassOptions caps;
  caps.surfaces = false;
  pm.addPass(createSoftcapRaisePass(caps));
  addCleanup(pm);
  pm.addPass(createSoftcapFuseAttentionPass());
  pm.addPass(createSoftcapRaisePass());
  addCleanup(pm);
}
