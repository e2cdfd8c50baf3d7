"""The data of Appendix A.2: Gaussian points in high dimension, labelled by a small teacher network."""

from __future__ import annotations

import math

import numpy as np

from verify.experiments.regression import Regression
from verify.experiments.starts import gaussian_start
from verify.network import Network
from verify.notation import FloatArray

N, D, M, TEACHER, SCALE = 75, 150, 200, 6, 1e-20
RATIOS = 0.5, 0.8


def draw(seed: int) -> tuple[Regression, Network]:
    """Data and start. The teacher has w ~ N(0, 1/(6 d)) and a ~ N(0, 1/6), as the public experiments have it.

    Drawn again until ‖D₊‖ and ‖D₋‖ differ by a factor within ``RATIOS``: both signs of labels matter, as in the paper's
    figure, and not equally (Assumption 2). About one draw in six is so; most have labels mainly of one sign.
    """
    rng = np.random.default_rng(seed)
    while True:
        x, a = rng.normal(size=(N, D)), rng.normal(size=TEACHER) / math.sqrt(TEACHER)
        y = Network(a, rng.normal(size=(TEACHER, D)) / math.sqrt(TEACHER * D)).output(x)
        sizes = [float(np.linalg.norm(y[mask] @ x[mask])) for mask in (y > 0, y < 0)]
        if RATIOS[0] * max(sizes) <= min(sizes) <= RATIOS[1] * max(sizes):
            return Regression(x, y), gaussian_start(rng, M, D, SCALE / math.sqrt(M * D))


def explained(network: Network) -> FloatArray:
    """Shares of Σ ‖w_j‖² along the principal components of the hidden weights, not centred, largest first."""
    squares = np.linalg.svd(network.w, compute_uv=False) ** 2
    return np.asarray(squares / squares.sum())
