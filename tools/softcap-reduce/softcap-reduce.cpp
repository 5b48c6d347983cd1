//===- softcap-reduce.cpp - mlir-reduce with softcap ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shrinks a module that makes a pass misbehave, softcap ops included.
//
//===----------------------------------------------------------------------===//

#include "softcap/InitAll.h"
#include "softcap/Support/Version.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  mlir::softcap::registerAllDialects(registry);
  mlir::softcap::registerAllExtensions(registry);
  mlir::softcap::registerAllPasses();
  mlir::softcap::registerAllPipelines();
  mlir::softcap::setVersionPrinter("softcap-reduce");
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
