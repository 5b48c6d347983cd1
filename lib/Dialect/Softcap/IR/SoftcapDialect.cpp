//===- SoftcapDialect.cpp - Softcap dialect registration ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the ops and attributes, and materializes folded constants.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/IR/Softcap.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::softcap;

#include "softcap/Dialect/Softcap/IR/SoftcapDialect.cpp.inc"
#include "softcap/Dialect/Softcap/IR/SoftcapEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "softcap/Dialect/Softcap/IR/SoftcapAttributes.cpp.inc"

void SoftcapDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "softcap/Dialect/Softcap/IR/SoftcapOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "softcap/Dialect/Softcap/IR/SoftcapAttributes.cpp.inc"
      >();
}

Operation *SoftcapDialect::materializeConstant(OpBuilder &builder,
                                               Attribute value, Type type,
                                               Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
