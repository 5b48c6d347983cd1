//===- PlacementRolesTriton.cpp - Roles of Triton ops ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of the Triton dialects tt and ttg.
//
//===----------------------------------------------------------------------===//

#include "PlacementRoles.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

using K = NodeKind;
using V = Verb;

static constexpr OpRole roles[] = {
    {"tt.dot", V::contractionAdd},
    {"tt.dot_scaled", V::contractionAdd},
    {"tt.reduce", V::regionReduce},
    {"tt.extern_elementwise", V::external, K::pure, 0, 1, 2, "symbol"},
    {"tt.fp_to_fp", V::unary, K::convert},
    {"tt.clampf", V::clamp},
    {"tt.splat", V::pass},
    {"tt.broadcast", V::pass},
    {"tt.expand_dims", V::pass},
    {"tt.reshape", V::pass},
    {"tt.trans", V::pass},
    {"tt.split", V::pass},
    {"tt.join", V::alternatives},
    {"tt.cat", V::alternatives},
    {"ttg.convert_layout", V::pass},
    {"ttg.local_alloc", V::pass},
    {"ttg.local_load", V::pass},
    {"ttg.memdesc_trans", V::pass},
    {"tt.load", V::pure},
    {"tt.descriptor_load", V::pure},
    {"tt.store", V::output},
    {"tt.descriptor_store", V::output},
    {"tt.addptr", V::pure},
    {"tt.advance", V::pure},
    {"tt.make_tensor_ptr", V::pure},
    {"tt.make_tensor_descriptor", V::pure},
    {"tt.make_range", V::pure},
    {"tt.get_program_id", V::pure},
    {"tt.get_num_programs", V::pure},
};

ArrayRef<OpRole> placement::getTritonRoles() { return roles; }
