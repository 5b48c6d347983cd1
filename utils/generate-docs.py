#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generates docs/reference from the ODS, or checks that it is up to date."""

import argparse
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = SOURCE / "include"
PAGES = {
    "SoftcapDialect.md": ("softcap/Dialect/Softcap/IR/SoftcapOps.td", ["-gen-dialect-doc", "-dialect=softcap"]),
    "TransformPasses.md": ("softcap/Dialect/Softcap/Transforms/Passes.td", ["-gen-pass-doc"]),
    "ConversionPasses.md": ("softcap/Conversion/Passes.td", ["-gen-pass-doc"]),
}
TITLES = {"TransformPasses.md": "# Transform passes\n\n", "ConversionPasses.md": "# Conversion passes\n\n"}


def page(name, args):
    td, flags = PAGES[name]
    includes = [f"-I{folder}" for folder in [str(INCLUDE), *args.mlir_include.split(";")]]
    text = subprocess.run([args.tblgen, *flags, *includes, str(INCLUDE / td)],
                          check=True, capture_output=True, text=True).stdout
    lines = [line.rstrip() for line in text.splitlines()]
    return TITLES.get(name, "") + "\n".join(lines).strip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tblgen", required=True)
    parser.add_argument("--mlir-include", required=True, help="folders, separated by semicolons")
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="change nothing, fail where a page is out of date")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    stale = []
    for name in PAGES:
        text, path = page(name, args), args.out / name
        if not args.check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(name)
    if stale:
        print(f"out of date: {', '.join(stale)}; run `make docs` and commit docs/reference")
    return len(stale) > 0


if __name__ == "__main__":
    sys.exit(main())
