"""The Taylor recursion of the flow, one body for every arithmetic.

Only indexing, ``+ - * /`` and :func:`.polynomial.convolution` are used: compiled by numba it is the float64 kernel, as
it stands it runs on object arrays of any multiprecision type.
"""

from __future__ import annotations

from typing import Any

from verify.flow.polynomial import convolution


def extend(
    a: Any,
    z: Any,
    r: Any,
    channel: Any,
    gain: Any,
    weight: Any,
    lateral_weight: Any,
    axes: Any,
    framed: Any,
    off_axis: Any,
    lateral: Any,
) -> None:
    """Fill in the Taylor coefficients of order 1, 2, … of one component, in place. [D, section 2.8]

    The equations, with ``s`` the sign of a neuron, are ``a' = gain Σ_i z_i ρ_i``, ``z_i' = gain a ρ_i``, where ρ_i is
    the residual in the coordinate that z_i uses, and ``residual = target − Σ_j weight_j a_j z_j``. Coefficients of the
    residual of order ≥ 1 come from products alone, so that it keeps its relative accuracy however small it is.

    - ``a`` (m, N+1), ``z`` (m, n, N+1), ``r`` (2n, N+1): coefficients; order 0 given, the rest overwritten.
      Rows 0…n−1 of ``r`` are the residual at the labels, rows n…2n−1 the residual in the label frame.
    - ``channel`` (m, n): the row of ``r`` that drives ``z[j, i]``, or −1 where the pair is off.
    - ``gain`` (m,): s_j·(time unit)/n. ``weight`` (m,): s_j (λe^ℓ)².
    - ``axes`` (n, n): the label frame, one row an axis. ``framed`` (n,): whether a label belongs to the frame;
      ``off_axis`` (n,): whether the coordinate is off its target.
    - ``lateral`` (1,): the unit of the off-axis coordinates of z and r, so that they never underflow;
      ``lateral_weight`` (m,): weight/lateral.
    """
    m, n, size = z.shape
    outputs = r[:, 0] * 0.0
    sideways = r[:n, 0] * 0.0
    unit = lateral[0]
    for k in range(size - 1):
        for j in range(m):
            pull = a[j, 0] * 0.0
            for i in range(n):
                c = channel[j, i]
                if c < 0:
                    continue
                z[j, i, k + 1] = gain[j] * convolution(a[j], r[c], k) / (k + 1)
                part = convolution(z[j, i], r[c], k)
                if c >= n and off_axis[i]:
                    part = part * unit * unit
                pull += part
            a[j, k + 1] = gain[j] * pull / (k + 1)
        for i in range(n):
            outputs[i] = outputs[i] * 0.0
            outputs[n + i] = outputs[n + i] * 0.0
            sideways[i] = sideways[i] * 0.0
        for j in range(m):
            for i in range(n):
                c = channel[j, i]
                if c < 0:
                    continue
                product = convolution(a[j], z[j, i], k + 1)
                outputs[c] += weight[j] * product
                if c < n:
                    sideways[i] += lateral_weight[j] * product
        for i in range(n):
            if not framed[i]:
                r[i, k + 1] = -outputs[i]
                r[n + i, k + 1] = r[i, k + 1]
                continue
            total = outputs[n + i]
            for q in range(n):
                if framed[q]:
                    total += axes[i, q] * (sideways[q] if off_axis[i] else outputs[q])
            r[n + i, k + 1] = -total
        for i in range(n):
            if framed[i]:
                total = axes[0, i] * 0.0
                for q in range(n):
                    if framed[q]:
                        total += axes[q, i] * (r[n + q, k + 1] * unit if off_axis[q] else r[n + q, k + 1])
                r[i, k + 1] = total
