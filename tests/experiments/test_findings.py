"""Findings hold where they should, and fail where what they say is made false."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from verify.claim import Verdict
from verify.experiments import appendix_a1, catalogue, lazy, necessary, norms, section5, threshold, two_points, width
from verify.experiments.result import Result, exponents, slope_error, worst_margin
from verify.problem import Problem


def quiet(_: str) -> None:
    return None


def verdicts(result: Result) -> dict[str, Verdict]:
    return {finding.claim.id: finding.verdict for finding in result.findings}


def test_section5_holds_and_notices_another_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(section5, "animations", lambda name, frames: {})
    monkeypatch.setattr(section5, "_refined", lambda run, steps: 1e-3 * steps)
    result = section5.run(2, quiet)
    assert set(verdicts(result).values()) == {Verdict.HOLDS}
    left = {row.quantity.split(",")[0]: row.values for row in result.rows}["second saddle left"]
    assert all(10_500 < iteration < 11_500 for iteration in left)
    monkeypatch.setattr(two_points, "SCALE", 1e-4)
    assert verdicts(section5.run(2, quiet))["X.descent.saddles"] is Verdict.FAILS
    monkeypatch.setattr(section5, "REACHED", 1e-3)
    assert verdicts(section5.run(2, quiet))["X.descent"] is Verdict.FAILS


def test_appendix_a1_meets_the_saddle_with_two_groups() -> None:
    run = appendix_a1.one(0)
    assert run.saddle[1] == pytest.approx(0.0318, rel=0.01) and run.saddle[2] < 1e-3
    assert len(run.turned) == 2 and run.curve[1][-1] < 1e-8 * run.curve[1][0]


def test_necessary_fails_where_assumption_3_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(necessary, "SCALES", np.array([20.0, 200.0, 2000.0]))
    assert verdicts(necessary.run(2, quiet)) == {"X.necessary": Verdict.HOLDS}
    good = necessary.start_without(np.random.default_rng(0), 2000.0, fittable=True)
    assert not good.key_plus.any() and necessary.outcome(good)[0] == pytest.approx(necessary.SEPARATE, rel=1e-6)
    directions = np.array(good.initialisation.directions)
    directions[np.flatnonzero(good.initialisation.signs > 0)[0], :2] = 1.0
    met = necessary.Problem(good.dataset, necessary.Initialisation(directions, good.initialisation.signs, 2000.0))
    assert abs(necessary.outcome(met)[0]) < 1e-9


def test_norms_turn_away_from_the_target() -> None:
    result = norms.run(2, quiet)
    assert verdicts(result) == {"X.norms": Verdict.HOLDS}
    assert norms.angle(norms.FITTED, norms.TARGET) > 0.4


def test_the_kernel_is_far_at_a_small_scale() -> None:
    """Rich training moves every neuron that matters by far more than its size; large starts do not."""
    moved = {scale: lazy.movement(*lazy.trained(lazy.DATA, 0, scale=scale)) for scale in (0.3, 10.0)}
    assert moved[10.0] < 0.3 < 1 < moved[0.3]


def test_probability_by_enumeration() -> None:
    """One neuron is one of 2^(n₊ + n₋ + 1) equally likely patterns of signs."""
    patterns = list(itertools.product([True, False], repeat=4))  # two positive labels, one negative, the output
    plus, minus = [p[0] and p[1] and p[3] for p in patterns], [p[2] and not p[3] for p in patterns]
    both = [(plus[i] or plus[j]) and (minus[i] or minus[j]) for i in range(16) for j in range(16)]
    assert width.probability(2, 1, 2) == pytest.approx(np.mean(both), rel=1e-12)


def test_margins_over_seeds() -> None:
    margin = worst_margin(np.array([2.0, 1.0]), np.array([0.1, 0.2]), "relative")
    assert margin.value == 1.0 and "seed 1" in margin.note and margin.verdict is Verdict.HOLDS
    assert worst_margin(np.array([1.0, np.nan]), 0.0, "relative").verdict is Verdict.UNRESOLVED
    assert exponents(np.array([1e-1, 1e-2, 1e-3]), np.array([[1e-2, 1e-4, 1e-6]])) == pytest.approx([2.0])


@pytest.mark.parametrize(("power", "verdict"), [(0.5, Verdict.HOLDS), (0.2, Verdict.FAILS)])
def test_the_exponent_of_the_threshold_decides(power: float, verdict: Verdict, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = np.random.default_rng(0)

    def found(problem: Problem, *_: object, **options: object) -> SimpleNamespace:
        n, m = problem.dataset.n, problem.initialisation.m
        return SimpleNamespace(minus_log_lambda=1 + 0.3 * n + power * np.log(m) + 0.01 * noise.normal())

    monkeypatch.setattr(threshold, "threshold", found)
    assert verdicts(threshold.run(3, quiet)) == {"X.threshold": verdict}


def test_the_order_of_descent_decides() -> None:
    steps = np.array([1.0, 0.5, 0.25])
    for power, verdict in ((1.0, Verdict.HOLDS), (0.5, Verdict.FAILS)):
        assert section5._order_finding(power, slope_error(steps, steps**power), steps**power).verdict is verdict


def test_claims_have_ids_of_their_own() -> None:
    ids = [claim.id for experiment in catalogue.EXPERIMENTS.values() for claim in experiment.claims]
    assert len(ids) == len(set(ids)) == len(catalogue.measured_by()) and all(name.startswith("X.") for name in ids)
