# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the outputs of options.mlir must be."""
import sys

import numpy as np

a, b, c, d, e, f, g = (np.load(f"{sys.argv[1]}.{n}.npy") for n in "abcdefg")
assert (a == b).all(), "the same seed gives the same arguments"
assert (a != c).mean() > 0.99, "another seed gives others"
# Standard normal before the cap: atanh undoes it.
x = np.arctanh(a.astype(np.float64))
assert abs(x.mean()) < 0.03 and abs(x.std() - 1) < 0.03, (x.mean(), x.std())
assert set(np.unique(d)) == {0, 1}
assert set(np.unique(e)) == set(range(-3, 5))
for other in (f, g):
    assert np.abs(a - other).max() < 1e-6, "other instructions, the same function"
