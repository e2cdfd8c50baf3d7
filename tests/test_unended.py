"""Phases that do not end: how near they come to it, in nats and relative, and when nothing is decided."""

import math

import numpy as np
import pytest

from tests.claims.oracles import level_at_rest, unfitted_evidence
from tests.problems import small, without_third
from verify.claim import Verdict
from verify.evidence import Evidence
from verify.flow.simulate import simulate
from verify.phases import second_levels
from verify.unended import Nearest, late, nearest, unended


def test_nearest_is_the_highest_level_of_all_conditions():
    found = unfitted_evidence()
    near = nearest(found, "t₂")
    start, end = found.time_plus, float(found.trajectory.t_end)
    grid = [max(second_levels(found.trajectory.at(float(t))).values()) for t in np.linspace(start, end, 300)]
    assert near.condition == "fit"
    assert max(grid) - 1e-9 <= near.level <= 0
    assert near.level == pytest.approx(level_at_rest(found), rel=0, abs=near.uncertainty)


def test_in_nats_and_relative():
    found = unfitted_evidence()
    nats, relative = unended(found, "t₂"), unended(found, "t₂", "relative")
    assert relative.value == pytest.approx(math.expm1(nats.value), rel=1e-12)
    assert relative.uncertainty == pytest.approx(nats.uncertainty * math.exp(nats.value), abs=1e-15)
    assert (nats.scale, relative.scale) == ("nats", "relative")
    assert nats.note == relative.note


def test_phase_three_waits_for_phase_two():
    found = unfitted_evidence()
    assert unended(found, "t₃") == unended(found, "t₂")
    assert unended(Evidence(without_third()), "t₃").note.startswith("t₃ is not reached")


def test_late_is_the_time_at_which_the_trajectory_ends():
    found = unfitted_evidence()
    margin, last = late(found, "t₂", 5.0, 20.0), float(found.trajectory.t_end)
    assert margin.value == pytest.approx(1 - (last - 5.0) / 20.0, rel=1e-12)
    assert margin.verdict is Verdict.FAILS
    assert margin.uncertainty < 1e-13


def test_late_decides_nothing_where_the_trajectory_stops_too_soon():
    found = Evidence(small(1000.0))
    found.__dict__["trajectory"] = simulate(small(1000.0), until=300.0)
    assert late(found, "t₂", 0.0, 301.0).verdict is Verdict.UNRESOLVED
    assert late(found, "t₂", 0.0, 299.0).verdict is Verdict.FAILS


def test_a_condition_that_may_have_been_met_leaves_the_time_open(monkeypatch):
    """Within its error bar of 0 at t = 10: the bar reaches from the end of the trajectory to the slack of t = 10."""
    found = unfitted_evidence()
    monkeypatch.setattr("verify.unended.nearest", lambda *_: Nearest(-1e-9, 1e-8, 10.0, "fit"))
    margin, last = late(found, "t₂", 0.0, 20.0), float(found.trajectory.t_end)
    assert margin.value + margin.uncertainty == pytest.approx(1 - 10.0 / 20.0, rel=1e-12)
    assert margin.value == pytest.approx(1 - last / 20.0, rel=1e-12)
    assert margin.verdict is Verdict.UNRESOLVED
