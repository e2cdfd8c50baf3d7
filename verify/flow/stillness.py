"""Whether the residual stands still now, until when, and what is there when it no longer does."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from verify.flow.balance import fresh_residual
from verify.flow.component import Component, Moment, split
from verify.flow.faint import FAINT, faint_end, faint_outputs
from verify.flow.float64 import FLOAT64
from verify.flow.ledger import Ledger, ledger_of
from verify.flow.plateau import Plateau
from verify.flow.silence import missing_growth
from verify.flow.uneven import unmixed
from verify.flow.waiting import log_mass
from verify.notation import BoolArray

WORTH = 8192
"""Deaths times active pairs from which on it costs less to answer faint outputs than to end a Taylor step with each
death: measured."""


def find_plateau(component: Component, now: Moment, tolerance: Any) -> Plateau | None:
    """The plateau that starts now, or None when the residual is about to move. ``tolerance`` is relative to y."""
    natural = component.frame.to_labels(now.plain_residual(component.arithmetic))
    left, size = abs(natural), abs(component.y)
    if not (np.minimum(left, abs(natural - component.y)) <= 1e-6 * size).all():
        return None
    fitted = np.asarray(left <= tolerance * size, dtype=bool)
    component, now = unmixed(component, now, fitted)
    if not (component.active & ~fitted).any():
        return Plateau(component, now, fitted, None, np.inf, tolerance)
    level = component.arithmetic.magnitude(tolerance * size)
    missing = missing_growth(log_mass(component, now), component.active, ~fitted, level)
    softly = _may_be_faint(component, now, fitted, tolerance)
    if missing < 1.0 and not (softly and missing > 1.0 - np.log(FAINT / tolerance)):
        return None
    ledger = ledger_of(component, now, fitted)
    end = ledger.silent_until(fitted, level) if missing >= 1.0 else now.t
    deaths = len(ledger.rows.start) - len(component.neurons)
    if softly and deaths * component.active.sum() > WORTH and ledger.rows.start.max() > end:
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
    heard = ledger.silent_until(fitted, np.log(FAINT) + component.arithmetic.magnitude(component.y))
    end = faint_end(ledger, heard)
    if end is None or not ledger.deaths.until(end).after(silent):
        return None
    outputs, misjudged = faint_outputs(ledger, now, end, 4 * tolerance)
    answered = ledger_of(component, now, fitted, outputs)
    return Plateau(component, now, fitted, answered, end, tolerance + misjudged)


def leave(plateau: Plateau, t: Any) -> list[tuple[Component, Moment]]:
    """The independent components at time ``t`` on the plateau, with residuals accurate along their own axes."""
    component, now = plateau.at(t) if plateau.fitted.any() else plateau.neurons_at(t)
    out = []
    for piece, state in split(component, now):
        fitted = plateau.fitted[np.searchsorted(plateau.component.labels, piece.labels)]
        piece, state = unmixed(piece, state, fitted)
        residual, log_residual = fresh_residual(piece, state)
        if fitted.any():
            residual = np.where(fitted, state.residual, residual)
            log_residual = np.where(fitted, state.log_residual, log_residual)
        out.append((piece, replace(state, residual=residual, log_residual=log_residual)))
    return out
