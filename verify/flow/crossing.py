"""Deactivations within a Taylor step: which pair reaches zero first, and when. [D, section 2.2]

Like :mod:`verify.flow.series`, one body for every arithmetic, compiled for machine floats.
"""

from __future__ import annotations

from typing import Any

from numba.extending import register_jitable

from verify.flow.polynomial import bracketed_root, horner, sign_changes


def first_crossing(
    a: Any,
    z: Any,
    r: Any,
    channel: Any,
    turning: Any,
    axes: Any,
    off_axis: Any,
    lateral: Any,
    bernstein: Any,
    length: Any,
) -> tuple[Any, int, int]:
    """The first pair that reaches zero within ``length``: the time, the neuron, the label; or the length, −1, −1.

    Since p_jk' = a_j r_k/n, a coordinate is monotone between sign changes of r_k and a_j. The length is halved until
    each of these provably changes sign at most once; then it suffices to look at those times and at the end, and no
    crossing can hide. The length that comes back is never longer than the one given.

    - ``a``, ``z``, ``r``, ``channel``, ``axes``, ``off_axis``, ``lateral``: as in :func:`verify.flow.series.extend`.
    - ``turning`` (m,): neurons whose a_j could change sign. ``bernstein``: the matrix of :mod:`.polynomial`.
    """
    m, n, _ = z.shape
    for _ in range(60):
        if _resolved(a, r, n, turning, bernstein, length):
            break
        length = length / 2
    label_bends = _bends(r, n, bernstein, length)
    best_neuron, best_label = -1, -1
    for j in range(m):
        bend = length * 2
        if turning[j] and sign_changes(a[j], length, bernstein) == 1:
            bend = bracketed_root(a[j], length)
        for k in range(n):
            if channel[j, k] < 0:
                continue
            series = _at_label(z, j, k, channel, axes, off_axis, lateral, n)
            upper = length
            found = horner(series, length) <= 0
            for time in (bend, label_bends[k]):
                if time < upper and horner(series, time) <= 0:
                    upper = time
                    found = True
            if found:
                length = bracketed_root(series, upper)
                best_neuron, best_label = j, k
    return length, best_neuron, best_label


@register_jitable
def _resolved(a: Any, r: Any, n: int, turning: Any, bernstein: Any, length: Any) -> bool:
    clear = True
    for k in range(n):
        clear = clear and sign_changes(r[k], length, bernstein) <= 1
    for j in range(len(turning)):
        clear = clear and not (turning[j] and sign_changes(a[j], length, bernstein) > 1)
    return clear


@register_jitable
def _bends(r: Any, n: int, bernstein: Any, length: Any) -> Any:
    """(n,): when each label's residual changes sign; later than ``length`` where it does not."""
    bends = r[:n, 0].copy()
    for k in range(n):
        bends[k] = length * 2
        if sign_changes(r[k], length, bernstein) == 1:
            bends[k] = bracketed_root(r[k], length)
    return bends


@register_jitable
def _at_label(z: Any, j: int, k: int, channel: Any, axes: Any, off_axis: Any, lateral: Any, n: int) -> Any:
    """Coefficients of p_jk, from those along the axes where neuron j is written along them."""
    series = z[j, k].copy()
    if channel[j, k] < n:
        return series
    for p in range(len(series)):
        total = series[p] * 0
        for i in range(n):
            if channel[j, i] >= n:
                part = axes[i, k] * z[j, i, p]
                if off_axis[i]:
                    part = part * lateral[0]
                total += part
        series[p] = total
    return series


def sizes(a: Any, z: Any, r: Any, orders: Any, channel: Any, off_axis: Any, block: Any, out: Any) -> None:
    """Largest coefficients of the given ``orders`` for every quantity held to its own accuracy, into ``out``.

    Rows of ``out`` (2m + n + 2, len(orders)), given as zeros: neurons, their off-axis parts, residuals on the axes,
    residuals off the axes of the positive and of the negative block.
    """
    m, n, _ = z.shape
    for q in range(len(orders)):
        p = orders[q]
        for j in range(m):
            out[j, q] = abs(a[j, p])
            for i in range(n):
                if channel[j, i] < 0:
                    continue
                row = m + j if channel[j, i] >= n and off_axis[i] else j
                out[row, q] = max(out[row, q], abs(z[j, i, p]))
        for i in range(n):
            row = 2 * m + n + block[i] if off_axis[i] else 2 * m + i
            out[row, q] = max(out[row, q], abs(r[n + i, p]))
