"""Where a level passes zero: to rounding, in few looks, whatever the level does in between."""

import math

import numpy as np
import pytest

from verify.roots import passage


def found(level, times):
    """The passage of a level given at some times, and how often it was looked at besides."""
    looks = []

    def look(t):
        looks.append(len(t))
        assert (np.diff(t) > 0).all() and len(t)
        return np.vectorize(level, otypes=[float])(t)

    times = np.asarray(times, dtype=np.float64)
    return passage(look, times, np.vectorize(level, otypes=[float])(times)), len(looks)


@pytest.mark.parametrize(
    ("level", "root"),
    [
        (lambda t: math.log(t) - 1, math.e),
        (lambda t: t**3 - 1 / 3, 3 ** (-1 / 3)),
        (lambda t: -5 - math.log(1 / (1 + math.exp(t - 2))), 2 + math.log(math.expm1(5))),
        (lambda t: max(t - 1, 3 * (t - 1.3)), 1.0),
    ],
)
def test_smooth_levels_and_kinks_are_passed_to_rounding_in_few_looks(level, root):
    t, looks = found(level, np.linspace(0.2, 9.0, 12))
    assert t == pytest.approx(root, rel=1e-15)
    assert looks <= 4


@pytest.mark.parametrize("at", [1e-3, 123.456, 499.99])
def test_jumps_are_bracketed_to_rounding(at):
    """Between −∞ and ∞, where no polynomial can say anything."""
    t, _ = found(lambda t: math.inf if t >= at else -math.inf, [0.0, 250.0, 500.0])
    assert abs(t - at) <= 2 * np.spacing(500.0)
    assert found(lambda t: 1.0 if t >= at else -1e-9, [0.0, 500.0])[0] == pytest.approx(at, abs=2 * np.spacing(500.0))


def test_the_first_of_several_passages_counts():
    times = np.linspace(0.0, 10.0, 41)
    assert found(math.sin, times + 4.0)[0] == pytest.approx(2 * math.pi, rel=1e-15)


def test_given_times_are_taken_where_the_level_is_0_there_or_passed_from_the_start():
    assert found(lambda t: t - 2.0, [1.0, 2.0, 3.0]) == (2.0, 0)
    assert found(lambda t: t + 1.0, [1.0, 2.0]) == (1.0, 0)


def test_a_passage_far_from_where_the_samples_expect_it():
    """Flat, then steep: the bracket is halved at least by every look."""
    t, looks = found(lambda t: math.expm1(200 * (t - 0.9999)), [0.0, 0.5, 1.0])
    assert t == pytest.approx(0.9999, abs=1e-14)
    assert looks < 20
