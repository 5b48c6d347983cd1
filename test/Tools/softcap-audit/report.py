# ===- report.py - Scores the JSON reports of softcap-audit -----------------===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# The rules of the corpus, applied to the tool: verdict and exit code, rules,
# and that the report is valid by its JSON Schema.
#
# ===-----------------------------------------------------------------------===#
import json
import os
import re
import subprocess
import sys

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool,
         "integer": int, "number": (int, float), "null": type(None)}


def validate(value, rule, root, at="report"):
    """The part of JSON Schema that the report's schema uses."""
    if "$ref" in rule:
        return validate(value, root["$defs"][rule["$ref"].rsplit("/", 1)[1]], root, at)
    if "oneOf" in rule:
        every = [validate(value, r, root, at) for r in rule["oneOf"]]
        return [] if sum(not faults for faults in every) == 1 else min(every, key=len)
    if "const" in rule:
        return [] if value == rule["const"] else [f"{at} is {value}"]
    if "enum" in rule:
        return [] if value in rule["enum"] else [f"{at} is {value}"]
    types = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    is_boolean = isinstance(value, bool)
    if not any(isinstance(value, TYPES[t]) and is_boolean == (t == "boolean") for t in types):
        return [f"{at} is a {type(value).__name__}"]
    faults = []
    if isinstance(value, str) and "pattern" in rule and not re.search(rule["pattern"], value):
        faults.append(f"{at} is {value}")
    if isinstance(value, list):
        for i, item in enumerate(value):
            faults += validate(item, rule["items"], root, f"{at}[{i}]")
    if isinstance(value, dict):
        known = rule["properties"]
        faults += [f"{at} lacks {k}" for k in rule["required"] if k not in value]
        faults += [f"{at} has {k}" for k in value if k not in known]
        for k, v in value.items():
            faults += validate(v, known[k], root, f"{at}.{k}") if k in known else []
    return faults


audit, schema, index = sys.argv[1:]
schema = json.load(open(schema))
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
    faults = validate(report, schema, schema)
    if "verdict" not in report:
        report = {"verdict": None, "surfaces": [], "findings": []}
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
