# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import glob
import os
import shutil

import lit.formats
from lit.llvm import llvm_config

config.name = "softcap"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "lit.cfg.py"]
if config.driver != "softcap-opt":
    # These call tools other than the driver: once is enough.
    config.excludes += ["Integration", "Package", "Docs", "Tools"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.softcap_obj_root, "test", config.driver)

config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
config.environment["PATH"] = os.pathsep.join(
    [config.softcap_tools_dir, config.llvm_tools_dir, os.environ["PATH"]])

# The whole suite runs under two drivers: our own, and mlir-opt with the plugin.
plugin = os.path.join(config.softcap_lib_dir, "SoftcapPlugin.so")
opt = {
    "softcap-opt": os.path.join(config.softcap_tools_dir, "softcap-opt"),
    "mlir-opt": f"{config.llvm_tools_dir}/mlir-opt --load-dialect-plugin={plugin} --load-pass-plugin={plugin}",
}[config.driver]
config.substitutions.append(("%softcap-opt", opt))
config.substitutions.append(("%plugin", plugin))
config.available_features.add(config.driver)
config.substitutions.append(("%llvm_lib", os.path.join(os.path.dirname(config.llvm_tools_dir), "lib")))
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%src", config.softcap_src_root))
config.substitutions.append(("%llvm_tools", config.llvm_tools_dir))
config.substitutions.append(("%build", config.softcap_obj_root))
config.substitutions.append(("%mlir-tblgen", config.mlir_tblgen))
config.substitutions.append(("%mlir-include", config.mlir_include))
config.substitutions.append(("%clang-format", config.clang_format))


def cpu_flags():
    """The instruction sets of this machine, as /proc/cpuinfo names them."""
    try:
        with open("/proc/cpuinfo") as cpuinfo:
            return next((set(line.split()) for line in cpuinfo if line.startswith("flags")), set())
    except OSError:
        return set()


llvm_lib = os.path.join(os.path.dirname(config.llvm_tools_dir), "lib")
features = {
    "asserts": config.assertions,
    "asan": "address" in config.sanitize,
    "avx2": "avx2" in cpu_flags(),
    "avx512": "avx512f" in cpu_flags(),
    "clang-format": os.access(config.clang_format, os.X_OK),
    "git": shutil.which("git") is not None and os.path.exists(os.path.join(config.softcap_src_root, ".git")),
    "mlir-runner": os.path.exists(os.path.join(config.llvm_tools_dir, "mlir-runner")),
    "openmp": bool(glob.glob(os.path.join(llvm_lib, "libomp.so*"))),
    "ptxas": shutil.which("ptxas") is not None,
    "python": bool(config.python),
}
config.available_features.update(name for name, present in features.items() if present)
# utils/run-tests.py repeats these lines at the end, so a skip never goes unseen.
for kind, wanted in (("present", True), ("missing", False)):
    names = [name for name, present in sorted(features.items()) if present == wanted]
    lit_config.note(f"features {kind}: {', '.join(names) or 'none'}")

# Upstream's tools keep what they allocate until exit, which is no leak of ours.
if config.sanitize:
    config.environment["ASAN_OPTIONS"] = "detect_leaks=0"
    config.environment["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
    # The packaged mlir-opt lacks the sanitizer's runtime that our plugin needs.
    config.unsupported = config.driver != "softcap-opt"
