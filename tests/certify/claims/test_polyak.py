"""Lemma 5 in balls: proved over a small ball, refuted by one network of a large one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.certify.claims.quick import evidence, quick, rows
from verify import check
from verify.certify.balls import ball, precision
from verify.certify.claims import polyak
from verify.certify.selected import selected_sizes
from verify.claim import Verdict
from verify.network import Network


def test_a_small_ball_holds_and_a_large_one_is_refuted() -> None:
    now, large = evidence(10_000), rows(["L5.PL"]).iloc[0]
    with precision(now.effort.bits):
        small = polyak.polyak(now)
    assert small.verdict == Verdict.HOLDS and 0 < small.low <= small.high < 3 + 1e-12
    assert large.verdict == "FAILS (certified)" and "at a network within" in large.reason
    measured = check(quick(), ["L5.PL"], digits=None)
    assert large.low <= measured.margin[0] and large.high == pytest.approx(measured.margin[0], abs=1e-3)


def test_distance_and_ratio_are_those_of_the_network() -> None:
    """Against the gradient in machine floats, of which ‖∇L‖²/L is formed for itself."""
    now, data = evidence(), quick().dataset
    p = np.array([[0.5, 0.4, -0.1], [-0.2, 0.1, 0.6], [0.0, 0.3, 0.0], [0.7, 0.2, 0.1], [0.0, -0.5, 0.3]])
    w = np.hstack([p, np.zeros((5, 1))])
    network = Network(np.array([1, -1, 1, 1, -1]) * np.linalg.norm(w, axis=1), w)
    with precision(now.effort.bits):
        sizes = selected_sizes(now.problem, now.setting, (now.plus, now.minus))
        near = polyak.near(now, sizes, p)
    assert float(near.ratio) == pytest.approx(network.gradient(data).norm_squared() / network.loss(data), rel=1e-13)
    aim = np.zeros((5, 3))
    for j, c in enumerate(map(float, sizes)):
        aim[j] = c * (np.array([0.8, 0.6, 0]) if j in (0, 2, 3) else np.array([0, 0, 1.0]))
    apart = np.hypot(np.linalg.norm(p - aim), np.linalg.norm(abs(network.a) - [float(c) for c in sizes]))
    assert float(near.distance) == pytest.approx(apart, rel=1e-13)


def test_a_network_outside_the_ball_refutes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polyak, "SHARES", (1.01, 1.5))
    row = rows(["L5.PL"]).iloc[0]
    assert row.verdict == "UNRESOLVED" and "bits" not in row.reason


def test_no_ratio_is_below_the_bound() -> None:
    now = evidence(3000)
    with precision(now.effort.bits):
        sizes = selected_sizes(now.problem, now.setting, (now.plus, now.minus))
        for radius in (ball(Fraction(1, 100)), ball(Fraction(1, 10))):
            bound = polyak._bound(now, sizes, radius)
            found = polyak.proposed(now, sizes, radius)
            assert found and bound > 0 and all(one.ratio > bound for one in found)
