# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random attention configurations: the function as MLIR, its arguments, and what it must return.

The expected values are computed here in float64 from the published formulas, and share nothing with the compiler.
"""
import dataclasses

import numpy as np

from native import decode, encode

EPS = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}
MEAN_SCORE = -np.finfo(np.float64).max  # a masked score where rows without a visible key are the mean of V


@dataclasses.dataclass
class Configuration:
    name: str
    batch: int
    heads: int
    kv_heads: int
    queries: int
    keys: int
    dim: int
    value_dim: int
    element: str
    dynamic: bool = False
    cap: float = None
    run_time_cap: bool = False
    accuracy: str = None
    pre_scale: float = 1.0
    post_scale: float = 1.0
    causal: bool = False
    left: int = None
    right: int = None
    offset: int = None
    run_time_offset: bool = False
    masked_rows_mean: bool = False
    lse: bool = False
    operands: dict = dataclasses.field(default_factory=dict)  # name -> (element, array as stored)
    note: str = ""

    @property
    def compute(self):
        return "f64" if self.element == "f64" else "f32"

    def describe(self):
        shown = {k: v for k, v in dataclasses.asdict(self).items() if k != "operands" and v not in (None, False, "")}
        shown["operands"] = {k: f"{e}{list(a.shape)}" for k, (e, a) in self.operands.items()}
        return ", ".join(f"{k}={v}" for k, v in shown.items())

    # The function.
    def _type(self, name):
        element, array = self.operands[name]
        sizes = list(array.shape)
        if self.dynamic:  # the sizes that a model has at run time: batch, queries and keys
            axes = {"q": (0, 2), "k": (0, 2), "v": (0, 2), "lengths": (0,), "query_segments": (0, 1),
                    "key_segments": (0, 1), "mask": (0, 2, 3), "pre_bias": (0, 2, 3), "post_bias": (0, 2, 3)}
            full = (self.batch, self.heads, self.queries, self.keys)
            for axis in axes.get(name, ()):
                broadcast = name in ("mask", "pre_bias", "post_bias") and sizes[axis] == 1 and full[axis] != 1
                if not broadcast:
                    sizes[axis] = "?"
        return f"tensor<{'x'.join(map(str, sizes))}x{element}>"

    def _result_type(self, last, element):
        b, m = ("?", "?") if self.dynamic else (self.batch, self.queries)
        return f"tensor<{b}x{self.heads}x{m}{last}x{element}>"

    def mlir(self):
        arguments = [f"%{n}: {self._type(n)}" for n in self.operands]
        if self.run_time_cap:
            arguments.append(f"%cap: {self.compute}")
        if self.run_time_offset:
            arguments.append("%offset: index")
        output, lse = self._result_type(f"x{self.value_dim}", self.element), self._result_type("", self.compute)
        results = [output] + [lse] * self.lse
        clauses = []
        if self.cap is not None:
            clauses.append(f"cap(%cap : {self.compute})" if self.run_time_cap else f"cap({self.cap!r})")
        if self.pre_scale != 1.0:
            clauses.append(f"pre_scale({self.pre_scale!r})")
        if self.post_scale != 1.0:
            clauses.append(f"post_scale({self.post_scale!r})")
        if self.causal:
            clauses.append("causal")
        if self.offset is not None:
            clauses.append("offset(%offset)" if self.run_time_offset else f"offset({self.offset})")
        if self.left is not None:
            clauses.append(f"window_left({self.left})")
        if self.right is not None:
            clauses.append(f"window_right({self.right})")
        for name in ("pre_bias", "post_bias", "mask", "lengths", "sinks"):
            if name in self.operands:
                clauses.append(f"{name}(%{name} : {self._type(name)})")
        if "query_segments" in self.operands:
            clauses.append("segments(%query_segments, %key_segments : "
                           f"{self._type('query_segments')}, {self._type('key_segments')})")
        if self.masked_rows_mean:
            clauses.append("masked_rows mean")
        if self.accuracy:
            clauses.append(f"accuracy {self.accuracy}")
        sizes = "(%b, %m)" if self.dynamic else "()"
        dims = ["%c0 = arith.constant 0 : index", "%c2 = arith.constant 2 : index",
                f"%b = tensor.dim %q, %c0 : {self._type('q')}",
                f"%m = tensor.dim %q, %c2 : {self._type('q')}"] if self.dynamic else []
        lines = dims + [f"%init = tensor.empty{sizes} : {output}"]
        if self.lse:
            lines.append(f"%init_lse = tensor.empty{sizes} : {lse}")
        lines.append(f"%r{':2' if self.lse else ''} = softcap.attention ins(%q, %k, %v : {self._type('q')}, "
                     f"{self._type('k')}, {self._type('v')}) {' '.join(clauses)} outs(%init : {output})"
                     + (f" lse(%init_lse : {lse})" if self.lse else ""))
        lines.append(f"return {'%r#0, %r#1' if self.lse else '%r'} : {', '.join(results)}")
        body = "\n  ".join(lines)
        return f"func.func @{self.name}({', '.join(arguments)}) -> ({', '.join(results)}) {{\n  {body}\n}}\n"

    def arguments(self):
        values = [a for _, a in self.operands.values()]
        assert all(a.flags["C_CONTIGUOUS"] for a in values), "functions take identity layouts"
        if self.run_time_cap:
            values.append((self.cap, self.compute))
        if self.run_time_offset:
            values.append((self.offset, "index"))
        return values

    def results(self):
        return [(4, self.element)] + [(3, self.compute)] * self.lse

    # What it must return.
    def value(self, name):
        element, array = self.operands[name]
        return decode(array, element) if element in EPS else array

    def visible(self):
        i = np.arange(self.queries)[:, None] + (self.offset or 0)
        j = np.arange(self.keys)[None, :]
        keep = np.ones((self.batch, self.heads, self.queries, self.keys), dtype=bool)
        if self.causal:
            keep &= j <= i
        if self.left is not None:
            keep &= i - j <= self.left
        if self.right is not None:
            keep &= j - i <= self.right
        if "mask" in self.operands:
            keep &= self.value("mask")
        if "lengths" in self.operands:
            keep &= (j < self.value("lengths")[:, None])[:, None, None, :]
        if "query_segments" in self.operands:
            same = self.value("query_segments")[:, :, None] == self.value("key_segments")[:, None, :]
            keep &= same[:, None]
        return keep

    def expected(self):
        """O, LSE, and the tolerance of O: absolute, per element."""
        group = self.heads // self.kv_heads
        q = self.value("q")
        k, v = (np.repeat(self.value(n), group, axis=1) for n in ("k", "v"))
        visible = self.visible()
        with np.errstate(all="ignore"):
            x = q @ np.swapaxes(k, 2, 3) * self.pre_scale
            size = np.abs(q) @ np.swapaxes(np.abs(k), 2, 3) * abs(self.pre_scale)
            if "pre_bias" in self.operands:
                x = x + self.value("pre_bias")
                size = size + np.abs(self.value("pre_bias"))
            s = x
            if self.cap is not None:
                c = abs(self.cap) if np.isfinite(self.cap) and self.cap else np.nan
                s = c * np.tanh(x / c)
            s = s * self.post_scale
            if "post_bias" in self.operands:
                s = s + self.value("post_bias")
            s = np.where(visible, s, MEAN_SCORE if self.masked_rows_mean else -np.inf)
            m = np.max(s, axis=3, keepdims=True, initial=-np.inf)
            sink = self.value("sinks")[None, :, None, None] if "sinks" in self.operands else np.full((1, 1, 1, 1), -np.inf)
            m = np.maximum(m, sink)
            m = np.where(m == -np.inf, 0.0, m)
            p = np.exp(s - m)
            total = p.sum(axis=3, keepdims=True) + np.exp(sink - m)
            # A masked key contributes nothing, whatever its value.
            contributes = visible | (p != 0)
            products = np.where(contributes[..., None], p[..., None] * v[:, :, None], 0.0)
            output = np.where(total == 0, 0.0, products.sum(axis=3) / total)
            lse = (m + np.log(total))[..., 0]
            # Rounding of the scores is an absolute error there, hence a relative one in p.
            error = np.where(visible & np.isfinite(size), size, 0).max(initial=0.0)
            error = EPS[self.compute] * (4 + self.dim / 4) * error * abs(self.post_scale)
            if self.compute == "f32":
                error += 2e-5 * abs(self.post_scale)
            scale = np.abs(np.where(np.isfinite(v), v, 0)).max(initial=1e-30)
            tolerance = (3 * error + 64 * EPS[self.compute]) * scale + EPS[self.element] * np.abs(output) * 1.01
        return output, lse, tolerance, 3 * error + 32 * EPS[self.compute] * (2 + np.abs(lse))

    def differences(self, got):
        """Texts that say where results are wrong; empty when they are right."""
        output, lse, tolerance, lse_tolerance = self.expected()
        problems = compare("O", decode(got[0], self.element), output, tolerance)
        if self.lse:
            # The LSE of a mean row is the lowest finite value of the type of the arithmetic.
            value = decode(got[1], self.compute)
            value, lse = (np.where(x < -1e30, -np.inf, x) for x in (value, lse))
            problems += compare("LSE", value, lse, lse_tolerance)
        return problems


def compare(what, got, want, tolerance):
    if got.shape != want.shape:
        return [f"{what}: shape {got.shape}, not {want.shape}"]
    with np.errstate(invalid="ignore"):
        same = (got == want) | (~np.isfinite(got) & np.isnan(want)) | (np.abs(got - want) <= tolerance)
        # Where float64 has an infinite product with a weight that f32 flushes to 0, f32 has a NaN.
        same |= np.isinf(want) & ~np.isfinite(got) & (what == "O")
    if same.all():
        return []
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    limit = np.broadcast_to(tolerance, want.shape)[at]
    return [f"{what}{list(at)}: {got[at]!r}, not {want[at]!r} (tolerance {limit:.2g}; "
            f"{(~same).sum()} of {same.size} differ)"]


# Drawing.
def _broadcast(rng, shape):
    return tuple(1 if rng.random() < 0.4 else s for s in shape)


def draw(rng, name):
    pick = lambda *values: values[rng.integers(len(values))]
    chance = lambda p: rng.random() < p
    element = pick("f32", "f32", "f16", "bf16", "f64")
    kv_heads, group = pick(1, 1, 2, 3), pick(1, 2, 8)
    c = Configuration(name, batch=pick(1, 1, 2, 3), heads=kv_heads * group, kv_heads=kv_heads,
                      queries=pick(1, 1, 2, 5, 7, 16, 17, 31, 33, 64, 67), keys=pick(1, 3, 8, 13, 32, 37, 64, 97, 129),
                      dim=pick(1, 3, 8, 16, 24, 64), value_dim=pick(1, 5, 8, 16, 24, 64), element=element)
    c.dynamic = chance(0.5)
    c.cap = pick(1.0, 5.0, 30.0, 50.0, 1e4, None)
    if c.cap is not None and chance(0.2):
        c.run_time_cap, c.cap = True, c.cap * pick(1, 1, -1)
        if chance(0.1):
            c.cap = pick(0.0, float("inf"), float("nan"))
    c.accuracy = pick(None, None, "precise", "approx")
    c.pre_scale = pick(1.0, float(c.dim) ** -0.5, 0.3)
    c.post_scale = pick(1.0, 1.0, 0.5, -1.25)
    c.masked_rows_mean = chance(0.2)
    c.lse = chance(0.4)
    full = (c.batch, c.heads, c.queries, c.keys)
    size = pick(0.1, 1.0, 4.0)
    values = {"q": rng.standard_normal((c.batch, c.heads, c.queries, c.dim)) * size,
              "k": rng.standard_normal((c.batch, kv_heads, c.keys, c.dim)) * size,
              "v": rng.standard_normal((c.batch, kv_heads, c.keys, c.value_dim))}
    _draw_masks(c, rng, pick, chance)
    for bias in ("pre_bias", "post_bias"):
        if chance(0.2):
            values[bias] = rng.standard_normal(_broadcast(rng, full)) * 3
    if chance(0.25):
        values["sinks"] = rng.standard_normal(c.heads) * 3
    masks = c.operands
    c.operands = {n: (element, encode(a, element)) for n, a in values.items() if n in "qkv"}
    for n in ("pre_bias", "post_bias", "sinks"):
        if n in values:
            kind = pick(element, c.compute)
            c.operands[n] = (kind, encode(values[n], kind))
    c.operands.update(masks)
    _poison(c, rng, pick, chance)
    return c


def _draw_masks(c, rng, pick, chance):
    c.causal = chance(0.4)
    if chance(0.3):
        c.left = int(rng.integers(0, c.keys + 1))
    if chance(0.2) and not c.causal:
        c.right = int(rng.integers(0, c.keys + 1))
    if (c.causal or c.left is not None or c.right is not None) and chance(0.6):
        c.offset = int(pick(0, c.keys - c.queries, c.keys, -1, -3, 5))
        c.run_time_offset = chance(0.5)
    ids = pick("i32", "i64")
    integers = {"i32": np.int32, "i64": np.int64}[ids]
    if chance(0.3):
        density = pick(0.1, 0.5, 0.9)
        shape = _broadcast(rng, (c.batch, c.heads, c.queries, c.keys))
        c.operands["mask"] = ("i1", rng.random(shape) < density)
    if chance(0.25):
        c.operands["lengths"] = (ids, rng.integers(0, c.keys + 2, c.batch).astype(integers))
    if chance(0.2):
        c.operands["query_segments"] = (ids, rng.integers(0, 3, (c.batch, c.queries)).astype(integers))
        c.operands["key_segments"] = (ids, rng.integers(0, 3, (c.batch, c.keys)).astype(integers))


def _poison(c, rng, pick, chance):
    """Values that are not finite: in what nobody sees, and, less often, in what somebody does."""
    bad = pick(np.nan, np.inf, -np.inf)
    if chance(0.5):
        group = c.heads // c.kv_heads
        seen = c.visible().reshape(c.batch, c.kv_heads, group * c.queries, c.keys).any(axis=2)
        if c.masked_rows_mean and not c.visible().any(axis=3).all():
            seen[:] = True  # Rows without a visible key read all values.
        for name in "kv":
            element, array = c.operands[name]
            array[~seen] = encode(np.float64(bad), element)
        c.note = f"unseen keys and values are {bad}"
    elif chance(0.4):
        name = pick("q", "k", "v")
        if name == "k" and c.cap is None:
            bad = np.nan  # An infinite score without a cap: what a masked key is made of.
        element, array = c.operands[name]
        array[0, 0, rng.integers(array.shape[2])] = encode(np.float64(bad), element)
        c.note = f"a row of {name} is {bad}"


def poisoned_masks():
    """c = 1, masked values 1000, every mask form, and tails of every tile without a mask."""
    rng = np.random.default_rng(0)
    forms = ["causal", "window", "mask", "mask_row", "lengths", "segments", "none"]
    result = []
    for form in forms:
        for queries, keys in ((1, 33), (33, 33), (65, 97), (17, 129)):
            c = Configuration(f"poison_{form}_{queries}_{keys}", 2, 4, 2, queries, keys, 16, 16, "f32", cap=1.0, lse=True)
            j = np.arange(keys)
            if form == "causal":
                c.causal, c.offset = True, keys // 2 - queries
            elif form == "window":
                c.left, c.right, c.offset = 3, 2, keys // 3
            elif form == "mask":
                c.operands["mask"] = ("i1", np.broadcast_to(j % 3 == 0, (2, 4, queries, keys)).copy())
            elif form == "mask_row":
                c.operands["mask"] = ("i1", (j < keys - 5).reshape(1, 1, 1, keys).copy())
            elif form == "lengths":
                c.operands["lengths"] = ("i32", np.array([keys - 1, keys // 2], np.int32))
            elif form == "segments":
                c.operands["query_segments"] = ("i32", np.zeros((2, queries), np.int32))
                c.operands["key_segments"] = ("i32", np.tile(j % 2, (2, 1)).astype(np.int32))
            masks = c.operands
            c.operands = {"q": ("f32", encode(rng.standard_normal((2, 4, queries, 16)), "f32")),
                          "k": ("f32", encode(rng.standard_normal((2, 2, keys, 16)), "f32")),
                          "v": ("f32", encode(rng.standard_normal((2, 2, keys, 16)), "f32")), **masks}
            seen = c.visible().reshape(2, 2, 2 * queries, keys).any(axis=2)
            c.operands["v"][1][~seen] = 1000
            c.operands["k"][1][~seen] *= 100
            result.append(c)
    return result
