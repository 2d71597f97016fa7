"""The evidence of a Gaussian process and its gradient: Kroton's module beside NumPy's formulas, values and times."""
import sys
import time

import numpy as np

import gaussian_process


def evidence(logs, x, y):
    length, height, noise = np.exp(logs)
    n = len(x)
    squares = np.sum(x * x, axis=1)
    distances = squares[:, None] + squares - 2 * x @ x.T
    smooth = height**2 * np.exp(-distances / (2 * length**2))
    k = smooth + (noise**2 + 1e-10) * np.eye(n)
    inverse = np.linalg.inv(k)
    weights = inverse @ y
    value = -0.5 * y @ weights - np.sum(np.log(np.diag(np.linalg.cholesky(k)))) - 0.5 * n * np.log(2 * np.pi)
    outer = np.outer(weights, weights) - inverse
    changes = smooth * distances / length**2, 2 * smooth, 2 * noise**2 * np.eye(n)
    return value, np.array([0.5 * np.sum(outer * change) for change in changes])


def seconds(f, *arguments):
    best = np.inf
    for _ in range(20):
        begin = time.perf_counter()
        f(*arguments)
        best = min(best, time.perf_counter() - begin)
    return best


random = np.random.default_rng(1)
x = random.normal(size=(300, 2))
y = np.sin(x[:, 0]) + 0.1 * random.normal(size=300)
logs = np.log([1.0, 1.0, 0.2])

value, gradient = gaussian_process.evidence(logs, x, y)
expected, expected_gradient = evidence(logs, x, y)
# Columns, and every second row, are read where they lie.
strided, _ = gaussian_process.evidence(logs, np.asfortranarray(x)[::2], y[::2])
expected_strided, _ = evidence(logs, x[::2], y[::2])
good = np.allclose([value, strided], [expected, expected_strided], rtol=1e-9) and np.allclose(gradient, expected_gradient, rtol=1e-6)
try:
    gaussian_process.evidence(logs, x, y[1:])
    good = False
except RuntimeError as refused:
    print("refused:", refused)

print(f"evidence {value:.6f}, NumPy {expected:.6f}; gradient {gradient}, NumPy {expected_gradient}")
print(f"{1e3 * seconds(gaussian_process.evidence, logs, x, y):.2f} ms, NumPy {1e3 * seconds(evidence, logs, x, y):.2f} ms")
sys.exit(0 if good else 1)
