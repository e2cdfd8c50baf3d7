"""The cost of a trajectory of this package against Λ, the number of neurons and the number of labels."""

import json
import os
import subprocess
import sys
import time

import numpy as np

from tests.benchmarks.standard import wide
from tests.benchmarks.table import Run, Table, median_seconds
from verify.flow import chain
from verify.flow.simulate import simulate

ALONE = """
import json, resource, sys, time
from tests.benchmarks.standard import wide
from verify.flow.simulate import simulate

simulate(wide(230.0, 60))
problem = wide(float(sys.argv[1]), int(sys.argv[2]))
began = time.process_time()
trajectory = simulate(problem)
seconds = time.process_time() - began
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([seconds, peak, len(trajectory.deactivations)]))
"""

FIRST = """
import time
from tests.benchmarks.standard import wide
from verify.flow.simulate import simulate

problem = wide(230.0, 60)
began = time.process_time()
simulate(problem)
print(time.process_time() - began)
"""


def alone(program: str, *arguments: str, **environment: str) -> str:
    """What the program prints in a process of its own."""
    command = [sys.executable, "-c", program, *arguments]
    path = os.pathsep.join(p for p in sys.path if p)
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": path, **environment}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def exponent(sizes, seconds) -> float:
    """Slope of ln(seconds) over ln(size)."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def test_time_against_lambda(timed, table: Table):
    scales = (10.0, 1e2, 1e4, 1e6)
    problems = {f"Λ = {scale:g}": wide(scale, 60) for scale in scales}
    seconds = median_seconds({name: lambda p=p: simulate(p) for name, p in problems.items()}, 15)
    for scale, (name, value) in zip(scales, seconds.items(), strict=True):
        table.add(Run("simulate to rest, n = 5, m = 60", name, value, None, "", ("Λ", scale)))
    assert max(seconds.values()) < 3 * min(seconds.values())


def test_time_against_width(timed, table: Table):
    widths = (100, 1000, 10_000, 100_000)
    values = []
    for m in widths:
        problem = wide(230.0, m)
        values.append(median_seconds({"": lambda p=problem: simulate(p)}, 5 if m < 10_000 else 1)[""])
        table.add(Run("simulate to rest, n = 5, Λ = 230", f"m = {m}", values[-1], None, "", ("m", m)))
    assert exponent(widths, values) < 1.1


def test_time_and_memory_of_a_million_neurons(lengthy, table: Table):
    seconds, peak, deaths = json.loads(alone(ALONE, "230", "1000000"))
    note = f"{peak / 1e9:.2g} GB at most in the whole process, {deaths} deactivations"
    table.add(Run("simulate to rest, n = 5, Λ = 230", "m = 1000000", seconds, None, note, ("m", 1_000_000)))


def test_time_against_labels(timed, table: Table):
    sizes, values = (5, 10, 20, 50, 100, 200), []
    for n in sizes:
        problem = wide(230.0, 1000, n=n)
        values.append(median_seconds({"": lambda p=problem: simulate(p)}, 1)[""])
        note = "" if n < sizes[-1] else f"exponent {exponent(sizes, values):.2f}"
        table.add(Run("simulate to rest, m = 1000, Λ = 230", f"n = {n}", values[-1], None, note, ("n", n)))


def test_time_of_the_first_simulation(lengthy, table: Table, tmp_path):
    """Everything is compiled; then, in another process, nothing is."""
    for name in ("nothing compiled", "compiled before"):
        seconds = float(alone(FIRST, NUMBA_CACHE_DIR=str(tmp_path)))
        table.add(Run("first simulation of a process, m = 60", name, seconds))


def test_time_in_compiled_steps(timed, table: Table, monkeypatch):
    """How much of a simulation is spent in the compiled Taylor steps; the rest is Python around them."""
    inside: list[float] = []
    compiled = chain.chase

    def watched(*arguments):
        began = time.process_time()
        out = compiled(*arguments)
        inside.append(time.process_time() - began)
        return out

    monkeypatch.setattr(chain, "chase", watched)
    for scale, m in ((18.4, 60), (230.0, 60), (18.4, 2000)):
        problem, title = wide(scale, m), f"where the time goes, n = 5, m = {m}, Λ = {scale:g}"
        simulate(problem)
        inside.clear()
        rounds = 15 if m < 1000 else 1
        began = time.process_time()
        for _ in range(rounds):
            simulate(problem)
        table.add(Run(title, "simulate", (time.process_time() - began) / rounds))
        table.add(Run(title, "of which compiled steps", sum(inside) / rounds))
