//===- Program.cpp - Compiled functions -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls go through the C interface of MLIR's func-to-llvm conversion: memrefs
// are pointers to descriptors {allocated, aligned, offset, sizes, strides};
// more than one result, or one memref, is written through a leading pointer.
//
//===----------------------------------------------------------------------===//

#include "softcap/Runner/Program.h"
#include "softcap/Runner/Allocations.h"

#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <chrono>
#include <cstring>

using namespace mlir;
using namespace mlir::softcap;

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
softcap::createTargetMachine(const TargetOptions &options) {
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  llvm::SubtargetFeatures asked(options.features);
  // LLVM itself warns about unknown names and goes on.
  auto host = builder->createTargetMachine();
  if (!host)
    return host.takeError();
  const llvm::MCSubtargetInfo &info = *(*host)->getMCSubtargetInfo();
  if (options.cpu != "native" && !info.isCPUStringValid(options.cpu))
    return llvm::createStringError("unknown target CPU '" + options.cpu + "'");
  for (StringRef feature : asked.getFeatures())
    if (llvm::none_of(info.getAllProcessorFeatures(), [&](const auto &known) {
          return StringRef(known.Key) ==
                 llvm::SubtargetFeatures::StripFlag(feature);
        }))
      return llvm::createStringError("unknown target feature '" + feature +
                                     "'");
  if (options.cpu != "native") {
    builder->setCPU(options.cpu);
    builder->getFeatures() = llvm::SubtargetFeatures();
  }
  builder->addFeatures(asked.getFeatures());
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  return builder->createTargetMachine();
}

int64_t softcap::getVectorBytes(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  if (!machine.getTargetTriple().isX86())
    return 16;
  if (info.checkFeatures("+avx512f,+avx512bw,+avx512vl,+avx512dq"))
    return 64;
  if (info.checkFeatures("+avx2,+fma"))
    return 32;
  return 16;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

llvm::Expected<Program>
Program::compile(ModuleOp module, StringRef entry, FunctionType type,
                 std::unique_ptr<llvm::TargetMachine> machine) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  registerOpenMPDialectTranslation(*module.getContext());
  auto optimize =
      makeOptimizingTransformer(/*optLevel=*/3, /*sizeLevel=*/0, machine.get());
  // The engine asks for functions' features, which it does not set itself.
  std::string cpu = machine->getTargetCPU().str();
  std::string features = machine->getTargetFeatureString().str();
  auto transform = [&](llvm::Module *code) -> llvm::Error {
    for (llvm::Function &function : *code) {
      function.addFnAttr("target-cpu", cpu);
      function.addFnAttr("target-features", features);
    }
    return optimize(code);
  };
  ExecutionEngineOptions options;
  options.transformer = transform;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  auto engine = ExecutionEngine::create(module, options, std::move(machine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(allocations::getSymbols);
  Program program;
  program.engine = std::move(*engine);
  program.entry = "_mlir_ciface_" + entry.str();
  program.type = type;
  // Code is generated on the first lookup: here, not in the first call.
  auto function = program.engine->lookupPacked(program.entry);
  if (!function)
    return function.takeError();
  return program;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// A memref descriptor as 64-bit words: allocated, aligned, offset, sizes and
/// strides.
struct Descriptor {
  SmallVector<int64_t, 16> words;

  explicit Descriptor(unsigned rank) : words(3 + 2 * rank, 0) {}

  static Descriptor makeContiguous(HostTensor &tensor) {
    unsigned rank = tensor.shape.size();
    Descriptor result(rank);
    auto address = reinterpret_cast<int64_t>(tensor.bytes.data());
    result.words[0] = result.words[1] = address;
    int64_t stride = 1;
    for (unsigned i = rank; i-- > 0;) {
      result.words[3 + i] = tensor.shape[i];
      result.words[3 + rank + i] = stride;
      stride *= tensor.shape[i];
    }
    return result;
  }
};
} // namespace

static bool isBuffer(Type type) { return isa<ShapedType>(type); }

static unsigned getRank(Type type) { return cast<ShapedType>(type).getRank(); }

/// Copies a possibly strided result into a tensor of its own.
static HostTensor copyResult(ArrayRef<int64_t> words, ShapedType type) {
  unsigned rank = type.getRank();
  ArrayRef<int64_t> sizes = words.slice(3, rank);
  ArrayRef<int64_t> strides = words.slice(3 + rank, rank);
  HostTensor tensor = makeTensor(type.getElementType(), sizes);
  unsigned bytes = *getElementBytes(type.getElementType());
  auto *base = reinterpret_cast<const uint8_t *>(words[1]) + words[2] * bytes;
  SmallVector<int64_t> index(rank, 0);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i) {
    int64_t offset = 0;
    for (unsigned d = 0; d < rank; ++d)
      offset += index[d] * strides[d];
    std::memcpy(tensor.bytes.data() + i * bytes, base + offset * bytes, bytes);
    for (unsigned d = rank; d-- > 0;) {
      if (++index[d] < sizes[d])
        break;
      index[d] = 0;
    }
  }
  return tensor;
}

/// Where each result lies in the struct that the function writes, in bytes.
static SmallVector<uint64_t> layOutResults(ArrayRef<Type> types,
                                           uint64_t &size) {
  SmallVector<uint64_t> offsets;
  size = 0;
  for (Type type : types) {
    unsigned bytes = isBuffer(type) ? 8 : *getElementBytes(type);
    size = llvm::alignTo(size, bytes);
    offsets.push_back(size);
    size += isBuffer(type) ? 8 * (3 + 2 * getRank(type)) : bytes;
  }
  return offsets;
}

static SmallVector<HostTensor> collectResults(ArrayRef<Type> types,
                                              ArrayRef<uint64_t> offsets,
                                              const uint8_t *storage,
                                              CallStatistics &statistics) {
  SmallVector<HostTensor> results;
  SmallVector<void *> blocks;
  for (auto [type, offset] : llvm::zip(types, offsets)) {
    if (!isBuffer(type)) {
      HostTensor scalar = makeTensor(type, {});
      std::memcpy(scalar.bytes.data(), storage + offset, scalar.bytes.size());
      results.push_back(std::move(scalar));
      continue;
    }
    SmallVector<int64_t> words(3 + 2 * getRank(type));
    std::memcpy(words.data(), storage + offset, words.size() * 8);
    results.push_back(copyResult(words, cast<ShapedType>(type)));
    // A result may be an argument or a constant, which are not to be freed,
    // or the same buffer twice.
    auto *block = reinterpret_cast<void *>(words[0]);
    if (allocations::isAlive(block) && !llvm::is_contained(blocks, block))
      blocks.push_back(block);
  }
  statistics.largestBufferBytes = allocations::getLargest(blocks);
  for (void *block : blocks)
    allocations::release(block);
  return results;
}

llvm::Expected<SmallVector<HostTensor>>
Program::call(MutableArrayRef<HostTensor> arguments,
              CallStatistics &statistics) const {
  auto function = engine->lookupPacked(entry);
  if (!function)
    return function.takeError();
  // Addresses of what the packed call points to: they must not move.
  SmallVector<Descriptor> descriptors;
  SmallVector<void *> pointers;
  descriptors.reserve(arguments.size());
  pointers.reserve(arguments.size() + 1);
  SmallVector<void *> packed;
  uint64_t size;
  SmallVector<uint64_t> offsets = layOutResults(type.getResults(), size);
  std::vector<uint64_t> storage(size / 8 + 1);
  bool throughPointer =
      type.getNumResults() > 1 ||
      (type.getNumResults() == 1 && isBuffer(type.getResult(0)));
  if (throughPointer) {
    pointers.push_back(storage.data());
    packed.push_back(&pointers.back());
  }
  for (auto [tensor, argumentType] : llvm::zip(arguments, type.getInputs())) {
    if (!isBuffer(argumentType)) {
      packed.push_back(tensor.bytes.data());
      continue;
    }
    descriptors.push_back(Descriptor::makeContiguous(tensor));
    pointers.push_back(descriptors.back().words.data());
    packed.push_back(&pointers.back());
  }
  if (type.getNumResults() == 1 && !throughPointer)
    packed.push_back(storage.data());
  allocations::reset();
  auto start = std::chrono::steady_clock::now();
  (*function)(packed.data());
  statistics.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return collectResults(type.getResults(), offsets,
                        reinterpret_cast<const uint8_t *>(storage.data()),
                        statistics);
}
