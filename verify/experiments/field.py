"""The velocity of the flow while every pair keeps its mode; compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from verify.experiments.modes import Modes
from verify.notation import FloatArray, IntArray


def velocity(state: FloatArray, modes: Modes) -> FloatArray:
    """d(p, a)/dt for the stacked state (mn + m,): p_jk' = (a_j/n) Σ_l G_kl f_jl and a_j' = (1/n) Σ_k σ(p_jk) r_k. [R]

    f_jl = σ'(p_jl) r_l, for sliding pairs with the σ' that holds them at 0. Smooth in the state: modes are arguments.
    Without ``modes.feedback`` the residual stays at the labels.
    """
    data = modes.data
    m, n = modes.mode.shape
    out = np.empty_like(state)
    p, a = state[: m * n].reshape(m, n), state[m * n :]
    slides = modes.count, modes.index, modes.reply
    _velocity(p, a, modes.slope, modes.feedback, *slides, data.gram, data.y, out[: m * n].reshape(m, n), out[m * n :])
    return out


@njit(cache=True)
def _velocity(
    p: FloatArray,
    a: FloatArray,
    slope: FloatArray,
    feedback: bool,
    count: IntArray,
    index: IntArray,
    reply: FloatArray,
    gram: FloatArray,
    y: FloatArray,
    p_out: FloatArray,
    a_out: FloatArray,
) -> None:
    m, n = p.shape
    r = y.copy()
    for j in range(m if feedback else 0):
        for k in range(n):
            r[k] -= a[j] * slope[j, k] * p[j, k]
    pull = np.empty((m, n))
    for j in range(m):
        growth, factor = 0.0, a[j] / n
        for k in range(n):
            pull[j, k] = factor * slope[j, k] * r[k]
            growth += slope[j, k] * p[j, k] * r[k]
        a_out[j] = growth / n
        for i in range(count[j]):
            total = 0.0
            for k in range(n):
                total += reply[j, i, k] * r[k]
            pull[j, index[j, i]] = factor * total
    np.dot(pull, gram, p_out)
    for j in range(m):
        for i in range(count[j]):
            p_out[j, index[j, i]] = 0.0
