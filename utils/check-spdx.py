#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails for each tracked source file whose head lacks the SPDX line."""

import pathlib
import subprocess
import sys

LINE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
SUFFIXES = {".c", ".cpp", ".h", ".td", ".py", ".sh", ".cmake", ".in"}
NAMES = {"CMakeLists.txt", "Makefile", "run"}


def main():
    root = pathlib.Path(sys.argv[1])
    tracked = subprocess.run(["git", "-C", str(root), "ls-files", "-z"],
                             check=True, capture_output=True, text=True).stdout.split("\0")
    sources = [pathlib.Path(name) for name in tracked if name and "Inputs/" not in name]
    sources = [name for name in sources if name.suffix in SUFFIXES or name.name in NAMES]
    bare = [name for name in sources
            if (root / name).exists() and LINE not in "".join((root / name).read_text().splitlines(True)[:5])]
    for name in bare:
        print(f"{name}: no '{LINE}' in the first five lines")
    print(f"{len(sources)} files checked, {len(bare)} without the line")
    return bool(bare) or not sources


if __name__ == "__main__":
    sys.exit(main())
