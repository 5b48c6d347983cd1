//===- ElementExpr.h - What one element of a tensor is ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One element of a tensor, as an expression over elements of other tensors:
// the view of a tensor program in which fusion patterns do not depend on how a
// computation is cut into ops, or on reshapes and transposes between them.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_ANALYSIS_ELEMENTEXPR_H
#define SOFTCAP_ANALYSIS_ELEMENTEXPR_H

#include "softcap/Analysis/IndexExpr.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Operation.h"

#include <map>
#include <memory>

namespace mlir::softcap {

/// The element of `tensor` (or the scalar) at `indices`.
struct ElementAccess {
  Value tensor;
  SmallVector<IndexExpr, 4> indices;

  bool uses(unsigned variable) const;
};

/// A node of the expression. Nodes are unique within their ElementExprs: equal
/// elements are the same pointer.
struct ElementExpr {
  enum class Kind {
    /// A number of type `type`: `attribute` is a FloatAttr or an IntegerAttr.
    constant,
    /// The value of an index expression, in indices[0].
    index,
    /// An element that is not looked into: tensor and indices.
    leaf,
    /// A pure scalar op: name, attribute (its properties), operands.
    apply,
  };
  Kind kind;
  Type type;
  Attribute attribute;
  StringRef name;
  ElementAccess access;
  SmallVector<const ElementExpr *, 2> operands;
  /// Tensors of the program that hold exactly this element, nearest to the
  /// place asked for first.
  mutable SmallVector<ElementAccess, 1> origins;

  template <typename OpTy>
  bool is() const {
    return kind == Kind::apply && name == OpTy::getOperationName();
  }
};

/// Builds and owns expressions. Each pair of tensor and indices is looked at
/// once, so that shared subexpressions cost nothing.
class ElementExprs {
public:
  using Key = SmallVector<int64_t, 8>;

  explicit ElementExprs(MLIRContext *context) : context(context) {}

  /// A new loop variable. The extent may be ShapedType::kDynamic.
  unsigned createVariable(int64_t extent);
  int64_t getExtent(unsigned variable) const { return extents[variable]; }
  IndexExpr getVariable(unsigned variable) const {
    return IndexExpr::variable(variable, extents[variable]);
  }

  /// The element of `tensor` at `indices`, down to arguments, contractions,
  /// reductions and ops that are not elementwise.
  const ElementExpr *get(Value tensor, ArrayRef<IndexExpr> indices);

  /// The element that the body of `op` yields as result `number`, at the given
  /// loop indices. An element of the destination that is used (as reductions
  /// do) is a leaf of that block argument.
  const ElementExpr *getYielded(linalg::LinalgOp op, unsigned number,
                                ArrayRef<IndexExpr> loops);

  /// Where an element comes from, through reshapes, transposes, broadcasts and
  /// (if `throughExtensions`) exact extensions of floats only.
  ElementAccess trace(Value tensor, ArrayRef<IndexExpr> indices,
                      bool throughExtensions);

  /// The indices of operand `operand` of `op` at the given loop indices.
  static FailureOr<SmallVector<IndexExpr, 4>>
  getOperandIndices(linalg::LinalgOp op, OpOperand *operand,
                    ArrayRef<IndexExpr> loops);

  /// The number that the expression always has.
  static std::optional<double> getConstant(const ElementExpr *expr);

  /// The expression without roundings and extensions of floats around it.
  static const ElementExpr *stripFloatCasts(const ElementExpr *expr);

  /// True if some leaf or index of the expression uses the variable.
  bool uses(const ElementExpr *expr, unsigned variable);

private:
  using Environment = DenseMap<Value, const ElementExpr *>;

  const ElementExpr *unique(ElementExpr &&expr);
  const ElementExpr *constant(TypedAttr value);
  const ElementExpr *leaf(Value tensor, ArrayRef<IndexExpr> indices);
  const ElementExpr *compute(Value tensor, ArrayRef<IndexExpr> indices);
  const ElementExpr *computeLinalg(linalg::LinalgOp op, unsigned number,
                                   ArrayRef<IndexExpr> indices);
  const ElementExpr *computeApply(Operation *op, ArrayRef<IndexExpr> indices);
  const ElementExpr *evaluate(Value value, linalg::LinalgOp op,
                              ArrayRef<IndexExpr> loops, Environment &env);
  const ElementExpr *apply(Operation *op, Type type,
                           ArrayRef<const ElementExpr *> operands);

  MLIRContext *context;
  SmallVector<int64_t> extents;
  std::map<Key, std::unique_ptr<ElementExpr>> nodes;
  std::map<Key, const ElementExpr *> memo;
  std::map<std::pair<const ElementExpr *, unsigned>, bool> usesMemo;
  unsigned depth = 0;
};

/// The access of the source of a reshape, transpose, slice or cast that
/// produces `tensor`, or failure if it is not one.
FailureOr<ElementAccess>
stepThroughView(Value tensor, ArrayRef<IndexExpr> indices, bool throughSlices);

/// The loop indices of a linalg op at the given indices of its result; fails
/// if they do not determine all parallel loops. Others are left to `fallback`.
FailureOr<SmallVector<IndexExpr, 4>>
getLoopIndices(linalg::LinalgOp op, AffineMap resultMap,
               ArrayRef<IndexExpr> indices,
               function_ref<IndexExpr(unsigned)> fallback);

} // namespace mlir::softcap

#endif // SOFTCAP_ANALYSIS_ELEMENTEXPR_H
