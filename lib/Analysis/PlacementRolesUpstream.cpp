//===- PlacementRolesUpstream.cpp - Roles of upstream ops ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of the arith, math, tensor, vector and memref dialects.
//
//===----------------------------------------------------------------------===//

#include "PlacementRoles.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

using K = NodeKind;
using V = Verb;

static constexpr OpRole roles[] = {
    {"arith.constant", V::constant, K::constant, 0, 1, 2, "value"},
    {"arith.addf", V::binary, K::add},
    {"arith.subf", V::binary, K::sub},
    {"arith.mulf", V::binary, K::mul},
    {"arith.divf", V::binary, K::div},
    {"arith.negf", V::unary, K::neg},
    {"arith.maximumf", V::binary, K::max},
    {"arith.maxnumf", V::binary, K::max},
    {"arith.minimumf", V::binary, K::min},
    {"arith.minnumf", V::binary, K::min},
    {"arith.cmpf", V::binary, K::compare},
    {"arith.cmpi", V::binary, K::compare},
    {"arith.select", V::select},
    {"arith.truncf", V::unary, K::convert},
    {"arith.extf", V::unary, K::convert},
    {"arith.sitofp", V::unary, K::convert},
    {"arith.uitofp", V::unary, K::convert},
    {"arith.bitcast", V::pure},
    {"arith.scaling_extf", V::binary, K::mul},
    {"math.tanh", V::unary, K::tanh},
    {"math.exp", V::unary, K::exp},
    {"math.exp2", V::unary, K::exp2},
    {"math.log", V::unary, K::log},
    {"math.log2", V::unary, K::log},
    {"math.absf", V::unary, K::abs},
    {"math.fma", V::fma},
    {"math.powf", V::power},
    {"math.fpowi", V::power},
    {"math.clampf", V::clamp},
    {"math.sqrt", V::unary, K::sqrt},
    {"math.rsqrt", V::unary, K::rsqrt},
    {"math.sin", V::pure},
    {"math.cos", V::pure},
    {"math.erf", V::pure},
    {"math.log1p", V::pure},
    {"math.expm1", V::pure},
    {"math.sinh", V::pure},
    {"math.cosh", V::pure},
    {"math.atan", V::pure},
    {"math.cbrt", V::pure},
    {"math.ceil", V::pure},
    {"math.floor", V::pure},
    {"math.round", V::pure},
    {"math.roundeven", V::pure},
    {"math.trunc", V::pure},
    {"math.copysign", V::pure},
    {"tensor.cast", V::pass},
    {"tensor.collapse_shape", V::pass},
    {"tensor.expand_shape", V::pass},
    {"tensor.reshape", V::pass},
    {"tensor.extract_slice", V::pass},
    {"tensor.extract", V::pass},
    {"tensor.bitcast", V::pass},
    {"tensor.gather", V::pass},
    {"tensor.splat", V::pass},
    {"tensor.empty", V::uninitialized},
    {"tensor.concat", V::alternatives},
    {"tensor.from_elements", V::alternatives},
    {"tensor.insert", V::pass},
    {"tensor.scatter", V::pass},
    {"linalg.pack", V::pass},
    {"linalg.unpack", V::pass},
    {"linalg.softmax", V::softmax},
    {"bufferization.alloc_tensor", V::uninitialized},
    {"ub.poison", V::uninitialized},
    {"vector.broadcast", V::pass},
    {"vector.transpose", V::pass},
    {"vector.shape_cast", V::pass},
    {"vector.splat", V::pass},
    {"vector.bitcast", V::pure},
    {"vector.extract", V::pass},
    {"vector.extract_strided_slice", V::pass},
    {"vector.scalable.extract", V::pass},
    {"vector.insert", V::pass},
    {"vector.insert_strided_slice", V::pass},
    {"vector.from_elements", V::alternatives},
    {"vector.to_elements", V::pass},
    {"vector.shuffle", V::alternatives},
    {"vector.interleave", V::alternatives},
    {"vector.fma", V::fma},
    {"vector.outerproduct", V::contractionAdd},
    {"vector.step", V::pure},
    {"vector.create_mask", V::pure},
    {"vector.constant_mask", V::pure},
    {"gpu.shuffle", V::pass},
    {"builtin.unrealized_conversion_cast", V::pass},
};

ArrayRef<OpRole> placement::getUpstreamRoles() { return roles; }
