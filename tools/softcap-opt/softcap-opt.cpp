//===- softcap-opt.cpp - mlir-opt with softcap ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mlir-opt with every upstream and softcap dialect, pass and pipeline.
//
//===----------------------------------------------------------------------===//

#include "softcap/InitAll.h"
#include "softcap/Support/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mlir::softcap::registerAllDialects(registry);
  mlir::softcap::registerAllExtensions(registry);
  mlir::softcap::registerAllPasses();
  mlir::softcap::registerAllPipelines();
  mlir::softcap::setVersionPrinter("softcap-opt");
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "softcap optimizer driver\n", registry));
}
