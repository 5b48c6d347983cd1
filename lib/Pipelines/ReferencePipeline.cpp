//===- ReferencePipeline.cpp - softcap-reference-pipeline -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of softcap-reference-pipeline, in order: upstream's plain loops
// and libm. Nothing here is shared with the optimizing pipelines but the
// reference decomposition of softcap ops, which tests compare with independent
// code.
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

/// TOSA, named ops and softcap ops to linalg.generic on tensors.
static void addTensorPasses(OpPassManager &pm, bool promote) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(tosa::createTosaToLinalgNamed());
  functions.addPass(tosa::createTosaToLinalg());
  functions.addPass(createTosaToArithPass());
  functions.addPass(createTosaToTensorPass());
  functions.addPass(createCanonicalizerPass());
  if (promote)
    pm.addPass(createSoftcapPromoteFloatsPass());
  pm.addPass(createConvertSoftcapToLinalgPass());
  pm.addPass(createSoftcapDecomposeSoftmaxPass());
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createLinalgGeneralizeNamedOpsPass());
  pm.addPass(createForallToForLoopPass());
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
  bufferization::buildBufferDeallocationPipeline(pm, {});
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createSoftcapExpandCopiesPass());
  pm.addPass(createConvertLinalgToLoopsPass());
}

/// Scalars to what LLVM and libm know.
static void addScalarPasses(OpPassManager &pm) {
  ConvertSoftcapToMathPassOptions caps;
  caps.useLibm = true;
  pm.addPass(createConvertSoftcapToMathPass(caps));
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
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

void softcap::buildReferencePipeline(OpPassManager &pm,
                                     const ReferencePipelineOptions &options) {
  addTensorPasses(pm, options.promote);
  addBufferPasses(pm);
  addScalarPasses(pm);
  addLLVMPasses(pm);
}
