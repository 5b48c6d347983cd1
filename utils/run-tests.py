#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs ctest, then says what stands behind its count: how many lit tests and
unit tests ran under which driver, and which features were missing."""

import pathlib
import re
import subprocess
import sys


def lit_counts(output):
    counts = re.findall(r"^\s+(Unsupported|Excluded|Passed|Expectedly Failed|Failed|Unresolved|Timed Out)\s*:\s*(\d+)",
                        output, re.M)
    return ", ".join(f"{number} {kind.lower()}" for kind, number in counts)


def unit_counts(output):
    passed = re.search(r"\[  PASSED  \] (\d+) tests?", output)
    failed = re.search(r"\[  FAILED  \] (\d+) tests?", output)
    skipped = re.search(r"\[  SKIPPED \] (\d+) tests?", output)
    return ", ".join(f"{match[1]} {kind}" for match, kind in
                     ((passed, "passed"), (failed, "failed"), (skipped, "skipped")) if match)


def summary(log):
    """Lines that describe each test of ctest's log which holds several."""
    tests = re.split(r"^\d+/\d+ Testing: ", log, flags=re.M)[1:]
    for test in tests:
        name = test.split("\n", 1)[0].strip()
        counts = lit_counts(test) if name.startswith("lit-") else unit_counts(test)
        if counts:
            yield f"  {name}: {counts}"
    for line in sorted(set(re.findall(r"features (?:present|missing): .*", log))):
        yield f"  {line}"


def main():
    build = pathlib.Path(sys.argv[1])
    ctest = subprocess.Popen(
        ["ctest", "--test-dir", str(build), "--output-on-failure", *sys.argv[2:]],
        stdout=subprocess.PIPE, text=True)
    verdict = ""
    for line in ctest.stdout:
        if re.match(r"\d+% tests passed", line):
            verdict = line.strip()
        else:
            print(line, end="", flush=True)
    ctest.wait()
    log = build / "Testing" / "Temporary" / "LastTest.log"
    print("In these tests:")
    print("\n".join(summary(log.read_text(errors="replace"))))
    print(verdict or "ctest ran no test")
    return ctest.returncode if verdict else 1


if __name__ == "__main__":
    sys.exit(main())
