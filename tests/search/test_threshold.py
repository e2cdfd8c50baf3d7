"""Λ* is where claims begin to hold for good, also where they hold for a while below it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tests.claims.oracles import linear_last_death
from verify import Dataset, Initialisation, Problem
from verify.check import select
from verify.claim import Claim, Margin
from verify.errors import InvalidArgument
from verify.families import draw_problem
from verify.search.threshold import _Line, threshold
from verify.studies.threshold import Study

PROBLEM = draw_problem(np.random.default_rng(2), inputs="standard")


def scale_of(evidence) -> float:
    return evidence.problem.initialisation.minus_log_lambda


def beyond(number: float) -> Claim:
    return Claim(f"Λ > {number:g}", "here", "D", "Λ is large", lambda e: Margin(scale_of(e) - number, 0.0, "nats"))


def outside(low: float, high: float) -> Claim:
    return Claim(
        "a gap", "here", "D", "Λ is not in the gap", lambda e: Margin(abs(scale_of(e) - low) - high + low, 0.0, "nats")
    )


@pytest.mark.parametrize("number", [0.5, 77.7, 12345.6])
def test_it_finds_where_a_claim_begins_to_hold(number: float) -> None:
    found = threshold(PROBLEM, [beyond(number)], digits=None)
    assert found.failing <= number < found.minus_log_lambda <= number + max(2e-3 * number, 0.03)
    assert found.claim == f"Λ > {number:g}" and "FAILS" in found.reason
    assert found.ratio == found.sufficient / found.minus_log_lambda
    assert sum(scale > found.minus_log_lambda for scale in found.scales) > 6


def test_a_gap_far_above_is_noticed() -> None:
    """Claims that hold at all powers of ten below the top, and fail between two of them."""
    far = threshold(PROBLEM, [beyond(1.0)], digits=None, step=1e9)
    top = max(far.scales)
    seen = sorted(scale for scale in far.scales if scale > far.minus_log_lambda)
    gap = outside(seen[-2], 1.2 * seen[-2])
    found = threshold(PROBLEM, [beyond(1.0), gap], digits=None, step=1e9)
    assert found.claim == "a gap" and found.minus_log_lambda == pytest.approx(1.2 * seen[-2], rel=2e-3) and top > 0


def test_a_claim_that_never_holds_or_always_does() -> None:
    never = threshold(PROBLEM, [beyond(1e30)], digits=None)
    assert never.minus_log_lambda == math.inf and never.claim == "Λ > 1e+30" and len(never.scales) == 1
    always = threshold(PROBLEM, [beyond(-1.0)], digits=None)
    assert always.minus_log_lambda == 0.01 and always.failing == 0 and always.claim == ""


def test_lemma_seven_begins_to_hold_where_its_last_coordinate_dies_in_time() -> None:
    """t₊₁ = κ/‖D₊‖ must be past the death, which hardly depends on Λ; the sufficient value asks for twice that."""
    start = Initialisation([[1, 2], [-1, 1]], [1, -1], 1000)
    (dead,) = select("L7.dead.corrected")
    found = threshold(Problem(Dataset.standard([2, -1]), start), [dead], digits=None)
    assert found.condition == "deaths_in_time" and found.ratio == pytest.approx(2, rel=0.01)


def test_what_has_no_threshold_is_told() -> None:
    with pytest.raises(InvalidArgument, match="at least one claim"):
        threshold(PROBLEM, [])
    with pytest.raises(InvalidArgument, match=r"step = 1\.0"):
        threshold(PROBLEM, [beyond(1.0)], step=1.0)


def test_deaths_in_time_gives_away_a_factor_of_two_and_nothing_else() -> None:
    """Λ* of L7.dead.corrected is where t₊₁ meets the last death of the linearised flow; the regime doubles that."""
    problem = Study((5,), (8,), 1, 0).problem(5, 8, 0)
    found = threshold(problem, select("L7.dead.corrected"), digits=None)
    death = linear_last_death(problem, 1) * problem.dataset.norm_plus / problem.epsilon
    assert found.minus_log_lambda == pytest.approx(death, rel=1.5e-3)
    assert found.condition == "deaths_in_time" and found.ratio == pytest.approx(2, rel=1.5e-3)


def test_ctrl_c_returns_the_bracket_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = threshold(PROBLEM, [beyond(77.7)], digits=None)
    right, looks = _Line._look, itertools.count()

    def look(line: _Line, scale: float) -> tuple[tuple[str, ...], str]:
        if next(looks) >= most:
            raise KeyboardInterrupt
        return right(line, scale)

    monkeypatch.setattr(_Line, "_look", look)
    most = 0
    assert threshold(PROBLEM, [beyond(77.7)], digits=None).minus_log_lambda == math.inf
    looks, most = itertools.count(), len(whole.scales) - 8
    found = threshold(PROBLEM, [beyond(77.7)], digits=None)
    assert found.interrupted and not whole.interrupted and len(found.scales) == most
    assert found.failing <= whole.failing < 77.7 < whole.minus_log_lambda <= found.minus_log_lambda
    assert all(not bad for scale, bad in found.scales.items() if scale > found.failing)
