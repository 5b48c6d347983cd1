//===- Compare.h - Errors of results ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How far results lie from a float64 reference.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_RUNNER_COMPARE_H
#define SOFTCAP_RUNNER_COMPARE_H

#include "softcap/Runner/HostTensor.h"

namespace mlir::softcap {

/// Errors over all results; the largest of each. Infinite where one side is NaN
/// and the other is not, or where infinities differ.
struct ResultErrors {
  double maxAbs = 0;
  /// Relative L2 of one result.
  double relL2 = 0;
  /// In units in the last place of the result's own type at the reference.
  double maxUlp = 0;
  /// False where an integer result differs.
  bool integersEqual = true;
};

ResultErrors compareResults(ArrayRef<HostTensor> results,
                            ArrayRef<HostTensor> reference);

/// The default tolerance of relL2: 3e-2 if a result is of 16 bits, else 1e-4.
double getDefaultTolerance(ArrayRef<HostTensor> results);

} // namespace mlir::softcap

#endif // SOFTCAP_RUNNER_COMPARE_H
