"""Proposition 1: the closed form, the interpolators it is compared with, and errors that the margin must show."""

import math

import numpy as np
import pytest

import verify.claims.interpolator as module
from tests.problems import decoupled, reference, rotated, small
from verify.claim import Verdict
from verify.claims.interpolator import closed_form, interpolates
from verify.dataset import Dataset
from verify.evidence import Evidence
from verify.families import draw_problem
from verify.initialisation import Initialisation
from verify.limits import certificate, interpolator, minimal_norm_squared
from verify.network import Network
from verify.problem import Problem


def single(y, d=1):
    """As many neurons as labels, on the axes."""
    n = len(y)
    return Problem(Dataset.standard(y, d=max(n, d)), Initialisation(np.eye(n, max(n, d)), np.sign(y), 10.0))


PROBLEMS = {
    "small": small(),
    "rotated": rotated(),
    "decoupled": decoupled(100.0),
    "R3": reference("R3")[0],
    "one label, d = 1": single([1.5]),
    "one negative label": single([-1.5]),
    "one label, d = 3": single([1.5], d=3),
    "one sign": single([1.0, 2.0, 3.0]),
    "wide": single([1e6, -1e-6, 1.0]),
    "tiny": single([2e-9, -1e-9]),
    "huge": single([2e9, -1e9]),
    "haar": draw_problem(np.random.default_rng(0), inputs="haar", n=5, d=7, m=6),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_it_holds_everywhere(name):
    margin = interpolates(Evidence(PROBLEMS[name]))
    assert margin.verdict is Verdict.HOLDS
    assert 0 < margin.value < 1
    assert margin.scale == "relative"


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_closed_form_interpolates_and_is_minimal(name):
    data = PROBLEMS[name].oriented().dataset
    closed = closed_form(data, np.random.default_rng(1))
    size = np.linalg.norm(data.y)
    np.testing.assert_allclose(closed.residual(data), 0, atol=1e-14 * size)
    assert closed.norm_squared() == pytest.approx(minimal_norm_squared(data), rel=1e-13)
    np.testing.assert_allclose(certificate(data, closed).surplus, 0, atol=1e-14 * size)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_others_interpolate_and_cost_more(name):
    data = PROBLEMS[name].oriented().dataset
    rng = np.random.default_rng(2)
    closed, least = closed_form(data, rng), minimal_norm_squared(data)
    others = module.others(data, closed, rng)
    assert len(others) == (6 if data.d > 1 else 3)
    for other in others:
        np.testing.assert_allclose(other.residual(data), 0, atol=1e-12 * np.linalg.norm(data.y))
        plain = other.norm_squared() / least - 1
        assert plain > 0
        assert module._surplus(data, other, least) == pytest.approx(plain, rel=1e-7, abs=1e-13)


@pytest.mark.parametrize("angle", [0.9, 1e-1, 1e-3, 1e-5, 1e-7])
def test_surplus_of_a_slightly_turned_neuron(angle):
    """Two positive labels, one neuron turned by an angle in their plane and mended: the surplus is that of the turn.

    What is missing afterwards is made up by neurons on the axes at their own cost; all of it in closed form.
    """
    data = Dataset.standard([3.0, 4.0])
    closed = interpolator(data, np.array([1.0]), np.array([math.sqrt(5.0)]))
    unit, across = np.array([0.6, 0.8]), np.array([0.8, -0.6])
    turned = Network(closed.a, closed.a[:, None] * (math.cos(angle) * unit + math.sin(angle) * across))
    mended = module._mended(data, turned)
    np.testing.assert_allclose(mended.residual(data), 0, atol=1e-14)
    off = 5 * 2 * math.sin(angle / 2) ** 2
    missing = off * unit - 5 * math.sin(angle) * across
    exact = (off + np.abs(missing).sum() - unit @ missing) / 5
    least = minimal_norm_squared(data)
    assert module._surplus(data, mended, least) == pytest.approx(exact, rel=1e-8, abs=1e-15)


def test_a_wrong_closed_form_is_refuted(monkeypatch):
    """Sizes off by a part in 10^9: not an interpolator, and not of minimal norm."""

    def wrong(data, signs, sizes):
        return interpolator(data, signs, sizes * (1 + 1e-9))

    monkeypatch.setattr(module, "interpolator", wrong)
    margin = interpolates(Evidence(small()))
    assert margin.verdict is Verdict.FAILS
    assert margin.note == "the closed form's own fit and norm"
    # |h − y| is 2e-9 of the label 2 beside ‖y‖ = √5; the norm is off by 2e-9, the larger of the two.
    assert margin.value == pytest.approx(1 - 2e-9 / module.TOLERANCE, rel=1e-3)


def test_targets_exchanged_are_refuted(monkeypatch):
    monkeypatch.setattr(module, "interpolator", lambda data, signs, sizes: interpolator(data, -signs, sizes))
    assert interpolates(Evidence(small())).verdict is Verdict.FAILS


def test_a_bound_that_is_too_high_is_refuted(monkeypatch):
    """2n(‖D₊‖ + ‖D₋‖) times 1.5: the closed form itself is below it."""
    monkeypatch.setattr(module, "minimal_norm_squared", lambda data: 1.5 * minimal_norm_squared(data))
    assert interpolates(Evidence(small())).verdict is Verdict.FAILS


def test_the_margin_depends_on_the_key_alone():
    one, same, other = (interpolates(Evidence(small(scale))).value for scale in (100.0, 100, 101.0))
    assert one == same != other
