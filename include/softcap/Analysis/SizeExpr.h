//===- SizeExpr.h - Symbolic tensor sizes -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes as products of a constant and of dimensions of tensors, the form in
// which exporters compute the shapes of dynamic reshapes and broadcasts. Two
// equal expressions are equal for all sizes, zero included.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_ANALYSIS_SIZEEXPR_H
#define SOFTCAP_ANALYSIS_SIZEEXPR_H

#include "mlir/IR/Value.h"

namespace mlir::softcap {

/// constant * product of symbols. Products are taken not to overflow: the
/// sizes of a tensor that exists multiply to its number of elements.
class SizeExpr {
public:
  /// The size of dimension `dim` of `value`, or `value` itself if dim is -1.
  struct Symbol {
    Value value;
    int64_t dim;

    bool operator==(const Symbol &other) const {
      return value == other.value && dim == other.dim;
    }
    bool operator<(const Symbol &other) const {
      return std::make_pair(value.getAsOpaquePointer(), dim) <
             std::make_pair(other.value.getAsOpaquePointer(), other.dim);
    }
  };

  /// The expression of an index or i64 value; a symbol if nothing is known.
  static SizeExpr get(Value value);

  /// The expression of a dimension of a ranked tensor, looking through
  /// destinations, casts and reshapes.
  static SizeExpr getDim(Value tensor, int64_t dim);

  static SizeExpr constant(int64_t value) { return SizeExpr(value); }

  /// True if the value cannot be negative: all symbols are sizes.
  bool isNonNegative() const;

  std::optional<int64_t> getConstant() const;

  SizeExpr operator*(const SizeExpr &other) const;

  bool operator==(const SizeExpr &other) const {
    return coefficient == other.coefficient && symbols == other.symbols;
  }
  bool operator!=(const SizeExpr &other) const { return !(*this == other); }

private:
  explicit SizeExpr(int64_t coefficient) : coefficient(coefficient) {}

  static SizeExpr symbol(Value value, int64_t dim) {
    SizeExpr expr(1);
    expr.symbols.push_back({value, dim});
    return expr;
  }

  int64_t coefficient;
  SmallVector<Symbol, 2> symbols; // sorted
};

} // namespace mlir::softcap

#endif // SOFTCAP_ANALYSIS_SIZEEXPR_H
