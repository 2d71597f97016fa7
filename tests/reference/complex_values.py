#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests/run/complex_values.hpp: what NumPy gives for functions of complex numbers, on both sides of their branch cuts."""
import sys

import numpy as np

points = [0.5 + 0.25j, -1.25 + 0.75j, -0.5 - 2j, 1.5 - 0.5j, 2 + 0j, complex(2, -0.0), complex(-2, 0.0), complex(-2, -0.0),
          0.5 + 0j, 2j, complex(-0.0, -2), 0.5j, 1e-9 + 1e-9j, 30 + 40j]
functions = ["exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "square", "reciprocal", "sin", "cos", "tan", "arcsin",
             "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "conj"]
real_functions = ["abs", "real", "imag", "angle"]
powers = [2, 3, -2, 0.5, 1 / 3, 2 + 1j, 0]


def number(z):
    return "{%s, %s}" % (float(z.real).hex(), float(z.imag).hex())


def table(name, values):
    rows = ",\n    ".join(", ".join(number(complex(v)) for v in values[i:i + 2]) for i in range(0, len(values), 2))
    print("inline constexpr std::complex<double> %s[] = {\n    %s};" % (name, rows))


print("// Written by tests/reference/complex_values.py with NumPy: functions of complex numbers at some points.")
print("// SPDX-License-Identifier: BSD-3-Clause")
print("#pragma once\n\n#include <complex>\n\nnamespace complex_values {\n")
z = np.array(points)
with np.errstate(all="ignore"):
    table("points", points)
    for name in functions + real_functions:
        table(name + "_of", getattr(np, name)(z))
    for i, p in enumerate(powers):
        table("power_%d" % i, np.power(z, p))
    table("quotient", z / np.roll(z, 1))
    table("product", z * np.roll(z, 1))
print("\n}  // namespace complex_values")
