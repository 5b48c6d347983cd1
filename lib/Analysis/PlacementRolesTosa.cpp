//===- PlacementRolesTosa.cpp - Roles of TOSA ops ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of the TOSA dialect.
//
//===----------------------------------------------------------------------===//

#include "PlacementRoles.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

using K = NodeKind;
using V = Verb;

static constexpr OpRole roles[] = {
    {"tosa.const", V::constant, K::constant, 0, 1, 2, "values"},
    {"tosa.const_shape", V::pure},
    {"tosa.add", V::binary, K::add},
    {"tosa.sub", V::binary, K::sub},
    {"tosa.mul", V::binary, K::mul},
    {"tosa.maximum", V::binary, K::max},
    {"tosa.minimum", V::binary, K::min},
    {"tosa.pow", V::power},
    {"tosa.negate", V::unary, K::neg},
    {"tosa.reciprocal", V::unary, K::reciprocal},
    {"tosa.tanh", V::unary, K::tanh},
    {"tosa.sigmoid", V::unary, K::sigmoid},
    {"tosa.exp", V::unary, K::exp},
    {"tosa.log", V::unary, K::log},
    {"tosa.abs", V::unary, K::abs},
    {"tosa.cast", V::unary, K::convert},
    {"tosa.clamp", V::clamp},
    {"tosa.select", V::select},
    {"tosa.equal", V::binary, K::compare},
    {"tosa.greater", V::binary, K::compare},
    {"tosa.greater_equal", V::binary, K::compare},
    {"tosa.rsqrt", V::unary, K::rsqrt},
    {"tosa.erf", V::pure},
    {"tosa.sin", V::pure},
    {"tosa.cos", V::pure},
    {"tosa.ceil", V::pure},
    {"tosa.floor", V::pure},
    {"tosa.matmul", V::contraction},
    {"tosa.reduce_max", V::reduce, K::reduceMax},
    {"tosa.reduce_sum", V::reduce, K::reduceSum},
    {"tosa.argmax", V::order},
    {"tosa.reshape", V::pass},
    {"tosa.transpose", V::pass},
    {"tosa.tile", V::pass},
    {"tosa.slice", V::pass},
    {"tosa.reverse", V::pass},
    {"tosa.identity", V::pass},
    {"tosa.concat", V::alternatives},
    {"tosa.pad", V::pad, K::merge, 0, 2},
    {"tosa.gather", V::lookup},
};

ArrayRef<OpRole> placement::getTosaRoles() { return roles; }
