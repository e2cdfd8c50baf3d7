"""Starts on a few orthogonal points, with neurons in both key sets, for the experiments that drop one assumption."""

from __future__ import annotations

import math

import numpy as np

from verify.experiments.flow import general_flow
from verify.experiments.followed import Followed
from verify.experiments.regression import Regression
from verify.initialisation import row_norms
from verify.network import Network

LABELS = np.array([1.0, 0.7, -0.6])
WIDTH = 12
RTOL, REST = 1e-11, 1e-20


def unit_start(seed: int, data: Regression, balanced: bool = True) -> Network:
    """Gaussian weights of scale 1 in R^d with fair signs; the first two neurons are put into S₊₁ and S₋₁.

    Multiply it by λ: the same start at every scale, as the limit λ → 0 wants it.
    """
    rng = np.random.default_rng(seed)
    w, signs = rng.normal(size=(WIDTH, data.d)), rng.choice([-1.0, 1.0], WIDTH)
    outputs = np.abs(rng.normal(size=WIDTH))
    for j, side in ((0, 1.0), (1, -1.0)):
        p = data.x @ w[j]
        mended = np.where(np.sign(data.y) == side, np.abs(p), p)
        w[j] += np.linalg.lstsq(data.x, mended - p, rcond=None)[0]
        signs[j] = side
    return Network(signs * (row_norms(w) if balanced else outputs), w)


def scaled(start: Network, scale: float) -> Network:
    """λ times a start."""
    return Network(scale * start.a, scale * start.w)


def minimal_half_norm(data: Regression) -> float:
    """min ½‖θ‖² over interpolators, for orthogonal inputs of any norm: ‖(y/ρ)₊‖ + ‖(y/ρ)₋‖, ρ_k = ‖x_k‖. [D]

    The activation is positively homogeneous: h(x_k) = ρ_k h(x_k/ρ_k), so that Proposition 1 speaks of the labels y/ρ.
    """
    z = data.y / data.lengths
    return float(np.linalg.norm(z[z > 0]) + np.linalg.norm(z[z < 0]))


def excess(network: Network, least: float) -> float:
    """½‖θ‖² over the minimum, minus 1."""
    return network.norm_squared() / 2 / least - 1


def settled(data: Regression, start: Network, scale: float, rtol: float = RTOL, rest: float = REST) -> Followed:
    """The flow from ``scale`` times a start, until the loss is ``rest`` of its start or at last 60 + 12|ln scale|."""
    return Followed(general_flow(data, scaled(start, scale), 60 - 12 * math.log(scale), rtol=rtol, rest=rest))
