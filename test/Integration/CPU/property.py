# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random attention configurations through a pipeline, against float64.

Each batch of configurations is one module, compiled once for drawn target features and optimization; each configuration also draws its
number of threads. A failure prints the configuration and the command that runs it alone.
"""
import argparse
import ctypes
import pathlib
import sys
import time

import numpy as np

import configurations
import native

FEATURES = [(16, []), (32, ["avx2", "fma", "f16c"]), (64, ["avx512f", "avx512vl", "avx512bw", "avx512dq", "fma", "f16c"])]

LEVELS = ["-O0", "-O2", "-O0"]  # of LLVM; optimizing takes most of the time


def host_features():
    info = pathlib.Path("/proc/cpuinfo")
    return set(info.read_text().split()) if info.exists() else set()


def usable_features():
    host = host_features()
    return [f for f in FEATURES if host.issuperset(f[1])]


def pipeline_text(options, vector_bytes):
    if options.pipeline == "reference":
        return "softcap-reference-pipeline{promote=false}"
    return f"softcap-lower-pipeline{{vector-bytes={vector_bytes}}}"


def compile_batch(batch, options, vector_bytes, features, level):
    text = "".join(c.mlir() for c in batch)
    return native.Module(text, pipeline_text(options, vector_bytes),
                         {"softcap-opt": options.softcap_opt, "mlir-translate": options.mlir_translate,
                          "clang": options.clang},
                         flags=[level, *[f"-m{f}" for f in features]], libraries=options.library)


def set_threads(options, threads):
    for library in options.library:
        if "omp" in library:
            ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL).omp_set_num_threads(threads)


def check(batch, options, vector_bytes, features, threads, level="-O0"):
    """Runs a batch; returns the number of configurations that differ."""
    module = compile_batch(batch, options, vector_bytes, features, level)
    failed = 0
    for c, count in zip(batch, threads):
        set_threads(options, int(count))
        before = [a.copy() for _, a in c.operands.values()]
        got = module.call(c.name, c.arguments(), c.results())
        problems = c.differences(got)
        if not all(np.array_equal(x, a, equal_nan=True) if x.dtype.kind == "f" else np.array_equal(x, a)
                   for x, (_, a) in zip(before, c.operands.values())):
            problems.append("an argument was overwritten")
        if problems:
            failed += 1
            print(f"FAILED {c.name}: {'; '.join(problems)}\n  {c.describe()}\n  vector-bytes {vector_bytes}, "
                  f"threads {count}, {level}; alone: --seed={options.seed} --index={c.name.removeprefix('f')}", flush=True)
    return failed


def configuration(seed, index):
    """The configuration and its threads, from the seed and index alone."""
    rng = np.random.default_rng([seed, index])
    c = configurations.draw(rng, f"f{index}")
    return c, rng.integers(1, 5)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for tool in ("softcap-opt", "mlir-translate", "clang"):
        parser.add_argument(f"--{tool}", default=tool, help="looked up in PATH by default")
    parser.add_argument("--library", action="append", default=[], help="shared library to link, e.g. libomp")
    parser.add_argument("--pipeline", choices=["reference", "lower"], default="lower")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--index", type=int, default=None, help="run this configuration only")
    parser.add_argument("--poison", action="store_true", help="run the poisoned masks instead")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = int(time.time())
    usable = usable_features()
    failed = total = 0
    print(f"seed {options.seed}, pipeline {options.pipeline}", flush=True)
    if options.poison:
        batch = configurations.poisoned_masks()
        for vector_bytes, features in usable:
            total += len(batch)
            failed += check(batch, options, vector_bytes, features, [3] * len(batch))
    else:
        indices = range(options.count) if options.index is None else [options.index]
        for start in range(0, len(indices), options.batch):
            drawn = [configuration(options.seed, i) for i in indices[start:start + options.batch]]
            # By the place in the sequence, so that one configuration alone has the same.
            place = indices[start] // options.batch + options.seed
            vector_bytes, features = usable[place % len(usable)]
            level = LEVELS[place // len(usable) % len(LEVELS)]
            total += len(drawn)
            failed += check([c for c, _ in drawn], options, vector_bytes, features, [t for _, t in drawn], level)
    print(f"{total - failed} of {total} agree with float64")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
