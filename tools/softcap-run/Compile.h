//===- Compile.h - From a module to programs --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compilation stages of softcap-run: read, check, fuse, lower, and the
// float64 reference.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_TOOLS_RUN_COMPILE_H
#define SOFTCAP_TOOLS_RUN_COMPILE_H

#include "softcap/Runner/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>

namespace mlir::softcap {

/// A failure that ends the run, with the exit code it asks for.
struct RunError : llvm::ErrorInfo<RunError> {
  static char ID;
  int exitCode;
  std::string message;

  RunError(int exitCode, std::string message)
      : exitCode(exitCode), message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};

enum ExitCode { kSuccess = 0, kDiffers = 1, kBadInput = 2, kIllegal = 3 };

struct CompileOptions {
  bool check = true;
  bool fuse = true;
  bool parallel = true;
  std::string expect;
  TargetOptions target;
};

/// What became of a module.
struct CompiledModule {
  Program program;
  /// Number of softcap ops after fusion, by mnemonic.
  std::map<std::string, int64_t> ops;
  /// Multiply-add work of all attention ops on visible pairs; nothing where a
  /// size or mask is known at run time only.
  std::optional<double> flops;
};

/// Reads a file, or the standard input; refuses what upstream's parser cannot
/// survive. Call it before there is a context, since it forks.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInput(StringRef file);

/// Parses a module, text or bytecode.
llvm::Expected<OwningOpRef<ModuleOp>>
parseModule(std::unique_ptr<llvm::MemoryBuffer> buffer, MLIRContext &context);

/// The function to run: the one named, or the only public one.
llvm::Expected<func::FuncOp> findEntry(ModuleOp module, StringRef name);

/// Checks, fuses and compiles. `module` is consumed.
llvm::Expected<CompiledModule> compileModule(OwningOpRef<ModuleOp> module,
                                             StringRef entry,
                                             const CompileOptions &options);

/// The same module with every float in f64, lowered plainly. `module` is
/// consumed.
llvm::Expected<Program> compileReference(OwningOpRef<ModuleOp> module,
                                         StringRef entry);

} // namespace mlir::softcap

#endif // SOFTCAP_TOOLS_RUN_COMPILE_H
