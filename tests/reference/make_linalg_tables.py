#!/usr/bin/env python3
# Writes tests/reference/numpy_linalg.inc: what NumPy gives for linear algebra on complex matrices, and of which types for all.
# SPDX-License-Identifier: BSD-3-Clause
#
#     python3 tests/reference/make_linalg_tables.py
#
# Types are numbered as kt::element numbers them. The lines, which tests/run/numpy_linalg.cpp reads as macros:
#
#     OPERAND("name", {extents}, {values})
#     VALUES("op", "names of operands", {extents}, {values})     of operands of complex128
#     TYPES("op", "types")            a letter for each type, or for each pair of types, row by row
import os

import numpy as np

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128"]
random = np.random.RandomState(1)


def matrix(*shape):
    return np.round(random.uniform(-2, 2, shape), 3) + 1j * np.round(random.uniform(-2, 2, shape), 3)


OPERANDS = {"a": matrix(4, 4), "b": matrix(4, 2), "v": matrix(4), "tall": matrix(5, 3), "wide": matrix(3, 5), "of_tall": matrix(5, 2),
            "of_wide": matrix(3), "stack": matrix(2, 3, 4), "other_stack": matrix(2, 4, 2), "cube": matrix(5, 2, 2), "real": matrix(4, 4).real + 0j}
OPERANDS["hermitian"] = OPERANDS["a"] @ OPERANDS["a"].conj().T + np.eye(4)

UNARY = {
    "matrix_inverse": np.linalg.inv, "det": np.linalg.det, "sign of slogdet": lambda x: np.linalg.slogdet(x)[0],
    "size of slogdet": lambda x: np.linalg.slogdet(x)[1], "cholesky": np.linalg.cholesky, "q of qr": lambda x: np.linalg.qr(x)[0],
    "r of qr": lambda x: np.linalg.qr(x)[1], "values of svd": lambda x: np.linalg.svd(x, compute_uv=False),
    "values of eigh": lambda x: np.linalg.eigvalsh(x), "diag": np.diag, "trace": np.trace,
    "norm": lambda x: np.linalg.norm(x.astype("float64") if x.dtype.kind in "bui" else x),
}
BINARY = {
    "solve": np.linalg.solve, "lower": lambda a, b: np.linalg.solve(np.tril(a), b), "upper": lambda a, b: np.linalg.solve(np.triu(a), b),
    "lstsq": lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], "dot": np.dot,
    "batched_dot": lambda a, b: a @ b if a.ndim > 2 else np.einsum("ij,ij->i", a, b),
}
# Functions that take variables of known types.
TYPED = {
    "outer": np.outer, "tensordot": lambda a, b: np.tensordot(a, b, 1), "einsum": lambda a, b: np.einsum("kij,kjl->li", a, b),
}
USES = {
    "matrix_inverse": ["a"], "det": ["a"], "sign of slogdet": ["a", "real"], "size of slogdet": ["a", "real"], "cholesky": ["hermitian"],
    "q of qr": ["a", "tall", "wide"], "r of qr": ["a", "tall", "wide"], "values of svd": ["a", "tall", "wide"], "values of eigh": ["hermitian"],
    "diag": ["a", "wide", "v"], "trace": ["a"], "norm": ["a", "v"],
    "solve": ["a b", "a v", "real v"], "lower": ["a b", "a v"], "upper": ["a b", "a v"], "lstsq": ["tall of_tall", "wide of_wide", "a b"],
    "dot": ["a b", "v a", "v v"], "batched_dot": ["stack other_stack"],
    "outer": ["v b"], "tensordot": ["wide cube"], "einsum": ["stack other_stack"],
}


def number(x):
    return "{%s, %s}" % (float(np.real(x)).hex(), float(np.imag(x)).hex())


def array(x):
    x = np.asarray(x)
    return "{%s}, {%s}" % (", ".join(map(str, x.shape)), ", ".join(number(v) for v in x.ravel()))


def letter(x):
    return "%x" % TYPES.index(str(np.asarray(x).dtype))


lines = []
for name, x in OPERANDS.items():
    lines.append(f'OPERAND("{name}", {array(x)})')
for op, function in {**UNARY, **BINARY, **TYPED}.items():
    for names in USES[op]:
        lines.append(f'VALUES("{op}", "{names}", {array(function(*(OPERANDS[n] for n in names.split())))})')
for op, function in UNARY.items():
    lines.append(f'TYPES("{op}", "{"".join(letter(function(np.eye(2, dtype=t))) for t in TYPES)}")')
for op, function in BINARY.items():
    lines.append(f'TYPES("{op}", "{"".join(letter(function(np.eye(2, dtype=a), np.eye(2, dtype=b))) for a in TYPES for b in TYPES)}")')

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "numpy_linalg.inc"), "w") as out:
    out.write("// Written by make_linalg_tables.py from what NumPy gives.\n// SPDX-License-Identifier: BSD-3-Clause\n// clang-format off\n")
    out.write("\n".join(lines) + "\n")
