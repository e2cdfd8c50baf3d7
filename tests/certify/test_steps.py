"""One step of each kind, held against many digits; what is left out of an enclosure is missed at once."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.problems import reference
from verify import Dataset, Initialisation, Problem
from verify.certify import deaths, follow, passage, plateau
from verify.certify.balls import ball, hull, precision, sign
from verify.certify.majorant import Majorant, majorant
from verify.certify.moment import Moment, Setting, begin
from verify.certify.plateau import Plateau
from verify.certify.segment import Segment
from verify.certify.tail import Tail, find_tail
from verify.certify.taylor import taylor_step
from verify.errors import PrecisionExhausted

LOW = 80
"""Bits at which radii are large enough to be seen."""


def started(name: str = "R1") -> tuple[Setting, Moment]:
    setting, moment = begin(reference(name)[0])
    return setting, moment


@cache
def followed(name: str, depth: float, bits: int) -> tuple[Setting, list[Segment]]:
    return follow.follow(reference(name)[0], follow.Effort(depth, bits))


def fitting() -> tuple[Setting, Moment]:
    """The positive labels of R1 while they are being fitted."""
    setting, segments = followed("R1", 30.0, 200)
    with precision(200):
        for segment in segments:
            if segment.kind == "step" and float(segment.begin.t) > 31 and 0 in segment.begin.labels:
                return setting, segment.begin
    raise AssertionError


def apart(minus_log_lambda: float) -> Problem:
    """Two neurons, each active on a label of its own."""
    start = Initialisation([[1.0, -0.5], [-0.25, 1.0]], [1, -1], minus_log_lambda)
    return Problem(Dataset.standard([2.0, -1.0]), start)


def outside(box: Moment, exact: Moment) -> int:
    """How many numbers of a moment do not hold those of a much narrower one."""
    pairs = [*zip(box.a, exact.a, strict=True), *zip(box.r, exact.r, strict=True)]
    pairs += [pair for rows in zip(box.p, exact.p, strict=True) for pair in zip(*rows, strict=True)]
    return sum(not x.overlaps(y) for x, y in pairs)


def one_step(order: int | None, fraction: float = 1.0) -> Moment:
    setting, moment = fitting()
    with precision(300):
        step = taylor_step(moment, setting, order)
        full = taylor_step(moment, setting)
        return step.moment((moment.t + full.span * ball(fraction)).mid())


def test_what_a_short_polynomial_omits_is_enclosed() -> None:
    with precision(300):
        exact = one_step(None)
        assert all(outside(one_step(order), exact) == 0 for order in (3, 8, 20))
        assert outside(one_step(8), exact) == 0 < float(one_step(8).a[0].rad())


def test_a_dropped_remainder_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = one_step(None)
    monkeypatch.setattr(Majorant, "tail", lambda self, tau, order: ball(0))
    with precision(300):
        assert outside(one_step(8), exact) > 3


def test_a_skipped_a_priori_bound_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = one_step(None)
    setting, moment = fitting()

    def trusting(moment: Moment, n: int) -> Majorant:
        honest = majorant(moment, n)
        return replace(honest, radius=100 * honest.radius, growth=ball(1), residual=moment.residual_size)

    monkeypatch.setattr("verify.certify.taylor.majorant", trusting)
    with precision(300):
        step = taylor_step(moment, setting, 8)
        assert outside(step.moment(exact.t), exact) > 3


def test_no_step_leaves_its_disc() -> None:
    setting, moment = fitting()
    with precision(200):
        step = taylor_step(moment, setting)
        with pytest.raises(PrecisionExhausted, match="leaves its disc"):
            step.moment((moment.t + 9 * step.span).mid())


@pytest.mark.parametrize("name", ["R1", "R2"])
def test_the_majorant_bounds_every_coefficient(name: str) -> None:
    setting, moment = started(name)
    with precision(120):
        moment = begin(reference(name)[0])[1]
        step = taylor_step(moment, setting, 40)
        bound = step.bound
        for j, size in enumerate(bound.sizes):
            for k, coefficient in enumerate(step.a[j].coeffs()):
                assert not abs(coefficient) * bound.radius**k > size * bound.growth
        for polynomial in step.r:
            assert all(not abs(c) * bound.radius**k > bound.residual for k, c in enumerate(polynomial.coeffs()))


def shallow_plateau() -> tuple[Plateau, Moment]:
    """A plateau whose outputs reach about 10⁻⁴ of the labels, and the exact moment at its end."""
    setting, moment = begin(apart(12.0))
    t = ball(8)
    found = Plateau(moment, setting, t)
    exact, time = moment, ball(0)
    while time < t:
        step = taylor_step(exact, setting)
        time = (exact.t + step.span).mid() if exact.t + step.span < t else t
        exact = step.moment(time)
    return found, exact


def test_a_plateau_holds_the_flow_and_without_its_drift_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    with precision(300):
        found, exact = shallow_plateau()
        assert found.certain()
        assert outside(found.moment(exact.t), exact) == 0
        monkeypatch.setattr(Plateau, "drift", lambda self, tau: ball(0))
        assert outside(found.moment(exact.t), exact) >= 2


def test_a_plateau_that_is_too_long_is_refused() -> None:
    with precision(200):
        setting, moment = begin(apart(12.0))
        assert not Plateau(moment, setting, ball(60)).certain()
        assert plateau.find_plateau(moment, setting, 20.0) is not None
        assert plateau.find_plateau(moment, setting, 60.0) is None


class Dip:
    """A coordinate below 0 from 0.4 to 0.6 alone, positive at both ends of its span: p' = ar/n, a = n = 2."""

    span = property(lambda self: ball(1))

    def __init__(self) -> None:
        _, moment = begin(apart(5.0))
        self.begin = replace(moment.parts()[0], a=[ball(2)], p=[[ball(0.24)]], r=[ball(-1)])

    def coordinate(self, j: int, i: int, tau: Any) -> Any:
        return (tau - ball(0.4)) * (tau - ball(0.6))

    def pull(self, i: int, tau: Any) -> Any:
        return 2 * tau - 1

    def moment(self, t: Any) -> Moment:
        return replace(self.begin, t=t, p=[[self.coordinate(0, 0, t)]])


def test_a_dip_between_the_ends_of_a_step_is_found() -> None:
    with precision(LOW):
        setting, _ = begin(apart(5.0))
        dip = Dip()
        span, death = deaths.first_death(dip, setting)
        assert (death is None and span < 0.4) or (death is not None and death.first < 0.4 < death.last)


def test_signs_at_the_ends_alone_miss_a_dip(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_ends(segment: Any, i: int, first: Any, last: Any, depth: int = 0) -> int:
        return 1 if sign(segment.coordinate(0, i, first)) > 0 < sign(segment.coordinate(0, i, last)) else -1

    monkeypatch.setattr(deaths, "residual_sign", only_ends)
    with precision(LOW):
        setting, _ = begin(apart(5.0))
        assert deaths.first_death(Dip(), setting) == (ball(1), None)


def test_deaths_at_the_same_time_are_taken_together() -> None:
    with precision(LOW):
        early = deaths.Death(ball(1), ball(2), ((0, 0),))
        other = deaths.Death(ball(1.5), ball(3), ((1, 0),))
        later = deaths.Death(ball(4), ball(5), ((2, 0),))
        first, found = deaths._together([later, other, early])
        assert (first, found.last, set(found.pairs)) == (1, 3, {(0, 0), (1, 0)})


def test_a_midpoint_in_place_of_an_interval_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "through", lambda begin, setting, dying, width: _at_once(begin, setting, dying))
    with pytest.raises(PrecisionExhausted, match="cannot be told from others"):
        follow.follow(reference("R1")[0], follow.Effort(5.0, LOW))


def test_a_midpoint_that_is_trusted_misses_the_death(monkeypatch: pytest.MonkeyPatch) -> None:
    times = [death.exact_t for death in reference("R1")[2]]
    assert all(found_in(interval, t) for interval, t in zip(deaths_at(LOW), times, strict=True))
    monkeypatch.setattr(follow, "through", lambda begin, setting, dying, width: _at_once(begin, setting, dying))
    monkeypatch.setattr(passage.Passage, "after", _trusting)
    wrong = [interval for interval, t in zip(deaths_at(LOW), times, strict=True) if not found_in(interval, t)]
    assert len(wrong) == len(times)


def _at_once(begin: Moment, setting: Setting, dying: passage.Pairs) -> passage.Passage:
    return passage.Passage(begin, setting, dying, begin.t)


def _trusting(self: passage.Passage) -> Moment:
    active = self.begin.active.copy()
    for j, i in self.dying:
        active[j, i] = False
    return replace(self.over, t=self.end, active=active)


def deaths_at(bits: int) -> list[Any]:
    _, segments = follow.follow(reference("R1")[0], follow.Effort(5.0, bits))
    with precision(bits):
        found = [hull(s.begin.t, s.end) for s in segments if isinstance(s, passage.Passage)]
    return sorted(found, key=float)


def found_in(interval: Any, t: Any) -> bool:
    with precision(300):
        return bool(interval.contains(ball(t)))


def test_a_tail_holds_all_that_follows() -> None:
    """A tail that begins early holds the moments of the flow after it, down to where another begins."""
    with precision(300):
        _, segments = followed("R1", 30.0, 200)
        chain = [s.begin for s in segments if 0 in s.begin.labels and s.begin.neurons == (0, 1, 2)]
        tail = next(found for moment in chain if (found := find_tail(moment, 3, 3.0)) is not None)
        assert isinstance(tail, Tail) and tail.begin.residual_size > 1e-4
        for moment in chain:
            if moment.t > tail.begin.t:
                local = tail.at(moment.t - tail.begin.t)
                assert all(x.overlaps(a.log()) for x, a in zip(local.log_a, moment.a, strict=True))
                assert all(x.overlaps(r) for x, r in zip(local.r, moment.r, strict=True))


def test_no_tail_is_certified_while_labels_are_far_from_fitted() -> None:
    with precision(200):
        setting, moment = started("R2")
        assert find_tail(moment, setting.n, -5.0) is None


def test_components_are_kept_apart_only_where_no_pair_joins_them() -> None:
    _, segments = followed("R1", 30.0, 200)
    for segment in segments:
        if segment.kind != "rest":
            assert segment.begin.parts()[0].neurons == segment.begin.neurons and len(segment.begin.parts()) == 1
