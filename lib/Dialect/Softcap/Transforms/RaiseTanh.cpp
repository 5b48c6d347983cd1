//===- RaiseTanh.cpp - Spellings of tanh ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tanh itself, and every quotient of sums of exponentials that is one: with
// E = exp(w), the forms (E - 1/E)/(E + 1/E), 2 sigmoid(2u) - 1, 1 - 2/(1 + E)
// and their multiples all are (A E^p - A E^q) / (E^p + E^q).
//
//===----------------------------------------------------------------------===//

#include "RaiseElement.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::raise;

namespace {
constexpr unsigned depthLimit = 16;
constexpr unsigned factorLimit = 16;

bool close(double a, double b) {
  return std::fabs(a - b) <= 1e-6 * std::max(std::fabs(a), std::fabs(b));
}
} // namespace

std::optional<TanhForm> TanhForms::get(Value v) { return get(v, 0); }

std::optional<TanhForm> TanhForms::get(Value v, unsigned depth) {
  v = resolve(v);
  if (depth > depthLimit)
    return std::nullopt;
  auto it = forms.find(v);
  if (it != forms.end())
    return it->second;
  std::optional<TanhForm> form = compute(v, depth);
  forms[v] = form;
  return form;
}

std::optional<TanhForm> TanhForms::compute(Value v, unsigned depth) {
  ElementOp op = getElementOp(v);
  if (op.kind == Arith::None)
    return std::nullopt;
  if (op.kind == Arith::Tanh)
    return TanhForm{Uniform{}, 1.0, op.lhs, v};
  auto scaled = [&](Value inner, Uniform factor,
                    bool counts) -> std::optional<TanhForm> {
    std::optional<TanhForm> form = get(inner, depth + 1);
    if (!form)
      return std::nullopt;
    std::optional<Uniform> amplitude = multiply(form->amplitude, factor);
    if (!amplitude)
      return std::nullopt;
    form->amplitude = *amplitude;
    form->factors += counts;
    return form;
  };
  switch (op.kind) {
  case Arith::Extend:
  case Arith::Truncate:
    return scaled(op.lhs, Uniform{}, false);
  case Arith::Neg:
    return scaled(op.lhs, Uniform::constant(-1.0), false);
  case Arith::Mul:
    for (auto [inner, factor] :
         {std::pair(op.lhs, op.rhs), std::pair(op.rhs, op.lhs)})
      if (std::optional<Uniform> u = getUniform(factor))
        if (std::optional<TanhForm> form = scaled(inner, *u, true))
          return form;
    break;
  case Arith::Div:
    if (std::optional<Uniform> u = getUniform(op.rhs))
      if (auto form = scaled(op.lhs, reciprocal(*u), true))
        return form;
    break;
  default:
    break;
  }
  return fromRatio(v);
}

std::optional<TanhForm> TanhForms::fromRatio(Value v) {
  std::optional<Ratio> r = ratio(v, 0);
  if (!r || r->numerator.size() != 2 || r->denominator.size() != 2)
    return std::nullopt;
  Terms n = r->numerator, d = r->denominator;
  auto byExponent = [](const Term &a, const Term &b) {
    return a.exponent > b.exponent;
  };
  llvm::sort(n, byExponent);
  llvm::sort(d, byExponent);
  if (!close(n[0].exponent - n[1].exponent, d[0].exponent - d[1].exponent) ||
      std::fabs(n[0].exponent - d[0].exponent) >
          1e-6 * std::fabs(d[0].exponent - d[1].exponent) ||
      !close(d[0].coefficient, d[1].coefficient) ||
      !close(n[0].coefficient, -n[1].coefficient) || n[0].coefficient == 0)
    return std::nullopt;
  TanhForm form;
  form.amplitude.coefficient = n[0].coefficient / d[0].coefficient;
  form.slope = (n[0].exponent - n[1].exponent) / 2 / r->argumentFactor;
  form.argument = r->argument;
  form.anchor = v;
  form.exponentials = true;
  if (form.amplitude.coefficient < 0 && form.slope < 0) {
    form.amplitude.coefficient = -form.amplitude.coefficient;
    form.slope = -form.slope;
  }
  form.factors = !close(form.amplitude.coefficient, 1.0);
  return form;
}

std::optional<TanhForms::Ratio> TanhForms::ratio(Value v, unsigned depth) {
  if (depth > depthLimit)
    return std::nullopt;
  v = resolve(v);
  auto it = ratios.find(v);
  if (it != ratios.end())
    return it->second;
  std::optional<Ratio> result = computeRatio(v, depth);
  ratios[v] = result;
  return result;
}

std::optional<TanhForms::Ratio> TanhForms::exponential(Value argument,
                                                       double factor) {
  double product = 1.0;
  Value base = argument;
  for (unsigned i = 0; i < factorLimit; ++i) {
    std::optional<Step> step = stepBack(base);
    if (!step || !step->factor.isConstant())
      break;
    product *= step->factor.coefficient;
    base = step->operand;
  }
  if (product == 0 || !std::isfinite(product))
    return std::nullopt;
  return Ratio{resolve(base),
               {{1.0, factor * product}},
               {{1.0, 0.0}},
               argument,
               product};
}

std::optional<TanhForms::Ratio> TanhForms::computeRatio(Value v,
                                                        unsigned depth) {
  // A run-time scalar is no term: the sums hold constants only.
  if (std::optional<Uniform> u = getUniform(v, /*allowScalar=*/false)) {
    if (!u->isConstant())
      return std::nullopt;
    return Ratio{{}, {{u->coefficient, 0.0}}, {{1.0, 0.0}}, {}, 0};
  }
  ElementOp op = getElementOp(v);
  auto combine = [&](auto function) -> std::optional<Ratio> {
    auto a = ratio(op.lhs, depth + 1), b = ratio(op.rhs, depth + 1);
    return a && b ? function(*a, *b) : std::nullopt;
  };
  Ratio one{{}, {{1.0, 0.0}}, {{1.0, 0.0}}, {}, 0};
  switch (op.kind) {
  case Arith::Exp:
    return exponential(op.lhs, 1.0);
  case Arith::Exp2:
    return exponential(op.lhs, llvm::numbers::ln2);
  case Arith::ExpM1:
    if (auto e = exponential(op.lhs, 1.0))
      return add(*e, one, -1.0);
    return std::nullopt;
  case Arith::Sigmoid:
    if (auto e = exponential(op.lhs, -1.0))
      if (auto d = add(*e, one, 1.0))
        return divide(one, *d);
    return std::nullopt;
  case Arith::Reciprocal:
    if (auto d = ratio(op.lhs, depth + 1))
      return divide(one, *d);
    return std::nullopt;
  case Arith::Extend:
  case Arith::Truncate:
    return ratio(op.lhs, depth + 1);
  case Arith::Neg:
    if (auto r = ratio(op.lhs, depth + 1))
      return times(*r, Ratio{{}, {{-1.0, 0.0}}, {{1.0, 0.0}}, {}, 0});
    return std::nullopt;
  case Arith::Add:
    return combine([](auto &a, auto &b) { return add(a, b, 1.0); });
  case Arith::Sub:
    return combine([](auto &a, auto &b) { return add(a, b, -1.0); });
  case Arith::Mul:
    return combine([](auto &a, auto &b) { return times(a, b); });
  case Arith::Div:
    return combine([](auto &a, auto &b) { return divide(a, b); });
  default:
    return std::nullopt;
  }
}

bool TanhForms::merge(Ratio &into, const Ratio &from) {
  if (into.base && from.base && into.base != from.base)
    return false;
  if (!into.base) {
    into.base = from.base;
    into.argument = from.argument;
    into.argumentFactor = from.argumentFactor;
  }
  return true;
}

std::optional<TanhForms::Terms> TanhForms::sum(const Terms &a, const Terms &b,
                                               double sign) {
  Terms result = a;
  for (Term term : b) {
    term.coefficient *= sign;
    auto *same = llvm::find_if(result, [&](const Term &t) {
      return std::fabs(t.exponent - term.exponent) <=
             1e-9 * std::fabs(t.exponent);
    });
    if (same == result.end())
      result.push_back(term);
    else
      same->coefficient += term.coefficient;
  }
  llvm::erase_if(result, [](const Term &t) { return t.coefficient == 0; });
  if (result.empty() || result.size() > 3)
    return std::nullopt;
  return result;
}

std::optional<TanhForms::Terms> TanhForms::product(const Terms &a,
                                                   const Terms &b) {
  Terms result;
  for (const Term &x : a)
    for (const Term &y : b) {
      Terms one{{x.coefficient * y.coefficient, x.exponent + y.exponent}};
      std::optional<Terms> next =
          result.empty() ? std::optional<Terms>(one) : sum(result, one, 1.0);
      if (!next)
        return std::nullopt;
      result = *next;
    }
  return result;
}

static bool sameTerms(double a, double b) { return close(a, b) || a == b; }

std::optional<TanhForms::Ratio> TanhForms::add(const Ratio &a, const Ratio &b,
                                               double sign) {
  Ratio result = a;
  if (!merge(result, b))
    return std::nullopt;
  bool same = a.denominator.size() == b.denominator.size();
  for (unsigned i = 0; same && i < a.denominator.size(); ++i)
    same =
        sameTerms(a.denominator[i].coefficient, b.denominator[i].coefficient) &&
        sameTerms(a.denominator[i].exponent, b.denominator[i].exponent);
  std::optional<Terms> left = a.numerator, right = b.numerator,
                       bottom = a.denominator;
  if (!same) {
    left = product(a.numerator, b.denominator);
    right = product(b.numerator, a.denominator);
    bottom = product(a.denominator, b.denominator);
  }
  if (!left || !right || !bottom)
    return std::nullopt;
  std::optional<Terms> top = sum(*left, *right, sign);
  if (!top)
    return std::nullopt;
  result.numerator = *top;
  result.denominator = *bottom;
  return result;
}

std::optional<TanhForms::Ratio> TanhForms::times(const Ratio &a,
                                                 const Ratio &b) {
  Ratio result = a;
  if (!merge(result, b))
    return std::nullopt;
  auto top = product(a.numerator, b.numerator);
  auto bottom = product(a.denominator, b.denominator);
  if (!top || !bottom)
    return std::nullopt;
  result.numerator = *top;
  result.denominator = *bottom;
  return result;
}

std::optional<TanhForms::Ratio> TanhForms::divide(const Ratio &a,
                                                  const Ratio &b) {
  Ratio inverse = b;
  std::swap(inverse.numerator, inverse.denominator);
  return times(a, inverse);
}
