"""Every program on the same problem: ln|a_j| and residual at one time, and how far they are from the reference."""

from collections.abc import Callable
from importlib import import_module

import numpy as np

from tests.benchmarks import descent, scipy_peer, torch_peer
from tests.benchmarks.compiled_peer import dormand_prince
from tests.benchmarks.diffrax_peer import Diffrax
from tests.benchmarks.scipy_peer import Answer
from tests.benchmarks.taylor_peer import Heyoka
from verify.flow.simulate import simulate
from verify.problem import Problem

Program = Callable[[], Answer]

NEEDS = {"heyoka": ("heyoka", "bench"), "diffrax": ("diffrax", "bench"), "PyTorch": ("torch", "torch")}
"""What a word in a name says: the package that must be there, and the extra it comes with."""


def missing(name: str) -> str:
    """How to install what the program needs; empty where it is there, and from then on imported."""
    for word, (package, extra) in NEEDS.items():
        if word in name:
            try:
                import_module(package)
            except ModuleNotFoundError:
                return f"missing: pip install '.[{extra}]'"
    return ""


def ours(problem: Problem, end: float) -> Answer:
    """This package: simulate, and read one state."""
    state = simulate(problem, until=end).at(end)
    return state.log_norms, state.residual


def program(name: str, problem: Problem, end: float) -> Program:
    """A task that may be run many times; what can be compiled is compiled by now."""
    if name == "heyoka, events":
        compiled = Heyoka(problem)
        return lambda: compiled.run(end)
    if name.startswith("diffrax"):
        jitted = Diffrax(problem, name.removeprefix("diffrax ").removesuffix(", events"))
        return lambda: jitted.run(end)
    if name == "numba RK45, logarithms":
        dormand_prince(problem, 0.0)
        return lambda: dormand_prince(problem, end)
    known: dict[str, Program] = {
        "verify": lambda: ours(problem, end),
        "DOP853, weights, events": lambda: scipy_peer.weights(problem, end),
        "DOP853, weights, no events": lambda: scipy_peer.weights(problem, end, events=False),
        "DOP853, logarithms, events": lambda: scipy_peer.logarithms(problem, end),
        "descent, NumPy": lambda: descent.descent(problem, end),
        "descent, PyTorch": lambda: torch_peer.descent(problem, end),
    }
    return known[name]


def error(problem: Problem, answer: Answer, expected: Answer) -> float:
    """Largest error of log-norms (absolute) and residuals (relative to their labels)."""
    off = [np.abs(answer[0] - expected[0]), np.abs(answer[1] - expected[1]) / np.abs(problem.dataset.y)]
    return float(np.concatenate(off).max())
