"""Raising precision: what is predicted, when it stops, and which arithmetic decided."""

import math

import pytest

from tests.flow.agreement import random_problem
from tests.problems import reference, small
from verify.check import check
from verify.claim import Claim, Margin, Vacuous, Verdict, power_margin
from verify.errors import InvalidArgument, SimulationFailed
from verify.evidence import Evidence
from verify.precision import Outcome, measured, policy_of, resolved


def needing(digits: int, bound_log: float = math.nan) -> Claim:
    """A claim whose margin of 10^−digits the error estimate of the trajectory must resolve."""

    def margin(evidence: Evidence) -> Margin:
        return Margin(10.0**-digits, evidence.error, "relative", bound_log=bound_log)

    return Claim(f"needs{digits}", "nowhere", "D", "a tiny margin is positive", margin)


TASK = small(20.0)


def test_float64_decides_where_it_can_and_digits_elsewhere():
    rows = check(TASK, [needing(3), needing(30), needing(70)])
    assert rows["verdict"].tolist() == ["HOLDS", "HOLDS", "HOLDS"]
    assert rows["digits"].tolist() == [16, 32, 128]


def test_digits_are_predicted_from_the_bound():
    outcome = measured([needing(50, bound_log=-100 * math.log(10))], Evidence(TASK))[0]
    assert outcome.digits_wanted == 120
    assert check(TASK, [outcome.claim])["digits"].tolist() == [120]


def test_a_cap_is_kept_and_said():
    row = check(TASK, [needing(70)], cap=100).iloc[0]
    assert (row["verdict"], row["digits"]) == ("UNRESOLVED", 64)
    assert "about 128 digits would be needed, beyond the cap of 100: ask for them with digits=128" in row["reason"]


def test_a_cap_that_is_no_number_of_digits_is_refused():
    with pytest.raises(InvalidArgument, match="digits = 7 must be"):
        check(TASK, [needing(70)], cap=7)


def test_an_error_bar_that_does_not_shrink_ends_it():
    stubborn = Claim("x", "nowhere", "D", "x", lambda evidence: Margin(0.5, 1.0, "relative"))
    row = check(TASK, [stubborn]).iloc[0]
    assert (row["verdict"], row["digits"]) == ("UNRESOLVED", 32)
    assert "more digits do not shorten the error bar" in row["reason"]


def test_a_margin_below_its_own_rounding_is_left_at_float64():
    """A tie: a margin of float64 that is no farther from 0 than it is rounded, which no digits change."""
    tie = Claim("x", "nowhere", "D", "x", lambda _: power_margin(-50.0, -50.0, 1e-9, kappa=1.0, claimed_exponent=1.0))
    row = check(TASK, [tie]).iloc[0]
    assert (row["verdict"], row["digits"]) == ("UNRESOLVED", 16)
    assert "below the rounding of the float64 in which it is given" in row["reason"]


def test_inputs_that_hold_no_more_digits_are_named():
    task = random_problem(0, 20.0, rotate=True)
    row = check(task, [needing(30)]).iloc[0]
    assert row["verdict"] == "UNRESOLVED"
    assert "about 32 digits would be needed, but the rows of x are orthonormal to 15 only" in row["reason"]


def test_float64_alone_says_what_may_decide():
    row = check(TASK, [needing(30)], digits=None).iloc[0]
    assert (row["verdict"], row["digits"]) == ("UNRESOLVED", 16)
    assert "about 32 digits may decide it" in row["reason"]


def test_digits_asked_for_are_used_for_all():
    rows = check(TASK, [needing(3), needing(30)], digits=40)
    assert rows["digits"].tolist() == [40, 40]
    assert rows["verdict"].tolist() == ["HOLDS", "HOLDS"]


@pytest.mark.parametrize("digits", ["many", 10, 3.0, True])
def test_other_digits_are_refused(digits):
    with pytest.raises(InvalidArgument, match=r"digits = .*'auto' begins with float64"):
        policy_of(digits)


def test_a_failure_with_more_digits_keeps_what_float64_found(monkeypatch):
    def fails(evidence: Evidence) -> Margin:
        if evidence.digits is not None:
            raise SimulationFailed("no way")
        return Margin(0.5, 1.0, "relative")

    row = check(TASK, [Claim("x", "nowhere", "D", "x", fails)]).iloc[0]
    assert (row["verdict"], row["margin"], row["digits"]) == ("UNRESOLVED", 0.5, 16)
    assert "with 32 digits: no way" in row["reason"]


def test_what_is_decided_or_vacuous_is_left_alone():
    done = [
        Outcome(needing(1), Margin(1.0, 0.1, "nats"), 16, 0.0),
        Outcome(needing(2), Vacuous("nothing there"), 16, 0.0),
    ]
    assert resolved(TASK, done) == done


def test_claims_in_digits_agree_with_float64():
    """Reference R1: every margin that float64 resolves lies within its error bar of the one at 30 digits."""
    task = reference("R1")[0]
    plain, exact = check(task, digits=None), check(task, digits=30)
    for one, two in zip(plain.itertuples(), exact.itertuples(), strict=True):
        assert one.verdict == two.verdict or one.verdict == Verdict.UNRESOLVED, one.claim
        if math.isfinite(one.margin):
            bar = one.uncertainty + two.uncertainty + 1e-12 * abs(two.margin)
            assert abs(one.margin - two.margin) <= bar, one.claim
