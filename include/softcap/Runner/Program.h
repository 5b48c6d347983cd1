//===- Program.h - Compiled functions ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module in the LLVM dialect, compiled for this machine by MLIR's execution
// engine, and a call of one of its functions with host tensors.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_RUNNER_PROGRAM_H
#define SOFTCAP_RUNNER_PROGRAM_H

#include "softcap/Runner/HostTensor.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::softcap {

/// The machine that code is compiled for.
struct TargetOptions {
  /// A name that LLVM knows, or `native`.
  std::string cpu = "native";
  /// `+avx2,-avx512f`, applied to those of the CPU.
  std::string features;
};

/// A target machine of the process's own triple.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetOptions &options);

/// Bytes of the widest vector registers that the target has: 64, 32 or 16.
int64_t getVectorBytes(const llvm::TargetMachine &machine);

/// What a call did beside its results.
struct CallStatistics {
  double seconds = 0;
  /// The largest run-time allocation that is neither argument nor result.
  uint64_t largestBufferBytes = 0;
};

/// A compiled function. Its type is that of the function before lowering:
/// ranked tensors or memrefs, and scalars.
class Program {
public:
  /// `module` is in the LLVM dialect and its function `entry` of the original
  /// type `type` has a C interface (`llvm.emit_c_interface`).
  static llvm::Expected<Program>
  compile(ModuleOp module, StringRef entry, FunctionType type,
          std::unique_ptr<llvm::TargetMachine> machine);

  /// Calls the function. The results of tensor type are new buffers. An
  /// assertion of the program that fails ends the process with exit code 2
  /// and one line.
  llvm::Expected<SmallVector<HostTensor>>
  call(MutableArrayRef<HostTensor> arguments, CallStatistics &statistics) const;

private:
  std::unique_ptr<ExecutionEngine> engine;
  std::string entry;
  FunctionType type;
};

} // namespace mlir::softcap

#endif // SOFTCAP_RUNNER_PROGRAM_H
