//===- RaiseRewrite.cpp - Putting softcap.cap in place --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cap becomes a tensor op where nothing else shares its loop, a scalar op in
// the body where something does.
//
//===----------------------------------------------------------------------===//

#include "RaiseCaps.h"

#include "softcap/Dialect/Softcap/IR/Softcap.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::raise;

namespace {
linalg::LinalgOp enclosingLinalg(Value v) {
  return dyn_cast_or_null<linalg::LinalgOp>(v.getParentRegion()->getParentOp());
}

Type withElement(Type type, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(element);
  return element;
}

class Rewriter {
public:
  explicit Rewriter(MLIRContext *context) : builder(context) {}

  bool rewrite(CapMatch match) {
    if (Value known = replaced.lookup(match.input))
      match.input = known;
    Operation *op = match.root.getDefiningOp();
    linalg::LinalgOp body = enclosingLinalg(match.root);
    if (body && stale.contains(body))
      return false;
    bool done = body ? rewriteInBody(match, body) : rewriteAtLevel(match, op);
    if (done)
      report(match, op);
    return done;
  }

  // At the end only: until then the matches name values of the old code.
  void eraseDead() {
    DenseSet<Operation *> erased;
    while (!suspects.empty()) {
      Operation *op = suspects.pop_back_val();
      if (erased.contains(op) || !isOpTriviallyDead(op))
        continue;
      op->walk([&](Operation *inner) {
        erased.insert(inner);
        for (Value operand : inner->getOperands())
          if (Operation *def = operand.getDefiningOp())
            suspects.push_back(def);
      });
      op->erase();
    }
  }

private:
  void report(const CapMatch &match, Operation *op) {
    auto note = passed(op);
    if (match.cap.isConstant())
      note << remark::add("raised to a cap of {0}", match.cap.coefficient);
    else
      note << remark::add("raised to a cap with a run-time value");
    if (match.scale != 1.0)
      note << remark::add(", scale {0} before it", match.scale);
    if (match.dropsRounding)
      note << remark::add(
          ", without the roundings to 16 bits between its steps");
    if (match.exponentials)
      note << remark::add(", which does not overflow as the exponentials did");
  }

  bool rewriteAtLevel(const CapMatch &match, Operation *op) {
    builder.setInsertionPoint(op);
    Value input = tensorOf(match.input);
    if (!input)
      return false;
    Value cap = createCap(match, input, match.root.getType(), op);
    if (!cap)
      return false;
    replace(match.root, cap);
    suspects.push_back(op);
    return true;
  }

  bool rewriteInBody(const CapMatch &match, linalg::LinalgOp body) {
    Operation *op = match.root.getDefiningOp();
    linalg::LinalgOp source = enclosingLinalg(match.input);
    bool scalar = isa<FloatType>(match.input.getType());
    bool whole = body->getNumResults() == 1 &&
                 body.getBlock()->getTerminator()->getOperand(0) == match.root;
    if (source == body || (scalar && !source))
      return rewriteScalar(match, match.input, op, body);
    if (!whole)
      if (BlockArgument argument = argumentOf(body, match.input))
        return rewriteScalar(match, argument, op, body);
    builder.setInsertionPoint(body);
    Value input = tensorOf(match.input);
    if (!input)
      return false;
    Type type = withElement(body->getResult(0).getType(), match.root.getType());
    Value cap = createCap(match, input, type, body);
    if (!cap)
      return false;
    if (whole) {
      replaced[match.root] = cap;
      body->getResult(0).replaceAllUsesWith(cap);
      suspects.push_back(body);
      return true;
    }
    return feed(match, body, cap);
  }

  bool rewriteScalar(const CapMatch &match, Value input, Operation *op,
                     linalg::LinalgOp body) {
    builder.setInsertionPoint(op);
    Value cap = createCap(match, input, match.root.getType(), body);
    if (!cap)
      return false;
    replace(match.root, cap);
    suspects.push_back(op);
    return true;
  }

  // Gives `body` the capped tensor as one more input, in place of the root.
  bool feed(const CapMatch &match, linalg::LinalgOp body, Value cap) {
    auto generic = dyn_cast<linalg::GenericOp>(body.getOperation());
    if (!generic)
      return false;
    AffineMap map =
        generic.getMatchingIndexingMap(generic.getDpsInitOperand(0));
    SmallVector<Value> inputs(generic.getInputs());
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    maps.insert(maps.begin() + inputs.size(), map);
    unsigned position = inputs.size();
    inputs.push_back(cap);
    auto fed = linalg::GenericOp::create(
        builder, generic.getLoc(), generic.getResultTypes(), inputs,
        generic.getOutputs(), maps, generic.getIteratorTypesArray());
    IRMapping mapping;
    generic.getRegion().cloneInto(&fed.getRegion(), mapping);
    Block &block = fed.getRegion().front();
    BlockArgument argument =
        block.insertArgument(position, match.root.getType(), generic.getLoc());
    mapping.lookup(match.root).replaceAllUsesWith(argument);
    dropDeadBody(block);
    generic.replaceAllUsesWith(withoutUnusedInputs(fed));
    replaced[match.root] = cap;
    stale.insert(body);
    suspects.push_back(body);
    return true;
  }

  static void dropDeadBody(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  // The old chain must not stay alive through an input that nobody reads.
  linalg::GenericOp withoutUnusedInputs(linalg::GenericOp op) {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps, old = op.getIndexingMapsArray();
    llvm::BitVector dead(op.getBlock()->getNumArguments());
    for (auto [i, input] : llvm::enumerate(op.getInputs())) {
      if (op.getBlock()->getArgument(i).use_empty()) {
        dead.set(i);
        continue;
      }
      inputs.push_back(input);
      maps.push_back(old[i]);
    }
    maps.append(old.begin() + op.getInputs().size(), old.end());
    auto lean = linalg::GenericOp::create(
        builder, op.getLoc(), op.getResultTypes(), inputs, op.getOutputs(),
        maps, op.getIteratorTypesArray());
    lean.getRegion().takeBody(op.getRegion());
    lean.getBlock()->eraseArguments(dead);
    op.erase();
    return lean;
  }

  void replace(Value from, Value to) {
    from.replaceAllUsesWith(to);
    replaced[from] = to;
  }

  // The argument by which `body` reads the element `v`.
  static BlockArgument argumentOf(linalg::LinalgOp body, Value v) {
    for (unsigned i = 0, e = body.getNumDpsInputs(); i != e; ++i) {
      BlockArgument argument = body.getBlock()->getArgument(i);
      if (resolve(argument) == v)
        return argument;
    }
    return {};
  }

  // The element `v` at the level of tensors: as it is, or as an op that
  // computes just this much of the body that it lies in.
  Value tensorOf(Value v) {
    linalg::LinalgOp body = enclosingLinalg(v);
    if (!body)
      return v;
    if (Value known = slices.lookup(v))
      return known;
    Value slice = sliceOf(v, body);
    return slices[v] = slice;
  }

  Value sliceOf(Value v, linalg::LinalgOp body) {
    OpOperand *init = body.getDpsInitOperand(0);
    SetVector<Operation *> ops;
    if (v.getDefiningOp()) {
      BackwardSliceOptions options;
      options.inclusive = true;
      options.omitBlockArguments = true;
      options.filter = [&](Operation *op) {
        return op->getParentOp() == body.getOperation();
      };
      if (failed(getBackwardSlice(v, &ops, options)))
        return {};
    }
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        if (auto argument = dyn_cast<BlockArgument>(operand))
          if (argument.getOwner() == body.getBlock() &&
              argument.getArgNumber() >= unsigned(body.getNumDpsInputs()))
            return {};
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(body);
    Location loc = body.getLoc();
    Value destination = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, init->get()),
        v.getType());
    SmallVector<Value> inputs = body.getDpsInputs();
    SmallVector<AffineMap> maps;
    for (OpOperand *input : body.getDpsInputOperands())
      maps.push_back(body.getMatchingIndexingMap(input));
    maps.push_back(body.getMatchingIndexingMap(init));
    auto generic = linalg::GenericOp::create(
        builder, loc, destination.getType(), inputs, destination, maps,
        body.getIteratorTypesArray(),
        [&](OpBuilder &nested, Location, ValueRange arguments) {
          IRMapping mapping;
          for (auto [i, argument] :
               llvm::enumerate(body.getBlock()->getArguments()))
            if (i < inputs.size())
              mapping.map(argument, arguments[i]);
          for (Operation &op : body.getBlock()->without_terminator())
            if (ops.contains(&op))
              nested.clone(op, mapping);
          linalg::YieldOp::create(nested, loc, mapping.lookupOrDefault(v));
        });
    return generic.getResult(0);
  }

  // Roundings are not added: the cap is computed in the wider of both types.
  Value createCap(const CapMatch &match, Value input, Type type,
                  Operation *anchor) {
    Location loc = match.root.getLoc();
    auto from = cast<FloatType>(getElementTypeOrSelf(input));
    auto to = cast<FloatType>(getElementTypeOrSelf(type));
    FloatType wide = from.getWidth() > to.getWidth() ? from : to;
    if (from.getWidth() == to.getWidth() && from != to)
      wide = builder.getF32Type();
    Value runtime;
    if (!match.cap.isConstant() && !(runtime = capValue(match.cap, anchor)))
      return {};
    if (from != wide)
      input = arith::ExtFOp::create(builder, loc,
                                    withElement(input.getType(), wide), input);
    if (isa<RankedTensorType>(type)) {
      Type wanted = withElement(type, wide);
      if (input.getType() != wanted) {
        if (!tensor::CastOp::areCastCompatible(input.getType(), wanted))
          return {};
        input = tensor::CastOp::create(builder, loc, wanted, input);
      }
    }
    if (match.scale != 1.0)
      input = scaled(input, match.scale, loc);
    FloatAttr constant =
        runtime ? FloatAttr() : builder.getF64FloatAttr(match.cap.coefficient);
    Value cap = CapOp::create(builder, loc, input.getType(), input, constant,
                              runtime, Accuracy::precise);
    if (to != wide)
      cap = arith::TruncFOp::create(builder, loc,
                                    withElement(cap.getType(), to), cap);
    return cap;
  }

  Value scaled(Value input, double scale, Location loc) {
    auto element = cast<FloatType>(getElementTypeOrSelf(input));
    auto constant = builder.getFloatAttr(element, scale);
    auto tensor = dyn_cast<RankedTensorType>(input.getType());
    if (!tensor) {
      TypedAttr attr = constant;
      if (auto vector = dyn_cast<VectorType>(input.getType()))
        attr = DenseElementsAttr::get(vector, constant.getValue());
      Value factor = arith::ConstantOp::create(builder, loc, attr);
      return arith::MulFOp::create(builder, loc, input, factor);
    }
    Value factor = arith::ConstantOp::create(builder, loc, constant);
    Value destination = tensor::EmptyOp::create(
        builder, loc, tensor::getMixedSizes(builder, loc, input), element);
    AffineMap identity = builder.getMultiDimIdentityMap(tensor.getRank());
    SmallVector<utils::IteratorType> loops(tensor.getRank(),
                                           utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               builder, loc, tensor, input, destination,
               ArrayRef<AffineMap>{identity, identity}, loops,
               [&](OpBuilder &nested, Location, ValueRange arguments) {
                 Value product =
                     arith::MulFOp::create(nested, loc, arguments[0], factor);
                 linalg::YieldOp::create(nested, loc, product);
               })
        .getResult(0);
  }

  // The run-time cap as a scalar that dominates `anchor`.
  Value capValue(const Uniform &cap, Operation *anchor) {
    if (cap.power != 1 || enclosingLinalg(cap.symbol))
      return {};
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(anchor);
    Location loc = cap.symbol.getLoc();
    Value value = cap.symbol;
    if (auto tensor = dyn_cast<RankedTensorType>(value.getType())) {
      SmallVector<Value> zeros;
      if (tensor.getRank())
        zeros.assign(tensor.getRank(),
                     arith::ConstantIndexOp::create(builder, loc, 0));
      value = tensor::ExtractOp::create(builder, loc, value, zeros);
    }
    if (cap.symbolType && cap.symbolType != value.getType())
      value = arith::TruncFOp::create(builder, loc, cap.symbolType, value);
    if (cap.coefficient != 1.0) {
      Value factor = arith::ConstantOp::create(
          builder, loc, builder.getFloatAttr(value.getType(), cap.coefficient));
      value = arith::MulFOp::create(builder, loc, value, factor);
    }
    return value;
  }

  OpBuilder builder;
  DenseMap<Value, Value> replaced, slices;
  DenseSet<Operation *> stale;
  SmallVector<Operation *> suspects;
};
} // namespace

unsigned raise::rewriteCaps(ArrayRef<CapMatch> matches) {
  if (matches.empty())
    return 0;
  Rewriter rewriter(matches.front().root.getContext());
  unsigned count = 0;
  for (const CapMatch &match : matches)
    count += rewriter.rewrite(match);
  rewriter.eraseDead();
  return count;
}
