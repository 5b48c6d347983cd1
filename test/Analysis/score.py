# ===- score.py - Scores softcap-check-placement over a folder of graphs ----===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Runs the pass with `report` over every file of an index.json and compares
# verdict, rules, surfaces with their caps and scales, and the culprits' lines.
# `--through` names passes to run first: the verdict must not change.
#
# ===-----------------------------------------------------------------------===#
import argparse
import json
import os
import shlex
import subprocess
import sys

ERROR = [f"SC{n:03}" for n in range(1, 16)]
WARNING = ["SC110", "SC111", "SC112", "SC113", "SC114", "SC115", "inconclusive"]


def parse(text):
    """The report's lines: verdict, surfaces, findings with their lines."""
    report = {"verdict": None, "surfaces": [], "findings": []}
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "verdict":
            report["verdict"] = rest
        elif word == "surface":
            kind, *fields = rest.split()
            report["surfaces"].append(
                dict([f.split("=", 1) for f in fields], kind=kind))
        elif word == "finding":
            rule, *lines = rest.split()
            report["findings"].append(
                (rule, [int(l.removeprefix("line=")) for l in lines]))
    return report


def close(a, b):
    return abs(a - b) <= 0.02 * max(abs(a), abs(b))


def matches(surface, wanted, entry):
    if surface["kind"] != wanted["kind"]:
        return False
    cap = wanted["cap"]
    if cap == "symbolic":
        return surface["cap"] == "symbolic"
    if entry["verdict"] == "illegal" and "verdict" not in wanted:
        return True
    if cap is None:
        return surface["cap"] == "none" or wanted.get("verdict") == "illegal"
    if surface["cap"] in ("none", "symbolic"):
        return False
    if not close(float(surface["cap"]), cap):
        return False
    # Exporters leave the scale inside the operands; only then is it given.
    for key, default in (("pre_scale", None), ("operand_scale", None)):
        value = wanted.get(key, default)
        if value is not None and not close(float(surface[key]), value):
            return False
    return "verdict" not in wanted or surface["verdict"] == wanted["verdict"]


def first_line(source, line):
    """The first line of the op that `line` closes, or `line`."""
    text = source[line - 1]
    if not text.lstrip().startswith("}"):
        return line
    indent = len(text) - len(text.lstrip())
    for n in range(line - 1, 0, -1):
        above = source[n - 1]
        if above.lstrip().startswith("%") and len(above) - len(above.lstrip()) == indent:
            return n
    return line


def judge(entry, report, code, lines):
    faults = []
    verdict = entry["verdict"]
    got = report["verdict"]
    rules = [rule for rule, _ in report["findings"]]
    if verdict in ("other-surface", "no-softcap"):
        if got not in ("legal", "no-softcap"):
            faults.append(f"verdict {got}, not {verdict}")
    elif got != verdict:
        faults.append(f"verdict {got}, not {verdict}")
    if (code != 0) != (verdict == "illegal"):
        faults.append(f"exit status {code}")
    allowed = entry["rules"] + entry.get("may_also", [])
    required = list(entry["rules"])
    for rule in required:
        if rule not in rules and not set(entry.get("may_also", [])) & set(rules):
            faults.append(f"{rule} is missing")
    for rule in set(rules):
        if rule in ERROR and rule not in allowed:
            faults.append(f"{rule} is wrong")
        if rule in WARNING and verdict not in ("illegal", "hazard"):
            faults.append(f"{rule} is a false alarm")
    left = list(report["surfaces"])
    for wanted in entry["surfaces"]:
        found = next((s for s in left if matches(s, wanted, entry)), None)
        if found is None:
            faults.append(f"no surface {wanted}")
        else:
            left.remove(found)
    culprits = entry.get("culprit_lines") or []
    culprits += [first_line(lines, n) for n in culprits] if lines else []
    if culprits and lines and not any(set(at) & set(culprits)
                                      for _, at in report["findings"]):
        faults.append(f"no finding on lines {culprits}")
    return faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("index")
    parser.add_argument("--opt", default="softcap-opt")
    parser.add_argument("--through", default="", help="flags of passes to run first")
    parser.add_argument("--forms", default="", help="comma-separated forms to take")
    parser.add_argument("--skip", default="", help="comma-separated name parts to leave out")
    parser.add_argument("--bytecode", action="store_true")
    parser.add_argument("--at-least", type=int, default=1,
                        help="how many files must have been taken")
    args = parser.parse_args()
    folder = os.path.dirname(args.index)
    opt = shlex.split(args.opt)
    total = failed = 0
    for entry in json.load(open(args.index)):
        name = entry["file"]
        form = entry.get("form", "linalg")
        if not name.endswith(".mlir") or (args.forms and form not in args.forms.split(",")):
            continue
        if any(part and part in name for part in args.skip.split(",")):
            continue
        total += 1
        path = os.path.join(folder, name)
        source = None
        lines = None if args.through else open(path).read().splitlines()
        if args.through or args.bytecode:
            flags = shlex.split(args.through) + ["--mlir-print-debuginfo"]
            if args.bytecode:
                flags.append("--emit-bytecode")
            first = subprocess.run(opt + ["--allow-unregistered-dialect", path] + flags,
                                   capture_output=True)
            if first.returncode != 0:
                # The passes before the check are upstream's.
                print(f"{name}: refused: {first.stderr.decode()[:200]}")
                total -= 1
                continue
            source, path = first.stdout, "-"
        check = f"softcap-check-placement{{report=true expect={entry['expect']}}}" \
            if entry["expect"] else "softcap-check-placement{report=true}"
        run = subprocess.run(
            opt + ["--allow-unregistered-dialect", path, "-o", "/dev/null",
                   f"--pass-pipeline=builtin.module({check})"],
            input=source, capture_output=True)
        report = parse(run.stdout.decode())
        faults = judge(entry, report, run.returncode, lines)
        if run.returncode not in (0, 1):
            faults.append(run.stderr.decode()[-400:])
        if faults:
            failed += 1
            print(f"{name}: " + "; ".join(faults))
            print("  " + "\n  ".join(run.stdout.decode().splitlines()))
    print(f"{total - failed} of {total} right")
    return 1 if failed or total < args.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
