//===- IndexExpr.cpp - Mixed-radix index expressions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of index expressions and their normal form.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/IndexExpr.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::softcap;

IndexExpr IndexExpr::variable(unsigned id, int64_t extent) {
  IndexExpr result;
  if (extent != 1)
    result.terms.push_back({1, {id, 1, extent}});
  return result;
}

bool IndexExpr::uses(unsigned variable) const {
  return llvm::any_of(
      terms, [&](const Term &term) { return term.digit.variable == variable; });
}

void IndexExpr::normalize() {
  // The lowest digit of a variable first, so that joining goes upwards.
  llvm::sort(terms, [](const Term &lhs, const Term &rhs) {
    return std::make_tuple(lhs.digit.variable, lhs.digit.div,
                           lhs.digit.extent) <
           std::make_tuple(rhs.digit.variable, rhs.digit.div, rhs.digit.extent);
  });
  SmallVector<Term, 2> joined;
  for (const Term &term : terms) {
    if (term.coefficient == 0 || term.digit.extent == 1)
      continue;
    if (!joined.empty()) {
      Term &low = joined.back();
      if (low.digit == term.digit) {
        low.coefficient += term.coefficient;
        if (low.coefficient == 0)
          joined.pop_back();
        continue;
      }
      bool adjacent = low.digit.variable == term.digit.variable &&
                      !ShapedType::isDynamic(low.digit.extent) &&
                      term.digit.div == low.digit.div * low.digit.extent &&
                      term.coefficient == low.coefficient * low.digit.extent;
      if (adjacent) {
        low.digit.extent = ShapedType::isDynamic(term.digit.extent)
                               ? ShapedType::kDynamic
                               : low.digit.extent * term.digit.extent;
        continue;
      }
    }
    joined.push_back(term);
  }
  terms = std::move(joined);
}

IndexExpr IndexExpr::operator+(const IndexExpr &other) const {
  IndexExpr result = *this;
  result.constant += other.constant;
  llvm::append_range(result.terms, other.terms);
  result.normalize();
  return result;
}

IndexExpr IndexExpr::operator*(int64_t factor) const {
  IndexExpr result = *this;
  result.constant *= factor;
  for (Term &term : result.terms)
    term.coefficient *= factor;
  result.normalize();
  return result;
}

bool IndexExpr::operator==(const IndexExpr &other) const {
  return constant == other.constant &&
         llvm::equal(terms, other.terms, [](const Term &a, const Term &b) {
           return a.coefficient == b.coefficient && a.digit == b.digit;
         });
}

FailureOr<std::pair<IndexExpr, IndexExpr>>
IndexExpr::divide(int64_t size) const {
  if (size <= 0 || constant < 0)
    return failure();
  IndexExpr quotient(constant / size), remainder(constant % size);
  int64_t largest = remainder.constant;
  for (const Term &term : terms) {
    auto [coefficient, digit] = term;
    if (coefficient < 0)
      return failure();
    if (coefficient % size == 0) {
      quotient.terms.push_back({coefficient / size, digit});
      continue;
    }
    bool known = !ShapedType::isDynamic(digit.extent);
    if (known && coefficient * digit.extent <= size) {
      largest += coefficient * (digit.extent - 1);
      remainder.terms.push_back(term);
      continue;
    }
    int64_t low = size / coefficient;
    if (size % coefficient != 0 || (known && digit.extent % low != 0))
      return failure();
    largest += coefficient * (low - 1);
    remainder.terms.push_back({coefficient, {digit.variable, digit.div, low}});
    quotient.terms.push_back(
        {1,
         {digit.variable, digit.div * low,
          known ? digit.extent / low : ShapedType::kDynamic}});
  }
  if (largest >= size)
    return failure();
  quotient.normalize();
  remainder.normalize();
  return std::make_pair(quotient, remainder);
}

FailureOr<IndexExpr> IndexExpr::compose(AffineExpr expr,
                                        ArrayRef<IndexExpr> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return IndexExpr(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return failure();
  FailureOr<IndexExpr> lhs = compose(binary.getLHS(), dims);
  FailureOr<IndexExpr> rhs = compose(binary.getRHS(), dims);
  if (failed(lhs) || failed(rhs))
    return failure();
  if (expr.getKind() == AffineExprKind::Add)
    return *lhs + *rhs;
  if (!rhs->isConstant())
    return failure();
  if (expr.getKind() == AffineExprKind::Mul)
    return *lhs * rhs->getConstant();
  FailureOr<std::pair<IndexExpr, IndexExpr>> parts =
      lhs->divide(rhs->getConstant());
  if (failed(parts))
    return failure();
  if (expr.getKind() == AffineExprKind::FloorDiv)
    return parts->first;
  if (expr.getKind() == AffineExprKind::Mod)
    return parts->second;
  return failure();
}

void IndexExpr::profile(SmallVectorImpl<int64_t> &key) const {
  key.push_back(constant);
  key.push_back(static_cast<int64_t>(terms.size()));
  for (const Term &term : terms)
    key.append({term.coefficient, term.digit.variable, term.digit.div,
                term.digit.extent});
}
