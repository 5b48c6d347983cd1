//===- RaiseUniform.cpp - Factors that every element shares ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The spellings of a scalar: constants, splats, resources, fills, broadcasts,
// one-element tensors, run-time scalars and products of them.
//
//===----------------------------------------------------------------------===//

#include "RaiseElement.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::raise;

namespace {
constexpr unsigned depthLimit = 24;

unsigned precisionOf(Type type) {
  if (auto floatType = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
    return floatType.getFPMantissaWidth();
  return 53;
}

double toDouble(APFloat value) {
  bool lossy;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return value.convertToDouble();
}

Uniform constant(double value, Type type) {
  Uniform u;
  u.coefficient = value;
  u.precision = precisionOf(type);
  return u;
}

std::optional<double> allEqual(DenseResourceElementsAttr attr) {
  auto type = dyn_cast<FloatType>(attr.getElementType());
  AsmResourceBlob *blob = attr.getRawHandle().getBlob();
  if (!type || !blob || type.getWidth() % 8)
    return std::nullopt;
  ArrayRef<char> data = blob->getData();
  size_t width = type.getWidth() / 8;
  if (data.size() < width || data.size() % width)
    return std::nullopt;
  for (size_t i = width; i < data.size(); ++i)
    if (data[i] != data[i - width])
      return std::nullopt;
  APInt bits(type.getWidth(), 0);
  for (size_t i = 0; i < width; ++i)
    bits.insertBits(uint8_t(data[i]), i * 8, 8);
  return toDouble(APFloat(type.getFloatSemantics(), bits));
}

std::optional<double> constantValue(Attribute attr) {
  if (auto f = dyn_cast<FloatAttr>(attr))
    return toDouble(f.getValue());
  if (auto i = dyn_cast<IntegerAttr>(attr))
    return double(i.getInt());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr))
    return allEqual(resource);
  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (!dense || dense.empty() || !dense.isSplat())
    return std::nullopt;
  if (isa<FloatType>(dense.getElementType()))
    return toDouble(dense.getSplatValue<APFloat>());
  if (dense.getElementType().isIntOrIndex())
    return double(dense.getSplatValue<APInt>().getSExtValue());
  return std::nullopt;
}

std::optional<Uniform> fromConstant(Operation *op) {
  Attribute attr;
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    if (!matchPattern(op, m_Constant(&attr)))
      attr = op->getAttr("value");
  }
  if (!attr && op->getName().getStringRef() == "tosa.const")
    attr =
        op->getPropertiesAsAttribute()
            ? cast<DictionaryAttr>(op->getPropertiesAsAttribute()).get("values")
            : Attribute();
  std::optional<double> value = attr ? constantValue(attr) : std::nullopt;
  if (!value)
    return std::nullopt;
  return constant(*value, op->getResult(0).getType());
}

Uniform rounded(Uniform u, FloatType type) {
  if (u.isConstant()) {
    APFloat value(u.coefficient);
    bool lossy;
    value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &lossy);
    u.coefficient = toDouble(value);
  } else if (!u.symbolType ||
             type.getWidth() < u.symbolType.getIntOrFloatBitWidth()) {
    u.symbolType = type;
  }
  u.precision = std::min(u.precision, precisionOf(type));
  return u;
}

std::optional<Uniform> find(Value v, bool allowScalar, unsigned depth);

std::optional<Uniform> fromArithmetic(Operation *op, unsigned depth) {
  StringRef name = op->getName().getStringRef();
  auto operand = [&](unsigned i) {
    return find(op->getOperand(i), /*allowScalar=*/true, depth + 1);
  };
  if (name == "arith.mulf" || name == "tosa.mul") {
    auto a = operand(0), b = operand(1);
    return a && b ? multiply(*a, *b) : std::nullopt;
  }
  if (name == "arith.divf") {
    auto a = operand(0), b = operand(1);
    return a && b ? multiply(*a, reciprocal(*b)) : std::nullopt;
  }
  std::optional<Uniform> u = operand(0);
  if (!u)
    return std::nullopt;
  if (name == "tosa.reciprocal")
    return reciprocal(*u);
  if (name == "arith.negf") {
    u->coefficient = -u->coefficient;
    return u;
  }
  if (name == "arith.truncf" || name == "tosa.cast" || name == "arith.sitofp") {
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
    if (!type || (!u->isConstant() && name == "arith.sitofp"))
      return std::nullopt;
    return rounded(*u, type);
  }
  if (!u->isConstant())
    return name == "arith.extf" ? u : std::nullopt;
  if (name == "math.sqrt")
    u->coefficient = std::sqrt(u->coefficient);
  else if (name == "math.rsqrt")
    u->coefficient = 1.0 / std::sqrt(u->coefficient);
  return u;
}

bool isArithmetic(Operation *op) {
  return llvm::StringSwitch<bool>(op->getName().getStringRef())
      .Cases({"arith.mulf", "arith.divf", "arith.negf", "arith.extf",
              "arith.truncf", "arith.sitofp"},
             true)
      .Cases({"tosa.mul", "tosa.reciprocal", "tosa.cast", "math.sqrt",
              "math.rsqrt"},
             true)
      .Default(false);
}

// Ops whose result holds nothing but elements of their first operand.
bool onlyMoves(Operation *op) {
  return llvm::StringSwitch<bool>(op->getName().getStringRef())
             .Cases({"tensor.splat", "tensor.extract", "tensor.cast",
                     "tensor.expand_shape", "tensor.collapse_shape",
                     "tensor.reshape"},
                    true)
             .Cases({"tensor.extract_slice", "vector.broadcast",
                     "vector.shape_cast", "vector.transpose", "vector.splat"},
                    true)
             .Cases(
                 {"tosa.reshape", "tosa.tile", "tosa.transpose", "tosa.slice"},
                 true)
             .Default(false) ||
         (op->getName().getStringRef() == "tensor.from_elements" &&
          op->getNumOperands() == 1);
}

std::optional<Uniform> throughLinalg(linalg::LinalgOp op, Value v,
                                     unsigned depth) {
  if (!op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return std::nullopt;
  unsigned number = cast<OpResult>(v).getResultNumber();
  return find(op.getBlock()->getTerminator()->getOperand(number),
              /*allowScalar=*/false, depth + 1);
}

std::optional<Uniform> fromArgument(BlockArgument argument, bool &inBody,
                                    unsigned depth) {
  auto op =
      dyn_cast_or_null<linalg::LinalgOp>(argument.getOwner()->getParentOp());
  inBody = bool(op);
  if (!op || argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
    return std::nullopt;
  return find(op.getDpsInputOperand(argument.getArgNumber())->get(),
              /*allowScalar=*/true, depth + 1);
}

bool isInLinalgBody(Value v) {
  return isa_and_nonnull<linalg::LinalgOp>(v.getParentRegion()->getParentOp());
}

// A run-time scalar or a one-element tensor, the same wherever it is read.
std::optional<Uniform> fromSymbol(Value v, bool allowScalar) {
  auto tensor = dyn_cast<RankedTensorType>(v.getType());
  bool single =
      tensor && tensor.hasStaticShape() && tensor.getNumElements() == 1;
  bool scalar =
      isa<FloatType>(v.getType()) && allowScalar && !isInLinalgBody(v);
  if (!isa<FloatType>(getElementTypeOrSelf(v)) || (!single && !scalar))
    return std::nullopt;
  Uniform u;
  u.symbol = v;
  u.power = 1;
  u.symbolType = getElementTypeOrSelf(v);
  return u;
}

std::optional<Uniform> find(Value v, bool allowScalar, unsigned depth) {
  if (depth > depthLimit)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    bool inBody = false;
    if (auto u = fromArgument(argument, inBody, depth))
      return u;
    return inBody ? std::nullopt : fromSymbol(v, allowScalar);
  }
  Operation *op = v.getDefiningOp();
  std::optional<Uniform> u;
  if (op->getNumResults() == 1 && op->getNumOperands() == 0)
    u = fromConstant(op);
  else if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    u = throughLinalg(linalgOp, v, depth);
  else if (isArithmetic(op))
    u = fromArithmetic(op, depth);
  else if (onlyMoves(op))
    u = find(op->getOperand(0), allowScalar, depth + 1);
  if (u)
    return u;
  // In a body only what comes from outside is the same for every element.
  return fromSymbol(v, allowScalar);
}
} // namespace

std::optional<Uniform> raise::multiply(const Uniform &a, const Uniform &b) {
  Uniform result = a.isConstant() ? b : a;
  result.coefficient = a.coefficient * b.coefficient;
  result.precision = std::min(a.precision, b.precision);
  if (a.isConstant() || b.isConstant())
    return result;
  if (!a.sameSymbol(b) || a.power + b.power != 0)
    return std::nullopt;
  result.symbol = {};
  result.symbolType = {};
  result.power = 0;
  return result;
}

Uniform raise::reciprocal(Uniform u) {
  u.coefficient = 1.0 / u.coefficient;
  u.power = -u.power;
  return u;
}

std::optional<Uniform> raise::getUniform(Value v, bool allowScalar) {
  return find(v, allowScalar, 0);
}
