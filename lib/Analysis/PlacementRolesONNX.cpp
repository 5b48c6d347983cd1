//===- PlacementRolesONNX.cpp - Roles of ONNX ops ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of ONNX operators, as ops of onnx-mlir or names of torch.operator.
//
//===----------------------------------------------------------------------===//

#include "PlacementRoles.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

using K = NodeKind;
using V = Verb;

static constexpr OpRole roles[] = {
    {"onnx.Constant", V::constant, K::constant, 0, 1, 2, "value"},
    {"onnx.NoValue", V::pure},
    {"onnx.Add", V::binary, K::add},
    {"onnx.Sub", V::binary, K::sub},
    {"onnx.Mul", V::binary, K::mul},
    {"onnx.Div", V::binary, K::div},
    {"onnx.Max", V::binary, K::max},
    {"onnx.Min", V::binary, K::min},
    {"onnx.Pow", V::power},
    {"onnx.Neg", V::unary, K::neg},
    {"onnx.Reciprocal", V::unary, K::reciprocal},
    {"onnx.Tanh", V::unary, K::tanh},
    {"onnx.Sigmoid", V::unary, K::sigmoid},
    {"onnx.Exp", V::unary, K::exp},
    {"onnx.Log", V::unary, K::log},
    {"onnx.Abs", V::unary, K::abs},
    {"onnx.Cast", V::unary, K::convert},
    {"onnx.CastLike", V::unary, K::convert},
    {"onnx.Clip", V::clamp},
    {"onnx.Where", V::select},
    {"onnx.Equal", V::binary, K::compare},
    {"onnx.Less", V::binary, K::compare},
    {"onnx.LessOrEqual", V::binary, K::compare},
    {"onnx.Greater", V::binary, K::compare},
    {"onnx.GreaterOrEqual", V::binary, K::compare},
    {"onnx.And", V::pure},
    {"onnx.Or", V::pure},
    {"onnx.Not", V::pure},
    {"onnx.Mod", V::pure},
    {"onnx.Sqrt", V::unary, K::sqrt},
    {"onnx.Sin", V::pure},
    {"onnx.Cos", V::pure},
    {"onnx.Erf", V::pure},
    {"onnx.Gelu", V::pure},
    {"onnx.Shape", V::pure},
    {"onnx.Range", V::pure},
    {"onnx.MatMul", V::contraction},
    {"onnx.Gemm", V::contractionAdd},
    {"onnx.ReduceMax", V::reduce, K::reduceMax},
    {"onnx.ReduceSum", V::reduce, K::reduceSum},
    {"onnx.ReduceMean", V::reduce, K::reduceSum},
    {"onnx.Softmax", V::softmax},
    {"onnx.LogSoftmax", V::logSoftmax},
    {"onnx.ArgMax", V::order},
    {"onnx.TopK", V::order},
    {"onnx.Identity", V::pass},
    {"onnx.Dropout", V::pass},
    {"onnx.Reshape", V::pass},
    {"onnx.Transpose", V::pass},
    {"onnx.Squeeze", V::pass},
    {"onnx.Unsqueeze", V::pass},
    {"onnx.Flatten", V::pass},
    {"onnx.Expand", V::pass},
    {"onnx.Tile", V::pass},
    {"onnx.Slice", V::pass},
    {"onnx.Split", V::pass},
    {"onnx.Trilu", V::pass},
    {"onnx.Concat", V::alternatives},
    {"onnx.Pad", V::pad, K::merge, 0, 2},
    {"onnx.Gather", V::lookup},
    {"onnx.GatherND", V::lookup},
    {"onnx.GatherElements", V::lookup},
    {"onnx.Attention", V::attention},
    {"onnx.GroupQueryAttention", V::attention},
    {"onnx.MultiHeadAttention", V::attention},
};

ArrayRef<OpRole> placement::getONNXRoles() { return roles; }
