//===- CPUPipeline.cpp - softcap-cpu-pipeline ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of softcap-cpu-pipeline, in order.
//
//===----------------------------------------------------------------------===//

#include "softcap/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::softcap;

void softcap::buildCPUPipeline(OpPassManager &pm,
                               const CPUPipelineOptions &options) {
  FusePipelineOptions fuse;
  fuse.check = options.check;
  buildFusePipeline(pm, fuse);
  LowerPipelineOptions lower;
  lower.vectorBytes = options.vectorBytes;
  lower.parallel = options.parallel;
  buildLowerPipeline(pm, lower);
}
