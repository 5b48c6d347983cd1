//===- JitKernels.cpp - Elementwise kernels for accuracy tests ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "JitKernels.h"

#include "softcap/InitAll.h"

#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;

/// No libm pass: a call left over fails to lower.
static constexpr const char *pipeline =
    "builtin.module(convert-softcap-to-math{expand-exp},canonicalize,cse,"
    "arith-expand{include-bf16=true},convert-vector-to-scf,convert-scf-to-cf,"
    "convert-vector-to-llvm,convert-arith-to-llvm,convert-index-to-llvm,"
    "finalize-memref-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,"
    "reconcile-unrealized-casts)";

static std::string replaceAll(std::string text, const std::string &from,
                              const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

static std::string emitFunction(const Kernel &kernel) {
  std::string text = R"mlir(
func.func @NAME(%in: memref<?xTYPE>, %out: memref<?xTYPE>, %cap: memref<1xTYPE>)
    attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %in, %c0 : memref<?xTYPE>
  %c = memref.load %cap[%c0] : memref<1xTYPE>
  scf.for %i = %c0 to %n step %c8 {
    %x = vector.load %in[%i] : memref<?xTYPE>, vector<8xTYPE>
    BODY
    vector.store %y, %out[%i] : memref<?xTYPE>, vector<8xTYPE>
  }
  return
}
)mlir";
  text = replaceAll(text, "BODY", kernel.body);
  text = replaceAll(text, "NAME", kernel.name);
  return replaceAll(text, "TYPE", kernel.type);
}

static void registerAll(DialectRegistry &registry) {
  static bool once = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    registerAllPasses();
    softcap::registerAllPasses();
    return true;
  }();
  (void)once;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  softcap::registerAllDialects(registry);
  softcap::registerAllExtensions(registry);
}

std::unique_ptr<JitKernels>
JitKernels::compile(const std::vector<Kernel> &kernels) {
  DialectRegistry registry;
  registerAll(registry);
  auto jit = std::make_unique<JitKernels>();
  jit->context = std::make_unique<MLIRContext>(registry);
  std::string text;
  for (const Kernel &kernel : kernels)
    text += emitFunction(kernel);
  auto module = parseSourceString<ModuleOp>(text, jit->context.get());
  PassManager manager(jit->context.get());
  if (!module ||
      failed(parsePassPipeline(StringRef(pipeline).drop_front(15).drop_back(1),
                               manager)) ||
      failed(manager.run(*module)))
    return nullptr;
  ExecutionEngineOptions options;
  auto optimize = makeOptimizingTransformer(2, 0, nullptr);
  options.transformer = optimize;
  auto engine = ExecutionEngine::create(*module, options);
  if (!engine) {
    llvm::errs() << toString(engine.takeError()) << "\n";
    return nullptr;
  }
  jit->engine = std::move(*engine);
  return jit;
}

void *JitKernels::lookup(const std::string &name) {
  auto address = engine->lookup("_mlir_ciface_" + name);
  if (!address) {
    llvm::errs() << toString(address.takeError()) << "\n";
    abort();
  }
  return *address;
}
