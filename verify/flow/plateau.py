"""Plateaus: as long as the residual stands still every neuron moves by exact boosts, whatever the distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from verify.errors import SimulationFailed
from verify.flow.arithmetic import Array, to_float
from verify.flow.balance import fresh_residual, lateral_unit, neural_tangent, residual_in_unit
from verify.flow.component import Component, Moment, reframe, split
from verify.flow.deaths import NONE, Deaths
from verify.flow.faint import FAINT, faint_end, faint_outputs
from verify.flow.float64 import FLOAT64
from verify.flow.forcing import FittedResidual, forcing_of
from verify.flow.frame import Frame
from verify.flow.ledger import Ledger, ledger_of
from verify.flow.modes import decay_of, modes_of
from verify.flow.waiting import log_mass, missing_growth, waiting_residual
from verify.notation import BoolArray, FloatArray


@dataclass(frozen=True)
class Plateau:
    """A stretch of time on which the residual is ``y`` on some labels and 0 on the others. [D, section 2.7]

    The first kind, ``waiting``, belongs to labels that the network has not begun to fit: outputs below the
    tolerance. The second kind, ``fitted``, holds residuals below the tolerance, which decay linearly through the
    constant neural tangent matrix. Neurons are then independent of one another. ``end`` is the time at which a
    growing neuron's output reaches the tolerance, infinite when none ever does: the component is at rest. Where no
    neuron feels a force there is no ``ledger``.
    """

    component: Component
    start: Moment
    fitted: BoolArray
    ledger: Ledger | None
    end: Any
    truncation: Any

    @cached_property
    def deactivations(self) -> Deaths:
        """Those up to the end."""
        return NONE if self.ledger is None else self.ledger.deaths.until(self.end)

    @property
    def segments(self) -> tuple[Plateau]:
        """The plateau itself."""
        return (self,)

    def covering(self, t: Any) -> tuple[Plateau]:
        """The plateau itself."""
        return (self,)

    @property
    def begin(self) -> Any:
        """Start time."""
        return self.start.t

    @property
    def rate(self) -> float:
        """The fastest rate of a neuron."""
        return 0.0 if self.ledger is None else float(to_float(self.ledger.rows.rate).max(initial=0.0))

    @property
    def imbalance(self) -> float:
        """Nothing: a boost keeps α² − ‖p‖²."""
        return 0.0

    def neglected(self, t: Any) -> Any:
        """What was neglected by the time ``t``: outputs of growing neurons, and all of a fitted residual.

        Outputs reach the tolerance ``truncation`` at the end and are exponentially smaller before.
        """
        if self.ledger is None or self.ledger.heard:
            return self.truncation
        magnitude = self.component.arithmetic.magnitude
        level = magnitude(self.truncation) + magnitude(self.component.y)
        grown = float(np.exp(-max(self.ledger.missing_growth(t, self.fitted, level), 0.0)))
        return self.truncation * max(grown, 1.0 if self.fitted.any() else 0.0)

    def at(self, t: Any) -> tuple[Component, Moment]:
        """Who is active at time ``t`` and the state then, or at times (T,), which are then the first axis."""
        component, now = self.neurons_at(t)
        if not len(self.fitted):
            return component, now
        if not self.fitted.any():
            residual, log_residual = waiting_residual(component, now, self.component.target)
        else:
            residual, log_residual = self._decayed(t)
        if self.fitted.any() and not self.fitted.all():
            waiting, log_waiting = waiting_residual(component, now, self.component.target)
            residual = np.where(self.fitted, residual, waiting)
            log_residual = np.where(self.fitted, log_residual, log_waiting)
        return component, replace(now, residual=residual, log_residual=log_residual)

    def neurons_at(self, t: Any) -> tuple[Component, Moment]:
        """As :meth:`at`, with the residual of the start."""
        if self.ledger is None or self.rate == 0:
            return self.component, replace(self.start, t=t)
        return self.ledger.at(t, self.start)

    def fitted_below(self, fraction: float) -> Any:
        """Time from which every mode of the fitted residual is below ``fraction`` of the smallest fitted label."""
        smallest = self.component.arithmetic.magnitude(self.component.y[self.fitted]).min() + np.log(fraction)
        return self.start.t + self._fitted.modes.time_below(float(smallest))

    def _decayed(self, t: Any) -> tuple[Array, Array]:
        """The fitted residual, every coordinate in a unit of its own size."""
        shape = (*np.shape(t), len(self.fitted))
        residual, log_residual = self.component.arithmetic.zeros(shape), np.zeros(shape)
        residual[..., self.fitted], log_residual[..., self.fitted] = self._fitted.at(t)
        return residual, log_residual

    @cached_property
    def _fitted(self) -> FittedResidual:
        component, start, fitted = self.component, self.start, self.fitted
        unit = lateral_unit(component, start)
        kernel = neural_tangent(component, start, unit)[np.ix_(fitted, fitted)]
        decay = decay_of(kernel, component.frame.off_axis[fitted], unit, component.n, component.arithmetic)
        own = modes_of(decay, residual_in_unit(component, start, unit)[fitted])
        pushed = None if self.ledger is None else forcing_of(self.ledger, fitted, decay.log_unit)
        return FittedResidual(start.t, decay, own, pushed)


def find_plateau(component: Component, now: Moment, tolerance: Any) -> Plateau | None:
    """The plateau that starts now, or None when the residual is about to move. ``tolerance`` is relative to y."""
    natural = component.frame.to_labels(now.plain_residual(component.arithmetic))
    near = np.minimum(to_float(abs(natural)), to_float(abs(natural - component.y)))
    if (near > 1e-6 * to_float(abs(component.y))).any():
        return None
    fitted = np.asarray(abs(natural) <= tolerance * abs(component.y), dtype=bool)
    component, now = _unmixed(component, now, fitted)
    if not (component.active & ~fitted).any():
        return Plateau(component, now, fitted, None, np.inf, tolerance)
    level = component.arithmetic.magnitude(tolerance) + component.arithmetic.magnitude(component.y)
    missing = missing_growth(log_mass(component, now), component.active, fitted, level)
    softly = _may_be_faint(component, now, fitted, tolerance)
    if missing < 1.0 and not (softly and missing > 1.0 - np.log(FAINT / tolerance)):
        return None
    ledger = ledger_of(component, now, fitted)
    end = _end(ledger, now.t, fitted, level) if missing >= 1.0 else now.t
    if softly and ledger.deaths.after(end):
        faint = _faint_plateau(ledger, now, end, tolerance)
        if faint is not None:
            return faint
    return Plateau(component, now, fitted, ledger, end, tolerance) if missing >= 1.0 else None


def _may_be_faint(component: Component, now: Moment, fitted: BoolArray, tolerance: Any) -> bool:
    """Whether outputs above the tolerance may be answered to first order: in machine floats, and no label is fitted."""
    whole = component.arithmetic is FLOAT64 and tolerance < FAINT and not fitted.any()
    return bool(whole and (now.log_off == now.log_scale).all())


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


def even_frame(component: Component, now: Moment) -> tuple[Component, Moment]:
    """The state without axes on blocks whose labels are fitted unevenly: there a shared axis would only cancel."""
    if not component.frame.framed.any():
        return component, now
    natural = component.frame.to_labels(now.plain_residual(component.arithmetic))
    share = to_float(abs(natural)) / to_float(abs(component.y))
    return _unmixed(component, now, share < 0.01, share < 0.5)


def leave(plateau: Plateau, t: Any) -> list[tuple[Component, Moment]]:
    """The independent components at time ``t`` on the plateau, with residuals accurate along their own axes."""
    component, now = plateau.at(t)
    out = []
    for piece, state in split(component, now):
        fitted = plateau.fitted[np.searchsorted(plateau.component.labels, piece.labels)]
        piece, state = _unmixed(piece, state, fitted)
        residual, log_residual = fresh_residual(piece, state)
        residual = np.where(fitted, state.residual, residual)
        log_residual = np.where(fitted, state.log_residual, log_residual)
        out.append((piece, replace(state, residual=residual, log_residual=log_residual)))
    return out


def _unmixed(
    component: Component, now: Moment, fitted: BoolArray, nearly: BoolArray | None = None
) -> tuple[Component, Moment]:
    """The same state without axes on blocks that hold both fitted and waiting (not even ``nearly`` fitted) labels."""
    nearly = fitted if nearly is None else nearly
    frame = component.frame
    mixed = np.zeros_like(fitted)
    for b in (0, 1):
        members = frame.framed & (frame.block == b)
        mixed[members] = fitted[members].any() and not nearly[members].all()
    if not mixed.any():
        return component, now
    plain = Frame.of(component.y, component.arithmetic, without=mixed)
    return reframe(component, now, component.active, plain)


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
    raise SimulationFailed(f"the plateau that starts at t = {begin} has no end within 500 trials")
