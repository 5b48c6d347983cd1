# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one exported graph with softcap-run and holds it to its index entry.

The output agrees with the stored float64 reference, every surface of scores is fused, nothing of shape queries x keys
is left, and a faulty graph is refused by its rule; as written (--no-check) it computes what the reference says.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from graph_inputs import make_arguments
from scores_buffers import find_scores


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("index", type=pathlib.Path)
    parser.add_argument("file")
    parser.add_argument("--scores", metavar="BxHxMxNxD", action="append", default=[],
                        help="extents of the scores and the head dimension; the IR after fusion must not hold M x N; "
                             "again for heads that are folded into M")
    parser.add_argument("--bias", choices=["none", "shared", "heads"], default="none",
                        help="the graph computes a bias, the same for all heads or not: it may stay")
    parser.add_argument("--peak", action="store_true",
                        help="also: no buffer at run time is as large as the scores of all heads in f32")
    return parser.parse_args()


class Failure(Exception):
    pass


def expect(condition, message):
    if not condition:
        raise Failure(message)


def run(command, code):
    process = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)
    expect(process.returncode == code, f"{' '.join(map(str, command))}\nexit {process.returncode}, not {code}: "
           f"{process.stderr[:2000]}{process.stdout[:500]}")
    return process


class Graph:
    def __init__(self, index, file, folder):
        self.entry = next(e for e in json.loads(index.read_text()) if e["file"] == file)
        self.path = index.parent / file
        self.base = index.parent
        self.folder = folder
        self.inputs = []
        for i, array in enumerate(make_arguments(self.entry)):
            np.save(folder / f"in{i}.npy", array)
            self.inputs.append(f"--input={folder / f'in{i}.npy'}")
        # A graph without references still has a result, of which finiteness is known.
        self.outputs = [folder / f"out{i}.npy" for i in range(max(1, len(self.entry["expected"])))]

    def softcap_run(self, *flags):
        """The JSON report and the outputs."""
        command = ["softcap-run", self.path, f"--entry={self.entry['entry']}", *self.inputs, "--json", *flags]
        report = run(command + [f"--output={o}" for o in self.outputs], 0).stdout
        return json.loads(report), [np.load(o) for o in self.outputs]

    def check_refused(self):
        command = ["softcap-run", self.path, f"--entry={self.entry['entry']}", *self.inputs, "--json"]
        if self.entry["expect"]:
            command.append(f"--expect={self.entry['expect']}")
        text = run(command + [f"--output={o}" for o in self.outputs], 3).stderr
        expect(any(rule in text for rule in self.entry["rules"]), f"no rule of {self.entry['rules']} in: {text}")
        expect(not any(o.exists() for o in self.outputs), "a refused graph wrote an output")

    def check_results(self, results):
        for result in results:
            expect(np.isfinite(result).all(), "the result is not finite")
        for wanted in self.entry["expected"]:
            result = results[wanted["result"]]
            expect(list(result.shape) == wanted["shape"], f"shape {result.shape}, not {wanted['shape']}")
            sample = result.astype(np.float64).reshape(-1)[::wanted["stride"]]
            reference = np.load(self.base / wanted["file"]).astype(np.float64).reshape(-1)
            error = np.linalg.norm(sample - reference) / np.linalg.norm(reference)
            print(f"result {wanted['result']}: relative L2 {error:.2e}, tolerance {self.entry['tolerance']:.0e}")
            expect(error <= self.entry["tolerance"], "the result differs from the reference")

    def check_fused(self, report):
        scores = sum(s["kind"] == "scores" for s in self.entry["surfaces"])
        expect(report["fused"].get("attention", 0) == scores, f"{scores} surfaces of scores, fused: {report['fused']}")

    def check_ir(self, extents, bias):
        def find_after(pipeline):
            command = ["softcap-opt", self.path, f"--pass-pipeline=builtin.module({pipeline})", "--mlir-print-op-generic"]
            return find_scores(run(command, 0).stdout, *extents[2:], bias)
        complaints = find_after("softcap-fuse-pipeline{check=false}")
        expect(not complaints, "\n".join(complaints))
        imports = "inline,func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith,tosa-to-tensor),canonicalize"
        expect(find_after(imports), "no scores are seen in the unfused program either")


def is_training(name):
    return any(part in name for part in ("_train_", "_grad_", "_vjp_"))


def check(graph, options):
    legal = graph.entry["verdict"] != "illegal"
    if not legal:
        graph.check_refused()
    report, results = graph.softcap_run(*([] if legal else ["--no-check"]))
    print(f"fused {report['fused']}, largest buffer {report['largest_buffer_bytes']} bytes, "
          f"compiled in {report['compile_s']:.2f} s, ran in {report['time_s']['min']:.2g} s")
    graph.check_results(results)
    if not legal or is_training(options.file):
        return
    graph.check_fused(report)
    has_scores = any(s["kind"] == "scores" for s in graph.entry["surfaces"])
    expect(has_scores == bool(options.scores), "--scores is for graphs with scores")
    if not options.scores:
        return
    for extents in options.scores:
        graph.check_ir(extents.split("x"), options.bias)
    if options.peak:
        limit = 4 * np.prod([int(n) for n in options.scores[0].split("x")[:4]])
        expect(report["largest_buffer_bytes"] < limit, f"a buffer as large as scores ({limit} bytes)")
        unfused, _ = graph.softcap_run("--no-fuse")
        expect(unfused["largest_buffer_bytes"] >= limit, "the measure does not see the scores of the unfused program")


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        try:
            check(Graph(options.index, options.file, pathlib.Path(folder)), options)
        except Failure as failure:
            print(f"{options.file}: {failure}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
