# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers MLIR text with softcap-opt, compiles it with clang and calls it from numpy.

Functions take and return tensors; a result is a buffer of the callee's, copied
and freed here. bf16 arrays are uint16 (their bits); see `to_bf16`, `from_bf16`.
"""
import ctypes
import pathlib
import re
import subprocess
import tempfile

import numpy as np

DTYPES = {"f16": np.float16, "bf16": np.uint16, "f32": np.float32, "f64": np.float64,
          "i1": np.bool_, "i32": np.int32, "i64": np.int64, "index": np.int64}


def to_bf16(x):
    """Bits of the nearest bf16, ties to even."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7FC0), rounded)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def encode(x, element):
    return to_bf16(x) if element == "bf16" else np.ascontiguousarray(x, dtype=DTYPES[element])


def decode(x, element):
    """The float64 values of an array as stored."""
    return (from_bf16(x) if element == "bf16" else x).astype(np.float64)


def run_tool(*command):
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}:\n{process.stderr[:2000]}")


def descriptor_type(rank):
    sizes = [("sizes", ctypes.c_int64 * rank), ("strides", ctypes.c_int64 * rank)] if rank else []

    class MemRef(ctypes.Structure):
        _fields_ = [("allocated", ctypes.c_void_p), ("aligned", ctypes.c_void_p), ("offset", ctypes.c_int64)] + sizes
    return MemRef


def descriptor(array):
    memref = descriptor_type(array.ndim)(array.ctypes.data, array.ctypes.data, 0)
    if array.ndim:
        memref.sizes = (ctypes.c_int64 * array.ndim)(*array.shape)
        memref.strides = (ctypes.c_int64 * array.ndim)(*[s // array.itemsize for s in array.strides])
    return memref


class Module:
    """A compiled module. `pipeline` is what softcap-opt runs on the module, down to LLVM."""

    def __init__(self, text, pipeline, tools, flags=("-O1",), libraries=()):
        self.folder = tempfile.TemporaryDirectory()
        source, lowered, ir, library = (pathlib.Path(self.folder.name) / n
                                        for n in ("module.mlir", "lowered.mlir", "module.ll", "module.so"))
        source.write_text(text)
        wrapped = f"builtin.module(func.func(llvm-request-c-wrappers),{pipeline})"
        run_tool(tools["softcap-opt"], source, f"--pass-pipeline={wrapped}", "-o", lowered)
        run_tool(tools["mlir-translate"], "--mlir-to-llvmir", lowered, "-o", ir)
        run_tool(tools["clang"], *flags, "-shared", "-fPIC", "-Wno-override-module", ir, "-o", library, "-lm", *libraries,
                 *[f"-Wl,-rpath,{pathlib.Path(l).resolve().parent}" for l in libraries])
        self.library = ctypes.CDLL(str(library))
        self.free = ctypes.CDLL(None).free
        self.free.argtypes = [ctypes.c_void_p]

    def call(self, name, arguments, results):
        """`arguments`: arrays, or ints and floats passed by value as (value, element).
        `results`: (rank, element) of each. Returns arrays."""
        types = [descriptor_type(rank) for rank, _ in results]

        class Returned(ctypes.Structure):
            _fields_ = [(f"r{i}", t) for i, t in enumerate(types)]
        returned = Returned()
        passed = [ctypes.byref(returned)]
        scalars = {"index": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double}
        kept = []
        for a in arguments:
            if isinstance(a, tuple):
                passed.append(scalars[a[1]](a[0]))
            else:
                kept.append(descriptor(a))
                passed.append(ctypes.byref(kept[-1]))
        function = getattr(self.library, f"_mlir_ciface_{name}")
        function.restype = None
        function(*passed)
        return [self._take(getattr(returned, f"r{i}"), rank, element) for i, (rank, element) in enumerate(results)]

    def _take(self, memref, rank, element):
        shape = tuple(memref.sizes) if rank else ()
        dtype = np.dtype(DTYPES[element])
        count = int(np.prod(shape, dtype=np.int64))
        data = ctypes.string_at(memref.aligned + memref.offset * dtype.itemsize, count * dtype.itemsize) if count else b""
        self.free(memref.allocated)
        return np.frombuffer(data, dtype=dtype).reshape(shape).copy()


def signature_types(text, entry):
    """(rank, element) of each result of a function in MLIR text."""
    results = re.search(rf"func\.func @{re.escape(entry)}\((.*?)\) -> (.*) \{{", text).group(2)
    return [(t.count("x"), t.split("x")[-1]) for t in re.findall(r"tensor<([^>]*)>", results)]
