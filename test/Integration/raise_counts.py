# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what softcap-raise finds in real graphs and the corpus, against their indexes.

usage: raise_counts.py INPUTS SOFTCAP_OPT

Every surface with a cap in `index.json` of a graph that is not illegal must be a
cap, scores or logits op; every tanh that remains must be one that the index does
not count: a GELU, or the second reader of a cap's tanh in a gradient.
"""
import json
import pathlib
import re
import subprocess
import sys


def raise_caps(opt, path, *options):
    passes = f"builtin.module(softcap-raise{{{' '.join(options)}}})"
    return subprocess.run([opt, str(path), f"--pass-pipeline={passes}"], check=True, capture_output=True, text=True).stdout


def count(pattern, text):
    return len(re.findall(pattern, text))


def remaining_tanhs(path, record):
    """One per GELU of the file, and one per cap of a graph with gradients."""
    gelus = count(r"tanh", path.read_text()) - len(record["surfaces"])
    gradient = re.search(r"_(train|grad|vjp)_", path.name)
    return gelus + (len(record["surfaces"]) if gradient else 0)


def check(path, record, opt):
    text = raise_caps(opt, path)
    expected = sum(s["cap"] is not None for s in record["surfaces"])
    found = count(r"softcap\.(cap|scores|logits) ", text)
    assert found == expected, f"{found} caps, the index lists {expected}"
    if "layer" in (record["surfaces"] or [{}])[0]:
        left = count(r"= (math|tosa)\.tanh |linalg\.tanh ", text)
        assert left == remaining_tanhs(path, record), f"{left} tanhs are left"
    return found


def main(inputs, opt):
    inputs, failed, files, caps = pathlib.Path(inputs), 0, 0, 0
    for folder in (inputs / "graphs", inputs / "corpus" / "placement"):
        for record in json.loads((folder / "index.json").read_text()):
            if record["verdict"] == "illegal" or record.get("form", "linalg") not in ("linalg", "tosa") \
                    or record["file"].startswith("u"):
                continue
            files += 1
            try:
                caps += check(folder / record["file"], record, opt)
            except (AssertionError, subprocess.CalledProcessError) as problem:
                failed += 1
                print(f"{record['file']}: {problem}")
    print(f"{caps} caps in {files} files; {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(*sys.argv[1:])))
