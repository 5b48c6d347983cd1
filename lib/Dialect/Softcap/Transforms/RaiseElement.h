//===- RaiseElement.h - What an element is computed from --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One view of elementwise code at every level: scalars, vectors, tensors,
// linalg bodies and TOSA. A value stands for the element at the identity index;
// crossing a linalg boundary by an elementwise map does not change it.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_TRANSFORMS_RAISEELEMENT_H
#define SOFTCAP_TRANSFORMS_RAISEELEMENT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace mlir::softcap::raise {

/// A factor that is the same for every element: `coefficient * symbol^power`.
struct Uniform {
  double coefficient = 1.0;
  /// A scalar, or a tensor of one element; null for a plain constant.
  Value symbol;
  /// The narrowest float type that the symbol was cast to on its way.
  Type symbolType;
  int power = 0;
  /// Bits of the coarsest significand among the constants multiplied in.
  unsigned precision = 53;

  static Uniform constant(double value) {
    Uniform u;
    u.coefficient = value;
    return u;
  }
  bool isConstant() const { return power == 0; }
  bool sameSymbol(const Uniform &other) const {
    return symbol == other.symbol && symbolType == other.symbolType;
  }
};

/// The product of both, or none if it would hold two symbols.
std::optional<Uniform> multiply(const Uniform &a, const Uniform &b);
Uniform reciprocal(Uniform u);

/// Follows linalg results into their bodies and block arguments out to the
/// operands, as long as the maps are elementwise. The end is a canonical name
/// of the element.
Value resolve(Value v);

/// The kind of arithmetic that an op does on each element.
enum class Arith {
  None,
  Mul,
  Div,
  Add,
  Sub,
  Neg,
  Tanh,
  Exp,
  Exp2,
  ExpM1,
  Sigmoid,
  Reciprocal,
  Extend,
  Truncate
};
struct ElementOp {
  Arith kind = Arith::None;
  Value lhs, rhs;
};
/// What defines `v` (resolved first).
ElementOp getElementOp(Value v);

/// The factor that `v` is for every element: a constant, a run-time scalar, or
/// a product of them. A float scalar that nothing is known about is a symbol
/// only if `allowScalar`.
std::optional<Uniform> getUniform(Value v, bool allowScalar = true);

/// One multiplicative step back: v = factor * operand.
struct Step {
  Uniform factor;
  Value operand;
  /// A rounding to a narrower type that the step makes.
  bool rounds = false;
};
std::optional<Step> stepBack(Value v);

/// v = amplitude * tanh(slope * argument).
struct TanhForm {
  Uniform amplitude;
  double slope = 1.0;
  Value argument;
  /// The innermost value that is a tanh; names the form.
  Value anchor;
  /// Multiplications after the tanh.
  unsigned factors = 0;
  /// The tanh is spelled in exponentials.
  bool exponentials = false;
};

/// Recognises the forms; keeps what it has seen, so that it stays linear.
class TanhForms {
public:
  std::optional<TanhForm> get(Value v);

private:
  struct Term {
    double coefficient, exponent;
  };
  using Terms = llvm::SmallVector<Term, 3>;
  /// numerator / denominator, sums of coefficient * exp(exponent * base).
  struct Ratio {
    Value base;
    Terms numerator, denominator;
    /// An argument of an exponential, and what times base it is.
    Value argument;
    double argumentFactor = 0;
  };
  std::optional<TanhForm> compute(Value v, unsigned depth);
  std::optional<TanhForm> get(Value v, unsigned depth);
  std::optional<TanhForm> fromRatio(Value v);
  std::optional<Ratio> ratio(Value v, unsigned depth);
  std::optional<Ratio> computeRatio(Value v, unsigned depth);
  static std::optional<Ratio> exponential(Value argument, double factor);
  static std::optional<Ratio> add(const Ratio &a, const Ratio &b, double sign);
  static std::optional<Ratio> divide(const Ratio &a, const Ratio &b);
  static std::optional<Ratio> times(const Ratio &a, const Ratio &b);
  static bool merge(Ratio &into, const Ratio &from);
  static std::optional<Terms> sum(const Terms &a, const Terms &b, double sign);
  static std::optional<Terms> product(const Terms &a, const Terms &b);

  llvm::DenseMap<Value, std::optional<TanhForm>> forms;
  llvm::DenseMap<Value, std::optional<Ratio>> ratios;
};

} // namespace mlir::softcap::raise

#endif // SOFTCAP_TRANSFORMS_RAISEELEMENT_H
