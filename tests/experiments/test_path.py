"""The error estimate of the flow on general data: against a much finer run, and against the orthonormal engine."""

import numpy as np
import pytest

from verify import simulate
from verify.dataset import Dataset
from verify.experiments.flow import general_flow
from verify.experiments.path import _apart
from verify.experiments.regression import Regression
from verify.experiments.starts import gaussian_start
from verify.initialisation import Initialisation
from verify.network import Network
from verify.problem import Problem

APPENDIX = Regression.on_a_line(np.array([-1.5, -1.0, 0.0, 0.25, 2.0]), np.array([0.7, -0.3, -0.3, 0.4, 0.2]))


def drawn(seed: int) -> tuple[Regression, Network]:
    """The data of Appendix A.1 for even seeds, else Gaussian ones; every third start balanced, some leaky."""
    rng = np.random.default_rng(seed)
    data = Regression(rng.normal(size=(4, 5)), rng.normal(size=4), 0.2 * (seed % 3 == 0)) if seed % 2 else APPENDIX
    return data, gaussian_start(rng, 10, data.d, 1e-3, balanced=seed % 3 == 1)


@pytest.mark.parametrize("rtol", [1e-7, 1e-9])
def test_error_is_never_far_below_the_truth(rtol: float) -> None:
    """Of 192 runs the estimate was 1.3 times the error at least, 13 times in the median, 1000 times at most."""
    ratios = []
    for seed in range(8):
        data, start = drawn(seed)
        path, fine = general_flow(data, start, 100.0, rtol=rtol), general_flow(data, start, 100.0, rtol=1e-12)
        true = max(_apart(path.at(t), fine.at(t)) for t in np.linspace(0, 100, 60))
        ratios.append(path.error / true)
    assert min(ratios) > 0.1 and np.median(ratios) < 100


def test_error_against_the_orthonormal_engine() -> None:
    rng = np.random.default_rng(3)
    x, g, signs = np.linalg.qr(rng.normal(size=(4, 4))).Q[:3], rng.normal(size=(6, 4)), rng.choice([-1.0, 1.0], 6)
    problem = Problem(Dataset(x, [1.5, -1.0, 0.7]), Initialisation(g, signs, 10.0))
    exact, w = simulate(problem), np.exp(-10.0) * g
    start = Network(signs * np.linalg.norm(w, axis=1), w)
    for rtol in (1e-6, 1e-9):
        path = general_flow(Regression(x, problem.dataset.y), start, 60.0, rtol=rtol)
        states = [(path.at(t), exact.at(t)) for t in np.linspace(0, 60, 30)]
        true = max(
            max(np.abs(one.log_norms - other.log_norms).max(), np.abs(one.residual - other.residual).max() / 1.5)
            for one, other in states
        )
        assert 0.1 * true < path.error < 1e3 * true


def test_error_at_the_times_that_were_kept() -> None:
    data, start = drawn(1)
    kept = general_flow(data, start, 50.0, rtol=1e-7, times=[10.0, 30.0])
    assert kept.kept_times == [10.0, 30.0] and 0 < kept.error < 1e-2
