# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The JSON report, schema 1: exactly these keys, and values that can be true."""
import json
import subprocess
import sys

NUMBER = (int, float)
TOP = {"schema": int, "target": str, "fused": dict, "largest_buffer_bytes": int, "compile_s": NUMBER, "time_s": dict,
       "gflops": NUMBER}
TIME = {"min": NUMBER, "median": NUMBER}
REFERENCE = {"max_abs": NUMBER, "rel_l2": NUMBER, "max_ulp": NUMBER, "ok": bool}


def run(*command):
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    assert len(process.stdout.splitlines()) == 1, "one line"
    return json.loads(process.stdout)


def check_keys(value, keys):
    assert set(value) == set(keys), sorted(value)
    for key, type in keys.items():
        assert isinstance(value[key], type) and isinstance(value[key], bool) == (type is bool), (key, value[key])


tool, file = sys.argv[1:]
plain = run(tool, file, "--json", "--repeat=3")
check_keys(plain, TOP)
check_keys(plain["time_s"], TIME)
assert plain["schema"] == 1 and plain["target"] == "cpu"
assert plain["fused"] == {"attention": 1}
assert 0 < plain["time_s"]["min"] <= plain["time_s"]["median"] < 60
assert plain["compile_s"] > 0
# 4 * 16 operations for each pair of 2 heads that the causal mask lets live: query i sees i + 1 keys.
work = plain["gflops"] * plain["time_s"]["min"] * 1e9
assert abs(work - 4 * 16 * 2 * sum(i + 1 for i in range(9))) < 1, work

compared = run(tool, file, "--json", "--reference")
check_keys(compared, {**TOP, "reference": dict})
check_keys(compared["reference"], REFERENCE)
assert compared["reference"]["ok"] and 0 < compared["reference"]["rel_l2"] <= 1e-4

unfused = run(tool, file, "--json", "--no-fuse")
assert unfused["fused"] == {"attention": 1}, "an op that the source has stays"
