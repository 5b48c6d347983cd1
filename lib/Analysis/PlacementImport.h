//===- PlacementImport.h - From IR to the value graph -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the module in program order that evaluates every op to nodes
// of the graph, through regions, loops, branches, calls and buffers.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_ANALYSIS_PLACEMENTIMPORT_H
#define SOFTCAP_LIB_ANALYSIS_PLACEMENTIMPORT_H

#include "PlacementGraph.h"
#include "PlacementRoles.h"

#include "softcap/Dialect/Softcap/IR/Softcap.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <map>

namespace mlir::softcap::placement {

/// Width of the floats in `type`, also of tensor types of unlinked dialects;
/// 0 if there are none.
unsigned getFloatBits(Type type);

/// Reads a scalar or splat. Otherwise only `sentinel` may be set: some element
/// is one.
std::optional<double> readConstant(Attribute attribute, bool &sentinel);

/// Shape of a tensor type; for unlinked dialects read from the type's text.
SmallVector<int64_t> getShape(Type type);

/// The name by which the tables know `op`.
StringRef getRoleName(Operation *op);

/// The attribute `name`, or what torch-mlir made of an ONNX attribute.
Attribute findAttribute(Operation *op, StringRef name);

/// Sizes of a product of two tensors whose leading dimensions are batches.
ContractionInfo describeContraction(Operation *op, Value x, Value y);

class Importer {
public:
  Importer(ModuleOp module, Graph &graph) : module(module), graph(graph) {}

  /// Evaluates every function that can be entered from outside.
  void run();

private:
  using Nodes = SmallVector<Node *>;

  // Structure.
  void runTopLevel(Region &region);
  Nodes runFunction(FunctionOpInterface function, ArrayRef<Node *> arguments);
  Nodes runRegion(Region &region, ArrayRef<Node *> arguments);
  Nodes runBlock(Block &block);
  void runIsolated(Operation *op);
  void bindBranchArguments(Block &block);
  void closeLoop(Block &latch, unsigned successor);

  // Ops.
  void evaluate(Operation *op);
  bool evaluateControlFlow(Operation *op);
  bool evaluateMemory(Operation *op);
  bool evaluateTensor(Operation *op);
  bool evaluateVector(Operation *op);
  bool evaluateSoftcap(Operation *op);
  void evaluateRole(Operation *op, const OpRole &role);
  void evaluateLinalg(linalg::LinalgOp op);
  void evaluateLoop(LoopLikeOpInterface loop);
  void evaluateWhile(Operation *op);
  void evaluateBranches(Operation *op);
  void evaluateCall(CallOpInterface call);
  void evaluateClamp(Operation *op, const OpRole &role);
  void evaluateForeignAttention(Operation *op);
  void evaluateFlexAttention(Operation *op);
  void evaluateRegionAttention(Operation *op);
  void evaluateUnknown(Operation *op);
  void describeLoopContraction(Operation *op);
  Node *regionReduce(Operation *op, Node *x);
  template <typename AttentionOp>
  Node *evaluateAttention(AttentionOp op);

  struct Reduction {
    ContractionInfo contraction;
    bool reduces = false;
    bool contracts = false;
  };
  static Reduction analyzeReduction(linalg::LinalgOp op);

  // Values.
  Node *get(Value value);
  void set(Value value, Node *node) { values[value] = node; }
  void setAll(Operation *op, Node *node);
  Value getViewed(Value buffer);
  Value getRoot(Value buffer);
  memref::SubViewOp getFixedPart(Value buffer);
  Node *loadWhole(Value root);
  Node *load(Value buffer);
  void store(Value buffer, Node *node);
  Node *leaf(Value value);
  Node *makeLeaf(Operation *op, Type type, bool sentinel = false);

  /// What is stored in a view at a fixed place.
  struct Part {
    ArrayRef<int64_t> offsets, sizes;
    int64_t elements;
    Node *node;
    Operation *view;
  };

  ModuleOp module;
  Graph &graph;
  SymbolTableCollection symbols;
  DenseMap<Value, Node *> values;
  DenseMap<Value, Node *> memory;
  DenseMap<Value, SmallVector<Part, 0>> parts;
  DenseMap<Value, Value> aliases;
  std::vector<std::pair<Value, Node *>> stores; // undo log
  std::map<std::pair<Operation *, std::vector<Node *>>, Nodes> callResults;
  SmallPtrSet<Operation *, 8> activeCalls;
  size_t steps = 0;
  unsigned callDepth = 0;
};

} // namespace mlir::softcap::placement

#endif // SOFTCAP_LIB_ANALYSIS_PLACEMENTIMPORT_H
