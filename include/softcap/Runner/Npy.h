//===- Npy.h - NumPy array files --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files (format 1.0 to 3.0) of host tensors.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_RUNNER_NPY_H
#define SOFTCAP_RUNNER_NPY_H

#include "softcap/Runner/HostTensor.h"

namespace mlir::softcap {

/// Reads `path` as a tensor of `elementType` and a shape that fits `type`
/// (dynamic sizes take the file's). Floats may be of any float width and are
/// rounded to nearest even; 16-bit patterns (V2, u2) are taken as they are for
/// f16 and bf16; integers must have the width asked for, booleans are i1.
llvm::Expected<HostTensor> readNpy(StringRef path, Type elementType,
                                   ArrayRef<int64_t> shape);

/// Writes `path` as a whole or not at all. bf16, which NumPy lacks, and f16 are
/// written as f4.
llvm::Error writeNpy(StringRef path, const HostTensor &tensor);

} // namespace mlir::softcap

#endif // SOFTCAP_RUNNER_NPY_H
