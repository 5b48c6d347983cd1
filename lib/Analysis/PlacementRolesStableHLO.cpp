//===- PlacementRolesStableHLO.cpp - Roles of StableHLO ops ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of the StableHLO and CHLO dialects; MHLO has the same names.
//
//===----------------------------------------------------------------------===//

#include "PlacementRoles.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

using K = NodeKind;
using V = Verb;

static constexpr OpRole roles[] = {
    {"stablehlo.constant", V::constant, K::constant, 0, 1, 2, "value"},
    {"stablehlo.add", V::binary, K::add},
    {"stablehlo.subtract", V::binary, K::sub},
    {"stablehlo.multiply", V::binary, K::mul},
    {"stablehlo.divide", V::binary, K::div},
    {"stablehlo.maximum", V::binary, K::max},
    {"stablehlo.minimum", V::binary, K::min},
    {"stablehlo.power", V::power},
    {"stablehlo.negate", V::unary, K::neg},
    {"stablehlo.tanh", V::unary, K::tanh},
    {"stablehlo.logistic", V::unary, K::sigmoid},
    {"stablehlo.exponential", V::unary, K::exp},
    {"stablehlo.log", V::unary, K::log},
    {"stablehlo.abs", V::unary, K::abs},
    {"stablehlo.convert", V::unary, K::convert},
    {"stablehlo.reduce_precision", V::pass},
    {"stablehlo.clamp", V::clamp, K::min, 1, 0, 2},
    {"stablehlo.select", V::select},
    {"stablehlo.compare", V::binary, K::compare},
    {"stablehlo.sqrt", V::unary, K::sqrt},
    {"stablehlo.rsqrt", V::unary, K::rsqrt},
    {"stablehlo.sine", V::pure},
    {"stablehlo.cosine", V::pure},
    {"stablehlo.floor", V::pure},
    {"stablehlo.exponential_minus_one", V::pure},
    {"stablehlo.log_plus_one", V::pure},
    {"stablehlo.iota", V::pure},
    {"stablehlo.and", V::pure},
    {"stablehlo.or", V::pure},
    {"stablehlo.not", V::pure},
    {"stablehlo.dot_general", V::contraction},
    {"stablehlo.dot", V::contraction},
    {"stablehlo.reduce", V::regionReduce},
    {"stablehlo.reshape", V::pass},
    {"stablehlo.transpose", V::pass},
    {"stablehlo.broadcast_in_dim", V::pass},
    {"stablehlo.broadcast", V::pass},
    {"stablehlo.dynamic_broadcast_in_dim", V::pass},
    {"stablehlo.dynamic_reshape", V::pass},
    {"stablehlo.slice", V::pass},
    {"stablehlo.dynamic_slice", V::pass},
    {"stablehlo.reverse", V::pass},
    {"stablehlo.optimization_barrier", V::pass},
    {"stablehlo.concatenate", V::alternatives},
    {"stablehlo.dynamic_update_slice", V::insertion, K::merge, 1, 0},
    {"stablehlo.pad", V::pad},
    {"stablehlo.gather", V::lookup},
    {"stablehlo.sort", V::order},
    {"chlo.top_k", V::order},
    {"chlo.erf", V::pure},
};

ArrayRef<OpRole> placement::getStableHLORoles() { return roles; }
