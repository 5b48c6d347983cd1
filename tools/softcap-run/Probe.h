//===- Probe.h - Whether a file can be read at all --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's reader may crash, hang or exhaust memory on a hostile file, so a
// child with limits reads it first.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_TOOLS_RUN_PROBE_H
#define SOFTCAP_TOOLS_RUN_PROBE_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::softcap {

/// Why reading `text`, a module in text or bytecode, does not end; nothing if
/// it does, be it with an error. Call it before there are threads.
std::optional<std::string> findReaderFault(llvm::StringRef text);

} // namespace mlir::softcap

#endif // SOFTCAP_TOOLS_RUN_PROBE_H
