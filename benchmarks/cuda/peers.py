"""The training steps of device.cu in PyTorch and JAX, in eager mode, compiled and replayed as a CUDA graph.

Medians of 50 calls, float32 products in float32. Prints what it finds installed.
SPDX-License-Identifier: BSD-3-Clause
"""

import statistics
import time

REPETITIONS = 50


def report(name, seconds):
    print(f"{name:<52} {seconds * 1e6:9.1f} us", flush=True)


def with_torch():
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    device = torch.device("cuda")

    def seconds_of(call):
        for _ in range(3):
            call()
        times = []
        for _ in range(REPETITIONS):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            call()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e-3)
        return statistics.median(times)

    def perceptron(batch):
        x = torch.randn(batch, 784, device=device)
        y = torch.arange(batch, device=device) % 10
        parameters = [
            torch.full((784, 500), 0.01, device=device, requires_grad=True),
            torch.zeros(500, device=device, requires_grad=True),
            torch.full((500, 10), 0.01, device=device, requires_grad=True),
            torch.zeros(10, device=device, requires_grad=True),
        ]

        def cost():
            w1, b1, w2, b2 = parameters
            hidden = torch.tanh(torch.addmm(b1, x, w1))
            return torch.nn.functional.cross_entropy(torch.addmm(b2, hidden, w2), y)

        return cost, parameters

    def logistic_regression():
        x = torch.randn(1_000_000, 256, device=device)
        y = (torch.randn(1_000_000, device=device) > 0).float()
        w = torch.zeros(256, device=device, requires_grad=True)
        b = torch.zeros((), device=device, requires_grad=True)
        loss = torch.nn.functional.binary_cross_entropy_with_logits
        return lambda: loss(torch.mv(x, w) + b, y), [w, b]

    def step_of(cost, parameters):
        def step():
            gradients = torch.autograd.grad(cost(), parameters)
            with torch.no_grad():
                torch._foreach_add_(parameters, gradients, alpha=-0.1)

        return step

    cases = [
        ("perceptron step, batch of 60", lambda: perceptron(60)),
        ("perceptron step, batch of 6,000", lambda: perceptron(6000)),
        ("logistic regression step", logistic_regression),
    ]
    for name, make in cases:
        cost, parameters = make()
        report(f"{name}: PyTorch", seconds_of(step_of(cost, parameters)))
        report(f"{name}: PyTorch, compiled", seconds_of(step_of(torch.compile(cost), parameters)))
        step = step_of(cost, parameters)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(3):
                step()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        report(f"{name}: PyTorch, a CUDA graph", seconds_of(graph.replay))
    for length in (128, 1024, 8192):
        x = torch.randn(min(65536, 100_000_000 // length), length, device=device)
        name = f"{x.shape[0]} rows of {length}: PyTorch"
        report(f"softmax, {name}", seconds_of(lambda: torch.softmax(x, 1)))
        report(f"layer normalization, {name}", seconds_of(lambda: torch.nn.functional.layer_norm(x, (length,))))


def with_jax():
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_default_matmul_precision", "highest")

    def cost(parameters, x, y):
        w1, b1, w2, b2 = parameters
        scores = jnp.tanh(x @ w1 + b1) @ w2 + b2
        return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(scores), y[:, None], 1))

    @jax.jit
    def step(parameters, x, y):
        value, gradients = jax.value_and_grad(cost)(parameters, x, y)
        return value, jax.tree.map(lambda p, g: p - 0.1 * g, parameters, gradients)

    for batch in (60, 6000):
        x = jax.random.normal(jax.random.key(1), (batch, 784))
        y = jnp.arange(batch) % 10
        parameters = [jnp.full((784, 500), 0.01), jnp.zeros(500), jnp.full((500, 10), 0.01), jnp.zeros(10)]
        # JAX offers no events: many steps between two waits.
        times = []
        for _ in range(6):
            begin = time.perf_counter()
            for _ in range(REPETITIONS):
                value, parameters = step(parameters, x, y)
            value.block_until_ready()
            times.append((time.perf_counter() - begin) / REPETITIONS)
        report(f"perceptron step, batch of {batch:,}: JAX", statistics.median(times))


for peer in (with_torch, with_jax):
    try:
        peer()
    except ImportError as missing:
        print(f"without {missing.name}")
