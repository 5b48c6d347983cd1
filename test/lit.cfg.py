# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os

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
