//===- Pipelines.h - Named pass pipelines -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bundles of public passes, with one options struct each.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_PIPELINES_PIPELINES_H
#define SOFTCAP_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
namespace softcap {

/// softcap-fuse-pipeline: from an exported model (linalg or TOSA on tensors)
/// to softcap ops on tensors.
struct FusePipelineOptions : PassPipelineOptions<FusePipelineOptions> {
  Option<bool> check{*this, "check",
                     llvm::cl::desc("Refuse caps in an illegal place"),
                     llvm::cl::init(true)};
};
void buildFusePipeline(OpPassManager &pm, const FusePipelineOptions &options);

/// softcap-lower-pipeline: from softcap and linalg ops on tensors to the LLVM
/// dialect; verifies that the hot loops hold no libm call and that no
/// unrealized cast is left.
struct LowerPipelineOptions : PassPipelineOptions<LowerPipelineOptions> {
  Option<int64_t> vectorBytes{*this, "vector-bytes",
                              llvm::cl::desc("Bytes of a vector register: 16, "
                                             "32 (AVX2) or 64 (AVX-512)"),
                              llvm::cl::init(16)};
  Option<bool> parallel{*this, "parallel",
                        llvm::cl::desc("Run the outer loops with OpenMP"),
                        llvm::cl::init(true)};
};
void buildLowerPipeline(OpPassManager &pm, const LowerPipelineOptions &options);

/// softcap-cpu-pipeline: both of the above.
struct CPUPipelineOptions : PassPipelineOptions<CPUPipelineOptions> {
  Option<bool> check{*this, "check",
                     llvm::cl::desc("Refuse caps in an illegal place"),
                     llvm::cl::init(true)};
  Option<int64_t> vectorBytes{*this, "vector-bytes",
                              llvm::cl::desc("Bytes of a vector register: 16, "
                                             "32 (AVX2) or 64 (AVX-512)"),
                              llvm::cl::init(16)};
  Option<bool> parallel{*this, "parallel",
                        llvm::cl::desc("Run the outer loops with OpenMP"),
                        llvm::cl::init(true)};
};
void buildCPUPipeline(OpPassManager &pm, const CPUPipelineOptions &options);

/// softcap-reference-pipeline: the plain decomposition of everything to loops
/// and libm, down to the LLVM dialect. No fusion, no approximation. Functions
/// keep their results: each is a fresh buffer of identity layout, allocated
/// with malloc, that the caller owns; arguments are only read. (Buffers that
/// are arguments in the source remain writable.)
struct ReferencePipelineOptions
    : PassPipelineOptions<ReferencePipelineOptions> {
  Option<bool> promote{
      *this, "promote",
      llvm::cl::desc("Compute everything in f64 (softcap-promote-floats)"),
      llvm::cl::init(true)};
};
void buildReferencePipeline(OpPassManager &pm,
                            const ReferencePipelineOptions &options);

/// Registers every softcap pipeline under its name.
void registerPipelines();

} // namespace softcap
} // namespace mlir

#endif // SOFTCAP_PIPELINES_PIPELINES_H
