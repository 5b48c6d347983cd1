//===- Inputs.cpp - Arguments of a run ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the arguments of the entry function from files or a random seed.
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "softcap/Runner/Npy.h"

#include <map>
#include <random>

using namespace mlir;
using namespace mlir::softcap;

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static Type getElement(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getElementType() : type;
}

static llvm::Error checkType(Type type, const Twine &what) {
  auto shaped = dyn_cast<ShapedType>(type);
  bool isBuffer = isa<RankedTensorType>(type);
  if (auto memref = dyn_cast<MemRefType>(type))
    isBuffer = memref.getLayout().isIdentity();
  if ((shaped && !isBuffer) || !getElementBytes(getElement(type)))
    return llvm::createStringError(
        what + " has type " + print(type) +
        "; expected a scalar or a ranked tensor of floats or integers");
  return llvm::Error::success();
}

llvm::Error softcap::checkSignature(FunctionType type) {
  for (auto [i, input] : llvm::enumerate(type.getInputs()))
    if (auto error = checkType(input, "argument " + Twine(i)))
      return error;
  for (auto [i, result] : llvm::enumerate(type.getResults()))
    if (auto error = checkType(result, "result " + Twine(i)))
      return error;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

using Shapes = std::map<unsigned, SmallVector<int64_t>>;

static llvm::Expected<Shapes> parseShapes(ArrayRef<std::string> texts) {
  Shapes shapes;
  for (StringRef text : texts) {
    auto [number, list] = text.split('=');
    unsigned argument;
    SmallVector<int64_t> shape;
    bool bad = number.getAsInteger(10, argument);
    SmallVector<StringRef> sizes;
    list.split(sizes, 'x');
    for (StringRef size : sizes) {
      int64_t extent = 0;
      bad |= size.getAsInteger(10, extent) || extent < 0 ||
             extent > (int64_t(1) << 40);
      shape.push_back(extent);
    }
    if (bad)
      return llvm::createStringError("--shape=" + text +
                                     ": expected ARGUMENT=SIZExSIZE...");
    shapes[argument] = shape;
  }
  return shapes;
}

static llvm::Expected<SmallVector<int64_t>>
getRandomShape(unsigned number, Type type, const Shapes &shapes) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return SmallVector<int64_t>();
  SmallVector<int64_t> shape(shaped.getShape());
  auto given = shapes.find(number);
  if (given == shapes.end()) {
    if (!shaped.hasStaticShape())
      return llvm::createStringError(
          "argument " + Twine(number) + " has type " + print(type) +
          "; give its shape with --shape=" + Twine(number) + "=...");
    return shape;
  }
  bool same = shape.size() == given->second.size();
  for (unsigned i = 0; same && i < shape.size(); ++i)
    same = ShapedType::isDynamic(shape[i]) || shape[i] == given->second[i];
  if (!same)
    return llvm::createStringError("--shape=" + Twine(number) + "=" +
                                   formatShape(given->second) +
                                   " does not fit " + print(type));
  return SmallVector<int64_t>(given->second);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static HostTensor makeRandom(Type elementType, ArrayRef<int64_t> shape,
                             std::pair<int64_t, int64_t> range,
                             std::mt19937_64 &random) {
  HostTensor tensor = makeTensor(elementType, shape);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int64_t> integers(range.first,
                                                  range.second - 1);
  std::uniform_int_distribution<int64_t> booleans(0, 1);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
    tensor.setDouble(i, isa<FloatType>(elementType) ? normal(random)
                        : elementType.isInteger(1)  ? booleans(random)
                                                    : integers(random));
  return tensor;
}

static llvm::Error checkMemory(unsigned number, ArrayRef<int64_t> shape) {
  double elements = 1;
  for (int64_t size : shape)
    elements *= size;
  if (elements > double(int64_t(1) << 33))
    return llvm::createStringError("argument " + Twine(number) + " of shape " +
                                   formatShape(shape) + " is too large");
  return llvm::Error::success();
}

llvm::Expected<SmallVector<HostTensor>>
softcap::makeInputs(FunctionType type, const InputOptions &options) {
  if (!options.files.empty() && options.files.size() != type.getNumInputs())
    return llvm::createStringError(Twine(options.files.size()) +
                                   " --input files for " +
                                   Twine(type.getNumInputs()) + " arguments");
  auto shapes = parseShapes(options.shapes);
  if (!shapes)
    return shapes.takeError();
  if (!shapes->empty() && shapes->rbegin()->first >= type.getNumInputs())
    return llvm::createStringError("--shape=" + Twine(shapes->rbegin()->first) +
                                   "=...: the function has " +
                                   Twine(type.getNumInputs()) + " arguments");
  std::mt19937_64 random(options.seed);
  SmallVector<HostTensor> inputs;
  for (auto [i, input] : llvm::enumerate(type.getInputs())) {
    Type elementType = getElement(input);
    if (!options.files.empty()) {
      auto shaped = dyn_cast<ShapedType>(input);
      auto tensor = readNpy(options.files[i], elementType,
                            shaped ? shaped.getShape() : ArrayRef<int64_t>());
      if (!tensor)
        return tensor.takeError();
      inputs.push_back(std::move(*tensor));
      continue;
    }
    auto shape = getRandomShape(i, input, *shapes);
    if (!shape)
      return shape.takeError();
    if (auto error = checkMemory(i, *shape))
      return error;
    inputs.push_back(
        makeRandom(elementType, *shape, options.integerRange, random));
  }
  return inputs;
}
