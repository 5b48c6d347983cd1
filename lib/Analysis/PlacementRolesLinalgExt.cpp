//===- PlacementRolesLinalgExt.cpp - Roles of linalg_ext ops ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of IREE's linalg_ext dialect: the score map is the op's region.
//
//===----------------------------------------------------------------------===//

#include "PlacementRoles.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

using K = NodeKind;
using V = Verb;

static constexpr OpRole roles[] = {
    {"iree_linalg_ext.attention", V::attention},
    {"iree_linalg_ext.online_attention", V::attention},
    {"linalg_ext.attention", V::attention},
    {"linalg_ext.online_attention", V::attention},
    {"iree_linalg_ext.topk", V::order},
    {"iree_linalg_ext.arg_compare", V::order},
    {"iree_linalg_ext.gather", V::lookup},
};

ArrayRef<OpRole> placement::getLinalgExtRoles() { return roles; }
