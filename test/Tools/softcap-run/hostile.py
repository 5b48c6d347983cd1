# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every hostile file is refused with one line and exit 2, or runs; never a signal, a stack trace or more than 10 s.

A program that never returns, or fills terabytes, runs until it is stopped.
"""
import pathlib
import subprocess
import sys

tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
files = sorted(f for f in folder.iterdir() if f.suffix in (".mlir", ".mlirbc"))
ENDLESS = ("recursive-calls.mlir", "splat-huge.mlir")
faults = 0
for file in files:
    limit = 2 if file.name in ENDLESS else 10
    try:
        run = subprocess.run([tool, file], capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        print(f"{file.name}: runs for more than {limit} s")
        faults += file.name not in ENDLESS
        continue
    text = run.stderr.decode(errors="replace")
    refused = run.returncode == 2 and len(text.splitlines()) == 1 and not run.stdout
    ran = run.returncode == 0 and not text
    print(f"{file.name}: exit {run.returncode} {text.strip()[:200]}")
    if not (refused or ran) or "Stack dump" in text:
        print("  that is wrong")
        faults += 1
print(f"{len(files) - faults} of {len(files)} right")
sys.exit(1 if faults or len(files) < 20 else 0)
