//===- softcap-audit.cpp - Check where a model's soft caps stand ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 usage, unreadable
// or malformed input or an internal failure, 3 inconclusive with --strict.
//
//===----------------------------------------------------------------------===//

#include "Audit.h"
#include "TextReport.h"
#include "softcap/Support/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::softcap;
namespace cl = llvm::cl;
namespace json = llvm::json;

namespace {
enum class Format { text, json };

struct Options {
  cl::OptionCategory category{"softcap-audit options"};
  cl::list<std::string> files{cl::Positional, cl::OneOrMore,
                              cl::desc("FILE..."), cl::cat(category)};
  cl::opt<std::string> expect{
      "expect",
      cl::desc("What the model has: scores=C,logits=C,scores-scale=S,"
               "logits-scale=S,temperature=none, or none"),
      cl::cat(category)};
  cl::opt<std::string> config{
      "config", cl::desc("Take expectations from a Hugging Face config.json"),
      cl::cat(category)};
  cl::opt<Format> format{
      "format", cl::desc("Report format"), cl::init(Format::text),
      cl::values(clEnumValN(Format::text, "text", "for people"),
                 clEnumValN(Format::json, "json", "schema 1")),
      cl::cat(category)};
  cl::opt<std::string> output{"output", cl::desc("Where the report goes"),
                              cl::init("-"), cl::cat(category)};
  cl::opt<PlacementSeverity> failOn{
      "fail-on", cl::desc("Severity from which the exit code is 1"),
      cl::init(PlacementSeverity::error),
      cl::values(clEnumValN(PlacementSeverity::error, "error", ""),
                 clEnumValN(PlacementSeverity::warning, "warning", ""),
                 clEnumValN(PlacementSeverity::note, "note", "")),
      cl::cat(category)};
  cl::opt<bool> strict{
      "strict", cl::desc("Exit with 3 where the verdict is inconclusive"),
      cl::cat(category)};
};
} // namespace

static int usageError(const Twine &message) {
  llvm::errs() << "softcap-audit: error: " << message << "\n";
  return 2;
}

/// --config first, then --expect on top of it.
static FailureOr<PlacementExpectation> readExpectation(const Options &options,
                                                       std::string &error) {
  PlacementExpectation e;
  if (!options.config.empty()) {
    auto buffer = llvm::MemoryBuffer::getFile(options.config);
    if (std::error_code code = buffer.getError()) {
      error = "cannot read '" + options.config + "': " + code.message();
      return failure();
    }
    auto parsed = parseModelConfig((*buffer)->getBuffer(), error);
    if (failed(parsed))
      return failure();
    e = *parsed;
  }
  auto given = parsePlacementExpectation(options.expect, error);
  if (failed(given))
    return failure();
  auto override = [](SurfaceExpectation &to, const SurfaceExpectation &from) {
    if (from.cap)
      to.cap = from.cap;
    if (from.scale)
      to.scale = from.scale;
  };
  override(e.scores, given->scores);
  override(e.logits, given->logits);
  e.noTemperature |= given->noTemperature;
  return e;
}

static int getSeverityRank(StringRef severity) {
  return severity == "error" ? 2 : severity == "warning" ? 1 : 0;
}

/// The exit code that one report asks for.
static int getExitCode(const json::Object &report, const Options &options) {
  if (report.getObject("error"))
    return 2;
  int threshold = getSeverityRank(stringify(options.failOn.getValue()));
  for (const json::Value &value : *report.getArray("findings")) {
    const json::Object &f = *value.getAsObject();
    bool isInconclusive = !f.getString("rule");
    if (isInconclusive || f.getBoolean("suppressed").value_or(false))
      continue;
    if (getSeverityRank(*f.getString("severity")) >= threshold)
      return 1;
  }
  bool inconclusive = report.getString("verdict") == StringRef("inconclusive");
  return options.strict && inconclusive ? 3 : 0;
}

/// Unreadable input beats findings, findings beat what is inconclusive.
static int worseExitCode(int a, int b) {
  auto rank = [](int code) { return code == 2 ? 4 : code == 1 ? 3 : code; };
  return rank(a) >= rank(b) ? a : b;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  setVersionPrinter("softcap-audit");
  std::string complaints;
  llvm::raw_string_ostream complaintStream(complaints);
  if (!cl::ParseCommandLineOptions(argc, argv,
                                   "checks where a model's soft caps stand\n",
                                   &complaintStream)) {
    llvm::errs() << complaints;
    return 2;
  }

  std::string error;
  auto expectation = readExpectation(options, error);
  if (failed(expectation))
    return usageError(error);
  std::error_code code;
  llvm::ToolOutputFile out(options.output, code, llvm::sys::fs::OF_Text);
  if (code)
    return usageError("cannot write '" + options.output +
                      "': " + code.message());
  // LLVM's own --color decides.
  bool color = llvm::WithColor(out.os()).colorsEnabled();
  out.os().enable_colors(color);

  int exitCode = 0;
  json::Array reports;
  for (const std::string &file : options.files) {
    json::Object report = auditFile(file, *expectation);
    exitCode = worseExitCode(exitCode, getExitCode(report, options));
    if (options.format == Format::text)
      printText(report, out.os(), color);
    else
      reports.push_back(std::move(report));
  }
  if (options.format == Format::json) {
    if (reports.size() == 1)
      out.os() << llvm::formatv("{0:2}\n", reports[0]);
    else
      out.os() << llvm::formatv("{0:2}\n", json::Value(std::move(reports)));
  }
  out.keep();
  return exitCode;
}
