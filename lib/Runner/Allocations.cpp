//===- Allocations.cpp - Allocations of compiled code ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads of compiled code allocate at once, so the table has a lock.
//
//===----------------------------------------------------------------------===//

#include "softcap/Runner/Allocations.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <mutex>
#include <unistd.h>
#include <unordered_map>

using namespace mlir::softcap;

namespace {
struct Table {
  std::mutex lock;
  std::unordered_map<void *, uint64_t> alive;
  uint64_t largestFreed = 0;
};
} // namespace

static Table &getTable() {
  static Table table;
  return table;
}

/// More than the machine's memory is refused, though the system may promise it.
static bool fits(uint64_t bytes) {
  static const uint64_t memory =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return bytes <= memory;
}

static void *record(void *block, uint64_t bytes) {
  if (!block) {
    llvm::errs() << "softcap-run: error: the program asks for " << bytes
                 << " bytes of memory, which are not there\n";
    _exit(2);
  }
  std::lock_guard<std::mutex> guard(getTable().lock);
  getTable().alive[block] = bytes;
  return block;
}

//===----------------------------------------------------------------------===//
// What compiled code calls
//===----------------------------------------------------------------------===//

static void *trackedMalloc(uint64_t bytes) {
  return record(fits(bytes) ? std::malloc(bytes ? bytes : 1) : nullptr, bytes);
}

static void *trackedAlignedAlloc(uint64_t alignment, uint64_t bytes) {
  void *block = nullptr;
  if (!fits(bytes) ||
      posix_memalign(&block, alignment < 8 ? 8 : alignment, bytes ? bytes : 1))
    block = nullptr;
  return record(block, bytes);
}

static void trackedFree(void *block) { allocations::release(block); }

/// Lowered cf.assert prints its message, then aborts.
static thread_local const char *lastMessage = "";
static int keepMessage(const char *message) {
  lastMessage = message;
  return 0;
}

[[noreturn]] static void failAssertion() {
  llvm::errs() << "softcap-run: error: an assertion of the program failed: "
               << llvm::StringRef(lastMessage).rtrim() << "\n";
  _exit(2);
}

llvm::orc::SymbolMap
allocations::getSymbols(llvm::orc::MangleAndInterner mangle) {
  llvm::orc::SymbolMap symbols;
  auto add = [&](llvm::StringRef name, auto *function) {
    symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                             llvm::JITSymbolFlags::Exported};
  };
  add("malloc", &trackedMalloc);
  add("aligned_alloc", &trackedAlignedAlloc);
  add("free", &trackedFree);
  add("puts", &keepMessage);
  add("abort", &failAssertion);
  return symbols;
}

//===----------------------------------------------------------------------===//
// What the runner asks
//===----------------------------------------------------------------------===//

void allocations::reset() {
  std::lock_guard<std::mutex> guard(getTable().lock);
  getTable().alive.clear();
  getTable().largestFreed = 0;
}

bool allocations::isAlive(void *block) {
  std::lock_guard<std::mutex> guard(getTable().lock);
  return getTable().alive.count(block);
}

void allocations::release(void *block) {
  {
    Table &table = getTable();
    std::lock_guard<std::mutex> guard(table.lock);
    auto found = table.alive.find(block);
    if (found != table.alive.end()) {
      table.largestFreed = std::max(table.largestFreed, found->second);
      table.alive.erase(found);
    }
  }
  std::free(block);
}

uint64_t allocations::getLargest(llvm::ArrayRef<void *> excluded) {
  Table &table = getTable();
  std::lock_guard<std::mutex> guard(table.lock);
  uint64_t largest = table.largestFreed;
  for (auto [block, bytes] : table.alive)
    if (!llvm::is_contained(excluded, block))
      largest = std::max(largest, bytes);
  return largest;
}
