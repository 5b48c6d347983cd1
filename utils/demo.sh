#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the demo with the tools of a build tree and the python that the build found.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/asserts}
python=$(sed -n 's/^SOFTCAP_PYTHON:[A-Z]*=//p' "$build/CMakeCache.txt")
[ -n "$python" ] || { echo "demo: $build is not configured with its tests" >&2; exit 1; }
exec "$python" examples/gemma2/demo.py --bin="$build/bin"
