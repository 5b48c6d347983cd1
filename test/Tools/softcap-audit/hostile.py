# ===- hostile.py - Every hostile file ends well ----------------------------===#
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Audits every file of the index: a normal report, or exit 2 with one line, as
# the index says; never a signal, a stack trace or more than 10 s.
#
# ===-----------------------------------------------------------------------===#
import os
import subprocess
import sys

audit, index = sys.argv[1:]
folder = os.path.dirname(index)
failed = total = 0
for row in open(index).read().splitlines():
    name, wanted = row.split("\t")[:2]
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        continue
    total += 1
    run = subprocess.run([audit, path], capture_output=True, timeout=30)
    text = run.stdout.decode(errors="replace") + run.stderr.decode(errors="replace")
    refused = run.returncode == 2 and len(text.splitlines()) == 1
    reported = run.returncode in (0, 1, 3) and not run.stderr
    right = {"2": refused, "report": reported, "any": refused or reported}[wanted]
    if not right or "Stack dump" in text:
        failed += 1
        print(f"{name}: wanted {wanted}, exit {run.returncode}: {text[:300]}")
print(f"{total - failed} of {total} right")
sys.exit(1 if failed or total < 20 else 0)
