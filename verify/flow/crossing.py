"""Deactivations within a Taylor step: which pair reaches zero first, and when. [D, section 2.2]"""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.flow.arithmetic import Array
from verify.flow.boost import to_float
from verify.flow.component import Component
from verify.flow.polynomial import bracketed_root, first_guess, isolate_roots, powers_of
from verify.notation import BoolArray


def find_bends(component: Component, a: Array, r: Array, length: float) -> tuple[float, list[tuple[Any, BoolArray]]]:
    """A length on which each residual and each α changes sign at most once; the times, with the pairs concerned.

    Only a neuron with α² < |p|² at the start can change the sign of its α. [T, Lemma 1]
    """
    labels = len(component.labels)
    turning = np.flatnonzero(to_float(component.excess) < 0)
    length, zeros = isolate_roots(np.concatenate([r[:labels], a[turning]]), length)
    out = []
    for row, tau in zeros.items():
        concerned = np.zeros_like(component.active)
        if row < labels:
            concerned[:, row] = True
        else:
            concerned[turning[row - labels]] = True
        out.append((tau, concerned))
    return length, out


def first_crossing(
    component: Component, z: Array, length: Any, bends: list[tuple[Any, BoolArray]]
) -> tuple[tuple[int, int] | None, Any]:
    """The first pair whose coordinate reaches zero within ``length``, and when; None and ``length`` without one.

    Between the times in ``bends`` (each with the pairs (k, b) it concerns) every coordinate is monotone, since
    p_jk' = a_j r_k/n: it suffices to look there and at the end.
    """
    first: tuple[int, int] | None = None
    while True:
        dead = _dead(component, z, length)
        for bend, concerned in bends:
            if bend < length:
                dead |= concerned & _dead(component, z, bend)
        if first is not None:
            dead[first] = False
        if not dead.any():
            return first, length
        pairs = np.argwhere(dead)
        guesses = [first_guess(_label_series(component, z, j, k), length) for j, k in pairs]
        j, k = pairs[int(np.argmin(guesses))]
        uppers = [bend for bend, who in bends if bend < length and who[j, k] and _dead(component, z, bend)[j, k]]
        length = bracketed_root(_label_series(component, z, j, k), min([length, *uppers]))
        first = (int(j), int(k))


def _dead(component: Component, z: Array, tau: Any) -> BoolArray:
    """(k, b): active pairs whose coordinate is not positive at ``tau``."""
    at_labels = component.at_labels(z @ powers_of(tau, z.shape[2]))
    return np.asarray(component.active & (to_float(at_labels) <= 0))


def _label_series(component: Component, z: Array, j: int, k: int) -> Array:
    """(N+1,): coefficients of p_jk at the label."""
    if not component.rotated[j, k]:
        return z[j, k]
    return component.frame.axes[:, k] @ (z[j] * component.rotated[j][:, None])
