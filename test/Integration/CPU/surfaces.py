# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reference decompositions other than attention's, run and compared with float64: caps, scores, logits, and the
online steps with their merge, whose pieces together must be the attention over all keys."""
import sys

import numpy as np

import native

TOOLS = {tool: tool for tool in ("softcap-opt", "mlir-translate", "clang")}
SOURCE = """
func.func @cap(%x: tensor<3x?xbf16>, %c: f32) -> tensor<3x?xbf16> {
  %0 = softcap.cap %x cap(%c : f32) : tensor<3x?xbf16>
  return %0 : tensor<3x?xbf16>
}
func.func @cap_grad(%dy: tensor<3x?xf32>, %x: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %0 = softcap.cap_grad %dy, %x cap(5.0) : tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}
func.func @scores(%q: tensor<2x6x5x8xf16>, %k: tensor<2x3x7x8xf16>, %b: tensor<1x6x1x7xf32>) -> tensor<2x6x5x7xf16> {
  %init = tensor.empty() : tensor<2x6x5x7xf16>
  %0 = softcap.scores ins(%q, %k : tensor<2x6x5x8xf16>, tensor<2x3x7x8xf16>) cap(5.0) scale(0.75)
         pre_bias(%b : tensor<1x6x1x7xf32>) outs(%init : tensor<2x6x5x7xf16>)
  return %0 : tensor<2x6x5x7xf16>
}
func.func @dynamic_scores(%q: tensor<?x?x?x?xf32>, %k: tensor<?x?x?x?xf32>, %init: tensor<?x?x?x?xf32>)
    -> tensor<?x?x?x?xf32> {
  %0 = softcap.scores ins(%q, %k : tensor<?x?x?x?xf32>, tensor<?x?x?x?xf32>) cap(5.0)
         outs(%init : tensor<?x?x?x?xf32>)
  return %0 : tensor<?x?x?x?xf32>
}
func.func @logits(%h: tensor<2x?x8xbf16>, %w: tensor<11x8xbf16>, %b: tensor<11xf32>, %init: tensor<2x?x11xbf16>,
    %lse: tensor<2x?xf32>) -> (tensor<2x?x11xbf16>, tensor<2x?xf32>) {
  %0:2 = softcap.logits ins(%h, %w : tensor<2x?x8xbf16>, tensor<11x8xbf16>) cap(5.0) scale(2.0)
           bias(%b : tensor<11xf32>) outs(%init : tensor<2x?x11xbf16>) lse(%lse : tensor<2x?xf32>)
  return %0#0, %0#1 : tensor<2x?x11xbf16>, tensor<2x?xf32>
}
func.func @online(%q: tensor<1x4x6x8xf32>, %k: tensor<1x2x?x8xf32>, %v: tensor<1x2x?x8xf32>, %offset: index,
    %a: tensor<1x4x6x8xf32>, %m: tensor<1x4x6xf32>, %l: tensor<1x4x6xf32>)
    -> (tensor<1x4x6x8xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>) {
  %0:3 = softcap.online_attention ins(%q, %k, %v : tensor<1x4x6x8xf32>, tensor<1x2x?x8xf32>, tensor<1x2x?x8xf32>)
           cap(5.0) causal offset(%offset) MODE
           outs(%a, %m, %l : tensor<1x4x6x8xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>)
  return %0#0, %0#1, %0#2 : tensor<1x4x6x8xf32>, tensor<1x4x6xf32>, tensor<1x4x6xf32>
}
func.func @merge(%a: tensor<2x1x4x6x8xf32>, %l: tensor<2x1x4x6xf32>, %m: tensor<2x1x4x6xf32>, %s: tensor<4xf32>,
    %init: tensor<1x4x6x8xf32>, %lse: tensor<1x4x6xf32>) -> (tensor<1x4x6x8xf32>, tensor<1x4x6xf32>) {
  %0:2 = softcap.merge ins(%a, %l : tensor<2x1x4x6x8xf32>, tensor<2x1x4x6xf32>) maxima(%m : tensor<2x1x4x6xf32>)
           sinks(%s : tensor<4xf32>) outs(%init : tensor<1x4x6x8xf32>) lse(%lse : tensor<1x4x6xf32>)
  return %0#0, %0#1 : tensor<1x4x6x8xf32>, tensor<1x4x6xf32>
}
func.func @merge_shift(%a: tensor<2x1x4x6x8xf32>, %l: tensor<2x1x4x6xf32>, %init: tensor<1x4x6x8xf32>,
    %lse: tensor<1x4x6xf32>) -> (tensor<1x4x6x8xf32>, tensor<1x4x6xf32>) {
  %0:2 = softcap.merge ins(%a, %l : tensor<2x1x4x6x8xf32>, tensor<2x1x4x6xf32>) shift(1.5)
           outs(%init : tensor<1x4x6x8xf32>) lse(%lse : tensor<1x4x6xf32>)
  return %0#0, %0#1 : tensor<1x4x6x8xf32>, tensor<1x4x6xf32>
}
"""


def cap(x, c=5.0):
    return c * np.tanh(x / c)


class Checks:
    def __init__(self, mode):
        self.mode, self.failed = mode, 0
        self.rng = np.random.default_rng(7)
        self.module = native.Module(SOURCE.replace("MODE", mode), "softcap-reference-pipeline{promote=false}", TOOLS)

    def normal(self, *shape, element="f32", scale=1.0):
        return native.encode(self.rng.standard_normal(shape) * scale, element)

    def near(self, what, got, want, tolerance):
        ok = got.shape == want.shape and np.all(np.abs(got - want) <= tolerance * (1 + np.abs(want)))
        self.failed += not ok
        print(f"{'ok' if ok else 'FAILED'}: {what} {self.mode}")

    def elementwise(self):
        x = self.normal(3, 17, element="bf16", scale=60)
        for c in (50.0, -50.0):
            (y,) = self.module.call("cap", [x, (c, "f32")], [(2, "bf16")])
            self.near("cap", native.decode(y, "bf16"), cap(native.decode(x, "bf16"), 50.0), 2.0**-8)
        dy, x = self.normal(3, 17), self.normal(3, 17, scale=8)
        (dx,) = self.module.call("cap_grad", [dy, x], [(2, "f32")])
        u = x.astype(np.float64) / 5
        self.near("cap_grad", dx, dy / np.cosh(u) ** 2, 1e-6)

    def scores(self):
        q, k = self.normal(2, 6, 5, 8, element="f16"), self.normal(2, 3, 7, 8, element="f16")
        b = self.normal(1, 6, 1, 7)
        product = lambda q, k: q.astype(float) @ np.swapaxes(np.repeat(k.astype(float), 2, axis=1), 2, 3)
        (s,) = self.module.call("scores", [q, k, b], [(4, "f16")])
        self.near("scores", native.decode(s, "f16"), cap(0.75 * product(q, k) + b), 2.0**-10)
        q, k = self.normal(2, 6, 5, 8), self.normal(2, 3, 7, 8)
        (s,) = self.module.call("dynamic_scores", [q, k, np.zeros((2, 6, 5, 7), np.float32)], [(4, "f32")])
        self.near("dynamic scores", s, cap(product(q, k)), 1e-5)

    def logits(self):
        h, w, b = self.normal(2, 3, 8, element="bf16"), self.normal(11, 8, element="bf16"), self.normal(11)
        y, lse = self.module.call("logits", [h, w, b, np.zeros((2, 3, 11), np.uint16), np.zeros((2, 3), np.float32)],
                                  [(3, "bf16"), (2, "f32")])
        want = cap(2 * native.decode(h, "bf16") @ native.decode(w, "bf16").T + b)
        self.near("logits", native.decode(y, "bf16"), want, 2.0**-8)
        self.near("lse of logits", lse, np.log(np.exp(want).sum(axis=2)), 1e-5)

    def merge(self):
        """Two blocks of keys; the second is after the first, and partly or wholly after every query."""
        q, s = self.normal(1, 4, 6, 8), self.normal(4)
        floor = np.finfo(np.float32).min if self.mode else -np.inf
        for first, second in ((3, 5), (6, 2), (1, 1)):
            keys = first + second
            k, v = self.normal(1, 2, keys, 8), self.normal(1, 2, keys, 8)
            v[:, :, 6:] = np.nan  # After the last query: masked, whatever it holds.
            start = [np.zeros((1, 4, 6, 8), np.float32), np.full((1, 4, 6), floor, np.float32),
                     np.zeros((1, 4, 6), np.float32)]
            types = [(4, "f32"), (3, "f32"), (3, "f32")]
            part = lambda x, lo, hi: np.ascontiguousarray(x[:, :, lo:hi])
            step = lambda lo, hi, state: self.module.call(
                "online", [q, part(k, lo, hi), part(v, lo, hi), (-lo, "index"), *state], types)
            (a0, m0, l0), (a1, m1, l1) = step(0, first, start), step(first, keys, start)
            rest = [np.zeros((1, 4, 6, 8), np.float32), np.zeros((1, 4, 6), np.float32)]
            o, lse = self.module.call("merge", [np.stack([a0, a1]), np.stack([l0, l1]), np.stack([m0, m1]), s, *rest],
                                      types[:2])
            x = cap(q.astype(float) @ np.swapaxes(np.repeat(k, 2, axis=1).astype(float), 2, 3))
            visible = np.arange(keys)[None, :] <= np.arange(6)[:, None]
            p = np.where(visible, np.exp(x), 0)
            total = p.sum(axis=3) + np.exp(s.astype(float))[None, :, None]
            values = np.where(np.arange(keys)[:, None] < 6, np.repeat(v, 2, axis=1), 0).astype(float)
            self.near(f"merge of {first} and {second} keys", o, p @ values / total[..., None], 1e-5)
            self.near("its lse", lse, np.log(total), 1e-5)
            # The second step may go on from the state of the first instead.
            a, m, l = step(first, keys, (a0, m0, l0))
            self.near("two steps", a / l[..., None], p @ values / p.sum(axis=3)[..., None], 1e-5)
        a, l = np.abs(self.normal(2, 1, 4, 6, 8)), np.abs(self.normal(2, 1, 4, 6)) + 1
        l[:, 0, 0, 0], a[:, 0, 0, 0] = 0, 0
        o, lse = self.module.call("merge_shift", [a, l, *rest], types[:2])
        with np.errstate(all="ignore"):
            total = l.astype(float).sum(axis=0)
            self.near("merge without maxima", o, np.nan_to_num(a.astype(float).sum(axis=0) / total[..., None]), 1e-5)
            same = (lse == 1.5 + np.log(total)) | (np.abs(lse - 1.5 - np.log(total)) < 1e-5)
        self.near("its lse, -inf for an empty row", same.astype(float), np.ones_like(lse), 0)


def main():
    failed = 0
    for mode in ("", "masked_rows mean"):
        checks = Checks(mode)
        checks.elementwise()
        checks.scores()
        checks.logits()
        checks.merge()
        failed += checks.failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
