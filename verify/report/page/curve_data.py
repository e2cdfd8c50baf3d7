"""A trajectory's curves, simplified and quantised for the page."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from verify.notation import FloatArray
from verify.report.page.quantise import column
from verify.report.page.simplify import simplify
from verify.report.trajectory_figure import DECADES_OF_LOSS, Curves

TOLERANCE, MOST_POINTS = 0.003, 240
"""How far a drawn line may be from its curve, as a part of the drawing's height, and how many points it may take."""
MOST_OTHERS = 12
"""So many neurons outside the key sets are drawn."""


def curve_data(curves: Curves) -> dict[str, Any]:
    """Times, ln L, ln‖w_j‖ and ln(1 − cos) at few enough points, with the neurons' groups and the phases."""
    others = np.flatnonzero(~(curves.plus | curves.minus))
    shown = others[np.unique(np.linspace(0, len(others) - 1, min(len(others), MOST_OTHERS)).astype(int))]
    order = np.concatenate([shown, np.flatnonzero(curves.minus), np.flatnonzero(curves.plus)]).astype(int)
    norms = curves.log_norms[:, order]
    tilts = np.hstack([curves.log_tilt_minus, curves.log_tilt_plus])
    phases = {name: t for name, t in curves.phases.items() if t is not None and math.isfinite(t)}
    points = _points(curves, norms, tilts, list(phases.values()))
    return {
        "times": column(curves.times[points]),
        "loss": column(curves.log_loss[points]),
        "norms": [column(values) for values in norms[points].T],
        "neurons": order.tolist(),
        "groups": [1 if curves.plus[j] else -1 if curves.minus[j] else 0 for j in order],
        "tilts": [column(values) for values in tilts[points].T],
        "tilt_groups": [-1] * curves.log_tilt_minus.shape[1] + [1] * curves.log_tilt_plus.shape[1],
        "hidden": len(others) - len(shown),
        "phases": phases,
    }


def _points(curves: Curves, norms: FloatArray, tilts: FloatArray, phases: list[float]) -> Any:
    loss = np.maximum(curves.log_loss, np.nanmax(curves.log_loss) - (DECADES_OF_LOSS + 1) * math.log(10))
    heights = np.hstack([_heights(loss[:, None]), _heights(norms), _heights(tilts)])
    near = np.array([int(np.abs(curves.times - t).argmin()) for t in phases if t <= curves.times[-1]], dtype=int)
    return simplify(curves.times, heights, TOLERANCE, MOST_POINTS, near)


def _heights(values: FloatArray) -> FloatArray:
    """Values in units of the panel they share."""
    finite = values[np.isfinite(values)]
    spread = float(np.ptp(finite)) if finite.size else 0.0
    return values / (spread or 1.0)
