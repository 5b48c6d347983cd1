# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The arguments of the exported graphs, from the recipes of their index.

Arguments are drawn in order from one generator, in float64, then rounded to the type of the graph.
"""
import numpy as np

from native import DTYPES, to_bf16


def make_arguments(entry):
    """Arrays as they are stored; bf16 as its bits."""
    rng = np.random.default_rng(entry["seed"])
    return [store(RECIPES[a["gen"]](a, rng), a["dtype"]) for a in entry["args"]]


def store(values, dtype):
    if dtype == "bf16":
        return to_bf16(np.asarray(values, dtype=np.float32))
    # Not ascontiguousarray, which makes a scalar an array of one element.
    return np.asarray(values, dtype=DTYPES[dtype], order="C")


def normal(a, rng):
    return rng.standard_normal(a["shape"]) * a.get("scale", 1.0) + a.get("offset", 0.0)


def integers(a, rng):
    values = rng.integers(a["low"], a["high"], a["shape"])
    if "every" in a:
        values.reshape(-1)[::a["every"]] = a["instead"]
    return values


def constant(a, rng):
    return np.full(a["shape"], a["value"])


def tail(a, rng):
    values = np.full(a["shape"], a["other"])
    values[..., a["shape"][-1] - a["count"]:] = a["value"]
    return values


def causal(a, rng):
    queries, keys = a["shape"][-2:]
    distance = np.arange(queries)[:, None] - np.arange(keys)[None, :]
    keep = (distance >= 0) & (distance < a.get("window", np.inf))
    return np.broadcast_to(keep if a["dtype"] == "i1" else np.where(keep, 0.0, a["masked"]), a["shape"])


def rope(a, rng):
    positions, dim = a["shape"][-2:]
    half = 10000.0 ** (-np.arange(0, dim, 2) / dim)
    angles = np.arange(positions)[:, None] * np.concatenate([half, half])
    return {"cos": np.cos, "sin": np.sin}[a["part"]](angles)[None]


RECIPES = {"normal": normal, "integers": integers, "value": constant, "tail": tail, "causal": causal, "rope": rope}
