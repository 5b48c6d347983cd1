//===- Compile.cpp - From a module to programs ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compilation stages of softcap-run: read, check, fuse, lower, and the
// float64 reference.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "LivePairs.h"
#include "Probe.h"

#include "softcap/Analysis/Placement.h"
#include "softcap/Dialect/Softcap/IR/Softcap.h"
#include "softcap/Dialect/Softcap/Transforms/Passes.h"
#include "softcap/Pipelines/Pipelines.h"
#include "softcap/Support/InputScan.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::softcap;

char RunError::ID = 0;

static llvm::Error makeError(int exitCode, const Twine &message) {
  return llvm::make_error<RunError>(exitCode, message.str());
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

namespace {
/// Keeps the first error, as one line with its location, and lets remarks and
/// warnings of passes go.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diag) { return take(diag); }) {}

  /// All errors of the same stage, one per line.
  std::string text;

private:
  /// Upstream's advice is about options that this tool does not have.
  static std::string shorten(StringRef message) {
    size_t at = message.find("unregistered dialect");
    if (at == StringRef::npos)
      return message.str();
    return (message.take_front(at) +
            "unregistered dialect; only modules in linalg, TOSA, softcap and "
            "other linked dialects can be run")
        .str();
  }

  LogicalResult take(Diagnostic &diag) {
    if (diag.getSeverity() != DiagnosticSeverity::Error)
      return success();
    std::string message = diag.str();
    llvm::raw_string_ostream os(text);
    if (!text.empty())
      os << "\n";
    if (auto loc = dyn_cast<FileLineColLoc>(diag.getLocation()))
      os << loc.getFilename().getValue() << ":" << loc.getLine() << ":"
         << loc.getColumn() << ": ";
    os << "error: " << shorten(StringRef(message).split('\n').first);
    return success();
  }

  ScopedDiagnosticHandler handler;
};
} // namespace

static std::string firstLine(StringRef text) {
  return text.split('\n').first.str();
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
softcap::readInput(StringRef file) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(file);
  if (std::error_code code = buffer.getError())
    return makeError(kBadInput, file + ": error: " + code.message());
  if (auto fault = scanInput((*buffer)->getBuffer()))
    return makeError(kBadInput, file + ":" + Twine(fault->line) +
                                    ": error: " + fault->message);
  if (auto fault = findReaderFault((*buffer)->getBuffer()))
    return makeError(kBadInput, file + ": error: " + *fault);
  return std::move(*buffer);
}

llvm::Expected<OwningOpRef<ModuleOp>>
softcap::parseModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
                     MLIRContext &context) {
  std::string file = buffer->getBufferIdentifier().str();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  FirstError error(&context);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return makeError(kBadInput, error.text.empty()
                                    ? file + ": error: not a module"
                                    : firstLine(error.text));
  return module;
}

llvm::Expected<func::FuncOp> softcap::findEntry(ModuleOp module,
                                                StringRef name) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (name.empty() ? function.isPublic() : function.getSymName() == name)
      candidates.push_back(function);
  }
  if (candidates.size() == 1)
    return candidates.front();
  std::string names;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      names += (names.empty() ? "" : ", ") + function.getSymName().str();
  if (!name.empty())
    return makeError(kBadInput, "error: no function '" + name +
                                    "'; public functions: " +
                                    (names.empty() ? "none" : names));
  return makeError(kBadInput,
                   candidates.empty()
                       ? std::string("error: the module has no public function")
                       : "error: several public functions, choose one with "
                         "--entry: " +
                             names);
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// Runs passes; an error becomes `exitCode` and the first diagnostic, or all
/// of them for findings.
static llvm::Error
runStage(ModuleOp module, StringRef what, int exitCode,
         llvm::function_ref<void(OpPassManager &)> addPasses) {
  FirstError error(module.getContext());
  PassManager pm(module.getContext());
  addPasses(pm);
  if (succeeded(pm.run(module)))
    return llvm::Error::success();
  if (error.text.empty())
    return makeError(kBadInput, "error: " + what + " failed");
  return makeError(exitCode,
                   exitCode == kIllegal ? error.text : firstLine(error.text));
}

/// Makes the entry's parameters reachable from C, and drops what it does not
/// call: only what runs is checked and compiled.
static llvm::Error exposeEntry(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                    UnitAttr::get(module.getContext()));
  // Only what the entry needs is compiled.
  for (auto other : module.getOps<func::FuncOp>())
    if (other != function && !other.isExternal())
      other.setPrivate();
  function.setPublic();
  return runStage(module, "removing unused functions", kBadInput,
                  [](OpPassManager &pm) { pm.addPass(createSymbolDCEPass()); });
}

/// Programs that are not fused still have to be in dialects that are lowered.
static void addImportPasses(OpPassManager &pm) {
  pm.addPass(createInlinerPass());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(tosa::createTosaToLinalgNamed());
  functions.addPass(tosa::createTosaToLinalg());
  functions.addPass(createTosaToArithPass());
  functions.addPass(createTosaToTensorPass());
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  pm.addPass(createSymbolDCEPass());
}

static std::map<std::string, int64_t> countOps(ModuleOp module) {
  std::map<std::string, int64_t> counts;
  module.walk([&](Operation *op) {
    if (isa_and_nonnull<SoftcapDialect>(op->getDialect()))
      ++counts[op->getName().stripDialect().str()];
  });
  return counts;
}

llvm::Expected<CompiledModule>
softcap::compileModule(OwningOpRef<ModuleOp> module, StringRef entry,
                       const CompileOptions &options) {
  auto machine = createTargetMachine(options.target);
  if (!machine)
    return makeError(kBadInput,
                     "error: " + llvm::toString(machine.takeError()));
  FunctionType type =
      module->lookupSymbol<func::FuncOp>(entry).getFunctionType();
  if (auto error = exposeEntry(*module, entry))
    return std::move(error);
  if (options.check) {
    std::string fault;
    if (failed(parsePlacementExpectation(options.expect, fault)))
      return makeError(kBadInput, "error: --expect: " + fault);
    SoftcapCheckPlacementPassOptions check;
    check.expect = options.expect;
    if (auto error =
            runStage(*module, "checking", kIllegal, [&](OpPassManager &pm) {
              pm.addPass(createSoftcapCheckPlacementPass(check));
            }))
      return error;
  }
  if (auto error =
          runStage(*module, "fusing", kBadInput, [&](OpPassManager &pm) {
            if (!options.fuse)
              return addImportPasses(pm);
            FusePipelineOptions fuse;
            fuse.check = false;
            buildFusePipeline(pm, fuse);
          }))
    return error;
  CompiledModule compiled;
  compiled.ops = countOps(*module);
  compiled.flops = countAttentionFlops(*module);
  LowerPipelineOptions lower;
  lower.vectorBytes = getVectorBytes(**machine);
  lower.parallel = options.parallel;
  if (auto error =
          runStage(*module, "lowering", kBadInput,
                   [&](OpPassManager &pm) { buildLowerPipeline(pm, lower); }))
    return error;
  auto program = Program::compile(*module, entry, type, std::move(*machine));
  if (!program)
    return makeError(kBadInput,
                     "error: " + llvm::toString(program.takeError()));
  compiled.program = std::move(*program);
  return compiled;
}

/// `type` with every float replaced by f64.
static FunctionType promoteType(FunctionType type) {
  Type f64 = Float64Type::get(type.getContext());
  auto promote = [&](Type t) -> Type {
    auto shaped = dyn_cast<ShapedType>(t);
    if (shaped && isa<FloatType>(shaped.getElementType()))
      return shaped.clone(f64);
    return isa<FloatType>(t) ? f64 : t;
  };
  return FunctionType::get(type.getContext(),
                           llvm::map_to_vector(type.getInputs(), promote),
                           llvm::map_to_vector(type.getResults(), promote));
}

llvm::Expected<Program> softcap::compileReference(OwningOpRef<ModuleOp> module,
                                                  StringRef entry) {
  auto machine = createTargetMachine({});
  if (!machine)
    return makeError(kBadInput,
                     "error: " + llvm::toString(machine.takeError()));
  FunctionType type =
      module->lookupSymbol<func::FuncOp>(entry).getFunctionType();
  if (auto error = exposeEntry(*module, entry))
    return std::move(error);
  if (auto error = runStage(
          *module, "lowering the reference", kBadInput, [&](OpPassManager &pm) {
            buildReferencePipeline(pm, ReferencePipelineOptions());
          }))
    return error;
  return Program::compile(*module, entry, promoteType(type),
                          std::move(*machine));
}
