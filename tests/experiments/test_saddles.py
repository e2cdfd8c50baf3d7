"""Plateaus of a loss that is known by a formula."""

import numpy as np
import pytest

from verify.errors import InvalidArgument
from verify.experiments.saddles import first_below, slowest


def two_drops(t: np.ndarray) -> np.ndarray:
    return 0.6 / (1 + np.exp(t - 20)) + 0.4 / (1 + np.exp(t - 60))


def test_finds_the_plateau_between_two_drops() -> None:
    t = np.linspace(0, 80, 4001)
    time, level, depth = slowest(t, two_drops(t), 0.9, 0.1)
    assert time == pytest.approx(40, abs=1) and level == pytest.approx(0.4, rel=1e-3) and depth < 1e-6
    assert first_below(t, two_drops(t), 0.7) == pytest.approx(20, abs=0.01)
    assert first_below(t, two_drops(t), 1e-30) == np.inf


def test_no_plateau_on_an_exponential() -> None:
    t = np.linspace(0, 10, 1001)
    assert slowest(t, np.exp(-t), 0.9, 0.1)[2] == pytest.approx(1)
    with pytest.raises(InvalidArgument, match="follow it further"):
        slowest(t, np.exp(-t), 0.9, 1e-9)
