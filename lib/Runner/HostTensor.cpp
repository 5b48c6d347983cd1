//===- HostTensor.cpp - Tensors in host memory ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element access by type.
//
//===----------------------------------------------------------------------===//

#include "softcap/Runner/HostTensor.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;
using namespace mlir::softcap;

std::optional<unsigned> softcap::getElementBytes(Type type) {
  if (isa<IndexType>(type))
    return 8;
  if (isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return type.getIntOrFloatBitWidth() / 8;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return std::nullopt;
  switch (integer.getWidth()) {
  case 1:
  case 8:
    return 1;
  case 16:
  case 32:
  case 64:
    return integer.getWidth() / 8;
  default:
    return std::nullopt;
  }
}

int64_t HostTensor::getNumElements() const {
  return ShapedType::getNumElements(shape);
}

template <typename T>
static T load(const HostTensor &tensor, int64_t i) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
static void store(HostTensor &tensor, int64_t i, T value) {
  std::memcpy(tensor.bytes.data() + i * sizeof(T), &value, sizeof(T));
}

static double loadHalf(const llvm::fltSemantics &semantics, uint16_t bits) {
  APFloat value(semantics, APInt(16, bits));
  return value.convertToDouble();
}

static uint16_t roundToHalf(const llvm::fltSemantics &semantics, double value) {
  APFloat rounded(value);
  bool losesInfo;
  rounded.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.bitcastToAPInt().getZExtValue();
}

double HostTensor::getDouble(int64_t i) const {
  if (elementType.isF64())
    return load<double>(*this, i);
  if (elementType.isF32())
    return load<float>(*this, i);
  if (elementType.isBF16()) {
    // The upper half of an f32.
    uint32_t bits = uint32_t(load<uint16_t>(*this, i)) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  if (elementType.isF16())
    return loadHalf(APFloat::IEEEhalf(), load<uint16_t>(*this, i));
  bool isUnsigned = elementType.isUnsignedInteger();
  switch (*getElementBytes(elementType)) {
  case 1:
    return elementType.isInteger(1) || isUnsigned ? double(bytes[i])
                                                  : load<int8_t>(*this, i);
  case 2:
    return isUnsigned ? load<uint16_t>(*this, i) : load<int16_t>(*this, i);
  case 4:
    return isUnsigned ? load<uint32_t>(*this, i) : load<int32_t>(*this, i);
  default:
    return isUnsigned ? double(load<uint64_t>(*this, i))
                      : double(load<int64_t>(*this, i));
  }
}

void HostTensor::setDouble(int64_t i, double value) {
  if (elementType.isF64())
    return store<double>(*this, i, value);
  if (elementType.isF32())
    return store<float>(*this, i, value);
  if (elementType.isBF16())
    return store<uint16_t>(*this, i, roundToHalf(APFloat::BFloat(), value));
  if (elementType.isF16())
    return store<uint16_t>(*this, i, roundToHalf(APFloat::IEEEhalf(), value));
  auto integer = int64_t(value);
  switch (*getElementBytes(elementType)) {
  case 1:
    return store<int8_t>(*this, i, integer);
  case 2:
    return store<int16_t>(*this, i, integer);
  case 4:
    return store<int32_t>(*this, i, integer);
  default:
    return store<int64_t>(*this, i, integer);
  }
}

HostTensor softcap::makeTensor(Type elementType, ArrayRef<int64_t> shape) {
  HostTensor tensor{elementType, llvm::to_vector(shape), {}};
  tensor.bytes.resize(tensor.getNumElements() * *getElementBytes(elementType));
  return tensor;
}

HostTensor softcap::promoteToF64(const HostTensor &tensor) {
  if (!isa<FloatType>(tensor.elementType))
    return tensor;
  HostTensor result = makeTensor(
      Float64Type::get(tensor.elementType.getContext()), tensor.shape);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
    store<double>(result, i, tensor.getDouble(i));
  return result;
}

std::string softcap::formatShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      shape, os,
      [&](int64_t size) {
        if (ShapedType::isDynamic(size))
          os << "?";
        else
          os << size;
      },
      "x");
  return text;
}
