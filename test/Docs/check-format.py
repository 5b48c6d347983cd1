# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every tracked C++ file is as clang-format leaves it."""

import subprocess
import sys

clang_format, root = sys.argv[1:]
tracked = subprocess.run(["git", "-C", root, "ls-files", "*.cpp", "*.h"],
                         check=True, capture_output=True, text=True).stdout.split()
sources = [name for name in tracked if "Inputs/" not in name]
sys.exit(subprocess.run([clang_format, "--dry-run", "-Werror", *sources], cwd=root).returncode or not sources)
