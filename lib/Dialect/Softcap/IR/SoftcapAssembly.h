//===- SoftcapAssembly.h - Custom assembly directives -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The custom<Cap> directive of the ops' assembly formats.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_DIALECT_SOFTCAP_IR_SOFTCAPASSEMBLY_H
#define SOFTCAP_LIB_DIALECT_SOFTCAP_IR_SOFTCAPASSEMBLY_H

#include "softcap/Dialect/Softcap/IR/Softcap.h"

namespace mlir::softcap {
ParseResult parseNumber(OpAsmParser &parser, FloatAttr &attr);
void printNumber(OpAsmPrinter &printer, Operation *op, FloatAttr attr);
ParseResult parseCap(OpAsmParser &parser, FloatAttr &cap,
                     std::optional<OpAsmParser::UnresolvedOperand> &value,
                     Type &type);
void printCap(OpAsmPrinter &printer, Operation *op, FloatAttr cap, Value value,
              Type type);
} // namespace mlir::softcap

#endif // SOFTCAP_LIB_DIALECT_SOFTCAP_IR_SOFTCAPASSEMBLY_H
