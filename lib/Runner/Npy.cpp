//===- Npy.cpp - NumPy array files ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header of a .npy file is a Python dictionary literal with three keys; it
// is read strictly and checked against the file's size before any element is.
//
//===----------------------------------------------------------------------===//

#include "softcap/Runner/Npy.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;
using namespace mlir::softcap;

static_assert(llvm::endianness::native == llvm::endianness::little,
              ".npy files are read and written in little-endian order");

static llvm::Error makeError(StringRef path, const Twine &message) {
  return llvm::createStringError(path + ": " + message);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
struct Header {
  /// NumPy's type character and item size, e.g. 'f' and 4.
  char kind;
  unsigned itemBytes;
  SmallVector<int64_t> shape;
  /// The elements, as many bytes as shape and size say.
  StringRef elements;
};
} // namespace

/// The text after `'key':` in the header's dictionary.
static std::optional<StringRef> findKey(StringRef dictionary, StringRef key) {
  size_t at = dictionary.find(("'" + key + "':").str());
  if (at == StringRef::npos)
    return std::nullopt;
  return dictionary.drop_front(at + key.size() + 3).ltrim();
}

static bool parseDescr(StringRef text, Header &header) {
  if (!text.consume_front("'"))
    return false;
  StringRef descr = text.take_until([](char c) { return c == '\''; });
  if (descr.size() < 3 || StringRef("<|=").find(descr[0]) == StringRef::npos)
    return false;
  header.kind = descr[1];
  return !descr.drop_front(2).getAsInteger(10, header.itemBytes) &&
         StringRef("fiubV").contains(header.kind) && header.itemBytes > 0 &&
         header.itemBytes <= 8;
}

static bool parseShape(StringRef text, Header &header) {
  if (!text.consume_front("("))
    return false;
  StringRef list = text.take_until([](char c) { return c == ')'; });
  SmallVector<StringRef> sizes;
  list.split(sizes, ',', -1, /*KeepEmpty=*/false);
  for (StringRef size : sizes) {
    uint64_t number;
    if (size.trim().empty())
      continue;
    if (size.trim().getAsInteger(10, number) || number > (1ull << 40))
      return false;
    header.shape.push_back(number);
  }
  return true;
}

static llvm::Expected<Header> parseHeader(StringRef path, StringRef file) {
  if (!file.consume_front("\x93NUMPY") || file.size() < 4)
    return makeError(path, "not a .npy file");
  unsigned lengthBytes = file[0] == 1 ? 2 : 4;
  file = file.drop_front(2);
  if (file.size() < lengthBytes)
    return makeError(path, "truncated header");
  uint64_t length = lengthBytes == 2
                        ? llvm::support::endian::read16le(file.data())
                        : llvm::support::endian::read32le(file.data());
  file = file.drop_front(lengthBytes);
  if (file.size() < length)
    return makeError(path, "truncated header");
  StringRef dictionary = file.take_front(length);
  Header header;
  header.elements = file.drop_front(length);
  auto descr = findKey(dictionary, "descr");
  auto order = findKey(dictionary, "fortran_order");
  auto shape = findKey(dictionary, "shape");
  if (!descr || !order || !shape || !parseShape(*shape, header))
    return makeError(path, "malformed header");
  if (!parseDescr(*descr, header))
    return makeError(path, "unsupported element type in the header (expected "
                           "little-endian floats, integers or booleans)");
  if (order->starts_with("True") && header.shape.size() > 1)
    return makeError(path, "column-major order; save it with "
                           "numpy.ascontiguousarray");
  uint64_t size = header.itemBytes;
  for (int64_t extent : header.shape) {
    bool overflow = false;
    size = llvm::SaturatingMultiply<uint64_t>(size, extent, &overflow);
    if (overflow)
      return makeError(path, "shape too large");
  }
  if (header.elements.size() != size)
    return makeError(path, Twine(header.elements.size()) +
                               " bytes of elements, but the shape needs " +
                               Twine(size));
  return header;
}

static bool fits(ArrayRef<int64_t> shape, ArrayRef<int64_t> wanted) {
  return shape.size() == wanted.size() &&
         llvm::all_of(llvm::zip(shape, wanted), [](auto pair) {
           auto [size, want] = pair;
           return ShapedType::isDynamic(want) || size == want;
         });
}

static Type getFloatType(MLIRContext *context, unsigned bytes) {
  if (bytes == 2)
    return Float16Type::get(context);
  if (bytes == 4)
    return Float32Type::get(context);
  return Float64Type::get(context);
}

llvm::Expected<HostTensor> softcap::readNpy(StringRef path, Type elementType,
                                            ArrayRef<int64_t> shape) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (std::error_code code = buffer.getError())
    return makeError(path, code.message());
  llvm::Expected<Header> header = parseHeader(path, (*buffer)->getBuffer());
  if (!header)
    return header.takeError();
  if (!fits(header->shape, shape))
    return makeError(path, "shape " + formatShape(header->shape) +
                               ", but the argument is " + formatShape(shape));
  std::string typeName;
  llvm::raw_string_ostream(typeName) << elementType;
  auto mismatch = [&]() {
    return makeError(path, "elements of type " + Twine(header->kind) +
                               Twine(header->itemBytes) +
                               ", but the argument has " + typeName);
  };
  HostTensor tensor = makeTensor(elementType, header->shape);
  auto isFloat = isa<FloatType>(elementType);
  bool isBits = tensor.bytes.size() == header->elements.size() &&
                (header->kind == 'V' || header->kind == 'u');
  bool sameKind = header->kind == 'f' ? isFloat : !isFloat;
  bool isBool = header->kind == 'b' && elementType.isInteger(1);
  if (header->kind == 'f' && isFloat) {
    HostTensor source{
        getFloatType(elementType.getContext(), header->itemBytes),
        header->shape,
        {header->elements.bytes_begin(), header->elements.bytes_end()}};
    if (source.elementType == elementType)
      return source;
    for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
      tensor.setDouble(i, source.getDouble(i));
    return tensor;
  }
  bool sixteenBits = isFloat && elementType.getIntOrFloatBitWidth() == 16;
  if (elementType.isInteger(1) ? !isBool
      : isFloat ? !(sixteenBits && isBits)
                : !(sameKind && header->kind != 'b' && header->kind != 'V' &&
                    tensor.bytes.size() == header->elements.size()))
    return mismatch();
  // NumPy's booleans are bytes of 0 or 1; anything else would mislead
  // compiled code.
  if (isBool && llvm::any_of(header->elements.bytes(),
                             [](uint8_t byte) { return byte > 1; }))
    return makeError(path, "a boolean that is neither 0 nor 1");
  std::memcpy(tensor.bytes.data(), header->elements.data(),
              header->elements.size());
  return tensor;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string getDescr(Type type) {
  if (auto f = dyn_cast<FloatType>(type))
    return "<f" + std::to_string(f.getWidth() / 8);
  if (type.isInteger(1))
    return "|b1";
  unsigned bytes = *getElementBytes(type);
  return (bytes == 1 ? "|" : "<") +
         std::string(type.isUnsignedInteger() ? "u" : "i") +
         std::to_string(bytes);
}

static std::string makeHeader(const HostTensor &tensor) {
  std::string shape;
  for (int64_t size : tensor.shape)
    shape += std::to_string(size) + ", ";
  if (tensor.shape.size() > 1)
    shape.resize(shape.size() - 2);
  else if (!shape.empty())
    shape.pop_back();
  std::string text = "{'descr': '" + getDescr(tensor.elementType) +
                     "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Magic, version and length take 10 bytes; elements start at a multiple
  // of 64.
  text.resize(llvm::alignTo(10 + text.size() + 1, 64) - 10 - 1, ' ');
  return text + "\n";
}

llvm::Error softcap::writeNpy(StringRef path, const HostTensor &tensor) {
  HostTensor widened;
  const HostTensor *source = &tensor;
  if (isa<Float16Type, BFloat16Type>(tensor.elementType)) {
    widened = makeTensor(Float32Type::get(tensor.elementType.getContext()),
                         tensor.shape);
    for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
      widened.setDouble(i, tensor.getDouble(i));
    source = &widened;
  }
  std::string header = makeHeader(*source);
  llvm::Error error =
      llvm::writeToOutput(path, [&](llvm::raw_ostream &os) -> llvm::Error {
        char length[2];
        llvm::support::endian::write16le(length, header.size());
        os << StringRef("\x93NUMPY\x01\x00", 8) << StringRef(length, 2)
           << header;
        os.write(reinterpret_cast<const char *>(source->bytes.data()),
                 source->bytes.size());
        // It is always a stream of a file; destroyed with an error, it would
        // end the process.
        auto &file = static_cast<llvm::raw_fd_ostream &>(os);
        os.flush();
        if (!file.has_error())
          return llvm::Error::success();
        std::error_code code = file.error();
        file.clear_error();
        return llvm::errorCodeToError(code);
      });
  if (error)
    return makeError(path, llvm::toString(std::move(error)));
  return llvm::Error::success();
}
