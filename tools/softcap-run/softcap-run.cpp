//===- softcap-run.cpp - Compile a model, run it, compare it --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exit codes: 0 success, 1 the results differ from the float64 reference, 2 bad
// input or an internal failure, 3 a cap in an illegal place.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Inputs.h"

#include "softcap/InitAll.h"
#include "softcap/Runner/Compare.h"
#include "softcap/Runner/Npy.h"
#include "softcap/Support/Version.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/TargetSelect.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::softcap;
namespace cl = llvm::cl;
namespace json = llvm::json;

extern "C" void omp_set_num_threads(int);

namespace {
enum class Target { cpu, emulator, cuda };

struct Options {
  cl::OptionCategory category{"softcap-run options"};
  cl::opt<std::string> file{cl::Positional, cl::Required, cl::desc("FILE"),
                            cl::cat(category)};
  cl::opt<std::string> entry{
      "entry", cl::desc("Function to run; needed if several are public"),
      cl::cat(category)};
  cl::opt<Target> target{
      "target", cl::desc("Where to run"), cl::init(Target::cpu),
      cl::values(clEnumValN(Target::cpu, "cpu", "this machine's CPU"),
                 clEnumValN(Target::emulator, "emulator", "emulated GPU"),
                 clEnumValN(Target::cuda, "cuda", "NVIDIA GPU")),
      cl::cat(category)};
  cl::opt<unsigned> threads{"threads", cl::desc("Number of threads; 0: all"),
                            cl::init(0), cl::cat(category)};
  cl::list<std::string> inputs{
      "input", cl::desc("Argument from a .npy file, one each in order"),
      cl::cat(category)};
  cl::opt<uint64_t> random{
      "random", cl::desc("Seed of random arguments (the default, seed 0)"),
      cl::init(0), cl::cat(category)};
  cl::opt<std::string> integerRange{
      "int-range", cl::desc("Random integers in [A, B), as A:B"),
      cl::init("0:2"), cl::cat(category)};
  cl::list<std::string> shapes{
      "shape", cl::desc("ARGUMENT=SIZExSIZE..., for dynamic sizes"),
      cl::cat(category)};
  cl::list<std::string> outputs{
      "output", cl::desc(".npy file of a result, in order"), cl::cat(category)};
  cl::opt<bool> reference{"reference",
                          cl::desc("Compare with the same module in float64"),
                          cl::cat(category)};
  cl::opt<double> tolerance{
      "tolerance",
      cl::desc("Largest relative L2 error (default 1e-4, or 3e-2 in 16 bits)"),
      cl::init(0), cl::cat(category)};
  cl::opt<unsigned> repeat{"repeat", cl::desc("Number of timed runs"),
                           cl::init(1), cl::cat(category)};
  cl::opt<bool> jsonOutput{"json", cl::desc("Report as JSON (schema 1)"),
                           cl::cat(category)};
  cl::opt<bool> noCheck{"no-check",
                        cl::desc("Run a program with misplaced caps as it is"),
                        cl::cat(category)};
  cl::opt<bool> noFuse{"no-fuse", cl::desc("Lower without fusing attention"),
                       cl::cat(category)};
  cl::opt<std::string> expect{
      "expect", cl::desc("What the model has, as for softcap-audit"),
      cl::cat(category)};
  cl::opt<std::string> cpu{"target-cpu", cl::desc("CPU to compile for"),
                           cl::init("native"), cl::cat(category)};
  cl::opt<std::string> features{"target-features",
                                cl::desc("+f,-g: changes to its features"),
                                cl::cat(category)};
};

struct Report {
  std::map<std::string, int64_t> fused;
  uint64_t largestBufferBytes = 0;
  double compileSeconds = 0;
  SmallVector<double> seconds;
  std::optional<double> flops;
  std::optional<ResultErrors> errors;
  bool ok = true;

  double getMin() const { return seconds.front(); }
  double getMedian() const { return seconds[seconds.size() / 2]; }
};
} // namespace

static double getSecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

static llvm::Error badInput(const Twine &message) {
  return llvm::make_error<RunError>(kBadInput, message.str());
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

/// JSON has no infinities.
static json::Value toJSON(double value) {
  return std::isfinite(value) ? json::Value(value) : json::Value(nullptr);
}

static json::Object toJSON(const Report &report) {
  json::Object fused;
  for (auto &[name, count] : report.fused)
    fused[name] = count;
  json::Object object{
      {"schema", 1},
      {"target", "cpu"},
      {"fused", std::move(fused)},
      {"largest_buffer_bytes", int64_t(report.largestBufferBytes)},
      {"compile_s", report.compileSeconds},
      {"time_s",
       json::Object{{"min", report.getMin()}, {"median", report.getMedian()}}}};
  object["gflops"] = report.flops
                         ? json::Value(*report.flops / report.getMin() * 1e-9)
                         : json::Value(nullptr);
  if (report.errors)
    object["reference"] =
        json::Object{{"max_abs", toJSON(report.errors->maxAbs)},
                     {"rel_l2", toJSON(report.errors->relL2)},
                     {"max_ulp", toJSON(report.errors->maxUlp)},
                     {"ok", report.ok}};
  return object;
}

static void printText(const Report &report, llvm::raw_ostream &os) {
  os << "fused          ";
  if (report.fused.empty())
    os << "nothing";
  llvm::interleave(
      report.fused, os,
      [&](auto &entry) { os << entry.second << " " << entry.first; }, ", ");
  os << "\nlargest buffer " << report.largestBufferBytes << " bytes\n";
  os << llvm::format("compiled in    %.3f s\n", report.compileSeconds);
  os << llvm::format("time           %.3g s (median %.3g s of %u)\n",
                     report.getMin(), report.getMedian(),
                     unsigned(report.seconds.size()));
  if (report.flops)
    os << llvm::format("speed          %.1f GFLOP/s\n",
                       *report.flops / report.getMin() * 1e-9);
  if (report.errors)
    os << llvm::format("against f64    max abs %.3g, relative L2 %.3g, "
                       "%.3g ulp: ",
                       report.errors->maxAbs, report.errors->relL2,
                       report.errors->maxUlp)
       << (report.ok ? "ok" : "differs") << "\n";
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static llvm::Expected<InputOptions> getInputOptions(const Options &options) {
  InputOptions inputs;
  inputs.files.assign(options.inputs.begin(), options.inputs.end());
  inputs.seed = options.random;
  inputs.shapes.assign(options.shapes.begin(), options.shapes.end());
  auto [first, second] = StringRef(options.integerRange).split(':');
  if (first.getAsInteger(10, inputs.integerRange.first) ||
      second.getAsInteger(10, inputs.integerRange.second) ||
      inputs.integerRange.first >= inputs.integerRange.second)
    return badInput("error: --int-range=" + options.integerRange +
                    ": expected A:B with A < B");
  return inputs;
}

static llvm::Error compareWithReference(OwningOpRef<ModuleOp> module,
                                        StringRef entry,
                                        ArrayRef<HostTensor> inputs,
                                        ArrayRef<HostTensor> results,
                                        double tolerance, Report &report) {
  auto program = compileReference(std::move(module), entry);
  if (!program)
    return program.takeError();
  auto promoted = llvm::map_to_vector(inputs, promoteToF64);
  CallStatistics statistics;
  auto reference = program->call(promoted, statistics);
  if (!reference)
    return reference.takeError();
  report.errors = compareResults(results, *reference);
  double limit = tolerance > 0 ? tolerance : getDefaultTolerance(results);
  report.ok = report.errors->relL2 <= limit && report.errors->integersEqual;
  return llvm::Error::success();
}

static llvm::Error writeOutputs(const Options &options,
                                ArrayRef<HostTensor> results) {
  for (auto [path, result] : llvm::zip(options.outputs, results))
    if (auto error = writeNpy(path, result))
      return error;
  return llvm::Error::success();
}

static llvm::Expected<Report> run(const Options &options) {
  if (options.target != Target::cpu)
    return badInput("error: --target=emulator and --target=cuda are not "
                    "available in this build; use --target=cpu");
  if (options.repeat == 0)
    return badInput("error: --repeat=0: expected at least 1");
  auto buffer = readInput(options.file);
  if (!buffer)
    return buffer.takeError();
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  softcap::registerAllDialects(registry);
  softcap::registerAllExtensions(registry);
  MLIRContext context(registry);
  auto module = parseModule(std::move(*buffer), context);
  if (!module)
    return module.takeError();
  auto function = findEntry(**module, options.entry);
  if (!function)
    return function.takeError();
  std::string entry = function->getSymName().str();
  FunctionType type = function->getFunctionType();
  if (auto error = checkSignature(type))
    return badInput("error: function '" + entry +
                    "': " + llvm::toString(std::move(error)));
  if (!options.outputs.empty() &&
      options.outputs.size() != type.getNumResults())
    return badInput("error: " + Twine(options.outputs.size()) +
                    " --output files for " + Twine(type.getNumResults()) +
                    " results");
  auto inputOptions = getInputOptions(options);
  if (!inputOptions)
    return inputOptions.takeError();
  auto inputs = makeInputs(type, *inputOptions);
  if (!inputs)
    return badInput("error: " + llvm::toString(inputs.takeError()));

  OwningOpRef<ModuleOp> original;
  if (options.reference)
    original = (*module)->clone();
  CompileOptions compile;
  compile.check = !options.noCheck;
  compile.fuse = !options.noFuse;
  compile.expect = options.expect;
  compile.target = {options.cpu, options.features};
  auto start = std::chrono::steady_clock::now();
  auto compiled = compileModule(std::move(*module), entry, compile);
  if (!compiled)
    return compiled.takeError();
  Report report;
  report.compileSeconds = getSecondsSince(start);
  report.fused = compiled->ops;
  report.flops = compiled->flops;

  if (options.threads > 0)
    omp_set_num_threads(options.threads);
  SmallVector<HostTensor> results;
  for (unsigned i = 0; i < options.repeat; ++i) {
    CallStatistics statistics;
    auto called = compiled->program.call(*inputs, statistics);
    if (!called)
      return called.takeError();
    results = std::move(*called);
    report.seconds.push_back(statistics.seconds);
    report.largestBufferBytes = statistics.largestBufferBytes;
  }
  llvm::sort(report.seconds);
  if (original)
    if (auto error = compareWithReference(std::move(original), entry, *inputs,
                                          results, options.tolerance, report))
      return error;
  if (auto error = writeOutputs(options, results))
    return badInput("error: " + llvm::toString(std::move(error)));
  return report;
}

static int runAndReport(const Options &options) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  auto report = run(options);
  if (!report) {
    int exitCode = kBadInput;
    llvm::handleAllErrors(
        report.takeError(),
        [&](const RunError &error) {
          exitCode = error.exitCode;
          llvm::errs() << "softcap-run: " << error.message << "\n";
        },
        [](const llvm::ErrorInfoBase &error) {
          llvm::errs() << "softcap-run: error: " << error.message() << "\n";
        });
    return exitCode;
  }
  if (options.jsonOutput)
    llvm::outs() << llvm::formatv("{0}\n", json::Value(toJSON(*report)));
  else
    printText(*report, llvm::outs());
  return report->ok ? kSuccess : kDiffers;
}

/// Compiles and runs in a child, so that a crash of foreign code (the parser,
/// the code generator, the program itself) is an error like any other.
static int runInChild(const Options &options) {
  pid_t child = fork();
  if (child < 0) {
    llvm::errs() << "softcap-run: error: no child process\n";
    return kBadInput;
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A full disk or quota is an error of writing.
    std::signal(SIGXFSZ, SIG_IGN);
    for (int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE})
      std::signal(signal, SIG_DFL);
    int exitCode = runAndReport(options);
    llvm::outs().flush();
    _exit(exitCode);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  llvm::errs() << "softcap-run: error: " << options.file
               << ": compiling or running it crashed (signal "
               << WTERMSIG(status) << ")\n";
  return kBadInput;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  // LLVM's own options, which its library registers, take common names such as
  // --threads.
  cl::ResetCommandLineParser();
  Options options;
  cl::HideUnrelatedOptions(options.category);
  softcap::setVersionPrinter("softcap-run");
  std::string complaints;
  llvm::raw_string_ostream stream(complaints);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "compiles a module with soft caps, runs it and compares it\n",
          &stream)) {
    llvm::errs() << StringRef(complaints).split('\n').first << "\n";
    return kBadInput;
  }
  return runInChild(options);
}
