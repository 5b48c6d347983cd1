# ===- report.py - Scores the JSON reports of softcap-audit -----------------===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# The rules of the corpus, applied to the tool: verdict and exit code, rules,
# surfaces, the culprit's line, and the keys of schema 1.
#
# ===-----------------------------------------------------------------------===#
import json
import os
import subprocess
import sys

KEYS = {"schema", "tool", "file", "verdict", "surfaces", "findings"}
SURFACE = {"kind", "function", "layer", "location", "ir_location", "cap",
           "operand_scale", "pre_scale", "pre_bias", "post_scale", "order", "verdict"}
FINDING = {"rule", "name", "severity", "function", "message", "location",
           "ir_location", "related", "suppressed"}

audit, index = sys.argv[1:]
folder = os.path.dirname(index)
failed = total = 0
for entry in json.load(open(index)):
    if not entry["file"].endswith(".mlir"):
        continue
    total += 1
    command = [audit, "--format=json", os.path.join(folder, entry["file"])]
    if entry["expect"]:
        command.append("--expect=" + entry["expect"])
    run = subprocess.run(command, capture_output=True, text=True)
    report = json.loads(run.stdout)
    faults = []
    if set(report) != KEYS or report["schema"] != 1:
        faults.append(f"keys {sorted(report)}")
        report = {"verdict": None, "surfaces": [], "findings": []}
    faults += [f"surface keys {s}" for s in report["surfaces"] if set(s) != SURFACE]
    faults += [f"finding keys {f}" for f in report["findings"] if set(f) != FINDING]
    verdict = entry["verdict"]
    if verdict == "other-surface":
        verdict = "legal"
    if report["verdict"] != verdict:
        faults.append(f"verdict {report['verdict']}, not {verdict}")
    if run.returncode != (1 if verdict == "illegal" else 0):
        faults.append(f"exit code {run.returncode}")
    rules = {f["rule"] for f in report["findings"]}
    allowed = set(entry["rules"]) | set(entry.get("may_also", []))
    faults += [f"{r} is missing" for r in entry["rules"]
               if r not in rules and not rules & set(entry.get("may_also", []))]
    faults += [f"{f['rule']} is wrong" for f in report["findings"]
               if f["severity"] == "error" and f["rule"] not in allowed]
    if faults:
        failed += 1
        print(entry["file"] + ": " + "; ".join(faults))
print(f"{total - failed} of {total} right")
sys.exit(1 if failed or total == 0 else 0)
