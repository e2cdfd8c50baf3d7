"""Error bars against the truth: each margin lies within its bar of one that is far more accurate.

Two things make a margin wrong, and each has its reference. What the flow neglects: 300 problems at rtol = 1e-9 against
the default, where it neglects 10⁻⁸ of that. Rounding: a few of them in float64 against many digits. The bars must hold
in at least 99.5 % of the margins of every claim, and, where steps neglect as much as they may, must not be wider than
a thousand times what is typical for it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice
from typing import NamedTuple

import numpy as np
import pytest

from verify.check import select
from verify.claim import UNIT, Claim, Margin
from verify.claims import CLAIMS
from verify.evidence import Evidence
from verify.precision import measure
from verify.problem import Problem
from verify.strategies import problems, sample

WITHOUT_TRAJECTORY = {
    "A1.interpolator": "random interpolators of the dataset",
    "C1.strict": "derivatives of the loss at θ_S",
    "L5.PL": "a search around θ*, whose bar reaches down to a proved bound",
}
"""Claims of pure algebra, with what they look at."""

SWEPT = ("C1.exponent", "T1.bias")
"""Claims that fit a line through simulations of their own: on fewer problems, at either tolerance."""

EXACT = {"L1.conserved": 1.0, "L6.frozen": 1.0}
"""Margins known without any reference: the flow conserves, and does not move what is frozen."""

TRAJECTORY = [claim for claim in CLAIMS if claim.id not in {*WITHOUT_TRAJECTORY, *SWEPT}]


class Pair(NamedTuple):
    """A margin that is judged, and the better one it is judged by."""

    problem: str
    judged: Margin
    better: Margin

    def error(self, claim_id: str) -> float:
        """What the judged margin is off by."""
        return abs(self.judged.value - EXACT.get(claim_id, self.better.value))

    @property
    def allowed(self) -> float:
        """Both error bars."""
        return self.judged.uncertainty + self.better.uncertainty

    @property
    def floor(self) -> float:
        """What rounding of the last operation alone may make of the judged margin."""
        sides = sum(abs(x) for x in (self.judged.quantity_log, self.judged.bound_log) if math.isfinite(x))
        return UNIT * max(abs(self.judged.value), sides if self.judged.scale == "nats" else 1.0)


Pairs = dict[str, list[Pair]]


def compared(
    drawn: Iterable[Problem],
    judged: Callable[[Problem], Evidence],
    better: Callable[[Problem], Evidence],
    claims: list[Claim],
) -> Pairs:
    """Finite margins of every claim, one simulation of either kind a problem; a contradiction is an error."""
    found = defaultdict(list)
    for problem in drawn:
        kinds = judged(problem), better(problem)
        for claim in claims:
            one, other = (measure(claim, evidence) for evidence in kinds)
            assert type(one) is type(other), (problem.key, claim.id, one, other)
            if not (isinstance(one, Margin) and isinstance(other, Margin)):
                continue
            assert {one.verdict, other.verdict} != {"HOLDS", "FAILS"}, (problem.key, claim.id, one, other)
            if one.scale == other.scale and math.isfinite(one.value) and math.isfinite(other.value):
                found[claim.id].append(Pair(problem.key, one, other))
    return found


@cache
def drawn(count: int) -> list[Problem]:
    return sample(problems(n=(2, 3), m=(2, 4), kappa=(5, 200)), count, 11)


@cache
def tolerances() -> Pairs:
    """What is neglected: 1e-9 against the default."""
    return compared(drawn(300), lambda problem: Evidence(problem, rtol=1e-9), Evidence, TRAJECTORY)


@cache
def stepped() -> Pairs:
    """The same on a third of them, all labels fitted in Taylor steps: closed forms neglect far less than 1e-9."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("verify.flow.simulate.find_fit", lambda *_: None)
        return compared(drawn(300)[::3], lambda problem: Evidence(problem, rtol=1e-9), Evidence, TRAJECTORY)


@cache
def digits() -> Pairs:
    """Rounding: float64 against 40 digits, on inputs that are exact to as many."""
    exact = sample(problems(n=(2, 3), m=(2, 4), kappa=(5, 200), input_families=("standard",)), 60, 5)[::6]
    return compared(exact, Evidence, lambda problem: Evidence(problem, digits=40), TRAJECTORY)


@cache
def sweeps() -> Pairs:
    """Fitted exponents at either tolerance."""
    few = list(islice(drawn(300), 0, None, 20))
    return compared(few, lambda problem: Evidence(problem, rtol=1e-9), Evidence, select(SWEPT))


def outside(pairs: Pairs) -> Iterator[tuple[str, Pair]]:
    for claim_id, found in pairs.items():
        yield from ((claim_id, pair) for pair in found if not pair.error(claim_id) <= pair.allowed)


def test_every_claim_about_a_trajectory_is_calibrated():
    """And none is only said to be: each has margins that differ, or are exact to rounding, on many problems."""
    assert {claim.id for claim in CLAIMS} == {claim.id for claim in TRAJECTORY} | {*WITHOUT_TRAJECTORY, *SWEPT}
    counts = {claim.id: len(tolerances()[claim.id]) for claim in TRAJECTORY}
    assert min(counts.values()) > 60, counts
    assert sum(counts.values()) > 10_000


@pytest.mark.slow
@pytest.mark.parametrize("claim", TRAJECTORY, ids=lambda claim: claim.id)
def test_bars_hold(claim):
    pairs = tolerances()[claim.id]
    inside = [pair.error(claim.id) <= pair.allowed for pair in pairs]
    assert np.mean(inside) >= 0.995, [pair for pair, held in zip(pairs, inside, strict=True) if not held][:3]


@pytest.mark.slow
@pytest.mark.parametrize("claim", TRAJECTORY, ids=lambda claim: claim.id)
def test_bars_are_not_too_wide(claim):
    widths = [pair.judged.uncertainty / max(pair.error(claim.id), pair.floor) for pair in stepped()[claim.id]]
    assert len(widths) > 20 and np.median(widths) <= 1000


@pytest.mark.slow
def test_bars_hold_against_more_digits():
    """Float64 alone: in every claim, on every problem."""
    assert sum(map(len, digits().values())) > 200
    assert list(outside(digits())) == []


@pytest.mark.slow
def test_bars_of_more_digits_are_those_of_rounding_the_margin():
    """With 40 digits nothing is left but the float64 in which margins are given."""
    bars = np.array([pair.better.uncertainty / pair.floor for found in digits().values() for pair in found])
    assert np.median(bars) <= 100


@pytest.mark.slow
def test_bars_of_fitted_exponents_hold():
    assert all(len(sweeps()[claim_id]) > 8 for claim_id in SWEPT)
    assert list(outside(sweeps())) == []
