# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds what is left of scores (queries x keys) in fused IR, printed in generic form."""
import re

OPERATION = re.compile(r'"([\w.]+)"\(')
RESULTS = re.compile(r"\) -> (.*?)(?: loc\(.*\))?$")
SHAPE = re.compile(r"tensor<((?:[\d?]+x)+)[\w.]+")
EXPONENTIALS = ("math.exp", "math.exp2", "linalg.softmax")


class Operation:
    def __init__(self, line):
        self.name = OPERATION.search(line).group(1)
        self.opening = line
        self.exponentiates = self.name in EXPONENTIALS
        self.shapes = []

    def close(self, line):
        results = RESULTS.search(line)
        self.shapes = [shape[:-1].split("x") for shape in SHAPE.findall(results.group(1))] if results else []
        return self

    def contracts(self):
        return "matmul" in self.name or (self.name == "linalg.generic" and "iterator_type<reduction>" in self.opening
                                         and "operandSegmentSizes = array<i32: 2, 1>" in self.opening)


def operations(text):
    """Every operation, regions first."""
    enclosing = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("})") and not line.endswith("({"):
            operation = enclosing.pop()
        elif OPERATION.search(line):
            operation = Operation(line)
            if line.endswith("({"):
                enclosing.append(operation)
                continue
        else:
            continue
        yield operation.close(line)
        if enclosing and operation.name != "linalg.generic":
            enclosing[-1].exponentiates |= operation.exponentiates


def is_scores(shape, queries, keys, heads):
    """A query axis and another key axis; with `heads`, also an axis beside them. `?` stands for a dynamic size, which
    the batch has then too."""
    if queries == "?":
        return shape.count("?") >= 3
    axes = list(shape)
    for extent in (queries, keys):
        if extent not in axes:
            return False
        axes.remove(extent)
    return not heads or any(axis != "1" for axis in axes)


def find_scores(text, queries, keys, head_dim, bias):
    """Complaints about each operation that makes scores.

    Where the head dimension equals the number of keys, queries have the shape of scores: then only what contracts or
    exponentiates is looked at. A bias that the graph computes may stay: with `bias` of "shared" buffers without heads,
    with "heads" all that no contraction or exponential makes."""
    every = head_dim != keys and bias != "heads"
    complaints = []
    for operation in operations(text):
        if operation.name.startswith(("func.", "builtin.", "softcap.")):
            continue
        if every or operation.contracts() or operation.exponentiates:
            complaints += [f"{operation.name} makes {'x'.join(shape)}" for shape in operation.shapes
                           if is_scores(shape, queries, keys, bias == "shared")]
    return complaints
