"""θ* in balls does not know how large the start is."""

from __future__ import annotations

import pytest

from verify import Dataset, Initialisation, Problem
from verify.certify.balls import precision
from verify.certify.selected import amplitude


def _problem(minus_log_lambda: str) -> Problem:
    """The first neuron loses the second label."""
    start = Initialisation([["1", "0.25"], ["-0.3", "1"]], [1, -1], minus_log_lambda)
    return Problem(Dataset.standard([2, -1]), start)


@pytest.mark.parametrize("minus_log_lambda", ["0.5", "0", "-0.25"])
def test_an_amplitude_is_that_of_a_tiny_start(minus_log_lambda: str) -> None:
    """Here outputs of the start are about as large as the label, and the linear flow does not feel them."""
    with precision(300):
        exact = amplitude(_problem("1000"), 0)
    with precision(64):
        found = amplitude(_problem(minus_log_lambda), 0)
    with precision(300):
        assert found.contains(exact) and found.rad() < 1e-15
