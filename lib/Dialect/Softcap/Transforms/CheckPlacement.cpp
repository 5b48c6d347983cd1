//===- CheckPlacement.cpp - softcap-check-placement -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the report of the placement analysis into diagnostics.
//
//===----------------------------------------------------------------------===//

#include "softcap/Analysis/Placement.h"
#include "softcap/Dialect/Softcap/Transforms/Passes.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::softcap {
#define GEN_PASS_DEF_SOFTCAPCHECKPLACEMENTPASS
#include "softcap/Dialect/Softcap/Transforms/Passes.h.inc"
} // namespace mlir::softcap

using namespace mlir;
using namespace mlir::softcap;

namespace {
struct SoftcapCheckPlacementPass
    : softcap::impl::SoftcapCheckPlacementPassBase<SoftcapCheckPlacementPass> {
  using Base::Base;
  void runOnOperation() override;

private:
  void emit(const PlacementFinding &finding);
};
} // namespace

static void printLine(raw_ostream &os, StringRef key, Location loc) {
  FileLineColLoc file;
  loc->walk([&](Location inner) {
    if (auto found = dyn_cast<FileLineColLoc>(inner)) {
      file = found;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (file)
    os << " " << key << "=" << file.getLine();
}

static void print(raw_ostream &os, const PlacementSurface &s) {
  os << "surface " << stringify(s.kind) << " function=" << s.function;
  if (s.layer)
    os << " layer=" << *s.layer;
  os << " cap=";
  if (s.symbolic)
    os << "symbolic";
  else if (s.cap)
    os << llvm::format("%.9g", *s.cap);
  else
    os << "none";
  os << llvm::format(" pre_scale=%.9g operand_scale=%.9g post_scale=%.9g",
                     s.preScale, s.operandScale, s.postScale);
  os << " pre_bias=" << (s.preBias ? "true" : "false") << " order=";
  llvm::interleave(s.order, os, "-");
  os << " verdict=" << stringify(s.verdict);
  if (s.capOp)
    printLine(os, "cap_line", s.capOp->getLoc());
  os << "\n";
}

static void print(raw_ostream &os, const PlacementReport &report) {
  os << "verdict " << stringify(report.verdict) << "\n";
  for (const PlacementSurface &s : report.surfaces)
    print(os, s);
  for (const PlacementFinding &f : report.findings) {
    if (f.suppressed)
      continue;
    os << "finding " << (f.rule ? f.rule->id : "inconclusive");
    printLine(os, "line", f.culprit->getLoc());
    os << "\n";
  }
}

void SoftcapCheckPlacementPass::emit(const PlacementFinding &f) {
  PlacementSeverity severity = f.rule   ? f.rule->severity
                               : strict ? PlacementSeverity::error
                                        : PlacementSeverity::warning;
  InFlightDiagnostic diag = [&] {
    switch (severity) {
    case PlacementSeverity::error:
      return mlir::emitError(f.culprit->getLoc());
    case PlacementSeverity::warning:
      return mlir::emitWarning(f.culprit->getLoc());
    case PlacementSeverity::note:
      break;
    }
    return mlir::emitRemark(f.culprit->getLoc());
  }();
  if (f.rule)
    diag << f.rule->id << " " << f.rule->name << ": ";
  else
    diag << "inconclusive: ";
  diag << f.message;
  for (const auto &[op, message] : f.related)
    diag.attachNote(op->getLoc()) << message;
  diag.report();
  if (severity == PlacementSeverity::error)
    signalPassFailure();
}

void SoftcapCheckPlacementPass::runOnOperation() {
  std::string error;
  auto expectation = parsePlacementExpectation(expect.getValue(), error);
  if (failed(expectation)) {
    mlir::emitError(getOperation().getLoc()) << error;
    return signalPassFailure();
  }
  PlacementReport result = analyzePlacement(getOperation(), *expectation);
  numSurfaces += result.surfaces.size();
  numFindings += result.findings.size();
  if (report)
    print(llvm::outs(), result);
  for (const PlacementFinding &f : result.findings)
    if (!f.suppressed)
      emit(f);
  markAllAnalysesPreserved();
}
