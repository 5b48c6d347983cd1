//===- softcap-lsp-server.cpp - mlir-lsp-server with softcap --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diagnostics, hovers and definitions in editors for files with softcap ops.
//
//===----------------------------------------------------------------------===//

#include "softcap/InitAll.h"
#include "softcap/Support/Version.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::softcap::registerAllDialects(registry);
  mlir::softcap::registerAllExtensions(registry);
  mlir::softcap::setVersionPrinter("softcap-lsp-server");
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
