//===- Softcap.h - The Softcap dialect --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dialect, its ops, attributes and enumerations.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_DIALECT_SOFTCAP_IR_SOFTCAP_H
#define SOFTCAP_DIALECT_SOFTCAP_IR_SOFTCAP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "softcap/Dialect/Softcap/IR/SoftcapDialect.h.inc"
#include "softcap/Dialect/Softcap/IR/SoftcapEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "softcap/Dialect/Softcap/IR/SoftcapAttributes.h.inc"

#define GET_OP_CLASSES
#include "softcap/Dialect/Softcap/IR/SoftcapOps.h.inc"

#endif // SOFTCAP_DIALECT_SOFTCAP_IR_SOFTCAP_H
