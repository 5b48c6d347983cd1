//===- Inputs.h - Arguments of a run ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the arguments of the entry function from files or a random seed.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_TOOLS_RUN_INPUTS_H
#define SOFTCAP_TOOLS_RUN_INPUTS_H

#include "softcap/Runner/HostTensor.h"

namespace mlir::softcap {

struct InputOptions {
  /// One .npy file per argument, or none: then random values.
  std::vector<std::string> files;
  uint64_t seed = 0;
  /// Random integers are in [first, second).
  std::pair<int64_t, int64_t> integerRange{0, 2};
  /// `2=1x8x?x64`: the shape of an argument with dynamic sizes.
  std::vector<std::string> shapes;
};

/// The arguments of a function of `type`; fails on an argument that cannot be
/// made, with its number and the reason.
llvm::Expected<SmallVector<HostTensor>> makeInputs(FunctionType type,
                                                   const InputOptions &options);

/// Fails if a result or argument cannot cross the function's boundary.
llvm::Error checkSignature(FunctionType type);

} // namespace mlir::softcap

#endif // SOFTCAP_TOOLS_RUN_INPUTS_H
