//===- PlacementConstants.cpp - Types, constants and names of any dialect
//------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading of types, shapes, numbers and names, also where the dialect is not
// linked and only their text is there.
//
//===----------------------------------------------------------------------===//

#include "PlacementImport.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

//===----------------------------------------------------------------------===//
// Types and numbers
//===----------------------------------------------------------------------===//

/// The text of a type that no linked dialect knows, as !torch.vtensor<[2],f32>.
static StringRef getOpaqueText(Type type) {
  if (auto opaque = dyn_cast<OpaqueType>(type))
    return opaque.getTypeData();
  return "";
}

unsigned placement::getFloatBits(Type type) {
  StringRef text = getOpaqueText(type);
  if (!text.empty()) {
    if (text.contains("bf16") || text.contains("f16"))
      return 16;
    if (text.contains("f32"))
      return 32;
    return text.contains("f64") || text.contains("float") ? 64 : 0;
  }
  Type element = getElementTypeOrSelf(type);
  return element.isFloat() ? element.getIntOrFloatBitWidth() : 0;
}

/// Shape of a tensor type; for unlinked ones read from its first bracket.
SmallVector<int64_t> placement::getShape(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.hasRank() ? SmallVector<int64_t>(shaped.getShape())
                            : SmallVector<int64_t>();
  SmallVector<int64_t> shape;
  StringRef text = getOpaqueText(type);
  auto [before, after] = text.split('[');
  SmallVector<StringRef> parts;
  after.split(']').first.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    int64_t size;
    shape.push_back(part.trim().getAsInteger(10, size) ? ShapedType::kDynamic
                                                       : size);
  }
  return shape;
}

Node *Importer::makeLeaf(Operation *op, Type type, bool sentinel) {
  bool predicate = getElementTypeOrSelf(type).isInteger(1) ||
                   getOpaqueText(type).ends_with(",i1>");
  return graph.leaf(op, getFloatBits(type), getShape(type), predicate,
                    sentinel);
}

static bool isSentinelElement(const APFloat &value) {
  return value.convertToDouble() <= -1e4;
}

/// Larger constants are weights, not masks.
static constexpr int64_t kMaxScannedElements = 1 << 22;

static double toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// Blobs of exporters hold little-endian numbers.
static std::optional<double> readResource(DenseResourceElementsAttr resource,
                                          bool &sentinel) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return std::nullopt;
  ArrayRef<char> data = blob->getData();
  Type type = resource.getType().getElementType();
  unsigned width = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  unsigned bytes = width / 8;
  if (bytes == 0 || bytes > 8 || data.size() < bytes || !type.isFloat())
    return std::nullopt;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  auto element = [&](size_t i) {
    uint64_t bits = 0;
    for (unsigned b = 0; b < bytes; ++b)
      bits |= uint64_t(uint8_t(data[i * bytes + b])) << (8 * b);
    return toDouble(APFloat(semantics, APInt(width, bits)));
  };
  if (data.size() == bytes)
    return element(0);
  size_t count = data.size() / bytes;
  if (count <= size_t(kMaxScannedElements))
    for (size_t i = 0; i < count && !sentinel; ++i)
      sentinel = element(i) <= -1e4;
  return std::nullopt;
}

std::optional<double> placement::readConstant(Attribute attribute,
                                              bool &sentinel) {
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute))
    return toDouble(number.getValue());
  if (auto number = dyn_cast_or_null<IntegerAttr>(attribute))
    return number.getValue().getBitWidth() <= 64
               ? std::optional<double>(
                     number.getType().isSignlessInteger(1)
                         ? double(number.getValue().getBoolValue())
                         : double(number.getValue().getSExtValue()))
               : std::nullopt;
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(attribute))
    return readResource(resource, sentinel);
  auto dense = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!dense || dense.empty())
    return std::nullopt;
  Type type = dense.getElementType();
  bool single = dense.isSplat() || dense.getNumElements() == 1;
  if (single && type.isFloat())
    return toDouble(*dense.value_begin<APFloat>());
  if (single && type.isIntOrIndex() && !type.isInteger(1)) {
    APInt value = *dense.value_begin<APInt>();
    return value.getBitWidth() <= 64
               ? std::optional<double>(double(value.getSExtValue()))
               : std::nullopt;
  }
  if (type.isFloat() && dense.getNumElements() <= kMaxScannedElements)
    sentinel = llvm::any_of(dense.getValues<APFloat>(), [](APFloat v) {
      return isSentinelElement(APFloat(toDouble(v)));
    });
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Names and attributes
//===----------------------------------------------------------------------===//

/// ONNX operators that torch-mlir imports are all called torch.operator.
StringRef placement::getRoleName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name == "torch.operator")
    if (auto inner = op->getAttrOfType<StringAttr>("name"))
      return inner.getValue();
  return name;
}

Attribute placement::findAttribute(Operation *op, StringRef name) {
  if (Attribute attribute = op->getAttr(name))
    return attribute;
  return op->getAttr(("torch.onnx." + name).str());
}

/// Contraction of two tensors whose leading dimensions are batches.
/// The dimensions that `key` lists in the text of an attribute.
static SmallVector<size_t> readDimensions(StringRef text, StringRef key) {
  SmallVector<size_t> dimensions;
  size_t at = text.find(key);
  if (at == StringRef::npos)
    return dimensions;
  StringRef list = text.substr(at).split('[').second.split(']').first;
  SmallVector<StringRef> parts;
  list.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    size_t dimension;
    if (!part.trim().getAsInteger(10, dimension))
      dimensions.push_back(dimension);
  }
  return dimensions;
}

/// #stablehlo.dot<lhs_batching_dimensions = [0], ...>, which is only text here.
static void readDotDimensions(Attribute numbers, ArrayRef<int64_t> xs,
                              ArrayRef<int64_t> ys, ContractionInfo &info) {
  std::string text;
  llvm::raw_string_ostream(text) << numbers;
  auto batch = readDimensions(text, "lhs_batching_dimensions");
  auto depth = readDimensions(text, "lhs_contracting_dimensions");
  auto batchY = readDimensions(text, "rhs_batching_dimensions");
  auto depthY = readDimensions(text, "rhs_contracting_dimensions");
  info.batched = !batch.empty();
  info.batch = info.depth = info.features = 1;
  for (size_t d = 0; d < xs.size(); ++d) {
    info.batch *= llvm::is_contained(batch, d) ? xs[d] : 1;
    info.depth *= llvm::is_contained(depth, d) ? xs[d] : 1;
  }
  for (size_t d = 0; d < ys.size(); ++d)
    if (!llvm::is_contained(batchY, d) && !llvm::is_contained(depthY, d))
      info.features *= ys[d];
}

ContractionInfo placement::describeContraction(Operation *op, Value x,
                                               Value y) {
  ContractionInfo info;
  SmallVector<int64_t> xs = getShape(x.getType()), ys = getShape(y.getType());
  if (xs.empty() || ys.empty())
    return info;
  info.depth = xs.back();
  info.features = ys.back();
  info.batch = 1;
  for (int64_t size :
       ArrayRef<int64_t>(xs).drop_back(std::min<size_t>(2, xs.size())))
    info.batch *= size;
  bool both = xs.size() > 2 && ys.size() > 2;
  info.batched = both && info.batch != 1;
  if (Attribute numbers = op->getAttr("dot_dimension_numbers"))
    readDotDimensions(numbers, xs, ys, info);
  return info;
}
