"""Cross terms and deactivations in balls against many digits."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import pytest

from tests.certify.claims.quick import evidence, quick, rows
from tests.certify.sound import holds
from verify import Dataset, Initialisation, Problem, check, simulate
from verify.certify.balls import ball, precision
from verify.certify.claims.crossed import _sum_of_some, monotone, rises, subgradient
from verify.certify.margin import CertifiedMargin
from verify.certify.tail import Tail
from verify.certify.verdicts import certify
from verify.claim import Vacuous, Verdict

CLAIMS = ["P1.monotone", "P1.monotone-", "AD.subgradient"]


@pytest.mark.parametrize("t", ["0.3", "1.1"])
def test_cross_terms_change_as_their_derivative_says(t: str) -> None:
    """f = Σ |y_k|/n q_jk on the negative label, for the key neurons 0 and 3, both still active there."""
    now, h = evidence(), mpmath.mpf("1e-15")
    many = simulate(quick(), digits=45)
    with precision(now.effort.bits), mpmath.workdps(45):
        found = rises(now, +1, now.trajectory.at(t))
        before, after = (many.at(mpmath.mpf(t) + side * h).directions for side in (-1, 1))
        assert len(found) == 2
        for j, box in zip((0, 3), found, strict=True):
            assert holds(box, (after[j, 2] - before[j, 2]) / (2 * h) / 6, 1e-25)


def test_margins_agree_with_measured_ones() -> None:
    found, measured = rows(CLAIMS), check(quick(), CLAIMS, digits=None)
    assert found.verdict.tolist() == ["HOLDS (certified)"] * 3
    for box, row in zip(found.itertuples(), measured.itertuples(), strict=True):
        assert box.low - row.uncertainty <= row.margin <= box.high + row.uncertainty, box.claim
        assert box.high - box.low < 1e-4


def test_a_cross_term_that_grows_is_certain_to_fail() -> None:
    """With the labels of the other sign pulling the other way f grows: as if f were taken for neurons of S₋₁."""
    now = evidence()
    with precision(now.effort.bits):
        turned = now.side(+1)
        now = type(now)(now.problem, now.effort, now.trajectory)
        now.__dict__["plus"] = replace(turned, key=(1,))
        margin = monotone(now, +1)
    assert isinstance(margin, CertifiedMargin) and margin.verdict == Verdict.FAILS


def test_labels_that_may_be_dead_count_or_not() -> None:
    with precision(60):
        some = _sum_of_some([ball(-3)], [ball(-1), ball(2)])
        assert some.lower() <= -4 and -1 <= some.upper() < -0.9
        either = _sum_of_some([], [ball(-1), ball(-2)])
        assert either.lower() <= -3 and -1 <= either.upper() < -0.9


def test_a_pair_that_may_die_in_a_tail_leaves_deactivations_open() -> None:
    now = evidence()
    with precision(now.effort.bits):
        assert not any(s.may_lose_a_pair for s in now.trajectory.segments if isinstance(s, Tail))
        wide = [replace(s, motion=ball(0.5)) if isinstance(s, Tail) else s for s in now.trajectory.segments]
        doubtful = type(now)(now.problem, now.effort, replace(now.trajectory, segments=tuple(wide)))
        found = subgradient(doubtful)
    assert isinstance(found, CertifiedMargin) and found.verdict == Verdict.UNRESOLVED


def test_where_nothing_dies_there_is_nothing_to_say() -> None:
    start = Initialisation([[1.0, -0.5], [-0.25, 1.0]], [1, -1], 20)
    outcomes = certify(Problem(Dataset.standard([1, -0.5]), start), CLAIMS).outcomes
    assert all(isinstance(outcome.result, Vacuous) for outcome in outcomes)
