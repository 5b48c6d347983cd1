# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiled attention in small tiles against float64: the loop over keys is in the IR here, while the pipeline's own tiles
hold the keys of a small test whole."""
import sys

import numpy as np

import configurations
import native

PIPELINE = "func.func(softcap-tile-attention{query-tile=5 key-tile=7}),softcap-lower-pipeline{vector-bytes=16}"
COUNT = 8


def main(libomp):
    batch = [configurations.draw(np.random.default_rng([20, i]), f"f{i}") for i in range(COUNT)]
    module = native.Module("".join(c.mlir() for c in batch), PIPELINE,
                           {tool: tool for tool in ("softcap-opt", "mlir-translate", "clang")}, libraries=[libomp])
    failed = 0
    for c in batch:
        problems = c.differences(module.call(c.name, c.arguments(), c.results()))
        if problems:
            failed += 1
            print(f"FAILED {c.name}: {'; '.join(problems)}\n  {c.describe()}")
    print(f"{COUNT - failed} of {COUNT} agree with float64")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
