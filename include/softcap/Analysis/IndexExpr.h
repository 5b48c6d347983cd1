//===- IndexExpr.h - Mixed-radix index expressions --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Indices of tensor elements as sums of digits of loop variables. Reshapes
// only cut and join digits, so that the access of an operand behind any chain
// of reshapes, transposes and broadcasts has one normal form.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_ANALYSIS_INDEXEXPR_H
#define SOFTCAP_ANALYSIS_INDEXEXPR_H

#include "mlir/IR/AffineExpr.h"

namespace mlir::softcap {

/// (variable floordiv `div`) mod `extent`. The extent of the top digit of a
/// variable of unknown size is ShapedType::kDynamic.
struct IndexDigit {
  unsigned variable;
  int64_t div;
  int64_t extent;

  bool operator==(const IndexDigit &other) const {
    return variable == other.variable && div == other.div &&
           extent == other.extent;
  }
  bool operator!=(const IndexDigit &other) const { return !(*this == other); }
};

/// constant + sum of coefficient * digit, in a normal form: terms are sorted,
/// neighbouring digits of a variable are joined where they form one.
class IndexExpr {
public:
  struct Term {
    int64_t coefficient;
    IndexDigit digit;
  };

  IndexExpr() = default;
  explicit IndexExpr(int64_t constant) : constant(constant) {}
  /// The whole of a variable of size `extent`; 0 if it has one value.
  static IndexExpr variable(unsigned id, int64_t extent);

  ArrayRef<Term> getTerms() const { return terms; }
  int64_t getConstant() const { return constant; }
  bool isConstant() const { return terms.empty(); }
  bool uses(unsigned variable) const;

  IndexExpr operator+(const IndexExpr &other) const;
  IndexExpr operator*(int64_t factor) const;
  bool operator==(const IndexExpr &other) const;

  /// Splits into this = quotient * size + remainder with
  /// 0 <= remainder < size; fails if digits do not fall on either side.
  FailureOr<std::pair<IndexExpr, IndexExpr>> divide(int64_t size) const;

  /// Replaces the dimensions of an affine expression by `dims`; fails on
  /// anything but sums and constant factors.
  static FailureOr<IndexExpr> compose(AffineExpr expr,
                                      ArrayRef<IndexExpr> dims);

  /// Appends a key that identifies the expression.
  void profile(SmallVectorImpl<int64_t> &key) const;

private:
  void normalize();

  int64_t constant = 0;
  SmallVector<Term, 2> terms;
};

} // namespace mlir::softcap

#endif // SOFTCAP_ANALYSIS_INDEXEXPR_H
