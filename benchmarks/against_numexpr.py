#!/usr/bin/env python3
"""The interpreter beside numexpr on the paper's four formulas: nanoseconds an element and the ratio of both.

Usage: against_numexpr.py build/release/benchmarks/interpreter [rounds]

Both run on one thread and write into an array that is there already; numexpr runs a precompiled expression. Rounds are interleaved,
and what is printed are medians of CPU time. Debian: apt-get install python3-numexpr.
"""
import json
import statistics
import subprocess
import sys
import time

import numexpr
import numpy

FORMULAS = {"plus_one": "a+1", "scaled_sum": "2*a+3*b", "square": "a**2+b**2+2*a*b", "tenth_power": "2*a+b**10"}
SIZES = (100_000, 1_000_000, 10_000_000)


def numexpr_time(text, n):
    names = [name for name in "ab" if name in text]
    compiled = numexpr.NumExpr(text, signature=[(name, numpy.float64) for name in names])
    arrays = [numpy.random.rand(n) for _ in names]
    out = numpy.zeros(n)
    run = lambda: compiled(*arrays, out=out, ex_uses_vml=False)
    run()
    repetitions = max(3, 20_000_000 // n)
    begin = time.process_time()
    for _ in range(repetitions):
        run()
    return (time.process_time() - begin) / repetitions / n * 1e9


def kroton_time(program, name, n):
    command = [program, f"--benchmark_filter=^interpreted<{name}>/{n}$", "--benchmark_min_time=0.1", "--benchmark_format=json"]
    result = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return result["benchmarks"][0]["cpu_time"] / n


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    numexpr.set_num_threads(1)
    print(f"{'formula':<20}{'elements':>10}{'kroton':>10}{'numexpr':>10}{'ratio':>8}   (ns an element; below 1: Kroton is faster)")
    for name, text in FORMULAS.items():
        for n in SIZES:
            pairs = [(kroton_time(program, name, n), numexpr_time(text, n)) for _ in range(rounds)]
            ratio = statistics.median(k / e for k, e in pairs)
            kroton, other = (statistics.median(column) for column in zip(*pairs))
            print(f"{text:<20}{n:>10}{kroton:>10.3f}{other:>10.3f}{ratio:>8.2f}", flush=True)


if __name__ == "__main__":
    main()
