"""Simulators broken on purpose: the reference trajectories must notice each of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.can_fail.planted import uncompiled
from tests.problems import REFERENCES, reference
from verify.errors import VerifyError
from verify.flow import boost, chain, course, frame, ledger, single, stay
from verify.flow.float64 import FLOAT64
from verify.flow.simulate import simulate

TOLERANCE = 1e-9


def worst_deviation() -> float:
    """Largest deviation from the references: log-norms, directions, residuals, deactivation times; inf if broken."""
    worst = 0.0
    for name in REFERENCES:
        problem, states, deactivations = reference(name)
        try:
            with np.errstate(all="ignore"):
                trajectory = simulate(problem, until=max(state.t for state in states))
                found = [trajectory.at(state.t) for state in states]
        except (VerifyError, ArithmeticError, ValueError, RuntimeWarning):
            return np.inf
        table = trajectory.deactivations
        if [(e.neuron, e.label) for e in deactivations] != list(zip(table.neuron, table.label, strict=True)):
            return np.inf
        times = np.array([e.t for e in deactivations])
        parts = [np.abs(table["t"] / times - 1).max()]
        for ours, theirs in zip(found, states, strict=True):
            parts.append(np.abs(ours.log_norms - theirs.log_norms).max())
            parts.append(np.abs(ours.directions - theirs.directions).max())
            parts.append((np.abs(ours.residual - theirs.residual) / np.abs(problem.dataset.y)).max())
        worst = max(worst, *(float(part) for part in parts))
    return np.inf if np.isnan(worst) else worst


def no_event(monkeypatch):
    monkeypatch.setattr(course, "crossing", lambda *arguments: -1.0)
    uncompiled(monkeypatch, first_crossing=lambda *arguments: (arguments[-1], -1, -1))


def late_event(monkeypatch):
    right = course.crossing
    monkeypatch.setattr(course, "crossing", lambda *arguments: max(right(*arguments), 0.0) ** (1 + 1e-6))
    uncompiled(monkeypatch)


def other_residual(monkeypatch):
    def reversed_(natural, along, **rest):
        return stay.Pull(natural[::-1].copy(), along[::-1].copy(), **rest)

    monkeypatch.setattr(ledger, "Pull", reversed_)


def wrong_propagator(monkeypatch):
    right = boost.moved

    def wrong(rows, row, pull, tau, z):
        log_scale, alpha = right(rows, row, pull, tau, z)
        z -= 1e-8 * rows.direction[row]
        return log_scale, alpha

    for module in (boost, course):
        monkeypatch.setattr(module, "moved", wrong)
    uncompiled(monkeypatch)


def stale_scale(monkeypatch):
    right = single.normalised
    for module in (single, chain):
        monkeypatch.setattr(module, "normalised", lambda part, now: replace(right(part, now), log_scale=now.log_scale))


def wrong_coefficient(monkeypatch):
    def wrong(series, law, begin, end):
        FLOAT64.extend(series, law, begin, end)
        series.a[2] *= 1 + 1e-6

    monkeypatch.setattr("verify.flow.simulate.FLOAT64", replace(FLOAT64, extend=wrong))


def skewed_axes(monkeypatch):
    right = frame._reflection

    def wrong(y, arithmetic):
        pivot, rows = right(y, arithmetic)
        rows[-1] = rows[-1] * (1 + 1e-6)
        return pivot, rows

    monkeypatch.setattr(frame, "_reflection", wrong)


def test_nothing_deviates_without_a_plant():
    assert worst_deviation() < TOLERANCE


@pytest.mark.parametrize(
    "plant",
    [no_event, late_event, other_residual, wrong_propagator, stale_scale, wrong_coefficient, skewed_axes],
    ids=lambda plant: plant.__name__,
)
def test_the_references_notice(plant, monkeypatch):
    plant(monkeypatch)
    assert worst_deviation() > TOLERANCE
