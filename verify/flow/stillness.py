"""Whether the residual stands still now, until when, and what is there when it no longer does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from verify.errors import SimulationFailed
from verify.flow.arithmetic import to_float
from verify.flow.balance import fresh_residual
from verify.flow.component import Component, Moment, split
from verify.flow.faint import FAINT, faint_end, faint_outputs
from verify.flow.float64 import FLOAT64
from verify.flow.ledger import Ledger, ledger_of
from verify.flow.plateau import Plateau
from verify.flow.uneven import unmixed
from verify.flow.waiting import log_mass, missing_growth
from verify.notation import BoolArray, FloatArray

WORTH = 8192
"""Deaths times active pairs from which on it costs less to answer faint outputs than to end a Taylor step with each
death: measured."""


def find_plateau(component: Component, now: Moment, tolerance: Any) -> Plateau | None:
    """The plateau that starts now, or None when the residual is about to move. ``tolerance`` is relative to y."""
    natural = component.frame.to_labels(now.plain_residual(component.arithmetic))
    near = np.minimum(to_float(abs(natural)), to_float(abs(natural - component.y)))
    if (near > 1e-6 * to_float(abs(component.y))).any():
        return None
    fitted = np.asarray(abs(natural) <= tolerance * abs(component.y), dtype=bool)
    component, now = unmixed(component, now, fitted)
    if not (component.active & ~fitted).any():
        return Plateau(component, now, fitted, None, np.inf, tolerance)
    level = component.arithmetic.magnitude(tolerance) + component.arithmetic.magnitude(component.y)
    missing = missing_growth(log_mass(component, now), component.active, fitted, level)
    softly = _may_be_faint(component, now, fitted, tolerance)
    if missing < 1.0 and not (softly and missing > 1.0 - np.log(FAINT / tolerance)):
        return None
    ledger = ledger_of(component, now, fitted)
    end = _end(ledger, now.t, fitted, level) if missing >= 1.0 else now.t
    if softly and ledger.deaths.after(end) and len(ledger.deaths) * component.active.sum() > WORTH:
        faint = _faint_plateau(ledger, now, end, tolerance)
        if faint is not None:
            return faint
    return Plateau(component, now, fitted, ledger, end, tolerance) if missing >= 1.0 else None


def _may_be_faint(component: Component, now: Moment, fitted: BoolArray, tolerance: Any) -> bool:
    """Whether outputs above the tolerance may be answered to first order: in machine floats, and no label is fitted."""
    whole = component.arithmetic is FLOAT64 and tolerance < FAINT and not fitted.any()
    return bool(whole and component.active.sum() ** 2 > WORTH and (now.log_off == now.log_scale).all())


def _faint_plateau(ledger: Ledger, now: Moment, silent: Any, tolerance: Any) -> Plateau | None:
    """The plateau up to the last death while outputs are faint; None if none dies after ``silent``."""
    component, fitted = ledger.component, np.zeros(len(ledger.component.labels), dtype=bool)
    heard = _end(ledger, now.t, fitted, np.log(FAINT) + component.arithmetic.magnitude(component.y))
    end = faint_end(ledger, heard)
    if end is None or not ledger.deaths.until(end).after(silent):
        return None
    outputs, misjudged = faint_outputs(ledger, now, end, 4 * tolerance)
    answered = ledger_of(component, now, fitted, outputs)
    return Plateau(component, now, fitted, answered, end, tolerance + misjudged)


def leave(plateau: Plateau, t: Any) -> list[tuple[Component, Moment]]:
    """The independent components at time ``t`` on the plateau, with residuals accurate along their own axes."""
    component, now = plateau.at(t)
    out = []
    for piece, state in split(component, now):
        fitted = plateau.fitted[np.searchsorted(plateau.component.labels, piece.labels)]
        piece, state = unmixed(piece, state, fitted)
        residual, log_residual = fresh_residual(piece, state)
        residual = np.where(fitted, state.residual, residual)
        log_residual = np.where(fitted, state.log_residual, log_residual)
        out.append((piece, replace(state, residual=residual, log_residual=log_residual)))
    return out


def _end(ledger: Ledger, begin: Any, fitted: BoolArray, level: FloatArray) -> Any:
    """Time at which the outputs of growing neurons reach their tolerance, approached from below.

    A neuron's rate only falls, when a label of its dies, so that the rates of the moment bound what is to come.
    """
    rows = ledger.rows
    growing = (to_float(rows.rate) > 0) & (to_float(rows.plus) != 0)
    forever, last = bool(growing[ledger.last].any()), rows.start.max()
    t, slope, missing = begin, 0.0, ledger.missing_growth(begin, fitted, level)
    for _ in range(500):
        if missing < 0.5:
            return t
        if missing == np.inf or (not forever and t > last):
            return np.inf
        step = missing / (2 * float(to_float(rows.rate[ledger.current(t)]).max()))
        bold = 0.9 * missing / slope if slope > 0 else step
        ahead = ledger.missing_growth(t + bold, fitted, level)
        if ahead < 0:
            bold = step
            ahead = ledger.missing_growth(t + step, fitted, level)
        t, slope, missing = t + bold, (missing - ahead) / bold, ahead
    raise SimulationFailed(
        f"the plateau that starts at t = {begin} has no end within 500 trials: times or scales too far apart for "
        f"{ledger.component.arithmetic.name} do this; ask for (more) digits"
    )
