//===- RaiseMatch.cpp - Which tanh is a cap -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs the factor before a tanh with the one after it.
//
//===----------------------------------------------------------------------===//

#include "RaiseCaps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::softcap;
using namespace mlir::softcap::raise;

namespace {
constexpr unsigned stepLimit = 16;

struct Candidate {
  Value root;
  TanhForm form;
};

remark::RemarkOpts options(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  return remark::RemarkOpts::name("cap")
      .category("softcap-raise")
      .function(function ? function.getName() : StringRef());
}

bool isNarrow(Value v) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(v));
  return type && type.getWidth() < 32;
}

// Two constants that were each rounded once to the coarser storage type.
bool isOne(const Uniform &product, unsigned precision) {
  return product.isConstant() &&
         std::fabs(product.coefficient - 1.0) <=
             std::ldexp(2.5, -int(std::min(precision, 24u)));
}

// The ops that read this element, through linalg boundaries.
SmallVector<Operation *> elementUsers(Value v) {
  SmallVector<Operation *> users;
  SmallVector<Value> work{v};
  for (unsigned i = 0; i < work.size() && i < 8; ++i)
    for (OpOperand &use : work[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<linalg::YieldOp>(user))
        work.push_back(user->getParentOp()->getResult(use.getOperandNumber()));
      else if (auto op = dyn_cast<linalg::LinalgOp>(user))
        work.push_back(op.getMatchingBlockArgument(&use));
      else
        users.push_back(user);
    }
  return users;
}

// a + a tanh(..) is a sigmoid or a GELU, and a tanh(..) * x a gate: no caps.
bool isActivation(Value root, double amplitude) {
  for (Operation *user : elementUsers(root)) {
    StringRef name = user->getName().getStringRef();
    bool sum = name == "arith.addf" || name == "tosa.add";
    bool product = name == "arith.mulf" || name == "tosa.mul";
    if (!sum && !product)
      continue;
    for (Value operand : user->getOperands().take_front(2)) {
      std::optional<Uniform> u = getUniform(operand, /*allowScalar=*/false);
      if (sum && u && u->isConstant() &&
          std::fabs(std::fabs(u->coefficient) - std::fabs(amplitude)) <=
              1e-2 * std::fabs(amplitude))
        return true;
    }
    if (product &&
        resolve(user->getOperand(0)) != resolve(user->getOperand(1)) &&
        !getUniform(user->getOperand(0)) && !getUniform(user->getOperand(1)))
      return true;
  }
  return false;
}

class Matcher {
public:
  Matcher(bool preserveRounding) : preserveRounding(preserveRounding) {}

  void collect(Operation *scope) {
    scope->walk([&](Operation *op) {
      if (op->getNumResults() != 1 || op->getNumOperands() == 0)
        return;
      Value v = op->getResult(0);
      if (!isa<FloatType>(getElementTypeOrSelf(v)) || isa<linalg::LinalgOp>(op))
        return;
      ElementOp element = getElementOp(v);
      if (element.kind == Arith::Tanh)
        tanhs.push_back(v);
      bool root = element.kind == Arith::Mul || element.kind == Arith::Div ||
                  element.kind == Arith::Sub || element.kind == Arith::Add;
      if (!root)
        return;
      std::optional<TanhForm> form = forms.get(v);
      if (form && form->factors)
        groups[form->anchor].push_back({v, *form});
    });
  }

  SmallVector<CapMatch> choose() {
    SmallVector<CapMatch> matches;
    for (auto &[anchor, candidates] : groups)
      chooseIn(anchor, candidates, matches);
    for (Value tanh : tanhs)
      if (!groups.count(tanh))
        explain(tanh);
    return matches;
  }

private:
  // A pair of equal factors wins; without one the first factor is the cap.
  void chooseIn(Value anchor, ArrayRef<Candidate> candidates,
                SmallVectorImpl<CapMatch> &matches) {
    unsigned factors = 0;
    for (const Candidate &candidate : candidates) {
      if (factors && candidate.form.factors != factors)
        continue;
      if (std::optional<CapMatch> match = pair(candidate)) {
        factors = candidate.form.factors;
        accept(*match, matches);
      }
    }
    if (factors)
      return;
    for (const Candidate &candidate : candidates) {
      if (candidate.form.factors != candidates.front().form.factors)
        break;
      if (std::optional<CapMatch> match = unpaired(candidate))
        accept(*match, matches);
    }
  }

  static bool hasUsableCap(const CapMatch &match) {
    double c = match.cap.coefficient;
    return !match.cap.isConstant() || (std::isfinite(c) && c > 0);
  }

  void accept(CapMatch match, SmallVectorImpl<CapMatch> &matches) {
    Operation *op = match.root.getDefiningOp();
    if (match.dropsRounding && preserveRounding) {
      missed(op) << remark::add(
          "cap left as it is: its steps round to 16 bits (preserve-rounding)");
      return;
    }
    if (!hasUsableCap(match)) {
      missed(op) << remark::add(
          "cap left as it is: its value {0} is not positive and finite",
          match.cap.coefficient);
      return;
    }
    matches.push_back(match);
  }

  CapMatch start(const Candidate &candidate) {
    CapMatch match;
    match.root = candidate.root;
    match.cap = candidate.form.amplitude;
    match.exponentials = candidate.form.exponentials;
    match.dropsRounding = isNarrow(candidate.form.anchor);
    return match;
  }

  std::optional<CapMatch> pair(const Candidate &candidate) {
    CapMatch match = start(candidate);
    Uniform before;
    before.coefficient = candidate.form.slope;
    Value input = candidate.form.argument;
    for (unsigned i = 0; i < stepLimit; ++i) {
      std::optional<Uniform> product = multiply(before, match.cap);
      if (product && isOne(*product, product->precision)) {
        match.input = resolve(input);
        return match;
      }
      match.dropsRounding |= isNarrow(input);
      std::optional<Step> step = stepBack(input);
      if (!step)
        break;
      std::optional<Uniform> next = multiply(before, step->factor);
      if (!next)
        break;
      match.dropsRounding |= step->rounds;
      before = *next;
      input = step->operand;
    }
    return std::nullopt;
  }

  // c tanh(b x) = cap(c b x; c). Stops where the factors stop.
  std::optional<CapMatch> unpaired(const Candidate &candidate) {
    CapMatch match = start(candidate);
    Uniform before;
    before.coefficient = candidate.form.slope;
    Value input = candidate.form.argument;
    match.input = resolve(input);
    bool rounds = match.dropsRounding, symbolic = !match.cap.isConstant();
    bool found = !symbolic;
    match.scale = before.coefficient * match.cap.coefficient;
    for (unsigned i = 0; i < stepLimit; ++i) {
      rounds |= isNarrow(input);
      std::optional<Step> step = stepBack(input);
      std::optional<Uniform> next =
          step ? multiply(before, step->factor) : std::nullopt;
      std::optional<Uniform> product =
          next ? multiply(*next, match.cap) : std::nullopt;
      if (!next || (!symbolic && !next->isConstant()))
        break;
      rounds |= step->rounds;
      before = *next;
      input = step->operand;
      bool trivial =
          step->factor.isConstant() && step->factor.coefficient == 1.0;
      bool usable =
          symbolic ? product && product->isConstant() : next->isConstant();
      if (trivial || !usable)
        continue;
      found = true;
      match.input = resolve(input);
      match.scale = symbolic ? product->coefficient
                             : next->coefficient * match.cap.coefficient;
      match.dropsRounding = rounds;
    }
    return usableUnpaired(match, candidate, found);
  }

  std::optional<CapMatch> usableUnpaired(const CapMatch &match,
                                         const Candidate &candidate,
                                         bool found) {
    Operation *op = candidate.root.getDefiningOp();
    if (!found) {
      missed(op) << remark::add(
          "no cap: the factor after the tanh is not the divisor before it");
      return std::nullopt;
    }
    if (match.cap.isConstant() &&
        isActivation(candidate.root, match.cap.coefficient))
      return std::nullopt;
    if (!hasUsableCap(match) || (match.scale > 0 && std::isfinite(match.scale)))
      return match;
    missed(op) << remark::add("cap left as it is: the factor {0} that remains "
                              "before it is not positive and finite",
                              match.scale);
    return std::nullopt;
  }

  // Says why a tanh with a factor before it was not read as a cap.
  void explain(Value tanh) {
    ElementOp op = getElementOp(tanh);
    std::optional<Step> step = stepBack(op.lhs);
    if (!step || !step->factor.isConstant() ||
        !(std::fabs(step->factor.coefficient) < 0.5))
      return;
    missed(tanh.getDefiningOp()) << remark::add(
        "no cap: the argument is divided by {0}, but nothing "
        "multiplies the tanh by a constant or one run-time value",
        1.0 / step->factor.coefficient);
  }

  bool preserveRounding;
  TanhForms forms;
  llvm::MapVector<Value, SmallVector<Candidate>> groups;
  SmallVector<Value> tanhs;
};
} // namespace

remark::detail::InFlightRemark raise::missed(Operation *op) {
  return remark::missed(op->getLoc(), options(op));
}
remark::detail::InFlightRemark raise::passed(Operation *op) {
  return remark::passed(op->getLoc(), options(op));
}

SmallVector<CapMatch> raise::findCaps(Operation *scope, bool preserveRounding) {
  Matcher matcher(preserveRounding);
  matcher.collect(scope);
  return matcher.choose();
}
