#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Executes the examples of Markdown and TableGen files.

Every ```mlir block must parse, verify and survive a round trip. Two HTML
comments on the line before a block ask for more:

    <!-- expect: --some-pass --other -->   the mlir block is what softcap-opt
                                           makes of the mlir block before it
    <!-- run -->                           the sh block runs at the root of the
                                           sources and succeeds
    <!-- print: COMMAND -->                the block is what COMMAND prints

In commands, build/asserts stands for the build tree under test, and
mlir-opt-22 for the mlir-opt of the LLVM in use.
"""

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import textwrap

BLOCK = re.compile(r"(?:^[ \t]*<!-- (?P<directive>(?:expect|print): .*?|run) -->\n)?"
                   r"^(?P<indent>[ \t]*)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```", re.M | re.S)


class Failure(Exception):
    """An example that does not do what its document says."""


def run(command, text=None, **kwargs):
    done = subprocess.run(command, input=text, capture_output=True, text=True, **kwargs)
    if done.returncode:
        shown = command if isinstance(command, str) else " ".join(command)
        raise Failure(f"{shown}: exit {done.returncode}\n{done.stderr}{text or ''}")
    return done.stdout


class Examples:
    def __init__(self, args):
        self.opt = os.path.join(args.build, "bin", "softcap-opt")
        self.build = os.path.abspath(args.build)
        self.mlir_opt = os.path.join(args.llvm_tools, "mlir-opt")
        self.source = args.source

    def normal(self, module, *passes):
        return run([self.opt, "-", *passes], module)

    def shell(self, command):
        command = command.replace("build/asserts", self.build).replace("mlir-opt-22", self.mlir_opt)
        environment = dict(os.environ, PATH=os.path.join(self.build, "bin") + os.pathsep + os.environ["PATH"])
        return run(command, shell=True, cwd=self.source, env=environment)

    def check(self, match, before):
        """Runs one block; `before` is the mlir block that stands ahead of it."""
        text, directive = textwrap.dedent(match["text"]), match["directive"] or ""
        if match["language"] == "mlir":
            run([self.opt, "-", "--verify-roundtrip", "-o", os.devnull], text)
        if directive.startswith("expect: "):
            got, want = self.normal(before, *shlex.split(directive[8:])), self.normal(text)
            if got != want:
                raise Failure(f"softcap-opt {directive[8:]} gives\n{got}and not\n{want}")
        if directive == "run":
            self.shell(text)
        if directive.startswith("print: "):
            got = self.shell(directive[7:])
            if got.strip() != text.strip():
                raise Failure(f"{directive[7:]} prints\n{got}and not\n{text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--llvm-tools", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    examples, failures, executed = Examples(args), 0, 0
    for path in args.files:
        content, before = path.read_text(), None
        for match in BLOCK.finditer(content):
            if match["language"] != "mlir" and not match["directive"]:
                continue
            executed += 1
            try:
                examples.check(match, before)
            except Failure as failure:
                line = content[:match.start("language")].count("\n") + 1
                print(f"{path}:{line}: {failure}")
                failures += 1
            if match["language"] == "mlir":
                before = textwrap.dedent(match["text"])
    print(f"{executed} examples executed, {failures} failed")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
