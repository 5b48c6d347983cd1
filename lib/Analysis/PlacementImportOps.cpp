//===- PlacementImportOps.cpp - What one op computes ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluation of single ops: by their role, or by their own structure where a
// table cannot say it (linalg bodies, slices, contractions, softcap ops).
//
//===----------------------------------------------------------------------===//

#include "PlacementImport.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cmath>

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

//===----------------------------------------------------------------------===//
// Types and constants
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
static SmallVector<int64_t> getShape(Type type) {
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
// Dispatch
//===----------------------------------------------------------------------===//

/// ONNX operators that torch-mlir imports are all called torch.operator.
static StringRef getRoleName(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (name == "torch.operator")
    if (auto inner = op->getAttrOfType<StringAttr>("name"))
      return inner.getValue();
  return name;
}

static Attribute findAttribute(Operation *op, StringRef name) {
  if (Attribute attribute = op->getAttr(name))
    return attribute;
  return op->getAttr(("torch.onnx." + name).str());
}

void Importer::evaluate(Operation *op) {
  ++steps;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return evaluateLinalg(linalgOp);
  if (evaluateMemory(op) || evaluateTensor(op) || evaluateVector(op) ||
      evaluateSoftcap(op))
    return;
  if (const OpRole *role = lookupRole(getRoleName(op))) {
    evaluateRole(op, *role);
    return describeLoopContraction(op);
  }
  if (evaluateControlFlow(op))
    return;
  evaluateUnknown(op);
}

/// A contraction written as loops has the loops' extents.
void Importer::describeLoopContraction(Operation *op) {
  Node *n = op->getNumResults() ? values.lookup(op->getResult(0)) : nullptr;
  if (!n || n->kind != NodeKind::contraction || n->op != op ||
      n->contraction.batch != 0 || isa<linalg::LinalgOp>(op->getParentOp()))
    return;
  ContractionInfo &info = n->contraction;
  info.batch = 1;
  for (auto loop = op->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    int64_t count = trips ? trips->getSExtValue() : 0;
    if (info.depth == 0)
      info.depth = count;
    info.batch *= std::max<int64_t>(count, 1);
  }
}

void Importer::evaluateUnknown(Operation *op) {
  for (Region &region : op->getRegions())
    runRegion(region, {});
  if (op->getNumResults() == 0)
    return;
  bool anyFloat = llvm::any_of(
      op->getResultTypes(), [](Type type) { return getFloatBits(type) != 0; });
  Nodes operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  for (Value result : op->getResults()) {
    if (isa<BaseMemRefType>(result.getType()))
      continue;
    // Integers are indices, predicates and sizes: no score hides in them.
    set(result, graph.opaque(operands, op, getFloatBits(result.getType()),
                             anyFloat ? NodeKind::opaque : NodeKind::pure));
  }
}

void Importer::evaluateClamp(Operation *op, const OpRole &role) {
  Node *x = get(op->getOperand(role.x));
  unsigned bits = getFloatBits(op->getResult(0).getType());
  Node *low = nullptr, *high = nullptr;
  auto bound = [&](StringRef name) -> Node * {
    bool sentinel = false;
    auto value = readConstant(findAttribute(op, name), sentinel);
    return value ? graph.constant(*value, bits, op) : nullptr;
  };
  low = bound("min_val");
  high = bound("max_val");
  if (!low && op->getNumOperands() > 2) {
    low = get(op->getOperand(role.y));
    high = get(op->getOperand(role.z));
  }
  if (low)
    x = graph.binary(NodeKind::max, x, low, op, bits);
  if (high)
    x = graph.binary(NodeKind::min, x, high, op, bits);
  setAll(op, x);
}

/// Contraction of two tensors whose leading dimensions are batches.
static ContractionInfo describeContraction(Operation *op, Value x, Value y) {
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
  std::string text;
  if (Attribute numbers = op->getAttr("dot_dimension_numbers")) {
    llvm::raw_string_ostream(text) << numbers;
    info.batched = StringRef(text).contains("lhs_batching_dimensions");
    // The shapes tell equal contractions from others; their order does not.
    info.batch = 1;
    for (int64_t size : xs)
      info.batch *= size;
  }
  return info;
}

/// A device library's function, as __nv_tanhf.
static NodeKind getExternalKind(StringRef symbol) {
  if (symbol.contains("tanh"))
    return NodeKind::tanh;
  if (symbol.contains("exp2"))
    return NodeKind::exp2;
  if (symbol.contains("exp") && !symbol.contains("expm1"))
    return NodeKind::exp;
  return NodeKind::pure;
}

void Importer::evaluateRole(Operation *op, const OpRole &role) {
  if (role.verb == Verb::output && int(op->getNumOperands()) > role.y)
    graph.observe(get(op->getOperand(role.y)), Consumer::output, op);
  if (op->getNumResults() == 0)
    return;
  int needed = 0;
  switch (role.verb) {
  case Verb::constant:
  case Verb::uninitialized:
  case Verb::pure:
  case Verb::ignore:
  case Verb::alternatives:
  case Verb::output:
    break;
  case Verb::binary:
  case Verb::reversed:
  case Verb::power:
  case Verb::insertion:
  case Verb::pad:
  case Verb::contraction:
    needed = std::max(role.x, role.y) + 1;
    break;
  case Verb::select:
  case Verb::fma:
  case Verb::attention:
    needed = 3;
    break;
  default:
    needed = role.x + 1;
  }
  if (int(op->getNumOperands()) < needed)
    return evaluateUnknown(op);

  Value result = op->getResult(0);
  unsigned bits = getFloatBits(result.getType());
  auto x = [&] { return get(op->getOperand(role.x)); };
  auto y = [&] { return get(op->getOperand(role.y)); };
  auto z = [&] { return get(op->getOperand(role.z)); };
  switch (role.verb) {
  case Verb::constant: {
    bool sentinel = false;
    auto value = readConstant(findAttribute(op, role.attribute), sentinel);
    return set(result, value ? graph.constant(*value, bits, op)
                             : makeLeaf(op, result.getType(), sentinel));
  }
  case Verb::unary:
    return set(result, graph.unary(role.kind, x(), op, bits));
  case Verb::binary:
    return set(result, graph.binary(role.kind, x(), y(), op, bits));
  case Verb::reversed:
    return set(result, graph.binary(role.kind, y(), x(), op, bits));
  case Verb::select:
    return set(result, graph.select(x(), y(), z(), op, bits));
  case Verb::square:
    return set(result, graph.binary(NodeKind::mul, x(), x(), op, bits));
  case Verb::power: {
    Node *base = x(), *exponent = y();
    bool squares = exponent->kind == NodeKind::constant && exponent->value == 2;
    return set(result,
               squares
                   ? graph.binary(NodeKind::mul, base, base, op, bits)
                   : graph.opaque({base, exponent}, op, bits, NodeKind::pure));
  }
  case Verb::clamp:
    return evaluateClamp(op, role);
  case Verb::fma:
    return set(result,
               graph.binary(NodeKind::add,
                            graph.binary(NodeKind::mul, x(), y(), op, bits),
                            z(), op, bits));
  case Verb::pass:
  case Verb::lookup:
    return setAll(op, x());
  case Verb::alternatives: {
    Node *n = graph.empty();
    for (Value operand : op->getOperands())
      if (getFloatBits(operand.getType()) == bits)
        n = graph.merge(n, get(operand), op);
    // torch.aten.cat takes its tensors from a list.
    if (n->kind == NodeKind::empty && op->getNumOperands() > 0)
      if (Operation *list = op->getOperand(0).getDefiningOp())
        for (Value operand : list->getOperands())
          n = graph.merge(n, get(operand), op);
    return setAll(op, n);
  }
  case Verb::insertion:
    return set(result, graph.merge(x(), y(), op));
  case Verb::pad: {
    Node *border = y();
    bool harmless = border->kind == NodeKind::constant && !border->sentinel;
    return set(result, harmless ? x() : graph.merge(x(), border, op));
  }
  case Verb::contraction:
  case Verb::contractionAdd: {
    Value a = op->getOperand(role.x), b = op->getOperand(role.y);
    Node *n = graph.contraction(get(a), get(b), op, bits,
                                describeContraction(op, a, b));
    bool hasAddend = role.verb == Verb::contractionAdd &&
                     op->getNumOperands() > 2 &&
                     getFloatBits(op->getOperand(2).getType());
    if (hasAddend)
      n = graph.binary(NodeKind::add, n, z(), op, bits);
    return set(result, n);
  }
  case Verb::reduce:
    return setAll(op, graph.unary(role.kind, x(), op, bits));
  case Verb::regionReduce:
    return setAll(op, regionReduce(op, x()));
  case Verb::softmax:
    return set(result, graph.unary(NodeKind::softmax, x(), op, bits));
  case Verb::logSoftmax:
    return set(result, graph.unary(NodeKind::logSoftmax, x(), op, bits));
  case Verb::order:
    return setAll(op, graph.unary(NodeKind::order, x(), op, bits));
  case Verb::attention:
    return evaluateForeignAttention(op);
  case Verb::pure: {
    Nodes operands;
    for (Value operand : op->getOperands())
      operands.push_back(get(operand));
    return setAll(op, graph.opaque(operands, op, bits, NodeKind::pure));
  }
  case Verb::external: {
    auto symbol = op->getAttrOfType<StringAttr>(role.attribute);
    NodeKind kind = symbol ? getExternalKind(symbol) : NodeKind::pure;
    return set(result, graph.unary(kind, x(), op, bits));
  }
  case Verb::output:
    return;
  case Verb::uninitialized:
    return setAll(op, graph.empty());
  case Verb::ignore:
    return;
  }
}

/// The reduction that a region of two arguments describes.
Node *Importer::regionReduce(Operation *op, Node *x) {
  NodeKind kind = NodeKind::reduceSum;
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (const OpRole *role = lookupRole(inner.getName().getStringRef()))
        if (role->verb == Verb::binary && role->kind == NodeKind::max)
          kind = NodeKind::reduceMax;
  return graph.unary(kind, x, op, getFloatBits(op->getResult(0).getType()));
}

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

Importer::Reduction Importer::analyzeReduction(linalg::LinalgOp op) {
  Reduction r;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  r.reduces = !reductions.empty();
  if (!r.reduces || op.getNumDpsInputs() < 2)
    return r;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  AffineMap x = maps[0], y = maps[1], out = maps[op.getNumDpsInputs()];
  ContractionInfo &info = r.contraction;
  info.batch = info.depth = info.features = 1;
  for (unsigned d = 0, e = sizes.size(); d < e; ++d) {
    bool inX = x.isFunctionOfDim(d), inY = y.isFunctionOfDim(d);
    bool inOut = out.isFunctionOfDim(d);
    if (inX && inY && inOut) {
      info.batch *= sizes[d];
      info.batched |= sizes[d] != 1;
    } else if (inX && inY) {
      info.depth *= sizes[d];
    } else if (inY && inOut) {
      info.features *= sizes[d];
    }
    // A dot product of equal layouts is the sum of a product, no contraction.
    r.contracts |= inX != inY && sizes[d] != 1;
  }
  return r;
}

void Importer::evaluateLinalg(linalg::LinalgOp op) {
  Reduction reduction = analyzeReduction(op);
  Block *body = op.getBlock();
  unsigned inputs = op.getNumDpsInputs();
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (i >= body->getNumArguments())
      break;
    Node *n = get(operand);
    if (i >= inputs && reduction.reduces) {
      n = graph.accumulator(op, n->bits, n);
      n->reduction = true;
      n->contracts = reduction.contracts;
    }
    set(body->getArgument(i), n);
  }
  for (Operation &inner : body->without_terminator()) {
    if (isa<linalg::IndexOp>(inner)) {
      set(inner.getResult(0),
          graph.index(cast<linalg::IndexOp>(inner).getDim()));
      continue;
    }
    evaluate(&inner);
    for (Value result : inner.getResults()) {
      Node *n = values.lookup(result);
      if (n && n->kind == NodeKind::contraction && n->contraction.batch == 0) {
        n->contraction = reduction.contraction;
        n->op = op;
      }
    }
  }
  for (auto [i, yielded] :
       llvm::enumerate(body->getTerminator()->getOperands())) {
    Node *n = get(yielded);
    if (n->kind == NodeKind::accumulator)
      n = n->operands[0];
    // The sum starts from a bias.
    Node *init = get(op.getDpsInits()[i]);
    bool starts = n->kind == NodeKind::contraction && init->track &&
                  init->kind != NodeKind::accumulator;
    if (starts)
      n = graph.binary(NodeKind::add, n, init, op, n->bits);
    if (op.hasPureBufferSemantics())
      store(op.getDpsInits()[i], n);
    else
      set(op->getResult(i), n);
  }
}

//===----------------------------------------------------------------------===//
// tensor and vector
//===----------------------------------------------------------------------===//

bool Importer::evaluateTensor(Operation *op) {
  if (isa<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(op)) {
    auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
    Value source = op->getOperand(0), destination = op->getOperand(1);
    Node *n = get(source);
    // A moving offset visits the whole destination.
    bool fixed = llvm::none_of(slice.getMixedOffsets(),
                               [](OpFoldResult o) { return isa<Value>(o); });
    bool covers = getShape(source.getType()) == getShape(destination.getType());
    if (fixed && !covers)
      n = graph.merge(n, get(destination), op);
    if (op->getNumResults() > 0)
      set(op->getResult(0), n);
    else
      set(destination, n);
    return true;
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    Nodes border = runRegion(pad.getRegion(), {});
    Node *x = get(pad.getSource());
    bool harmless = border.empty() || (border[0]->kind == NodeKind::constant &&
                                       !border[0]->sentinel);
    set(pad.getResult(), harmless ? x : graph.merge(x, border[0], op));
    return true;
  }
  if (isa<tensor::GenerateOp>(op)) {
    Nodes yielded = runRegion(op->getRegion(0), {});
    set(op->getResult(0), yielded.empty() ? graph.empty() : yielded[0]);
    return true;
  }
  if (isa<scf::InParallelOp>(op)) {
    for (Operation &inner : op->getRegion(0).getOps())
      evaluateTensor(&inner);
    return true;
  }
  return false;
}

static std::optional<NodeKind> getReduction(vector::CombiningKind kind) {
  switch (kind) {
  case vector::CombiningKind::ADD:
    return NodeKind::reduceSum;
  case vector::CombiningKind::MAXIMUMF:
  case vector::CombiningKind::MAXNUMF:
    return NodeKind::reduceMax;
  default:
    return std::nullopt;
  }
}

bool Importer::evaluateVector(Operation *op) {
  unsigned bits =
      op->getNumResults() ? getFloatBits(op->getResult(0).getType()) : 0;
  if (auto contract = dyn_cast<vector::ContractionOp>(op)) {
    ContractionInfo info;
    SmallVector<AffineMap> maps = contract.getIndexingMapsArray();
    SmallVector<int64_t> sizes;
    contract.getIterationBounds(sizes);
    info.batch = info.depth = info.features = 1;
    for (unsigned d = 0, e = sizes.size(); d < e; ++d) {
      bool inX = maps[0].isFunctionOfDim(d), inY = maps[1].isFunctionOfDim(d);
      bool inOut = maps[2].isFunctionOfDim(d);
      info.batch *= inX && inY && inOut ? sizes[d] : 1;
      info.batched |= inX && inY && inOut && sizes[d] != 1;
      info.depth *= inX && inY && !inOut ? sizes[d] : 1;
      info.features *= !inX && inY && inOut ? sizes[d] : 1;
    }
    Node *n = graph.contraction(get(contract.getLhs()), get(contract.getRhs()),
                                op, bits, info);
    Node *init = get(contract.getAcc());
    if (init->track && init->kind != NodeKind::accumulator)
      n = graph.binary(NodeKind::add, n, init, op, bits);
    set(op->getResult(0), n);
    return true;
  }
  if (auto reduce = dyn_cast<vector::MultiDimReductionOp>(op)) {
    auto kind = getReduction(reduce.getKind());
    if (!kind)
      return false;
    set(op->getResult(0),
        graph.unary(*kind, get(reduce.getSource()), op, bits));
    return true;
  }
  if (auto reduce = dyn_cast<vector::ReductionOp>(op)) {
    auto kind = getReduction(reduce.getKind());
    if (!kind)
      return false;
    set(op->getResult(0),
        graph.unary(*kind, get(reduce.getVector()), op, bits));
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// softcap
//===----------------------------------------------------------------------===//

template <typename CappedOp>
static Node *applyCap(Graph &graph, CappedOp op, Node *x, Node *symbol,
                      unsigned bits) {
  if (op.getCap())
    return graph.cap(x, op.getCap()->convertToDouble(), nullptr, op, bits);
  return symbol ? graph.cap(x, 0, symbol, op, bits) : x;
}

template <typename AttentionOp>
Node *Importer::evaluateAttention(AttentionOp op) {
  unsigned bits = 32; // computed in f32 or better whatever the storage
  Value q = op.getQuery(), k = op.getKey();
  Node *symbol = op.getCapValue() ? get(op.getCapValue()) : nullptr;
  ContractionInfo info = describeContraction(op, q, k);
  info.batched = true;
  Node *x = graph.contraction(get(q), get(k), op, bits, info);
  auto scale = [&](Node *n, const APFloat &factor) {
    Node *c = graph.constant(factor.convertToDouble(), bits, op);
    return graph.binary(NodeKind::mul, n, c, op, bits);
  };
  x = scale(x, op.getPreScale());
  if (Value bias = op.getPreBias())
    x = graph.binary(NodeKind::add, x, get(bias), op, bits);
  x = applyCap(graph, op, x, symbol, bits);
  x = scale(x, op.getPostScale());
  if (Value bias = op.getPostBias())
    x = graph.binary(NodeKind::add, x, get(bias), op, bits);
  Node *p = graph.unary(NodeKind::softmax, x, op, bits);
  return graph.contraction(p, get(op.getValue()), op,
                           getFloatBits(op.getValue().getType()), info);
}

bool Importer::evaluateSoftcap(Operation *op) {
  auto finish = [&](Node *n, ValueRange destinations) {
    if (op->getNumResults() > 0)
      setAll(op, n);
    else if (!destinations.empty())
      store(destinations[0], n);
    return true;
  };
  if (auto cap = dyn_cast<softcap::CapOp>(op)) {
    Node *symbol = cap.getCapValue() ? get(cap.getCapValue()) : nullptr;
    // The op computes in f32 whatever its type is.
    set(cap.getResult(), applyCap(graph, cap, get(cap.getInput()), symbol,
                                  std::max(32u, getFloatBits(cap.getType()))));
    return true;
  }
  if (auto scores = dyn_cast<softcap::ScoresOp>(op)) {
    ContractionInfo info =
        describeContraction(op, scores.getQuery(), scores.getKey());
    info.batched = true;
    Node *x = graph.contraction(get(scores.getQuery()), get(scores.getKey()),
                                op, 32, info);
    Node *scale = graph.constant(scores.getScale().convertToDouble(), 32, op);
    x = graph.binary(NodeKind::mul, x, scale, op, 32);
    if (Value bias = scores.getPreBias())
      x = graph.binary(NodeKind::add, x, get(bias), op, 32);
    Node *symbol = scores.getCapValue() ? get(scores.getCapValue()) : nullptr;
    return finish(applyCap(graph, scores, x, symbol, 32), scores.getOutput());
  }
  if (auto logits = dyn_cast<softcap::LogitsOp>(op)) {
    ContractionInfo info =
        describeContraction(op, logits.getHidden(), logits.getWeight());
    info.batched = false;
    Node *x = graph.contraction(get(logits.getHidden()),
                                get(logits.getWeight()), op, 32, info);
    Node *scale = graph.constant(logits.getScale().convertToDouble(), 32, op);
    x = graph.binary(NodeKind::mul, x, scale, op, 32);
    if (Value bias = logits.getBias())
      x = graph.binary(NodeKind::add, x, get(bias), op, 32);
    Node *symbol = logits.getCapValue() ? get(logits.getCapValue()) : nullptr;
    return finish(applyCap(graph, logits, x, symbol, 32), logits.getOutput());
  }
  if (auto attention = dyn_cast<softcap::AttentionOp>(op))
    return finish(evaluateAttention(attention), attention.getOutput());
  if (auto attention = dyn_cast<softcap::OnlineAttentionOp>(op))
    return finish(evaluateAttention(attention), attention.getAccumulator());
  if (isa<softcap::MergeOp>(op))
    return finish(get(op->getOperand(0)), {});
  if (auto grad = dyn_cast<softcap::CapGradOp>(op)) {
    set(grad.getResult(),
        graph.opaque({get(grad.getGrad())}, op, getFloatBits(grad.getType()),
                     NodeKind::pure));
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Fused attention of other dialects
//===----------------------------------------------------------------------===//

/// Attention ops that take a function for the scores: torch's flex attention.
void Importer::evaluateFlexAttention(Operation *op) {
  unsigned bits = getFloatBits(op->getResult(0).getType());
  Node *v = get(op->getOperand(2));
  ContractionInfo info =
      describeContraction(op, op->getOperand(0), op->getOperand(1));
  info.batched = true;
  Node *x = graph.contraction(get(op->getOperand(0)), get(op->getOperand(1)),
                              op, bits, info);
  Node *scale = op->getNumOperands() > 3 ? get(op->getOperand(3)) : nullptr;
  if (scale && scale->kind == NodeKind::constant)
    x = graph.binary(NodeKind::mul, x, scale, op, bits);
  auto callee = [&](StringRef name) -> FunctionOpInterface {
    auto symbol = op->getAttrOfType<FlatSymbolRefAttr>(name);
    if (!symbol)
      return nullptr;
    return symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, symbol);
  };
  if (auto scoreMod = callee("score_mod_fn")) {
    Nodes results;
    if (!scoreMod.isExternal() && !activeCalls.contains(scoreMod))
      results = runFunction(scoreMod, {x});
    x = results.empty() ? graph.opaque({x}, op, bits, NodeKind::opaque)
                        : results[0];
  }
  Node *p = graph.unary(NodeKind::softmax, x, op, bits);
  setAll(op, graph.contraction(p, v, op, bits, info));
}

/// Attention ops whose region maps the scores: queries, keys, values, scale,
/// an optional mask that is applied to the mapped scores, destinations.
void Importer::evaluateRegionAttention(Operation *op) {
  unsigned bits = getFloatBits(op->getOperand(0).getType());
  ContractionInfo info =
      describeContraction(op, op->getOperand(0), op->getOperand(1));
  info.batched = true;
  // The op accumulates in the type that its region works in.
  Region &map = op->getRegion(0);
  if (map.getNumArguments() > 0)
    bits = getFloatBits(map.getArgument(0).getType());
  Node *x = graph.contraction(get(op->getOperand(0)), get(op->getOperand(1)),
                              op, bits, info);
  if (op->getNumOperands() > 3 && op->getOperand(3).getType().isFloat())
    x = graph.binary(NodeKind::mul, x, get(op->getOperand(3)), op, bits);
  Nodes mapped = runRegion(map, {x});
  x = mapped.empty() ? graph.opaque({x}, op, bits, NodeKind::opaque)
                     : mapped[0];
  Node *p = graph.unary(NodeKind::softmax, x, op, bits);
  setAll(op, graph.contraction(p, get(op->getOperand(2)), op, bits, info));
}

void Importer::evaluateForeignAttention(Operation *op) {
  if (op->getNumRegions() > 0 && !op->getRegion(0).empty())
    return evaluateRegionAttention(op);
  if (op->hasAttr("score_mod_fn"))
    return evaluateFlexAttention(op);
  unsigned bits = getFloatBits(op->getResult(0).getType());
  Value q = op->getOperand(0), k = op->getOperand(1);
  ContractionInfo info = describeContraction(op, q, k);
  info.batched = true;
  Node *x = graph.contraction(get(q), get(k), op, bits, info);
  x->fusedAttention = true;
  bool ignored = false;
  auto number = [&](StringRef name) {
    return readConstant(findAttribute(op, name), ignored);
  };
  std::optional<double> scale = number("scale");
  // torch: query, key, value, mask, dropout, is_causal, scale, enable_gqa
  bool isTorch = getRoleName(op).starts_with("torch.");
  if (isTorch && op->getNumOperands() > 6)
    if (Node *n = get(op->getOperand(6)); n->kind == NodeKind::constant)
      scale = n->value;
  if (!scale && info.depth > 0)
    scale = 1 / std::sqrt(double(info.depth));
  if (scale)
    x = graph.binary(NodeKind::mul, x, graph.constant(*scale, bits, op), op,
                     bits);
  std::optional<double> cap = number("softcap");
  if (cap && *cap != 0)
    x = graph.cap(x, *cap, nullptr, op, bits);
  Node *p = graph.unary(NodeKind::softmax, x, op, bits);
  setAll(op, graph.contraction(p, get(op->getOperand(2)), op, bits, info));
}
