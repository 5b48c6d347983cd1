#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints lib/Conversion/SoftcapToMath/Coefficients.h (needs mpmath).

Each polynomial interpolates its function in Chebyshev nodes, in 50 digits; the
largest error over the interval is printed beside it.
"""
import mpmath as mp

mp.mp.dps = 50
CROSSOVER = mp.mpf("1.1")  # of u = |x| / c, between the two forms of tanh
HALF_LN2 = mp.log(2) / 2 * mp.mpf("1.001")

HEADER = """\
//===- Coefficients.h - Polynomials of the cap and exp ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Printed by utils/generate-coefficients.py; lowest degree first.
//
//===----------------------------------------------------------------------===//

#ifndef SOFTCAP_LIB_CONVERSION_SOFTCAPTOMATH_COEFFICIENTS_H
#define SOFTCAP_LIB_CONVERSION_SOFTCAPTOMATH_COEFFICIENTS_H

namespace mlir::softcap {
"""
FOOTER = """
} // namespace mlir::softcap

#endif // SOFTCAP_LIB_CONVERSION_SOFTCAPTOMATH_COEFFICIENTS_H"""


def interpolate(f, low, high, degree):
    """Coefficients, lowest degree first, of the polynomial through Chebyshev nodes."""
    n = degree + 1
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    matrix = mp.matrix(n, n)
    for i, x in enumerate(nodes):
        for j in range(n):
            matrix[i, j] = x**j
    return list(mp.lu_solve(matrix, mp.matrix([f(x) for x in nodes])))


def evaluate(coefficients, x):
    return mp.polyval(coefficients[::-1], x)


def tanh_tail(s):
    """(tanh(u) / u - 1) / u^2 at s = u^2."""
    if s < mp.mpf(10) ** -12:
        return -mp.mpf(1) / 3 + 2 * s / 15 - 17 * s * s / 315
    u = mp.sqrt(s)
    return (mp.tanh(u) / u - 1) / s


def exp_tail(r):
    """(e^r - 1 - r) / r^2."""
    if abs(r) < mp.mpf(10) ** -10:
        return mp.mpf(1) / 2 + r / 6 + r * r / 24
    return (mp.exp(r) - 1 - r) / r**2


def table(name, what, coefficients, error):
    print(f"\n/// {what}; relative error {mp.nstr(error, 2)}.")
    print(f"inline constexpr double {name}[] = {{")
    for c in coefficients:
        print(f"    {float(c)!r},")
    print("};")


def tanh_table(name, degree):
    square = CROSSOVER**2
    c = interpolate(tanh_tail, mp.mpf(0), square, degree)
    at = [square * i / 400 for i in range(1, 401)]
    error = max(abs(s * (evaluate(c, s) - tanh_tail(s))) / (1 + s * tanh_tail(s)) for s in at)
    table(name, "(tanh(u) / u - 1) / u^2 in u^2, to u = 1.1", c, error)


def exp_table(name, degree):
    c = interpolate(exp_tail, -HALF_LN2, HALF_LN2, degree - 2)
    at = [-HALF_LN2 + 2 * HALF_LN2 * i / 401 for i in range(402)]
    error = max(abs(r * r * (evaluate(c, r) - exp_tail(r))) / mp.exp(r) for r in at)
    table(name, "(e^r - 1 - r) / r^2, |r| <= ln(2) / 2", c, error)


print(HEADER, end="")
tanh_table("tanhF32", 7)
tanh_table("tanhF32InF64", 10)
tanh_table("tanhF64", 16)
exp_table("expF32", 6)
exp_table("expF32InF64", 8)
exp_table("expF64", 12)
print(FOOTER)
