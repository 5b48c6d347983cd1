//===- PlacementRoles.h - What ops of any dialect mean ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One declarative table per dialect says by name what an op does to scores.
// The ops need not be registered: adding a dialect is adding a table.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_ANALYSIS_PLACEMENTROLES_H
#define SOFTCAP_LIB_ANALYSIS_PLACEMENTROLES_H

#include "PlacementGraph.h"

#include "llvm/ADT/StringRef.h"

namespace mlir::softcap::placement {

enum class Verb : uint8_t {
  constant,       // `attribute` holds the value
  unary,          // kind(x)
  binary,         // kind(x, y)
  reversed,       // kind(y, x)
  select,         // x ? y : z
  square,         // x * x
  power,          // x ^ y with a constant y
  clamp,          // min(max(x, y), z), or bounds from attributes
  fma,            // x * y + z
  pass,           // x, in another layout
  alternatives,   // all operands, at different places
  insertion,      // x is put into y
  pad,            // x, and y at the border
  contraction,    // of x and y
  contractionAdd, // of x and y, plus z
  reduce,         // kind says which; x
  regionReduce,   // the body says which; x
  softmax,
  logSoftmax,
  order,
  lookup,    // x at the places that y names
  attention, // queries x, keys y, values z
  external,  // a library function, named by `attribute`
  output,    // y leaves the program
  pure,      // elementwise or integer, of no interest
  uninitialized,
  ignore, // no result of interest
};

struct OpRole {
  llvm::StringLiteral name;
  Verb verb;
  NodeKind kind = NodeKind::pure;
  int8_t x = 0, y = 1, z = 2;
  llvm::StringLiteral attribute = "";
};

ArrayRef<OpRole> getUpstreamRoles();
ArrayRef<OpRole> getTosaRoles();
ArrayRef<OpRole> getStableHLORoles();
ArrayRef<OpRole> getTorchRoles();
ArrayRef<OpRole> getONNXRoles();
ArrayRef<OpRole> getTritonRoles();
ArrayRef<OpRole> getLinalgExtRoles();

/// The role of the op called `name`, or null.
const OpRole *lookupRole(StringRef name);

} // namespace mlir::softcap::placement

#endif // SOFTCAP_LIB_ANALYSIS_PLACEMENTROLES_H
