//===- ElementExprTest.cpp - Index and element expressions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index arithmetic against all values of its variables, and elements of small
// tensor programs.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/ElementExpr.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::softcap;

static int64_t evaluate(const IndexExpr &expr, ArrayRef<int64_t> values) {
  int64_t result = expr.getConstant();
  for (const IndexExpr::Term &term : expr.getTerms()) {
    int64_t digit = values[term.digit.variable] / term.digit.div;
    if (!ShapedType::isDynamic(term.digit.extent))
      digit %= term.digit.extent;
    result += term.coefficient * digit;
  }
  return result;
}

TEST(IndexExpr, DivisionAgreesWithIntegers) {
  IndexExpr p = IndexExpr::variable(0, 24), q = IndexExpr::variable(1, 4);
  IndexExpr flat = p * 4 + q;
  for (int64_t size : {1, 2, 4, 8, 16, 32, 48, 96, 192}) {
    FailureOr<std::pair<IndexExpr, IndexExpr>> parts = flat.divide(size);
    ASSERT_TRUE(succeeded(parts)) << size;
    for (int64_t i = 0; i < 24; ++i)
      for (int64_t j = 0; j < 4; ++j) {
        EXPECT_EQ(evaluate(parts->first, {i, j}), (i * 4 + j) / size);
        EXPECT_EQ(evaluate(parts->second, {i, j}), (i * 4 + j) % size);
      }
  }
}

TEST(IndexExpr, DivisionFailsWhereDigitsAreCut) {
  IndexExpr p = IndexExpr::variable(0, 24);
  EXPECT_TRUE(failed(p.divide(5)));
  // The sum of two indices may carry.
  EXPECT_TRUE(failed((p + IndexExpr::variable(1, 4)).divide(24)));
  EXPECT_TRUE(failed((p * -1).divide(4)));
}

TEST(IndexExpr, DigitsJoinAgain) {
  IndexExpr p = IndexExpr::variable(0, 24);
  auto parts = p.divide(6);
  ASSERT_TRUE(succeeded(parts));
  EXPECT_TRUE(parts->first * 6 + parts->second == p);
  EXPECT_FALSE(parts->first * 7 + parts->second == p);
}

TEST(IndexExpr, UnknownExtent) {
  IndexExpr batch = IndexExpr::variable(0, ShapedType::kDynamic);
  IndexExpr head = IndexExpr::variable(1, 8);
  auto parts = (batch * 8 + head).divide(8);
  ASSERT_TRUE(succeeded(parts));
  EXPECT_TRUE(parts->first == batch);
  EXPECT_TRUE(parts->second == head);
  // A variable of unknown size has a remainder like any other.
  parts = (batch + head * 64).divide(64);
  ASSERT_TRUE(succeeded(parts));
  EXPECT_EQ(evaluate(parts->first, {1000, 7}), (1000 + 7 * 64) / 64);
  EXPECT_EQ(evaluate(parts->second, {1000, 7}), 1000 % 64);
}

namespace {
class ElementExprTest : public ::testing::Test {
protected:
  ElementExprTest() : exprs(&context) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, math::MathDialect,
                        tensor::TensorDialect>();
  }

  /// Parses a function and returns the element of what it returns.
  const ElementExpr *parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    Value result = function.getBody().front().getTerminator()->getOperand(0);
    indices.clear();
    for (int64_t size : cast<RankedTensorType>(result.getType()).getShape())
      indices.push_back(exprs.getVariable(exprs.createVariable(size)));
    return exprs.get(result, indices);
  }
  Value argument(unsigned number) {
    return (*module->getOps<func::FuncOp>().begin()).getArgument(number);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  ElementExprs exprs;
  SmallVector<IndexExpr, 4> indices;
};
} // namespace

TEST_F(ElementExprTest, ReshapesAndTransposesVanish) {
  const ElementExpr *expr = parse(R"mlir(
    func.func @f(%x: tensor<2x3x4xf32>) -> tensor<4x6xf32> {
      %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x4xf32> into tensor<6x4xf32>
      %e = tensor.empty() : tensor<4x6xf32>
      %t = linalg.transpose ins(%c : tensor<6x4xf32>) outs(%e : tensor<4x6xf32>) permutation = [1, 0]
      return %t : tensor<4x6xf32>
    })mlir");
  ASSERT_EQ(expr->kind, ElementExpr::Kind::leaf);
  EXPECT_EQ(expr->access.tensor, argument(0));
  auto parts = indices[1].divide(3);
  EXPECT_TRUE(expr->access.indices[0] == parts->first);
  EXPECT_TRUE(expr->access.indices[1] == parts->second);
  EXPECT_TRUE(expr->access.indices[2] == indices[0]);
}

TEST_F(ElementExprTest, EqualElementsAreOnePointer) {
  // exp(x) once directly and once through a reshape.
  const ElementExpr *expr = parse(R"mlir(
    #id = affine_map<(d0) -> (d0)>
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %a = math.exp %x : tensor<8xf32>
      %r = tensor.expand_shape %x [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
      %b = math.exp %r : tensor<2x4xf32>
      %c = tensor.collapse_shape %b [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
      %s = arith.subf %a, %c : tensor<8xf32>
      return %s : tensor<8xf32>
    })mlir");
  ASSERT_TRUE(expr->is<arith::SubFOp>());
  EXPECT_EQ(expr->operands[0], expr->operands[1]);
}

TEST_F(ElementExprTest, BodiesIndicesAndCapturedConstants) {
  const ElementExpr *expr = parse(R"mlir(
    #id = affine_map<(d0, d1) -> (d0, d1)>
    #row = affine_map<(d0, d1) -> (d0, 0)>
    func.func @f(%x: tensor<8x1xf32>) -> tensor<8x5xi1> {
      %two = arith.constant 2 : index
      %e = tensor.empty() : tensor<8x5xi1>
      %y = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<8x1xf32>) outs(%e : tensor<8x5xi1>) {
      ^bb0(%in: f32, %out: i1):
        %j = linalg.index 1 : index
        %k = arith.addi %j, %two : index
        %z = arith.cmpi slt, %k, %two : index
        linalg.yield %z : i1
      } -> tensor<8x5xi1>
      return %y : tensor<8x5xi1>
    })mlir");
  ASSERT_TRUE(expr->is<arith::CmpIOp>());
  const ElementExpr *sum = expr->operands[0];
  ASSERT_TRUE(sum->is<arith::AddIOp>());
  EXPECT_EQ(sum->operands[0]->kind, ElementExpr::Kind::index);
  EXPECT_TRUE(sum->operands[0]->access.indices[0] == indices[1]);
  EXPECT_EQ(ElementExprs::getConstant(sum->operands[1]), 2.0);
  EXPECT_EQ(sum->operands[1], expr->operands[1]);
}

TEST_F(ElementExprTest, ContractionsAndArgumentsAreLeaves) {
  const ElementExpr *expr = parse(R"mlir(
    func.func @f(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %init: tensor<4x4xf32>) -> tensor<4x4xf32> {
      %c = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%init : tensor<4x4xf32>) -> tensor<4x4xf32>
      %d = math.exp %c : tensor<4x4xf32>
      return %d : tensor<4x4xf32>
    })mlir");
  ASSERT_TRUE(expr->is<math::ExpOp>());
  EXPECT_EQ(expr->operands[0]->kind, ElementExpr::Kind::leaf);
  EXPECT_TRUE(
      isa<linalg::MatmulOp>(expr->operands[0]->access.tensor.getDefiningOp()));
}

TEST_F(ElementExprTest, DoublingChainIsLinear) {
  // 2^60 paths; beyond the depth limit a leaf ends the expression.
  std::string text = "func.func @f(%x0: tensor<4xf32>) -> tensor<4xf32> {\n";
  for (int i = 0; i < 2000; ++i)
    text += llvm::formatv("%x{0} = arith.addf %x{1}, %x{1} : tensor<4xf32>\n",
                          i + 1, i);
  text += "return %x2000 : tensor<4xf32>\n}";
  const ElementExpr *expr = parse(text);
  unsigned depth = 0;
  for (; expr->is<arith::AddFOp>(); expr = expr->operands[0], ++depth)
    EXPECT_EQ(expr->operands[0], expr->operands[1]);
  EXPECT_GT(depth, 64u);
  EXPECT_EQ(expr->kind, ElementExpr::Kind::leaf);
}
