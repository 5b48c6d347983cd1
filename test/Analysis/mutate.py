# ===- mutate.py - Every mutation of a legal cap is found -------------------===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Drops, doubles and rescales each cap of the legal files of an index, and
# checks the mutant with the caps and scales of the file as it was. A tanh that
# is no cap (GELU) is left alone.
#
# ===-----------------------------------------------------------------------===#
import json
import os
import re
import shlex
import subprocess
import sys

opt, index, folder = shlex.split(sys.argv[1]), sys.argv[2], sys.argv[3]
os.makedirs(folder, exist_ok=True)
TANH = re.compile(
    r'^ *(%\w+) = (?:"(?:stablehlo|torch\.aten|onnx)\.[tT]anh"\((%\w+)\)'
    r'|math\.tanh (%\w+)|tosa\.tanh (%\w+)'
    r'|"torch.operator"\((%\w+)\) <\{name = "onnx.Tanh"\}>)')


def check(path, options):
    run = subprocess.run(
        opt + ["--allow-unregistered-dialect", path, "-o", os.devnull,
               f"--pass-pipeline=builtin.module(softcap-check-placement{{report=true {options}}})"],
        capture_output=True, text=True)
    surfaces = [dict([f.split("=", 1) for f in line.split()[2:]], kind=line.split()[1])
                for line in run.stdout.splitlines() if line.startswith("surface")]
    rules = re.findall(r"^finding (SC0\d\d)", run.stdout, re.M)
    return surfaces, rules, run.stderr


def find_tanh(lines, start):
    """The tanh at `start` or in the body that begins there."""
    for n in range(start, min(start + 8, len(lines))):
        if match := TANH.match(lines[n]):
            return n, match[1], next(g for g in match.groups()[1:] if g)
    return None


def rename(lines, first, old, new):
    """Uses of `old` after `first`, up to the end of its body."""
    scalar = re.search(r": b?f(16|32)$", lines[first - 1])
    for n in range(first, len(lines)):
        lines[n] = re.sub(re.escape(old) + r"\b", new, lines[n])
        if scalar and "yield" in lines[n]:
            break
    return lines


def mutants(text, surface):
    lines = text.splitlines()
    found = find_tanh(lines, int(surface["cap_line"]) - 1)
    if found:
        n, result, operand = found
        dropped = rename(lines[:n + 1] + lines[n + 1:], n + 1, result, operand)
        yield "dropped", "\n".join(dropped[:n] + dropped[n + 1:])
        once = lines[n].replace(result + " =", "%once =", 1)
        twice = lines[n].replace(operand, "%once", 1)
        yield "doubled", "\n".join(lines[:n] + [once, twice] + lines[n + 1:])
    cap = float(surface["cap"])
    spelled = f"{re.escape(f'{cap:e}')}|{re.escape(f'{cap:.1f}')}(?!\\d)"
    rescaled = re.sub(rf"(?<![\w.])(?:{spelled})", "4.300000e+01", text)
    if rescaled != text:
        yield "rescaled", rescaled


failed = total = 0
for entry in json.load(open(index)):
    name = entry["file"]
    if entry["verdict"] not in ("legal", "hazard") or not name.endswith(".mlir") or "bf16" in name:
        continue
    path = os.path.join(os.path.dirname(index), name)
    text = open(path).read()
    surfaces = [s for s in check(path, "")[0]
                if s["kind"] != "other" and s["cap"] not in ("none", "symbolic")]
    if not surfaces:
        continue
    facts = {}
    for s in surfaces:
        facts[s["kind"]] = float(s["cap"])
        facts[s["kind"] + "-scale"] = float(s["pre_scale"]) * float(s["operand_scale"])
    expect = "expect=" + ",".join(f"{k}={v:.9g}" for k, v in facts.items())
    _, rules, _ = check(path, expect)
    if rules:
        failed += 1
        print(f"{name}: {rules} with its own expectation {expect}")
    for s in surfaces:
        for how, mutant in mutants(text, s):
            total += 1
            at = os.path.join(folder, "mutant.mlir")
            with open(at, "w") as out:
                out.write(mutant)
            _, rules, error = check(at, expect)
            if not rules:
                failed += 1
                print(f"{name}: {how} at line {s['cap_line']} is not found; {error[:300]}")
print(f"{total - failed} of {total} found")
sys.exit(1 if failed or total < int(sys.argv[4]) else 0)
