# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command that must end with a given exit code, and prints what it wrote for FileCheck.

A command that fails with bad input (2) says so in one line, and nothing on standard output.
"""
import subprocess
import sys

wanted = int(sys.argv[1])
run = subprocess.run(sys.argv[2:], capture_output=True, text=True, timeout=60)
print(run.stdout + run.stderr, end="")
faults = []
if run.returncode != wanted:
    faults.append(f"exit {run.returncode}, not {wanted}")
if wanted == 2:
    if run.stdout:
        faults.append("bad input, but something on standard output")
    if len(run.stderr.splitlines()) != 1:
        faults.append(f"{len(run.stderr.splitlines())} lines of error, not one")
if faults:
    print("exits.py: " + "; ".join(faults))
sys.exit(1 if faults else 0)
