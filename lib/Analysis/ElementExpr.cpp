//===- ElementExpr.cpp - Tensor elements as expressions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one element of a tensor is, as an expression over other tensors'
// elements.
//
//===----------------------------------------------------------------------===//

#include "softcap/Dialect/Softcap/IR/Softcap.h"
