"""Networks on the real line, where the second coordinate of an input is 1 for the bias: functions, kinks, kernels."""

from __future__ import annotations

import numpy as np

from verify.experiments.regression import Regression
from verify.network import Network
from verify.notation import FloatArray

SHARE = 0.01
"""Of the largest kink: what is smaller does not count as one; of the interval: kinks nearer than that are one."""


def lifted(x: FloatArray) -> FloatArray:
    """(N, 2): scalars with the coordinate of the bias."""
    return np.stack([x, np.ones_like(x)], axis=1)


def f1_norm(network: Network) -> float:
    """Σ |a_j| ‖w_j‖, which bounds the F₁ norm of the function, with equality where no neurons can be merged. [T]"""
    return float(np.abs(network.a) @ np.linalg.norm(network.w, axis=1))


def kinks(network: Network, low: float, high: float) -> FloatArray:
    """Places in [low, high] where the slope of the function jumps; neurons that bend it at the same place count once.

    Neuron j bends the function at −w_j1/w_j0, where its slope jumps by a_j|w_j0|.

    >>> kinks(Network(np.array([1.0, 2.0]), np.array([[1.0, -0.5], [2.0, -1.0]])), -2, 2)
    array([0.5])
    """
    w = network.w[network.w[:, 0] != 0]
    jumps = network.a[network.w[:, 0] != 0] * np.abs(w[:, 0])
    places = -w[:, 1] / w[:, 0]
    inside = (low <= places) & (places <= high)
    order = np.argsort(places[inside])
    places, jumps = places[inside][order], jumps[inside][order]
    groups = np.cumsum(np.append(0, np.diff(places) > SHARE * (high - low)))[: len(places)]
    sums = np.array([jumps[groups == g].sum() for g in np.unique(groups)])
    sizes = np.array([np.abs(jumps[groups == g]).sum() for g in np.unique(groups)])
    spots = np.array([np.average(places[groups == g], weights=np.abs(jumps[groups == g])) for g in np.unique(groups)])
    return np.asarray(spots[(np.abs(sums) > SHARE * np.abs(sums).max()) & (sizes > 0)]) if len(sums) else sums


def kernel_interpolator(data: Regression, start: Network, x: FloatArray) -> FloatArray:
    """(N,): what training in the linearisation at ``start`` converges to, at inputs x (N, d); exact. [D]

    h₀(x) + k(x, X) k(X, X)⁻¹ (y − h₀(X)) with the tangent kernel k of ``start``.
    """
    both = np.vstack([data.x, x])
    kernel = start.ntk(both)
    n = data.n
    weights = np.linalg.solve(kernel[:n, :n], data.y - data.outputs(start, data.x))
    return np.asarray(data.outputs(start, x) + kernel[n:, :n] @ weights)
