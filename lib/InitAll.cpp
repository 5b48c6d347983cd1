//===- InitAll.cpp - One place that registers everything ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only registration calls that tools, the plugin and embedders need.
//
//===----------------------------------------------------------------------===//

#include "softcap/InitAll.h"

#include "softcap/Conversion/Passes.h"
#include "softcap/Dialect/Softcap/IR/Softcap.h"
#include "softcap/Dialect/Softcap/Interfaces/ExternalModels.h"
#include "softcap/Dialect/Softcap/Transforms/Passes.h"
#include "softcap/Pipelines/Pipelines.h"

using namespace mlir;

void softcap::registerAllDialects(DialectRegistry &registry) {
  registry.insert<SoftcapDialect>();
}

void softcap::registerAllExtensions(DialectRegistry &registry) {
  registerAggregatedOpInterfaceExternalModels(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
  registerTilingInterfaceExternalModels(registry);
}

void softcap::registerAllPasses() {
  registerSoftcapTransformsPasses();
  registerSoftcapConversionPasses();
}

void softcap::registerAllPipelines() { registerPipelines(); }
