//===- JitKernels.h - Elementwise kernels for accuracy tests ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles elementwise expressions with convert-softcap-to-math and runs them
// over arrays.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_UNITTESTS_CONVERSION_JITKERNELS_H
#define SOFTCAP_UNITTESTS_CONVERSION_JITKERNELS_H

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/MLIRContext.h"

#include <cassert>
#include <string>
#include <vector>

/// A vector kernel `out[i] = body(x = in[i], c)`, for one element type.
struct Kernel {
  std::string name;
  std::string type; // f16, bf16, f32 or f64
  std::string body; // defines %y from %x : vector<8xTYPE>; may use %c : TYPE
};

class JitKernels {
public:
  /// Lowers all kernels in one module; null and a diagnostic on failure.
  static std::unique_ptr<JitKernels>
  compile(const std::vector<Kernel> &kernels);

  /// Runs a kernel over the array, whose size is a multiple of 8. 16-bit floats
  /// are passed as their bits.
  template <typename T>
  std::vector<T> run(const std::string &name, const std::vector<T> &in,
                     T c = T()) {
    assert(in.size() % 8 == 0 && "whole vectors only");
    std::vector<T> out(in.size());
    MemRef from{const_cast<T *>(in.data()), const_cast<T *>(in.data()), 0,
                int64_t(in.size()), 1};
    MemRef to{out.data(), out.data(), 0, int64_t(out.size()), 1};
    auto *function =
        reinterpret_cast<void (*)(MemRef *, MemRef *, MemRef *)>(lookup(name));
    MemRef cap{&c, &c, 0, 1, 1};
    function(&from, &to, &cap);
    return out;
  }

private:
  struct MemRef {
    void *allocated, *aligned;
    int64_t offset, size, stride;
  };
  void *lookup(const std::string &name);

  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

#endif // SOFTCAP_UNITTESTS_CONVERSION_JITKERNELS_H
