# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in and out of softcap-run: what is read, what is refused and why, and that outputs are whole or absent."""
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np

FUNCTION = "func.func @main(%x: {0}) -> {0} {{ return %x : {0} }}\n"


class Runner:
    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.faults = 0

    def run(self, mlir, inputs, outputs=1, **options):
        (self.folder / "main.mlir").write_text(mlir)
        for i in range(outputs):
            (self.folder / f"out{i}.npy").unlink(missing_ok=True)
        command = [self.tool, self.folder / "main.mlir"]
        command += [f"--input={i}" for i in inputs] + [f"--output={self.folder}/out{i}.npy" for i in range(outputs)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)

    def save(self, array, name="in.npy"):
        np.save(self.folder / name, array)
        return self.folder / name

    def fault(self, message):
        self.faults += 1
        print(message)

    def reads(self, type, array, wanted):
        """The identity of `type` turns the file `array` into `wanted`, bit by bit."""
        run = self.run(FUNCTION.format(type), [self.save(array)])
        if run.returncode:
            return self.fault(f"{type} of {array.dtype}: exit {run.returncode}: {run.stderr}")
        got = np.load(self.folder / "out0.npy")
        if got.dtype != wanted.dtype or got.shape != wanted.shape or got.tobytes() != wanted.tobytes():
            self.fault(f"{type} of {array.dtype}: {got!r}, not {wanted!r}")

    def refuses(self, what, type, file, reason):
        run = self.run(FUNCTION.format(type), [file] if isinstance(file, pathlib.Path) else file)
        if run.returncode != 2 or len(run.stderr.splitlines()) != 1 or reason not in run.stderr or run.stdout:
            self.fault(f"{what}: exit {run.returncode}: {run.stderr}, not one line with '{reason}'")
        if (self.folder / "out0.npy").exists():
            self.fault(f"{what}: an output in spite of the error")


def check_types(r):
    rng = np.random.default_rng(5)
    x = rng.standard_normal((3, 4))
    x[0] = [np.inf, -np.inf, 0.0, -0.0]
    f2, f4, f8 = x.astype("f2"), x.astype("f4"), x
    r.reads("tensor<3x4xf32>", f4, f4)
    r.reads("tensor<3x4xf64>", f8, f8)
    r.reads("tensor<3x4xf16>", f2, f2.astype("f4"))
    r.reads("tensor<3x4xf16>", f4, f2.astype("f4"))
    r.reads("tensor<3x4xf32>", f2, f2.astype("f4"))
    r.reads("tensor<3x4xf32>", f8, f4)
    # bf16: 1 + 2^-8 lies midway and goes to the even neighbour, 1; 1 + 3 * 2^-8 goes to 1 + 2^-6.
    values = np.array([1 + 2**-8, 1 + 3 * 2**-8, -2.5, 3e38], dtype="f4")
    rounded = np.array([1, 1 + 2**-6, -2.5, float.fromhex("0x1.c4p+127")], dtype="f4")
    r.reads("tensor<4xbf16>", values, rounded)
    bits = np.array([0x3F80, 0xC020, 0x7F80, 0x0001], dtype="u2")
    decoded = (bits.astype("u4") << 16).view("f4")
    r.reads("tensor<4xbf16>", bits, decoded)
    r.reads("tensor<4xbf16>", bits.view("V2"), decoded)
    r.reads("tensor<2xf16>", np.array([0x3C00, 0xC000], dtype="u2"), np.array([1, -2], dtype="f4"))
    for width in (8, 16, 32, 64):
        i = np.array([0, 1, -1, 2**(width - 1) - 1, -(2**(width - 1))], dtype=f"i{width // 8}")
        r.reads(f"tensor<5xi{width}>", i, i)
    b = np.array([True, False, True])
    r.reads("tensor<3xi1>", b, b)
    r.reads("tensor<3xindex>", np.array([1, 2, 3]), np.array([1, 2, 3]))
    r.reads("tensor<f32>", np.array(2.5, dtype="f4"), np.array(2.5, dtype="f4"))
    r.reads("f32", np.array(2.5, dtype="f4"), np.array(2.5, dtype="f4"))
    r.reads("i64", np.array(-7), np.array(-7))
    r.reads("tensor<?x3xf32>", np.ones((0, 3), dtype="f4"), np.ones((0, 3), dtype="f4"))
    r.reads("tensor<?x?xf32>", f4, f4)


def check_refusals(r):
    x = np.arange(12, dtype="f4").reshape(3, 4)
    good = r.save(x)
    data = good.read_bytes()

    def damaged(name, content):
        (r.folder / name).write_bytes(content)
        return r.folder / name
    f32 = "tensor<3x4xf32>"
    r.refuses("missing file", f32, r.folder / "none.npy", "No such file")
    r.refuses("a folder", f32, r.folder, "directory")
    r.refuses("transposed", f32, r.save(x.T.copy()), "shape 4x3, but the argument is 3x4")
    r.refuses("rank", f32, r.save(x.reshape(-1)), "shape 12, but the argument is 3x4")
    r.refuses("dynamic size", "tensor<?x5xf32>", r.save(x), "shape 3x4, but the argument is ?x5")
    r.refuses("integers for floats", f32, r.save(x.astype("i4")), "elements of type i4, but the argument has f32")
    r.refuses("floats for integers", "tensor<3x4xi32>", r.save(x), "elements of type f4, but the argument has i32")
    r.refuses("wide integers", "tensor<3x4xi32>", r.save(x.astype("i8")), "elements of type i8, but the argument has i32")
    r.refuses("bytes for booleans", "tensor<3x4xi1>", r.save(x.astype("i1")), "but the argument has i1")
    r.refuses("column-major", f32, r.save(np.asfortranarray(x)), "column-major")
    r.refuses("big-endian", f32, r.save(x.astype(">f4")), "unsupported element type")
    r.refuses("complex", f32, r.save(x.astype("c8")), "unsupported element type")
    r.refuses("text", f32, r.save(np.array([["a"] * 4] * 3)), "unsupported element type")
    r.refuses("empty file", f32, damaged("empty.npy", b""), "not a .npy file")
    r.refuses("no magic", f32, damaged("magic.npy", b"PK" + data[2:]), "not a .npy file")
    r.refuses("cut in the header", f32, damaged("cut.npy", data[:40]), "truncated header")
    r.refuses("cut in the elements", f32, damaged("short.npy", data[:-1]), "47 bytes of elements, but the shape needs 48")
    r.refuses("too long", f32, damaged("long.npy", data + b"\0"), "49 bytes of elements, but the shape needs 48")
    r.refuses("shape too large", f32, damaged("large.npy", data.replace(b"(3, 4)", b"(9999999999, 9999999999)"
                                              .ljust(24)).replace(b" " * 18 + b"\n", b"\n")), "too large")
    r.refuses("negative size", f32, damaged("negative.npy", data.replace(b"(3, 4)", b"(-3,4)")), "malformed header")
    r.refuses("no shape", f32, damaged("keys.npy", data.replace(b"'shape'", b"'shope'")), "malformed header")
    r.refuses("too many files", f32, [good, good], "2 --input files for 1 arguments")
    two = r.run("func.func @main(%x: tensor<3x4xf32>, %y: f32) { return }", [r.save(x)], outputs=0)
    if two.returncode != 2 or "1 --input files for 2 arguments" not in two.stderr:
        r.fault(f"too few files: {two.stderr}")


def check_outputs(r):
    """Several results, in order; a file that cannot be written whole is not there, or is what it was."""
    swap = "func.func @main(%x: tensor<2xf32>, %y: i64) -> (i64, tensor<2xf32>) { return %y, %x : i64, tensor<2xf32> }"
    x = r.save(np.array([1, 2], dtype="f4"), "x.npy")
    run = r.run(swap, [x, r.save(np.array(9), "y.npy")], outputs=2)
    if run.returncode or np.load(r.folder / "out0.npy") != 9 or (np.load(r.folder / "out1.npy") != [1, 2]).any():
        r.fault(f"two results: {run.stderr}")
    large = r.save(np.zeros(1 << 20, dtype="f4"))
    identity = FUNCTION.format(f"tensor<{1 << 20}xf32>")
    full = r.run(identity, [large], preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)))
    if full.returncode != 2 or len(full.stderr.splitlines()) != 1 or (r.folder / "out0.npy").exists():
        r.fault(f"no room: exit {full.returncode}: {full.stderr}")
    kept = r.save(np.array([5.0]), "kept.npy")
    command = [r.tool, r.folder / "main.mlir", f"--input={large}", f"--output={kept}"]
    full = subprocess.run(command, capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)))
    if full.returncode != 2 or np.load(kept) != [5.0]:
        r.fault(f"no room: the old file is gone: exit {full.returncode}: {full.stderr}")
    command[-1] = f"--output={r.folder}/no/such/folder/out.npy"
    nowhere = subprocess.run(command, capture_output=True, text=True)
    if nowhere.returncode != 2 or "No such file or directory" not in nowhere.stderr or nowhere.stdout:
        r.fault(f"no folder: exit {nowhere.returncode}: {nowhere.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        r = Runner(sys.argv[1], pathlib.Path(folder))
        check_types(r)
        check_refusals(r)
        check_outputs(r)
        print(f"{r.faults} faults")
        return 1 if r.faults else 0


if __name__ == "__main__":
    sys.exit(main())
