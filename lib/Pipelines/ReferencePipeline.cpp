//===- ReferencePipeline.cpp - softcap-reference-pipeline ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of softcap-reference-pipeline, in order.
//
//===----------------------------------------------------------------------===//

#include "softcap/Pipelines/Pipelines.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::softcap;

void softcap::buildReferencePipeline(OpPassManager &pm,
                                     const ReferencePipelineOptions &options) {}
