#!/usr/bin/env python3
# Writes tests/reference/numpy.inc: what NumPy gives for operations on operands of every element type.
# SPDX-License-Identifier: BSD-3-Clause
#
#     python3 tests/reference/make_tables.py
#
# Types are numbered as kt::element numbers them. The lines, which tests/run/numpy_tables.cpp reads as macros:
#
#     OPERANDS(type, {first}, {second}, {shift counts})
#     RESULT_TYPES("op", "types")             a letter for each pair of types, row by row; - where NumPy refuses, or Kroton differs
#     BINARY("op", type, type, result type, {values})
#     UNARY("op", type, result type, {values})
#
# A new operation is a line in one of the lists below, and one in that test.
import os
import warnings

import numpy as np

warnings.simplefilter("ignore")
TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
# Pairs whose values are tabled: equal types, and one of each way to meet in another type.
PAIRS = [(t, t) for t in TYPES] + [("int8", "uint8"), ("uint16", "int32"), ("int64", "uint64"), ("bool", "int16"), ("int32", "float32"),
                                   ("float32", "float64")]


def operands(t):
    """Numbers of every kind that a type has: its ends, both signs, 0; the second operand meets each kind of the first."""
    if t == "bool":
        first, second = [0, 0, 1, 1, 0, 1, 1, 0], [0, 1, 0, 1, 0, 1, 0, 1]
    elif t.startswith("float"):
        first, second = [0, 7.5, -7.5, 2.25, -0.5, 3, 100.125, -1], [1, 2, 2, -2, 0.5, -0.75, 8, 3]
    elif t.startswith("u"):
        most = np.iinfo(t).max
        first, second = [0, 7, most, 0, most - 1, 5, 100, 7], [3, 2, 2, 3, most, 0, 7, 1]
    else:
        least, most = np.iinfo(t).min, np.iinfo(t).max
        first, second = [-7, 7, most, least, least, -1, 100, -7], [2, -2, 2, -1, 3, 0, 7, -3]
    return np.array(first, t), np.array(second, t), np.array([0, 1, 1, 1, 0, 0, 1, 1] if t == "bool" else [0, 1, 2, 7, 3, 5, 1, 6], t)


def number(v):
    if isinstance(v, (np.floating, float)):
        return "NAN" if np.isnan(v) else ("-" if v < 0 else "") + "INFINITY" if np.isinf(v) else float(v).hex() + "L"
    return f"{int(v)}.L"


def values(a):
    return "{" + ", ".join(number(v) for v in np.asarray(a).ravel()) + "}"


def code(dtype):
    return TYPES.index(str(dtype))


BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide, "floordiv": np.floor_divide, "mod": np.remainder,
    "eq": np.equal, "lt": np.less, "ge": np.greater_equal, "minimum": np.minimum, "maximum": np.maximum,
    "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor,
    "shift_left": np.left_shift, "shift_right": np.right_shift, "neq": np.not_equal, "gt": np.greater, "le": np.less_equal,
    "pow": np.power, "atan2": np.arctan2, "logaddexp": np.logaddexp, "outer": np.outer, "dot": np.dot, "where": lambda a, b: np.where(a > 0, a, b),
    "concatenate": lambda a, b: np.concatenate([a, b]), "stack": lambda a, b: np.stack([a, b], 1),
    "dot_matrix": lambda a, b: np.dot(a.reshape(2, 4), b.reshape(4, 2)),
}
# Of floating results; where NumPy would give float16, float32 does.
FUNCTIONS = {f.__name__: f for f in (np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.sin, np.cos, np.tan, np.arcsin,
                                     np.arccos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh)}
UNARY = {
    "sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "mean": np.mean, "var": np.var, "stddev": np.std,
    "norm": lambda x: np.linalg.norm(x.astype("float64") if x.dtype.kind in "bui" else x),
    "argmax": np.argmax, "argmin": np.argmin, "all": np.all, "any": np.any, "cumsum": np.cumsum, "cumprod": np.cumprod,
    "sort": np.sort, "argsort": lambda x: np.argsort(x, kind="stable"),
    "neg": np.negative, "abs": np.abs, "sgn": np.sign, "sqr": np.square,
    "invert": np.invert,
    "max_of_columns": lambda x: x.reshape(2, 4).max(0), "sum_of_rows": lambda x: x.reshape(2, 4).sum(1), "prod_of_columns": lambda x: x.reshape(2, 4).prod(0),
    "mean_of_rows": lambda x: x.reshape(2, 4).mean(1), "cumsum_of_rows": lambda x: x.reshape(2, 4).cumsum(1), "argmin_of_rows": lambda x: x.reshape(2, 4).argmin(1),
    "flip": np.flip, "roll": lambda x: np.roll(x, 3), "repeat": lambda x: np.repeat(x, 2), "tile": lambda x: np.tile(x, 2), "transpose": lambda x: x.reshape(2, 4).T,
    "triu": lambda x: np.triu(x.reshape(2, 4)), "tril": lambda x: np.tril(x.reshape(2, 4), 1), "diag": np.diag, "diag_of": lambda x: np.diag(x.reshape(2, 4), 1),
    "trace": lambda x: np.trace(x.reshape(2, 4)), "take": lambda x: np.take(x, [2, 0, -1, 2]), "slice": lambda x: x[6:1:-2], "clip": lambda x: np.clip(x, x[5], x[6]),
    "unique": np.unique, "nonzero": lambda x: np.nonzero(x)[0], "searchsorted": lambda x: np.searchsorted(np.sort(x), x), "zeros_like": np.zeros_like,
    "masked": lambda x: x[x > 0], "set": lambda x: np.concatenate([x[:2], x[:3], x[5:]]),
}
# Two bools are int8 to NumPy there, bool here.
DIFFERENT = {(op, "bool", "bool") for op in ("floordiv", "mod", "pow", "shift_left", "shift_right")} | {("sqr", "bool")}


def binary(op, a, b):
    """The result, or None where NumPy refuses the types, or has others than Kroton."""
    first, _, _ = operands(a)
    _, second, count = operands(b)
    try:
        return None if (op, a, b) in DIFFERENT else single(BINARY[op], first, count if op.startswith("shift") else second)
    except (TypeError, ValueError):
        return None


def single(f, *operands):
    """A floating function, in float32 where NumPy would give float16."""
    r = f(*operands)
    return r if r.dtype != np.float16 else f(*(o.astype("float32") for o in operands))


def unary(op, t):
    try:
        f = UNARY.get(op) or (lambda x: single(FUNCTIONS[op], x))
        return None if (op, t) in DIFFERENT else np.asarray(f(operands(t)[0]))
    except TypeError:
        return None


lines = [f"OPERANDS({code(t)}, {', '.join(values(o) for o in operands(t))})" for t in TYPES]
for op in BINARY:
    results = [binary(op, a, b) for a in TYPES for b in TYPES]
    lines.append(f"RESULT_TYPES(\"{op}\", \"{''.join('-' if r is None else '%x' % code(r.dtype) for r in results)}\")")
    for a, b in PAIRS:
        if (r := binary(op, a, b)) is not None:
            lines.append(f'BINARY("{op}", {code(a)}, {code(b)}, {code(r.dtype)}, {values(r)})')
for op in [*UNARY, *FUNCTIONS]:
    for t in TYPES:
        if (r := unary(op, t)) is not None:
            lines.append(f'UNARY("{op}", {code(t)}, {code(r.dtype)}, {values(r)})')

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "numpy.inc"), "w") as out:
    out.write("// Written by make_tables.py from what NumPy gives.\n// SPDX-License-Identifier: BSD-3-Clause\n// clang-format off\n")
    out.write("\n".join(lines) + "\n")
