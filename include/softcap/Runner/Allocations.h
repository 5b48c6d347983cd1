//===- Allocations.h - Allocations of compiled code -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The allocator that compiled code is linked with: it keeps the size of every
// block, so that a run can say what buffers it needed.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_RUNNER_ALLOCATIONS_H
#define SOFTCAP_RUNNER_ALLOCATIONS_H

#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/Mangling.h"

namespace mlir::softcap::allocations {

/// The symbols of the C library that compiled code calls for memory, and those
/// it calls when an assertion fails.
llvm::orc::SymbolMap getSymbols(llvm::orc::MangleAndInterner mangle);

/// Forgets all sizes; blocks that are still alive stay so.
void reset();

/// Whether `block` was allocated since the last reset and is alive.
bool isAlive(void *block);

/// Frees a block that compiled code allocated.
void release(void *block);

/// The largest block since the last reset, without those in `excluded`.
uint64_t getLargest(llvm::ArrayRef<void *> excluded);

} // namespace mlir::softcap::allocations

#endif // SOFTCAP_RUNNER_ALLOCATIONS_H
