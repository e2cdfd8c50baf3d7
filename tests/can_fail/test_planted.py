"""Every property can fail: each planted error turns at least one verdict red, and nothing is red without it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.can_fail.planted import sharpened, uncompiled, verdicts
from verify.check import select
from verify.dataset import Dataset
from verify.flow import course, start
from verify.flow.state import State

TRAJECTORY = [
    "L1.conserved",
    "L1.sign",
    "L6.frozen",
    "L2.align+",
    "L2.align-",
    "L2.norm",
    "L3.time",
    "L3.exit",
    "L3.align",
]


def test_nothing_fails_without_a_plant():
    found = verdicts(TRAJECTORY, 5, 60)
    assert found["FAILS"] == found["BROKEN"] == found["UNRESOLVED"] == 0
    assert found["HOLDS"] > 300


def test_simulator_without_one_over_n(monkeypatch):
    def wrong(problem, arithmetic):
        component, now = right(problem, arithmetic)
        return start.replace(component, n=1), now

    right = start.initial_state
    monkeypatch.setattr("verify.flow.simulate.initial_state", wrong)
    assert verdicts(["L2.norm"], 5, 60)["FAILS"] > 10


def test_targets_without_one_over_n(monkeypatch):
    for name, sign in (("norm_plus", "positive"), ("norm_minus", "negative")):
        wrong = property(lambda data, sign=sign: float(np.linalg.norm(data.y[getattr(data, sign)])))
        monkeypatch.setattr(Dataset, name, wrong)
    assert verdicts(["L3.time"], 5, 60)["FAILS"] > 10
    assert verdicts(["L2.align+"], 5, 60)["FAILS"] > 0


def test_deactivations_ignored(monkeypatch):
    monkeypatch.setattr(course, "crossing", lambda *arguments: -1.0)
    uncompiled(monkeypatch, first_crossing=lambda *arguments: (arguments[-1], -1, -1))
    found = verdicts(["L6.frozen", "L2.align+", "L2.align-"], 5, 60)
    assert found["FAILS"] > 10


def test_targets_swapped(monkeypatch):
    right = State.log_misalignment
    monkeypatch.setattr(State, "log_misalignment", lambda state, side: right(state, -side))
    assert verdicts(["L2.align+"], 5, 60)["FAILS"] > 10
    assert verdicts(["L2.align-"], 5, 60)["FAILS"] > 10
    assert verdicts(["L3.exit"], 5, 60)["FAILS"] > 10


@pytest.mark.parametrize(("claim", "exponent"), [("L2.align+", 3.0), ("L2.align-", 3.0), ("L3.align", 200.0)])
def test_sharper_exponent(claim, exponent):
    planted = sharpened(select([claim])[0], exponent)
    assert verdicts([planted], 5, 60)["FAILS"] > 0
