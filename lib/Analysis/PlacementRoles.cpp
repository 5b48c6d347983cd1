//===- PlacementRoles.cpp - Look-up of op roles ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One map from op names to roles, over all dialects' tables.
//
//===----------------------------------------------------------------------===//

#include "PlacementRoles.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::placement;

using K = NodeKind;
using V = Verb;

namespace {
struct RoleMap {
  llvm::StringMap<const OpRole *> byName;
  RoleMap() {
    for (ArrayRef<OpRole> table :
         {getUpstreamRoles(), getTosaRoles(), getStableHLORoles(),
          getTorchRoles(), getONNXRoles(), getTritonRoles(),
          getLinalgExtRoles()})
      for (const OpRole &role : table)
        byName[role.name] = &role;
  }
};
} // namespace

const OpRole *placement::lookupRole(StringRef name) {
  static const RoleMap roles;
  if (const OpRole *role = roles.byName.lookup(name))
    return role;
  // MHLO is the same dialect under its old name.
  if (name.consume_front("mhlo."))
    return roles.byName.lookup(("stablehlo." + name).str());
  return nullptr;
}
