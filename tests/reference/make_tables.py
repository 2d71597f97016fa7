#!/usr/bin/env python3
# Writes tests/reference/*.inc: what NumPy gives for operations on operands of every element type.
# SPDX-License-Identifier: BSD-3-Clause
#
#     python3 tests/reference/make_tables.py
#
# A line of a table is one operation on operands of certain element types:
#
#     ROW(name, (type, type...), result type, (values, values...), (result))
#
# Values are written so that C++ reads them back exactly. A new operation is a line in one of the lists below; what reads a table is
# tests/run/numpy_*.cpp.
import os

import numpy as np

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
CPP = {"bool": "bool", "float32": "float", "float64": "double"}
HERE = os.path.dirname(os.path.abspath(__file__))


def cpp(dtype):
    name = str(np.dtype(dtype))
    return CPP.get(name, f"std::{name}_t")


def number(v, dtype):
    if dtype == "bool":
        return "true" if v else "false"
    if np.dtype(dtype).kind == "f":
        v = float(v)
        if np.isnan(v):
            return "NAN"
        if np.isinf(v):
            return "INFINITY" if v > 0 else "-INFINITY"
        return v.hex()
    v = int(v)
    if v == -(2**63):
        return "INT64_MIN"
    return f"{v}u" if v > 2**63 - 1 else str(v)


def values(a):
    a = np.asarray(a)
    return "(" + ", ".join(number(v, str(a.dtype)) for v in a.ravel()) + ")"


def operand(dtype, which):
    """Numbers of every kind that a type has: its ends, both signs, 0; the second operand meets each kind of the first."""
    if dtype == "bool":
        return np.array([False, False, True, True, False, True, True, False] if which == 0 else [False, True, False, True] * 2)
    if np.dtype(dtype).kind == "f":
        first, second = [0, 7.5, -7.5, 2.25, -0.5, 3, 100.125, -1], [1, 2, 2, -2, 0.5, -0.75, 8, 3]
        return np.array(first if which == 0 else second, dtype)
    i = np.iinfo(dtype)
    first, second = [0, 7, i.max, i.min, i.max - 1, 5, 100, 7], [3, 2, 2, 3, i.max, 0, 7, 1]
    if i.min < 0:
        first, second = [-7, 7, i.max, i.min, i.min, -1, 100, -7], [2, -2, 2, -1, 3, 0, 7, -3]
    return np.array(first if which == 0 else second, dtype)


def as_kroton(dtype):
    """Where NumPy gives float16, Kroton gives float32."""
    return "float32" if str(dtype) == "float16" else str(dtype)


def row(name, operands, result, compute=None):
    """A line of a table; the result is computed again in wider operands where NumPy's own type is a float16."""
    result = np.asarray(result)
    types = ", ".join(cpp(o.dtype) for o in operands)
    return f"ROW({name}, ({types}), {cpp(as_kroton(result.dtype))}, ({', '.join(values(o) for o in operands)}), {values(result)})"


def write(name, lines):
    with open(os.path.join(HERE, name), "w") as out:
        out.write("// Written by make_tables.py from NumPy's results.\n// SPDX-License-Identifier: BSD-3-Clause\n// clang-format off\n")
        out.write("\n".join(lines) + "\n")


def floordiv_of_minimum(a, b):
    """NumPy leaves int_min // -1 to the processor; here it wraps."""
    with np.errstate(all="ignore"):
        return np.floor_divide(a, b)


OPERATORS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "floordiv": floordiv_of_minimum,
    "mod": np.remainder,
    "eq": np.equal,
    "lt": np.less,
    "ge": np.greater_equal,
    "minimum": np.minimum,
    "maximum": np.maximum,
}
BITWISE = {"bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor, "left": np.left_shift, "right": np.right_shift}
# What Kroton gives by its own rules and not by NumPy's.
REFUSED = {("sub", "bool", "bool")}
BOOL_IS_DIFFERENT = {"floordiv", "mod", "left", "right"}  # NumPy makes int8 of two bools


def operators():
    lines = []
    for name, f in {**OPERATORS, **BITWISE}.items():
        for a in TYPES:
            for b in TYPES:
                if (name, a, b) in REFUSED or (a == b == "bool" and name in BOOL_IS_DIFFERENT):
                    continue
                x, y = operand(a, 0), operand(b, 1)
                if name in ("left", "right"):
                    y = (np.abs(y.astype("float64")) % 8).astype(b)
                try:
                    with np.errstate(all="ignore"):
                        result = f(x, y)
                except TypeError:
                    continue
                # True division of small integers is float64 here.
                if name == "div" and np.dtype(a).kind != "f" and np.dtype(b).kind != "f":
                    result = x.astype("float64") / y.astype("float64")
                if result.dtype == np.float16:
                    result = f(x.astype("float32"), y.astype("float32"))
                lines.append(row(name, [x, y], result))
    return lines


REDUCTIONS = {
    "sum": np.sum,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "mean": np.mean,
    "var": np.var,
    "stddev": np.std,
    "norm": lambda x: np.sqrt(np.sum(np.square(x.astype("float64" if x.dtype != np.float32 else "float32")))),
    "argmax": np.argmax,
    "argmin": np.argmin,
    "all": np.all,
    "any": np.any,
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "sort": np.sort,
    "argsort": lambda x: np.argsort(x, kind="stable"),
}


def reductions():
    lines = []
    for name, f in REDUCTIONS.items():
        for t in TYPES:
            x = operand(t, 0)
            with np.errstate(all="ignore"):
                result = f(x)
            if result.dtype == np.float16:
                result = f(x.astype("float64"))
            lines.append(row(name, [x], result))
    return lines


write("operators.inc", operators())
write("reductions.inc", reductions())
