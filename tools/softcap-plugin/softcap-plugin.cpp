//===- softcap-plugin.cpp - softcap as a plugin of mlir-opt ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SoftcapPlugin.so, for --load-dialect-plugin and --load-pass-plugin.
//
//===----------------------------------------------------------------------===//

#include "softcap/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

static void registerPasses() {
  mlir::softcap::registerAllPasses();
  mlir::softcap::registerAllPipelines();
}

/// mlir-opt's pass plugins lack the dialect, so the dialect plugin brings the
/// passes too.
extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "softcap", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            mlir::softcap::registerAllDialects(*registry);
            mlir::softcap::registerAllExtensions(*registry);
            registerPasses();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "softcap", LLVM_VERSION_STRING,
          registerPasses};
}
