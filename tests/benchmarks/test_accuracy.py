"""What a trajectory says of its error against what it is: a few of the problems of reports/performance/accuracy.md."""

from functools import cache

import numpy as np

from tests.benchmarks.accuracy import LEAST, MOST, Accuracy, accuracy, page, sample


@cache
def measured() -> list[Accuracy]:
    return [accuracy(problem) for problem in sample(16) if problem.initialisation.m <= 8]


def test_estimates_are_near_the_errors():
    """None is below a tenth of its error, and none above a hundred times."""
    assert len(measured()) > 8
    assert all(LEAST < one.ratio < MOST for one in measured())


def test_small_numbers_keep_their_relative_accuracy():
    """Residuals down to 1e-200, and 1 − cos where outputs do not push a neuron."""
    assert all(one.residual < 1e-13 * (10 + one.problem.initialisation.minus_log_lambda) for one in measured())
    assert max(one.tilt for one in measured()) < 1e-12
    assert np.count_nonzero([one.tilt for one in measured()]) > 3


def test_the_page_counts_what_is_outside():
    one = measured()[0]
    wrong = Accuracy(one.problem, one.error / 20, one.error, one.residual, one.tilt, one.pushed)
    assert "on 1 of 2 problems; the ratio is never below\n0.05" in page([one, wrong])
