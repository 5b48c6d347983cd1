#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes the graphs of this folder from exported MLIR to a checked result, and tells what happened.

Needs nothing but Python's standard library and softcap's tools. Exits with 1 if anything is not as it should be.
"""
import argparse
import array
import json
import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
REPEAT = 5


# Arguments, as graphs.json describes them.
def make_values(a, rng):
    count = math.prod(a["shape"])
    if a["gen"] == "normal":
        scale, offset = a.get("scale", 1.0), a.get("offset", 0.0)
        return [rng.gauss(offset, scale) for _ in range(count)]
    if a["gen"] == "integers":
        return [rng.randrange(a["low"], a["high"]) for _ in range(count)]
    if a["gen"] == "value":
        return [a["value"]] * count
    queries, keys = a["shape"][-2:]
    if a["gen"] == "causal":
        return [0.0 if k <= q else a["masked"] for q in range(queries) for k in range(keys)]
    assert a["gen"] == "rope", a["gen"]
    wave = {"cos": math.cos, "sin": math.sin}[a["part"]]
    steps = [10000.0 ** (-2 * i / keys) for i in range(keys // 2)] * 2
    return [wave(position * step) for position in range(queries) for step in steps]


def write_npy(path, a, rng):
    code, descr = {"f32": ("f", "<f4"), "i64": ("q", "<i8")}[a["dtype"]]
    shape = "".join(f"{n}, " for n in a["shape"])
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    values = array.array(code, make_values(a, rng))
    if sys.byteorder == "big":
        values.byteswap()
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        values.tofile(file)


# Output.
class Style:
    """Colours, only where a person looks."""

    def __init__(self):
        self.on = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"

    def __call__(self, code, text):
        return f"\x1b[{code}m{text}\x1b[0m" if self.on else text

    def bold(self, text):
        return self("1", text)

    def dim(self, text):
        return self("2", text)

    def verdict(self, text, good):
        return self("32" if good else "31;1", text)


style = Style()


def format_bytes(count):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024


def format_seconds(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1 or unit == "us":
            return f"{seconds * factor:.2f} {unit}"


def row(label, *cells):
    print(f"  {label:<16}" + "".join(f"{cell:>14}" for cell in cells[:2]) + "".join(f"    {cell}" for cell in cells[2:]))


# Scores.
def strip_units(shape):
    return [n for n in shape.split("x") if n != "1"]


def surface_shape(path, surface):
    """Shape and bytes of the scores as the graph writes them: the type of the contraction that the report names."""
    lines = path.read_text().splitlines()[surface["location"]["line"] - 1:]
    found = re.search(r"-> tensor<((?:\d+x)+)f32>", "\n".join(lines))
    shape = found.group(1).rstrip("x")
    return shape, 4 * math.prod(map(int, shape.split("x")))


def contraction_shapes(text):
    """Shapes that contractions have in printed IR."""
    for line in text.splitlines():
        found = re.search(r"linalg\.(?:\w*matmul|contract|generic)\b.*outs\(.* : tensor<((?:\d+x)+)f32>", line)
        if found and ("generic" not in line or '"reduction"' in line):
            yield found.group(1).rstrip("x")


class Demo:
    def __init__(self, tools):
        self.tools = tools
        self.failures = []

    def fail(self, message):
        self.failures.append(message)
        print(f"  {style.verdict('FAILED', False)}  {message}")

    def run(self, tool, *arguments):
        command = [str(self.tools / tool), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True)

    def run_json(self, tool, *arguments, codes=(0,)):
        """The tool's JSON report, or nothing after a failure."""
        process = self.run(tool, *arguments)
        if process.returncode not in codes:
            self.fail(f"{tool}: exit {process.returncode}: {process.stderr.strip()[:500]}")
            return None
        return json.loads(process.stdout)

    def show(self, graph, folder):
        path = FOLDER / graph["file"]
        print(f"\n{style.bold(graph['file'])}\n{style.dim(graph['title'])}\n")
        rng = random.Random(graph["seed"])
        inputs = []
        for i, a in enumerate(graph["arguments"]):
            file = folder / f"{i}.npy"
            write_npy(file, a, rng)
            inputs.append(f"--input={file}")
        report = self.run_json("softcap-audit", "--format=json", path, codes=(0, 1))
        if not report:
            return
        self.show_caps(report)
        if report["verdict"] != graph["verdict"]:
            self.fail(f"the verdict is {report['verdict']}, not {graph['verdict']}")
        elif graph["verdict"] == "legal":
            self.show_run(graph, path, report, inputs)
        else:
            self.show_refusal(path, report, inputs, folder)

    def show_caps(self, report):
        # As wide as the rows of numbers below: the table is one.
        print(style.dim(f"  {'cap on':<16}{'where':>14}{'value':>14}    verdict"))
        for surface in report["surfaces"]:
            place = f"@{surface['function']}:{surface['location']['line']}"
            cap = "none" if surface["cap"] is None else f"{surface['cap']:g}" \
                if isinstance(surface["cap"], (int, float)) else surface["cap"]
            layer = "" if surface["layer"] is None else f" {surface['layer']}"
            row(surface["kind"] + layer, place, cap, style.verdict(surface["verdict"], surface["verdict"] == "legal"))
        print()

    def show_run(self, graph, path, report, inputs):
        unfused = self.run_json("softcap-run", path, *inputs, "--json", "--no-fuse", f"--repeat={REPEAT}")
        fused = self.run_json("softcap-run", path, *inputs, "--json", "--reference", f"--repeat={REPEAT}",
                              f"--tolerance={graph['tolerance']}", codes=(0, 1))
        pipeline = "--pass-pipeline=builtin.module(softcap-fuse-pipeline)"
        after = self.run("softcap-opt", path, pipeline)
        if after.returncode:
            self.fail(f"softcap-opt: {after.stderr.strip()[:500]}")
        if not unfused or not fused or after.returncode:
            return
        surfaces = [surface_shape(path, s) for s in report["surfaces"] if s["kind"] == "scores"]
        shapes = {tuple(strip_units(shape)): size for shape, size in surfaces}
        left = sum(shapes.get(tuple(strip_units(shape)), 0) for shape in contraction_shapes(after.stdout))
        before = sum(size for _, size in surfaces)
        attention = fused["fused"].get("attention", 0)

        print(style.dim(f"  {'':<16}{'as exported':>14}{'fused':>14}"))
        row("attention", "none", f"{attention} op{'s' * (attention != 1)}")
        row("score buffers", format_bytes(before), format_bytes(left), f"{len(surfaces)} of queries x keys")
        row("largest buffer", format_bytes(unfused["largest_buffer_bytes"]), format_bytes(fused["largest_buffer_bytes"]))
        times = unfused["time_s"]["min"], fused["time_s"]["min"]
        row("time", *map(format_seconds, times), f"{times[0] / times[1]:.1f} times as fast")
        reference = fused["reference"]
        error = "not finite" if reference["rel_l2"] is None else f"{reference['rel_l2']:.1e}"
        limit = f"{graph['tolerance']:.0e}".replace("e-0", "e-")
        row("error to float64", "", error, style.verdict(f"ok, below {limit}" if reference["ok"] else "differs", reference["ok"]))
        if attention != len(surfaces):
            self.fail(f"{attention} of {len(surfaces)} surfaces of scores are fused")
        if left:
            self.fail("a score buffer is left")
        if not reference["ok"]:
            self.fail("the result differs from the float64 reference")

    def show_refusal(self, path, report, inputs, folder):
        process = self.run("softcap-run", path, *inputs, f"--output={folder / 'refused.npy'}")
        rules = [f["rule"] for f in report["findings"] if f["severity"] == "error"]
        text = process.stderr.strip().replace(str(FOLDER) + os.sep, "").removeprefix("softcap-run: ")
        place, _, message = text.partition(" error: ")
        print(f"  {style.verdict('refused', False)}  {place.rstrip(':')}\n  {message}")
        if process.returncode != 3 or not rules or not all(rule in text for rule in rules):
            self.fail(f"softcap-run: exit {process.returncode}, not 3 with {' and '.join(rules)}")
        if (folder / "refused.npy").exists():
            self.fail("a refused graph wrote an output")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=FOLDER.parent.parent / "build/release/bin",
                        help="folder of the tools")
    options = parser.parse_args()
    demo = Demo(options.bin.resolve())
    graphs = json.loads((FOLDER / "graphs.json").read_text())
    for graph in graphs:
        with tempfile.TemporaryDirectory() as folder:
            demo.show(graph, pathlib.Path(folder))
    print()
    if demo.failures:
        print(style.verdict(f"{len(demo.failures)} failures", False))
        return 1
    print(f"{len(graphs)} graphs, {style.verdict('all as they should be', True)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
