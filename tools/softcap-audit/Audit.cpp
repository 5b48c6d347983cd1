//===- Audit.cpp - One file in, one JSON report out -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser of upstream may crash, hang or exhaust memory on a hostile file.
// So a child with limits on memory and time parses and analyses it, and writes
// the report to a pipe.
//
//===----------------------------------------------------------------------===//

#include "Audit.h"
#include "softcap/Support/InputScan.h"

#include "softcap/Analysis/PlacementJSON.h"
#include "softcap/InitAll.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <csignal>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::softcap;
namespace json = llvm::json;

static constexpr rlim_t kMaxMemory = rlim_t(1800) << 20;

/// Small files are read in no time; large ones get time by their size.
static rlim_t getMaxSeconds(size_t bytes) { return 6 + (bytes >> 22); }

static json::Object makeError(StringRef file, const Twine &message,
                              json::Value location = nullptr) {
  return json::Object{
      {"schema", 1},
      {"file", json::fixUTF8(file)},
      {"error", json::Object{{"message", json::fixUTF8(message.str())},
                             {"location", std::move(location)}}}};
}

//===----------------------------------------------------------------------===//
// In the child
//===----------------------------------------------------------------------===//

namespace {
/// Keeps the first error of the parser or verifier.
struct FirstError {
  std::string message;
  json::Value location = nullptr;

  void take(Diagnostic &diag) {
    if (diag.getSeverity() != DiagnosticSeverity::Error || !message.empty())
      return;
    message = diag.str();
    if (auto loc = dyn_cast<FileLineColLoc>(diag.getLocation()))
      if (loc.getLine() > 0)
        location =
            json::Object{{"line", loc.getLine()}, {"column", loc.getColumn()}};
    // Unlinked dialects can be read in their generic form only.
    if (StringRef(message).contains("not found for custom op") ||
        StringRef(message).contains("no registered implementation"))
      message += "; print the file in generic form "
                 "(--mlir-print-op-generic)";
  }
};
} // namespace

static json::Object parseAndAnalyze(StringRef file,
                                    std::unique_ptr<llvm::MemoryBuffer> buffer,
                                    const PlacementExpectation &expectation) {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  softcap::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  FirstError error;
  context.getDiagEngine().registerHandler([&](Diagnostic &diag) {
    error.take(diag);
    return success();
  });

  llvm::MemoryBufferRef input = buffer->getMemBufferRef();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  AsmParserState positions;
  Block block;
  ParserConfig config(&context);
  bool parsed =
      isBytecode(input)
          ? succeeded(readBytecodeFile(input, &block, config))
          : succeeded(parseAsmSourceFile(sources, &block, config, &positions));
  if (!parsed)
    return makeError(file,
                     error.message.empty() ? "not an MLIR file" : error.message,
                     error.location);
  OwningOpRef<ModuleOp> module;
  if (llvm::hasSingleElement(block) && isa<ModuleOp>(block.front())) {
    module = cast<ModuleOp>(block.front());
    module->getOperation()->remove();
  } else {
    module = ModuleOp::create(UnknownLoc::get(&context));
    Block *body = module->getBody();
    body->getOperations().splice(body->end(), block.getOperations());
  }
  PlacementReport report = analyzePlacement(*module, expectation);
  auto position =
      [&](Operation *op) -> std::optional<std::pair<unsigned, unsigned>> {
    const AsmParserState::OperationDefinition *def = positions.getOpDef(op);
    if (!def)
      return std::nullopt;
    return sources.getLineAndColumn(def->loc.Start);
  };
  return toJSON(report, file, SOFTCAP_VERSION, position);
}

static void limitResources(size_t bytes) {
  rlimit memory{kMaxMemory, kMaxMemory};
  setrlimit(RLIMIT_AS, &memory);
  rlim_t limit = getMaxSeconds(bytes);
  rlimit seconds{limit, limit};
  setrlimit(RLIMIT_CPU, &seconds);
  rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
}

[[noreturn]] static void runChild(int pipe, StringRef file,
                                  std::unique_ptr<llvm::MemoryBuffer> buffer,
                                  const PlacementExpectation &expectation) {
  limitResources(buffer->getBufferSize());
  // The default actions: the parent tells what happened, no stack trace does.
  for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE})
    std::signal(signal, SIG_DFL);
  // Upstream prints fatal errors; the report has no place for them.
  if (!freopen("/dev/null", "w", stderr))
    _exit(3);
  json::Object report = parseAndAnalyze(file, std::move(buffer), expectation);
  {
    llvm::raw_fd_ostream os(pipe, /*shouldClose=*/true);
    os << json::Value(std::move(report));
  }
  _exit(0);
}

//===----------------------------------------------------------------------===//
// In the parent
//===----------------------------------------------------------------------===//

/// Everything that the child writes, unless it takes too long.
static bool readAll(int pipe, std::string &text, rlim_t seconds) {
  char chunk[1 << 16];
  for (;;) {
    pollfd waiting{pipe, POLLIN, 0};
    int ready = poll(&waiting, 1, int(seconds) * 1000);
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready <= 0)
      return false;
    ssize_t count = read(pipe, chunk, sizeof(chunk));
    if (count <= 0)
      return count == 0;
    text.append(chunk, count);
  }
}

json::Object softcap::auditFile(StringRef file,
                                const PlacementExpectation &expectation) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file);
  if (std::error_code code = buffer.getError())
    return makeError(file, "cannot read the file: " + code.message());
  if (auto fault = scanInput((*buffer)->getBuffer()))
    return makeError(file, fault->message,
                     fault->line ? json::Value(json::Object{
                                       {"line", fault->line}, {"column", 1}})
                                 : json::Value(nullptr));
  rlim_t seconds = getMaxSeconds((*buffer)->getBufferSize()) + 1;
  int ends[2];
  if (pipe(ends) != 0)
    return makeError(file, "internal failure: no pipe");
  pid_t child = fork();
  if (child < 0)
    return makeError(file, "internal failure: no child process");
  if (child == 0) {
    close(ends[0]);
    runChild(ends[1], file, std::move(*buffer), expectation);
  }
  close(ends[1]);
  std::string text;
  bool complete = readAll(ends[0], text, seconds);
  close(ends[0]);
  if (!complete)
    kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (complete && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    llvm::Expected<json::Value> report = json::parse(text);
    if (!report)
      llvm::consumeError(report.takeError());
    else if (json::Object *object = report->getAsObject())
      return std::move(*object);
  }
  bool tooSlow = !complete ||
                 (WIFSIGNALED(status) &&
                  (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL));
  return makeError(file, tooSlow ? "reading the file takes too long"
                                 : "the file crashes the parser, or takes "
                                   "more memory than is allowed");
}
