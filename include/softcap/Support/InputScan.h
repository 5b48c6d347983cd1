//===- InputScan.h - Limits on untrusted input ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's parser recurses on nesting: what is too deep or too large is
// refused before it is parsed.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_SUPPORT_INPUTSCAN_H
#define SOFTCAP_SUPPORT_INPUTSCAN_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::softcap {

struct InputFault {
  std::string message;
  unsigned line = 0; // 0: no line
};

/// What makes `text` unfit for the parser, if anything does.
std::optional<InputFault> scanInput(llvm::StringRef text);

} // namespace mlir::softcap

#endif // SOFTCAP_SUPPORT_INPUTSCAN_H
