"""Lemma 9: the smallest norm of a key neuron, by calculus on one boost and by the linearised flow on drawn problems."""

import math

import mpmath as mp
import numpy as np
import pytest

from tests.claims.oracles import SCALES, drawn, evidence
from tests.linearised import linear_neuron
from tests.problems import reference
from verify.claim import Verdict
from verify.claims.lemma7 import early_time
from verify.claims.lemma9 import lower
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.initialisation import Initialisation
from verify.problem import Problem

SIDES = (1, -1)


def shrinking(g: tuple[float, float] = (0.1, 1.0), minus_log_lambda: float = 1000.0) -> Problem:
    """A key neuron that mostly points at the label of the other sign and shrinks before it grows."""
    start = Initialisation([[*g, 0.0], [0.0, 3.0, 0.0]], [1, -1], minus_log_lambda)
    return Problem(Dataset.standard([2.0, -1.0], d=3), start)


@pytest.mark.parametrize("minus_log_lambda", [1e3, 1e6])
def test_smallest_norm_of_one_boost(minus_log_lambda):
    """a = a₀ cosh x + b sinh x with b = ⟨g, (2, −1)⟩/√5 < 0 is smallest where tanh x = −b/a₀: sqrt(a₀² − b²)."""
    problem = shrinking(minus_log_lambda=minus_log_lambda)
    margin = lower(Evidence(problem), 1)
    size, along = math.hypot(0.1, 1.0), (2 * 0.1 - 1.0) / math.sqrt(5)
    smallest = math.sqrt(size**2 - along**2)
    t = math.atanh(-along / size) * 2 / math.sqrt(5)
    scale = problem.initialisation.minus_log_lambda
    assert margin.neuron == 0
    assert margin.t == pytest.approx(t, rel=1e-3)
    assert margin.quantity_log == pytest.approx(math.log(smallest) - scale, rel=0, abs=margin.uncertainty)
    expected = math.log(smallest) - math.log(size / 2) + problem.kappa
    assert margin.value == pytest.approx(expected, rel=0, abs=margin.uncertainty + 1e-9)
    assert margin.verdict is Verdict.HOLDS


@pytest.mark.parametrize("minus_log_lambda", SCALES)
def test_neurons_that_only_grow_are_smallest_at_the_start(minus_log_lambda):
    """c̲ = 1 = ‖g_0‖, ‖g_1‖ = 2: the factor ½ leaves ln 2 and ln 4, the exponent κ and rκ."""
    found = evidence(minus_log_lambda)
    plus, minus = lower(found, 1), lower(found, -1)
    assert (plus.neuron, plus.t, minus.neuron, minus.t) == (0, 0.0, 1, 0.0)
    assert plus.value == pytest.approx(math.log(2) + found.kappa, rel=0, abs=plus.uncertainty)
    assert minus.value == pytest.approx(math.log(4) + 2 * found.kappa, rel=0, abs=minus.uncertainty)


def smallest_linear(found: Evidence, side: int, count: int = 200) -> float:
    """ln of the smallest norm of a key neuron in units of λ, on a grid finer towards the start."""
    problem, end = found.problem, early_time(found, side)
    times = end * np.linspace(0.0, 1.0, count) ** 3
    key = np.flatnonzero(found.key(side))
    with mp.workdps(30):
        return min(float(mp.log(linear_neuron(problem, int(j), t).a)) for j in key for t in times)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", ["R1", "R2", "drawn 0", "drawn 1", "drawn 2"])
def test_smallest_norm_is_that_of_the_linearised_flow(name, side):
    found = drawn(int(name[-1]), 5.0) if name.startswith("drawn") else Evidence(reference(name)[0])
    problem, margin = found.problem, lower(found, side)
    exact = smallest_linear(found, side)
    scale = problem.initialisation.minus_log_lambda
    # Before t±₁ outputs are below 4mc²λ^(2(1−rε)), which the linearised flow leaves out.
    start = problem.initialisation
    outputs = math.exp(math.log(4 * start.m * start.c**2) - 2 * (1 - problem.dataset.ratio * problem.epsilon) * scale)
    assert margin.quantity_log + scale == pytest.approx(exact, abs=1e-3 + outputs * early_time(found, side))
    assert margin.quantity_log + scale <= exact + 1e-9 + outputs * early_time(found, side)
    rate = 1.0 if side > 0 else problem.dataset.ratio
    bound = math.log(start.c_low / 2) - scale - rate * problem.kappa
    assert margin.bound_log == pytest.approx(bound, rel=1e-12, abs=1e-12)
    assert margin.value == pytest.approx(margin.quantity_log - bound, rel=1e-9, abs=1e-9)
    assert margin.claimed_exponent == pytest.approx(1 / problem.epsilon + rate)
