"""The steps of a chain at many times, in one compiled call; none of them is made for that."""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.flow.chase import Record, evaluate
from verify.flow.compiled import compilable, compiled
from verify.flow.series import Law, extend, started


@compiled
def evaluated(record: Record, law: Law, channels: Any, which: Any, place: Any, x: Any) -> tuple[Any, Any, Any]:
    """What moves (T, k), (T, k, b) and the residual (T, b) along the axes, on the steps ``place`` (T,) at ``x`` (T,).

    ``x``: since the begin of the step, in its unit. ``law``: for the time unit 1. ``channels`` (D, k, b): that of the
    law after every deactivation; ``which`` (steps,): how many there were before a step. Times of one step should follow
    one another: it is expanded anew when another was looked at in between.
    """
    count, b = len(place), record.residual.shape[1]
    alpha = np.empty((count, record.alpha.shape[1]))
    z, residual = np.zeros((count, *record.z.shape[1:])), np.empty((count, b))
    series, known = _expanded(record, law, channels, which, place[0], 0), -1
    for q in range(count):
        step = place[q]
        if x[q] == 0.0:
            alpha[q], z[q], residual[q] = record.alpha[step], record.z[step], record.residual[step]
            continue
        if step != known:
            series, known = _expanded(record, law, channels, which, step, record.order[step]), step
        evaluate(series, record.order[step], x[q], alpha[q], z[q], residual[q])
    return alpha, z, residual


@compiled
def last_terms(record: Record, law: Law, channels: Any, which: Any) -> tuple[Any, Any]:
    """(steps, k) and (steps, k, b): the last Taylor coefficients of what moves."""
    count = len(record.end)
    alpha, z = np.empty(record.alpha[:count].shape), np.zeros(record.z[:count].shape)
    for step in range(count):
        order = record.order[step]
        series = _expanded(record, law, channels, which, step, order)
        alpha[step] = series.a[order]
        for q in range(len(series.neuron)):
            z[step, series.neuron[q], series.coordinate[q]] = series.z[order, q]
    return alpha, z


@compilable
def _expanded(record: Record, law: Law, channels: Any, which: Any, step: int, order: int) -> Any:
    """The Taylor series of a step, up to an order."""
    channel, gain = channels[which[step]], law.gain * record.unit[step]
    here = Law(channel, gain, law.weight, law.lateral_weight, law.axes, law.framed, law.off_axis, law.lateral)
    series = started(here, record.alpha[step], record.z[step], record.residual[step], order + 1)
    extend(series, here, 0, order)
    return series
