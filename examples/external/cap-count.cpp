//===- cap-count.cpp - A tool outside of softcap's tree -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Embeds softcap: reads a module, raises its caps, and prints how many ops of
// the dialect it holds then.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/IR/Softcap.h"
#include "softcap/InitAll.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: cap-count FILE\n";
    return 2;
  }
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                  mlir::tensor::TensorDialect>();
  mlir::softcap::registerAllDialects(registry);
  mlir::softcap::registerAllExtensions(registry);
  mlir::softcap::registerAllPasses();

  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 2;
  mlir::PassManager passes(&context);
  if (mlir::failed(mlir::parsePassPipeline("softcap-raise", passes)) ||
      mlir::failed(passes.run(*module)))
    return 1;

  int caps = 0;
  module->walk([&](mlir::Operation *op) {
    caps += mlir::isa<mlir::softcap::SoftcapDialect>(op->getDialect());
  });
  llvm::outs() << caps << "\n";
  return 0;
}
