//===- InitAll.h - One place that registers everything ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only registration calls that tools, the plugin and embedders need.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_INITALL_H
#define SOFTCAP_INITALL_H

namespace mlir {
class DialectRegistry;
namespace softcap {

/// The softcap dialect.
void registerAllDialects(DialectRegistry &registry);

/// External models: tiling, bufferization and decomposition of softcap ops.
void registerAllExtensions(DialectRegistry &registry);

/// Every softcap pass.
void registerAllPasses();

/// Every softcap pipeline.
void registerAllPipelines();

} // namespace softcap
} // namespace mlir

#endif // SOFTCAP_INITALL_H
