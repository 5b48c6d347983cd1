//===- RegisterPipelines.cpp - Names of the pipelines ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers every pipeline under its command-line name.
//
//===----------------------------------------------------------------------===//

#include "softcap/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlir::softcap;

void softcap::registerPipelines() {
  PassPipelineRegistration<FusePipelineOptions>(
      "softcap-fuse-pipeline",
      "Recognise caps in an exported model and fuse attention",
      buildFusePipeline);
  PassPipelineRegistration<LowerPipelineOptions>(
      "softcap-lower-pipeline",
      "Lower softcap and linalg ops on tensors to LLVM on the CPU",
      buildLowerPipeline);
  PassPipelineRegistration<CPUPipelineOptions>(
      "softcap-cpu-pipeline",
      "From an exported model to fused kernels in the LLVM dialect",
      buildCPUPipeline);
  PassPipelineRegistration<ReferencePipelineOptions>(
      "softcap-reference-pipeline",
      "Plain loops and libm, in float64: what the others are compared with",
      buildReferencePipeline);
}
