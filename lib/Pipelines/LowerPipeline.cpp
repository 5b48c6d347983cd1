//===- LowerPipeline.cpp - softcap-lower-pipeline ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of softcap-lower-pipeline, in order.
//
//===----------------------------------------------------------------------===//

#include "softcap/Conversion/Passes.h"
#include "softcap/Dialect/Softcap/Transforms/Passes.h"
#include "softcap/Pipelines/Pipelines.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::softcap;

static SoftcapVerifyLoweringPassOptions verify(bool buffers, bool loops,
                                               bool casts) {
  SoftcapVerifyLoweringPassOptions options;
  options.buffers = buffers;
  options.loops = loops;
  options.casts = casts;
  return options;
}

/// Attention to tiles, everything else to linalg.generic on tensors.
static void addTensorPasses(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSoftcapTileAttentionPass());
  ConvertSoftcapToLinalgPassOptions decompose;
  decompose.keepOnlineAttention = true;
  pm.addPass(createConvertSoftcapToLinalgPass(decompose));
  pm.addPass(createSoftcapDecomposeSoftmaxPass());
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createLinalgGeneralizeNamedOpsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createSoftcapFuseElementwisePass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

/// Tensors to buffers; results are fresh buffers that the caller owns.
static void addBufferPasses(OpPassManager &pm) {
  pm.addPass(createSoftcapProtectArgumentsPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.allowReturnAllocsFromLoops = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  bufferization::buildBufferDeallocationPipeline(pm, {});
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createSoftcapExpandCopiesPass());
  pm.addPass(createSoftcapVerifyLoweringPass(verify(true, false, false)));
}

/// Kernels and loops; caps and exponentials to arithmetic.
static void addLoopPasses(OpPassManager &pm,
                          const LowerPipelineOptions &options) {
  ConvertSoftcapToVectorPassOptions kernel;
  kernel.vectorBytes = options.vectorBytes;
  pm.addPass(createConvertSoftcapToVectorPass(kernel));
  SoftcapLinalgToLoopsPassOptions loops;
  loops.parallel = options.parallel;
  pm.addNestedPass<func::FuncOp>(createSoftcapLinalgToLoopsPass(loops));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  ConvertSoftcapToMathPassOptions caps;
  caps.expandExp = true;
  pm.addPass(createConvertSoftcapToMathPass(caps));
  pm.addPass(createSoftcapVerifyLoweringPass(verify(false, true, false)));
  pm.addPass(createLoopInvariantCodeMotionPass());
  if (!options.parallel) {
    pm.addPass(createForallToForLoopPass());
    return;
  }
  pm.addPass(createForallToParallelLoopPass());
  pm.addPass(createConvertSCFToOpenMPPass());
  pm.addPass(createSoftcapDynamicSchedulePass());
}

/// Scalar arithmetic to what LLVM and libm know.
static void addScalarPasses(OpPassManager &pm) {
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createConvertMathToFuncs());
  math::MathExpandOpsPassOptions expand;
  expand.opMnemonics = {"rsqrt"};
  pm.addPass(math::createMathExpandOpsPass(expand));
  pm.addPass(math::createMathExtendToSupportedTypes());
  pm.addPass(createConvertMathToLibmPass());
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"bf16"};
  emulate.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  arith::ArithExpandOpsPassOptions expandArith;
  expandArith.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expandArith));
}

static void addLLVMPasses(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createConvertVectorToLLVMPass());
  // memref.alloca_scope, which OpenMP loops bring, holds one block only.
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createSoftcapVerifyLoweringPass(verify(false, false, true)));
}

void softcap::buildLowerPipeline(OpPassManager &pm,
                                 const LowerPipelineOptions &options) {
  addTensorPasses(pm);
  addBufferPasses(pm);
  addLoopPasses(pm, options);
  addScalarPasses(pm);
  addLLVMPasses(pm);
}
