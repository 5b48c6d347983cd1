# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raising keeps the function: every executable file of the corpus that is not illegal, before and after softcap-raise.

usage: raise_corpus.py CORPUS SOFTCAP_OPT MLIR_TRANSLATE CLANG [FILE...]

Both modules are promoted to float64 and lowered through plain loops and libm, with
the cap as given and with c = 1 (at c = 50 a lost cap is invisible). Inputs make
scores beyond c; the test checks that c = 1 does change the result.
"""
import concurrent.futures
import json
import pathlib
import re
import sys

import numpy as np

from native import DTYPES, Module, signature_types

TOLERANCE = 1e-6  # constants such as 0.02 are 1/50 within the rounding of f32

# Every way in which the corpus writes c, 1/c and scale/c.
SPELLINGS = {50: {"50.0": "1.0", "5.000000e+01": "1.0", "0.02": "1.0", "0.005": "0.25"},
             30: {"30.0": "1.0", "0.0333333351": "1.0"}, 12: {"12.0": "1.0"}}

# Functions on buffers and vectors are called through one on tensors.
WRAPPERS = {
    "29-attn-memref-scalar-loops.mlir": """
func.func @entry(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>, %v: tensor<4x8xf32>, %m: tensor<4x4xi1>) -> tensor<4x8xf32> {
  %qb = bufferization.to_buffer %q read_only : tensor<4x8xf32> to memref<4x8xf32>
  %kb = bufferization.to_buffer %k read_only : tensor<4x8xf32> to memref<4x8xf32>
  %vb = bufferization.to_buffer %v read_only : tensor<4x8xf32> to memref<4x8xf32>
  %mb = bufferization.to_buffer %m read_only : tensor<4x4xi1> to memref<4x4xi1>
  %ob = memref.alloc() : memref<4x8xf32>
  call @forward(%qb, %kb, %vb, %mb, %ob) : (memref<4x8xf32>, memref<4x8xf32>, memref<4x8xf32>, memref<4x4xi1>, memref<4x8xf32>) -> ()
  %o = bufferization.to_tensor %ob restrict : memref<4x8xf32> to tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}
""",
    "30-attn-vector-tile.mlir": """
func.func @entry(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>, %v: tensor<4x8xf32>, %m: tensor<4x4xi32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %f = arith.constant 0 : i32
  %fv = arith.constant dense<0> : vector<4x4xi32>
  %qv = vector.transfer_read %q[%c0, %c0], %z {in_bounds = [true, true]} : tensor<4x8xf32>, vector<4x8xf32>
  %kv = vector.transfer_read %k[%c0, %c0], %z {in_bounds = [true, true]} : tensor<4x8xf32>, vector<4x8xf32>
  %vv = vector.transfer_read %v[%c0, %c0], %z {in_bounds = [true, true]} : tensor<4x8xf32>, vector<4x8xf32>
  %mi = vector.transfer_read %m[%c0, %c0], %f {in_bounds = [true, true]} : tensor<4x4xi32>, vector<4x4xi32>
  %mv = arith.cmpi ne, %mi, %fv : vector<4x4xi32>
  %o = call @forward(%qv, %kv, %vv, %mv) : (vector<4x8xf32>, vector<4x8xf32>, vector<4x8xf32>, vector<4x4xi1>) -> vector<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %r = vector.transfer_write %o, %e[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
"""}


def arguments_of(text, entry, cap, rng):
    signature = re.search(rf"func\.func @{entry}\((.*?)\) ->", text).group(1)
    arguments = []
    for name, kind in re.findall(r"%(\w+): ([^%]*?)(?:, |$)", signature):
        if kind == "f32":
            arguments.append((cap, "f64"))
            continue
        *sizes, element = re.fullmatch(r"tensor<(.*)>", kind).group(1).split("x")
        shape = [5 if s == "?" else int(s) for s in sizes]
        if element in ("i1", "i32"):
            arguments.append(np.broadcast_to(np.tri(shape[-2], shape[-1], dtype=DTYPES[element]), shape).copy())
        elif name == "temp":
            arguments.append(rng.uniform(0.5, 2.0, shape))
        else:
            arguments.append(5.0 * rng.standard_normal(shape))
    return arguments


def with_unit_cap(text, cap):
    for spelling, one in SPELLINGS[cap].items():
        text = re.sub(rf"(?<![\d.]){re.escape(spelling)}(?![\d])", one, text)
    return text


def run(text, entry, arguments, passes, tools):
    results = [(rank, "f64") for rank, _ in signature_types(text, entry)]
    vectors = "func.func(lower-vector-multi-reduction),"
    pipeline = f"{passes}{vectors}softcap-reference-pipeline{{promote=true}},convert-ub-to-llvm,reconcile-unrealized-casts"
    return Module(text, pipeline, tools, flags=("-O0",)).call(entry, arguments, results)[0]


def error(want, got):
    assert np.array_equal(np.isnan(want), np.isnan(got)), "NaNs differ"
    want, got = np.nan_to_num(want), np.nan_to_num(got)
    return float(np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-30))


def check(path, record, tools):
    """The errors with c as given and c = 1, or the reason why there is none."""
    text = path.read_text() + WRAPPERS.get(path.name, "")
    text = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    entry = "entry" if path.name in WRAPPERS else "forward"
    caps = [s["cap"] for s in record["surfaces"] if s["cap"] not in (None, 0)]
    variants = [("given", text, 50.0)]
    unit = text
    for cap in caps:
        if cap in SPELLINGS:
            unit = with_unit_cap(unit, cap)
    if caps:
        variants.append(("c=1", unit, 1.0))
    befores, errors = [], {}
    for label, variant, cap in variants:
        rng = np.random.default_rng(len(path.name))
        arguments = arguments_of(text, entry, cap, rng)
        before = run(variant, entry, arguments, "", tools)
        after = run(variant, entry, arguments, "softcap-raise,", tools)
        befores.append(before)
        errors[label] = error(before, after)
    if caps and record["verdict"] == "legal":
        assert error(*befores) > 1e-3, "c = 1 does not change the result"
    return errors


def main(corpus, opt, translate, clang, *names):
    corpus = pathlib.Path(corpus)
    tools = {"softcap-opt": opt, "mlir-translate": translate, "clang": clang}
    index = [r for r in json.loads((corpus / "index.json").read_text())
             if not r["file"].startswith("u") and (r["file"] in names if names else r["verdict"] != "illegal")]
    failed, counts = 0, {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [(r, pool.submit(check, corpus / r["file"], r, tools)) for r in index]
        for record, job in jobs:
            try:
                errors = job.result()
                worst = max(errors.values())
                assert worst <= TOLERANCE, f"relative L2 {worst:.1e}"
                line = " ".join(f"{k} {e:.1e}" for k, e in errors.items())
                counts[record["verdict"]] = counts.get(record["verdict"], 0) + 1
            except Exception as problem:  # every file is reported
                line, failed = f"FAILED: {problem}", failed + 1
            print(f"{record['file']}: {line}", flush=True)
    print("kept:", ", ".join(f"{n} {v}" for v, n in sorted(counts.items())), f"of {len(index)} files; {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
