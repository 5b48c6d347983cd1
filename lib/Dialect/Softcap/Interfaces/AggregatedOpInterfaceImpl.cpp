//===- AggregatedOpInterfaceImpl.cpp - Decomposition of every op ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference decomposition of the elementwise ops, the surfaces and the
// merge, and the external models that offer it for every op.
//
//===----------------------------------------------------------------------===//

#include "DecomposeAttention.h"

#include "softcap/Dialect/Softcap/Interfaces/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::softcap;

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// A generic over all elements whose body is the same op on scalars.
template <typename OpTy>
static FailureOr<SmallVector<Value>>
decomposeElementwise(OpBuilder &builder, OpTy op, ArrayRef<Value> ins) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type)
    return failure();
  LinalgEmitter e(builder, op.getLoc());
  ImplicitLocOpBuilder &b = e.builder();
  SmallVector<AffineExpr> all;
  for (unsigned i = 0; i < type.getRank(); ++i)
    all.push_back(e.loop(i));
  SmallVector<Access> accesses;
  for (Value in : ins)
    accesses.push_back({in, all});
  Value init = e.empty(tensor::getMixedSizes(b, b.getLoc(), ins[0]),
                       type.getElementType());
  if (init.getType() != type)
    init = tensor::CastOp::create(b, type, init);
  Value result =
      e.generic(accesses, {init, all}, type.getRank(),
                [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
                  IRMapping mapping;
                  mapping.map(ins, args.take_front(ins.size()));
                  Operation *scalar = body.clone(*op.getOperation(), mapping);
                  scalar->getResult(0).setType(type.getElementType());
                  return scalar->getResult(0);
                });
  return SmallVector<Value>{result};
}

static FailureOr<SmallVector<Value>> decompose(OpBuilder &builder, CapOp op) {
  return decomposeElementwise(builder, op, {op.getInput()});
}

static FailureOr<SmallVector<Value>> decompose(OpBuilder &builder,
                                               CapGradOp op) {
  if (op.getGrad() == op.getInput()) // One operand, so one block argument.
    return decomposeElementwise(builder, op, {op.getInput()});
  return decomposeElementwise(builder, op, {op.getGrad(), op.getInput()});
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

/// cap(scale * x + bias) in the type of x.
template <typename OpTy>
static Value emitSurface(ImplicitLocOpBuilder &b, OpTy op, Value x,
                         Value bias) {
  Type type = x.getType();
  double scale = op.getScale().convertToDouble();
  if (scale != 1.0)
    x = arith::MulFOp::create(b, x, constantFloat(b, type, scale));
  if (bias)
    x = arith::AddFOp::create(b, x, convertFloat(b, bias, type));
  return CapOp::create(b, type, x, op.getCapAttr(), op.getCapValue(),
                       op.getAccuracy());
}

static FailureOr<SmallVector<Value>> decompose(OpBuilder &builder,
                                               ScoresOp op) {
  LinalgEmitter e(builder, op.getLoc());
  Type type = computeType(op.getContext(),
                          {op.getQuery().getType(), op.getKey().getType(),
                           op.getOutput().getType()});
  Value product = emitScoreProduct(e, e.asTensor(op.getQuery()),
                                   e.asTensor(op.getKey()), type);
  SmallVector<AffineExpr> all = e.loops({0, 1, 2, 3});
  SmallVector<Access> ins = {{product, all}};
  if (Value bias = op.getPreBias())
    ins.push_back(broadcastAccess(e, e.asTensor(bias), product));
  Value output = e.asTensor(op.getOutput(), /*writable=*/true);
  Value result = e.generic(
      ins, {output, all}, 4, [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value bias = op.getPreBias() ? args[1] : Value();
        return convertFloat(b, emitSurface(b, op, args[0], bias),
                            args.back().getType());
      });
  return e.finish(result, op.getDpsInits());
}

/// ln sum_v exp(x), over the last dimension.
static Value emitLogSumExp(LinalgEmitter &e, Value x, Value lse) {
  ImplicitLocOpBuilder &b = e.builder();
  unsigned rank = cast<RankedTensorType>(x.getType()).getRank();
  Type type = getElementTypeOrSelf(x);
  SmallVector<AffineExpr> row;
  for (unsigned i = 0; i + 1 < rank; ++i)
    row.push_back(e.loop(i));
  SmallVector<AffineExpr> all = row;
  all.push_back(e.loop(rank - 1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  sizes.pop_back();
  double lowest = -std::numeric_limits<double>::infinity();
  Value max = e.generic(
      {{x, all}}, {e.filled(sizes, type, lowest), row}, rank,
      [](ImplicitLocOpBuilder &body, ValueRange args) {
        return arith::MaxNumFOp::create(body, args[0], args[1]).getResult();
      });
  Value sum =
      e.generic({{x, all}, {max, row}}, {e.filled(sizes, type, 0.0), row}, rank,
                [](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
                  Value shifted = arith::SubFOp::create(
                      body, args[0], emitSafeMax(body, args[1]));
                  Value weight = math::ExpOp::create(body, shifted);
                  return arith::AddFOp::create(body, args[2], weight);
                });
  return e.generic({{max, row}, {sum, row}}, {lse, row}, rank - 1,
                   [](ImplicitLocOpBuilder &body, ValueRange args) {
                     Value log = math::LogOp::create(body, args[1]);
                     Value value = arith::AddFOp::create(
                         body, emitSafeMax(body, args[0]), log);
                     return convertFloat(body, value, args[2].getType());
                   });
}

static FailureOr<SmallVector<Value>> decompose(OpBuilder &builder,
                                               LogitsOp op) {
  LinalgEmitter e(builder, op.getLoc());
  ImplicitLocOpBuilder &b = e.builder();
  Type type = computeType(op.getContext(),
                          {op.getHidden().getType(), op.getWeight().getType(),
                           op.getOutput().getType()});
  Value output = e.asTensor(op.getOutput(), /*writable=*/true);
  // Loops: the leading dimensions, then the vocabulary, then D.
  unsigned rank = cast<RankedTensorType>(output.getType()).getRank();
  SmallVector<AffineExpr> hidden, all;
  for (unsigned i = 0; i < rank; ++i)
    all.push_back(e.loop(i));
  hidden.append(all.begin(), std::prev(all.end()));
  hidden.push_back(e.loop(rank));
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), output);
  Value product = e.generic(
      {{e.asTensor(op.getHidden()), hidden},
       {e.asTensor(op.getWeight()), e.loops({rank - 1, rank})}},
      {e.filled(sizes, type, 0.0), all}, rank + 1, multiplyAccumulate);
  SmallVector<Access> ins = {{product, all}};
  if (Value bias = op.getBias())
    ins.push_back({e.asTensor(bias), e.loops({rank - 1})});
  auto surface = [&](ImplicitLocOpBuilder &body, ValueRange args) {
    Value bias = op.getBias() ? args[1] : Value();
    return convertFloat(body, emitSurface(body, op, args[0], bias),
                        args.back().getType());
  };
  if (!op.getLse())
    return e.finish(e.generic(ins, {output, all}, rank, surface),
                    op.getDpsInits());

  // The LSE is of the logits before they are rounded to storage.
  Value capped = e.generic(ins, {e.empty(sizes, type), all}, rank, surface);
  Value rounded =
      e.generic({{capped, all}}, {output, all}, rank,
                [](ImplicitLocOpBuilder &body, ValueRange args) {
                  return convertFloat(body, args[0], args[1].getType());
                });
  Value lse =
      emitLogSumExp(e, capped, e.asTensor(op.getLse(), /*writable=*/true));
  return e.finish({rounded, lse}, op.getDpsInits());
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

static FailureOr<SmallVector<Value>> decompose(OpBuilder &builder,
                                               AttentionOp op) {
  return decomposeAttention(builder, op);
}

static FailureOr<SmallVector<Value>> decompose(OpBuilder &builder,
                                               OnlineAttentionOp op) {
  return decomposeOnlineAttention(builder, op, /*guardValues=*/true);
}

static FailureOr<SmallVector<Value>> decompose(OpBuilder &builder, MergeOp op) {
  return decomposeMerge(builder, op);
}

namespace {
template <typename OpTy>
struct DecomposeModel
    : linalg::AggregatedOpInterface::ExternalModel<DecomposeModel<OpTy>, OpTy> {
  FailureOr<SmallVector<Value>> decomposeOperation(Operation *op,
                                                   OpBuilder &builder) const {
    return decompose(builder, cast<OpTy>(op));
  }
};
} // namespace

template <typename... Ops>
static void attachDecompositions(MLIRContext *context) {
  (Ops::template attachInterface<DecomposeModel<Ops>>(*context), ...);
}

void softcap::registerAggregatedOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SoftcapDialect *) {
    attachDecompositions<CapOp, CapGradOp, ScoresOp, LogitsOp, AttentionOp,
                         OnlineAttentionOp, MergeOp>(context);
    context->loadDialect<arith::ArithDialect, math::MathDialect,
                         linalg::LinalgDialect, tensor::TensorDialect,
                         bufferization::BufferizationDialect>();
  });
}
