"""Problems made to be missed: near ties, deaths side by side, coordinates that graze 0, no plateau, λ > 1, few or equal
neurons. Trajectories of twice the digits lie in every ball, at the ends of segments and at deaths above all.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.certify.sound import misses, spread_times
from verify import Dataset, Initialisation, Problem, check, simulate
from verify.certify import deaths, follow
from verify.certify.balls import ball, ceil_float, floor_float, library, precision
from verify.certify.claims import MEASURES
from verify.certify.evidence import Evidence
from verify.certify.moment import Moment, begin
from verify.certify.trajectory import certified, trajectory_of
from verify.errors import PrecisionExhausted, SimulationFailed

TINY = Decimal("1e-30")
TURNS_BACK_AT_0 = Decimal("0.477152808386512077567")
"""Where the second neuron of :func:`dip` begins, its coordinate comes down to 0 before its residual changes sign."""

PROBLEMS = {
    "near tie": (["1", "0.5", "-1.118033988749894"], [[1, 1, -0.5], [-0.25, 0.1, 1], [1, -0.2, 0.3]], [1, -1, 1], 30),
    "one label": ([1], [["0.5", "1"]], [1], 20),
    "one label, both signs": ([1], [["0.5", "1"], ["2", "0.1"], ["0.3", "0"]], [1, -1, 1], 10),
    "one neuron that dies": ([2, -1], [["-1", "0.75"]], [1], 15),
    "equal neurons": ([2, -1], [[1, "0.75"]] * 3 + [["0.5", "1"]] * 2, [1, 1, 1, -1, -1], 12),
    "deaths side by side": ([2, -1], [[1, 1], [1, 1 + TINY], [1, 1 + 2 * TINY], ["0.3", 1]], [1, 1, 1, -1], 9),
    "nearly dead at the start": ([2, -1], [[1, TINY], ["-0.25", 1], [TINY, 1]], [1, -1, -1], 12),
    "no plateau": ([1, "-0.7"], [[1, "0.8", "0.1"], ["0.4", 1, 1], ["0.9", "0.3", 0]], [1, -1, -1], "0.1"),
    "λ above 1": ([1, "-0.7", "0.4"], [[1, "0.8", "1.5"], ["0.4", 1, "-1"], ["0.9", "0.3", 1]], [1, -1, -1], -1),
}


def made(y: Any, g: Any, s: Any, scale: Any) -> Problem:
    return Problem(Dataset.standard(y, d=len(g[0])), Initialisation(g, s, scale))


def dip(start: Decimal) -> Problem:
    """The second neuron's coordinate falls while outputs exceed the label, and rises again."""
    return made([1, "0.5"], [["1.4", "2.2", "0.1"], [start, -1, "0.2"]], [1, 1], "-0.3")


def missed(problem: Problem, deaths: int | None = None) -> list[str]:
    """What is not in its ball; ``deaths``: how many there must be."""
    trajectory, many = certified(problem, digits=20), simulate(problem, digits=40)
    ends = [*map(float, trajectory.times[::3]), *map(float, many.deactivations.t), *spread_times(many, 10, 0)]
    found = len(many.deactivations)
    assert len(trajectory.deactivations) == found and deaths in (None, found)
    return misses(trajectory, many, [t for t in ends if t <= float(many.t_end)], 1e-36)


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_ball_misses_the_flow(name: str) -> None:
    assert missed(made(*PROBLEMS[name])) == []


@pytest.mark.parametrize("side", [-1, 1])
def test_a_coordinate_that_nearly_dies_is_told_from_one_that_does(side: int) -> None:
    assert missed(dip(TURNS_BACK_AT_0 + side * Decimal("1e-4")), deaths=1 if side < 0 else 0) == []


def test_a_coordinate_that_turns_back_at_0_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "MOST_STEPS", 150)
    with pytest.raises((PrecisionExhausted, SimulationFailed), match=r"turns back so near to 0|grazes 0"):
        certified(dip(TURNS_BACK_AT_0))


def test_phases_that_end_where_a_segment_does() -> None:
    """t₊₁ = κ/‖D₊‖ is exactly the end of a step, of a plateau, of a death, one after another."""
    start = Initialisation([[1.0, -0.5], [-0.25, 1.0], [1.0, 0.75]], [1, -1, 1], 256)
    problem = Problem(Dataset.standard([2, -1]), start)
    effort = follow.effort_for(problem, 15, 5.0)
    trajectory = trajectory_of(problem, effort)
    names = ["L7.norm", "L7.align", "L9.lower+", "L3.time", "L3.align"]
    for t in [s.end for s in trajectory.segments if s.end is not None and 0.5 < float(s.end) < 6][:4]:
        moved = Problem(problem.dataset, start, _share(t))
        measured = check(moved, names, digits=40)
        with precision(effort.bits):
            evidence = Evidence(moved, effort, trajectory)
            assert evidence.time_plus.overlaps(t)
            for row in measured.itertuples():
                margin: Any = MEASURES[row.claim](evidence)
                assert str(margin.verdict) == row.verdict, row.claim
                assert margin.low - row.uncertainty <= row.margin <= margin.high + row.uncertainty, row.claim


def _share(t: Any) -> str:
    """t/256 of an exact ball, with all of its decimals."""
    mantissa, exponent = map(int, t.man_exp())
    places = 8 - exponent
    return f"{mantissa * 5**places}e-{places}"


class Edge:
    """A coordinate that passes 0 just before the end of its span, known less well than that, and unknown beyond."""

    span = property(lambda self: ball(1))

    def __init__(self) -> None:
        _, moment = begin(made(*PROBLEMS["one label, both signs"]))
        self.begin = replace(moment.parts()[0], a=[ball(2)] * 3, p=[[ball(1)]] * 3, r=[ball(1)])

    def coordinate(self, j: int, i: int, tau: Any) -> Any:
        assert tau <= self.span, "nothing is enclosed beyond the span"
        return 1 - tau * (1 + ball(2) ** -60) + library().arb(0, 2.0**-61)

    def pull(self, i: int, tau: Any) -> Any:
        return ball(1)

    def moment(self, t: Any) -> Moment:
        return replace(self.begin, t=t)


def test_no_time_beyond_a_span_is_looked_at() -> None:
    with precision(120):
        setting, _ = begin(made(*PROBLEMS["one label, both signs"]))
        span, death = deaths.first_death(Edge(), setting)
        assert death is not None and death.last <= 1 and span == death.first > 1 - 1e-15


def test_a_segment_is_left_no_earlier_than_it_begins() -> None:
    with precision(60):
        edge = Edge()
        edge.begin = replace(edge.begin, t=ball(1000))
        assert deaths.stop(edge, ball(2) ** -70).t == 1000
        assert 1000 < deaths.stop(edge, ball(2) ** -20).t <= 1000 + ball(2) ** -20


def test_machine_floats_are_rounded_outwards_where_there_are_none() -> None:
    with precision(60):
        huge = ball(10) ** 400
        assert floor_float(huge) <= huge <= ceil_float(huge) and floor_float(1 / huge) <= 0 < ceil_float(1 / huge)
        assert floor_float(-huge) == -float("inf") and ceil_float(-huge) >= -huge


def test_key_sets_are_those_of_the_exact_decimals() -> None:
    """10⁻⁴⁰⁰ below 0 a coordinate is on the boundary for machine floats: neuron 1 is in no key set."""
    start = Initialisation([[1.0, -0.5], [1.0, 0.5], ["-1e-400", 1.0]], [1, -1, 1], 50)
    problem = Problem(Dataset.standard([2, -1]), start)
    assert problem.key_plus.tolist() == [True, False, True]
    with precision(100):
        assert Evidence(problem, follow.effort_for(problem, 15)).plus.key == (0,)
