//===- Probe.cpp - Whether a file can be read at all ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a module in a child with limits on memory and time.
//
//===----------------------------------------------------------------------===//

#include "Probe.h"

#include "softcap/InitAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"

#include <csignal>
#include <cstdio>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

static constexpr rlim_t kMaxMemory = rlim_t(1800) << 20;

/// Small files are read in no time; large ones get time by their size.
static rlim_t getMaxSeconds(size_t bytes) { return 4 + (bytes >> 22); }

static void limitResources(size_t bytes) {
  rlimit memory{kMaxMemory + 8 * bytes, kMaxMemory + 8 * bytes};
  setrlimit(RLIMIT_AS, &memory);
  rlim_t limit = getMaxSeconds(bytes);
  rlimit seconds{limit, limit};
  setrlimit(RLIMIT_CPU, &seconds);
  rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
}

[[noreturn]] static void readInChild(StringRef text) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limitResources(text.size());
  // The parent tells what happened; upstream's fatal errors do not.
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE})
    std::signal(signal, SIG_DFL);
  if (!std::freopen("/dev/null", "w", stderr))
    _exit(1);
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  softcap::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  (void)parseSourceString<ModuleOp>(text, &context);
  _exit(0);
}

std::optional<std::string> softcap::findReaderFault(StringRef text) {
  pid_t child = fork();
  if (child < 0)
    return "internal failure: no child process";
  if (child == 0)
    readInChild(text);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status))
    return std::nullopt;
  if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)
    return "reading the file takes too long";
  return "the file crashes the parser, or takes more memory than is allowed";
}
