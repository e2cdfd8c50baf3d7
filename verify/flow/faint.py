"""Faint outputs: a plateau on which outputs are no longer negligible, but so small that neurons answer linearly.

While outputs f are below 1e-10 of the labels, what they do to the neurons is needed to a few digits only, and what that
does in turn to the outputs, f², is nothing. So the neurons are boosted as on any plateau, the outputs they would have
are written down as polynomials on panels of time, and the neurons are boosted once more with these taken from the
residual, to first order. At moderate Λ dozens of pairs die in that time, each of which would end a Taylor step of all
neurons.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from verify.flow.balance import outputs
from verify.flow.component import Moment
from verify.flow.ledger import Ledger, Outputs
from verify.notation import FloatArray

FAINT = 1e-10
"""Outputs up to this share of the labels are faint."""

LONGEST = 1.0
"""Length of a panel, in units of the fastest rate."""

APART, SOON = 1e-6, 0.01
"""In those units: the least distance of the end from a death, twice, and how soon after the last one it comes."""

PAIRS = 2**20
"""So many pairs (time, neuron, label) are worked on at once."""

NODES = (1 - np.cos(np.pi * np.arange(6) / 5)) / 2
"""Where on a panel, from 0 to 1, outputs are looked at: as many places as a polynomial of degree 5 has coefficients."""

BETWEEN = (NODES[1:-2] + NODES[2:-1]) / 2
"""Where on a panel the polynomials are compared with the outputs."""

HALVINGS = 5
"""How often the panels are halved at most."""


def faint_end(ledger: Ledger, heard: float) -> float | None:
    """A time soon after the last death before ``heard``, with no death so near that the outputs could move it across.

    None where there is none.
    """
    t, rate = ledger.deaths.t, float(ledger.rows.rate.max(initial=0.0))
    gaps = np.append(t[1:], np.inf) - t
    apart = np.flatnonzero((t < heard) & (gaps * rate > APART))
    if not len(apart):
        return None
    return float(t[apart[-1]] + min(gaps[apart[-1]] / 2, SOON / rate))


def faint_outputs(ledger: Ledger, now: Moment, end: float, tolerance: float) -> tuple[Outputs, float]:
    """The outputs of boosted neurons from ``now`` to ``end``, and by how much they may be misjudged in what they do.

    That is a relative error of the neurons: what the polynomials miss, over the time. Panels on which it exceeds the
    tolerance, as where a death bends the outputs, are halved.
    """
    begin, rate = float(now.t), float(ledger.rows.rate.max(initial=0.0))
    times = np.linspace(begin, end, 1 + max(1, math.ceil((end - begin) * rate / LONGEST)))
    series, missed = _interpolated(ledger, now, times)
    for _ in range(HALVINGS):
        coarse = missed > tolerance
        if not coarse.any():
            break
        times = np.sort(np.append(times, (times[:-1] + times[1:])[coarse] / 2))
        series, missed = _interpolated(ledger, now, times)
    return Outputs(times, series), float(missed.sum())


def _interpolated(ledger: Ledger, now: Moment, times: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Polynomials (P, N + 1, 2b) on the panels between ``times`` (P + 1,), and what each misses of the neurons (P,)."""
    step, size, b = np.diff(times), len(NODES), len(ledger.component.labels)
    seen = _outputs(ledger, now, times[:-1, None] + step[:, None] * np.append(NODES, BETWEEN))
    series = np.linalg.solve(np.vander(NODES, increasing=True), seen[:, :size])
    missed = np.abs(np.vander(BETWEEN, size, increasing=True) @ series - seen[:, size:]).max(axis=1)
    return series / step[:, None, None] ** np.arange(size)[:, None], step * np.linalg.norm(
        missed[:, :b], axis=1
    ) / ledger.component.n


def _outputs(ledger: Ledger, now: Moment, places: FloatArray) -> Any:
    """(P, T, 2b): outputs at the labels, then along the axes, at the times ``places`` (P, T)."""
    most = max(1, PAIRS // (places.shape[1] * ledger.rows.active.size))
    parts = [outputs(*ledger.at(places[i : i + most], now)) for i in range(0, len(places), most)]
    along = np.concatenate(parts)
    return np.concatenate([ledger.component.frame.to_labels(along), along], axis=-1)
