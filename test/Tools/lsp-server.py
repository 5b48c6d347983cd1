# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens a document with a faulty cap in softcap-lsp-server and expects the
verifier's diagnostic, at its line, and no diagnostic for a good one."""

import json
import subprocess
import sys

GOOD = "func.func @f(%x: f32) -> f32 {\n  %0 = softcap.cap %x cap(50.0) : f32\n  return %0 : f32\n}\n"
BAD = GOOD.replace("50.0", "-50.0")


def message(method, params, number=None):
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        body["id"] = number
    text = json.dumps(body)
    return f"Content-Length: {len(text)}\r\n\r\n{text}"


def opened(name, text):
    document = {"uri": f"file:///{name}.mlir", "languageId": "mlir", "version": 1, "text": text}
    return message("textDocument/didOpen", {"textDocument": document})


session = (message("initialize", {"processId": 1, "capabilities": {}, "trace": "off"}, 0)
           + message("initialized", {}) + opened("good", GOOD) + opened("bad", BAD)
           + message("shutdown", None, 1) + message("exit", None))
done = subprocess.run([sys.argv[1]], input=session, capture_output=True, text=True, timeout=60)
found = {}
for part in done.stdout.split("Content-Length: ")[1:]:
    answer = json.loads(part.split("\n\n", 1)[1])
    if answer.get("method") == "textDocument/publishDiagnostics":
        found[answer["params"]["uri"]] = answer["params"]["diagnostics"]
print(json.dumps(found, indent=1))
assert found["file:///good.mlir"] == [], "diagnostics for a correct module"
(bad,) = found["file:///bad.mlir"]
assert bad["range"]["start"]["line"] == 1 and "positive" in bad["message"], bad
