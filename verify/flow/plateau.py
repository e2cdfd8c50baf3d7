"""Plateaus: as long as the residual stands still every neuron moves by exact boosts, whatever the distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from verify.errors import SimulationFailed
from verify.flow.arithmetic import Array
from verify.flow.balance import fresh_residual, lateral_unit, neural_tangent, residual_in_unit
from verify.flow.boost import to_float
from verify.flow.component import Component, Moment, reframe, split
from verify.flow.deaths import NONE, Deaths
from verify.flow.forcing import FittedResidual, forcing_of
from verify.flow.frame import Frame
from verify.flow.modes import decay_of, modes_of
from verify.flow.rounds import Ledger, Round, boost_rounds, ledger_of
from verify.flow.waiting import missing_growth, waiting_residual
from verify.notation import BoolArray, FloatArray


@dataclass(frozen=True)
class Plateau:
    """A stretch of time on which the residual is ``y`` on some labels and 0 on the others. [D, section 2.7]

    The first kind, ``waiting``, belongs to labels that the network has not begun to fit: outputs below the
    tolerance. The second kind, ``fitted``, holds residuals below the tolerance, which decay linearly through the
    constant neural tangent matrix. Neurons are then independent of one another. ``end`` is the time at which a
    growing neuron's output reaches the tolerance, infinite when none ever does: the component is at rest. Where no
    neuron feels a force there are no ``rounds``.
    """

    component: Component
    start: Moment
    fitted: BoolArray
    rounds: tuple[Round, ...]
    deactivations: Deaths
    end: Any
    truncation: Any

    @property
    def segments(self) -> tuple[Plateau]:
        """The plateau itself."""
        return (self,)

    @property
    def begin(self) -> Any:
        """Start time."""
        return self.start.t

    @property
    def rate(self) -> float:
        """The fastest rate of a neuron."""
        return max((float(to_float(stretch.cone.rate).max(initial=0.0)) for stretch in self.rounds), default=0.0)

    @property
    def imbalance(self) -> float:
        """Nothing: a boost keeps α² − ‖p‖²."""
        return 0.0

    def neglected(self, t: Any) -> Any:
        """What was neglected by the time ``t``: outputs of growing neurons, and all of a fitted residual.

        Outputs reach the tolerance ``truncation`` at the end and are exponentially smaller before.
        """
        magnitude = self.component.arithmetic.magnitude
        level = magnitude(self.truncation) + magnitude(self.component.y)
        missing = missing_growth(*self.neurons_at(t), self.fitted, level)
        grown = float(np.exp(-max(missing, 0.0)))
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
        if self._still:
            return self.component, replace(self.start, t=t)
        return self._ledger.at(t, self.start)

    @cached_property
    def _still(self) -> bool:
        """Whether no neuron moves."""
        return self.rate == 0

    @cached_property
    def _ledger(self) -> Ledger:
        return ledger_of(self.rounds)

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
        pushed = forcing_of(self.rounds, fitted, decay.log_unit) if self.rounds else None
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
        return Plateau(component, now, fitted, (), NONE, np.inf, tolerance)
    level = component.arithmetic.magnitude(tolerance) + component.arithmetic.magnitude(component.y)
    if missing_growth(component, now, fitted, level) < 1.0:
        return None
    rounds, deaths = boost_rounds(component, now, fitted)
    plateau = Plateau(component, now, fitted, rounds, deaths, np.inf, tolerance)
    end = _end(plateau, level)
    return replace(plateau, end=end, deactivations=deaths.until(end))


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
        fitted = np.isin(piece.labels, plateau.component.labels[plateau.fitted])
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


def _end(plateau: Plateau, level: FloatArray) -> Any:
    """Time at which the outputs of growing neurons reach their tolerance, approached from below.

    A neuron's rate only falls, when a label of its dies, so that the rates of the moment bound what is to come.
    """
    forever = _grows_for_ever(plateau)
    last = max(plateau.deactivations.t, default=plateau.start.t)
    t, slope = plateau.start.t, 0.0
    missing = missing_growth(*plateau.neurons_at(t), plateau.fitted, level)
    for _ in range(500):
        if missing < 0.1:
            return t
        if missing == np.inf or (not forever and t > last):
            return np.inf
        step = missing / (2 * _fastest_at(plateau, t))
        bold = 0.9 * missing / slope if slope > 0 else step
        ahead = missing_growth(*plateau.neurons_at(t + bold), plateau.fitted, level)
        if ahead < 0:
            bold = step
            ahead = missing_growth(*plateau.neurons_at(t + step), plateau.fitted, level)
        t, slope, missing = t + bold, (missing - ahead) / bold, ahead
    raise SimulationFailed(f"the plateau that starts at t = {plateau.start.t} has no end within 500 trials")


def _fastest_at(plateau: Plateau, t: Any) -> float:
    """The fastest rate of a neuron at time ``t``."""
    rates = np.zeros(len(plateau.component.neurons))
    for stretch in plateau.rounds:
        begun = to_float(t - stretch.start) >= 0
        rates[stretch.who[begun]] = to_float(stretch.cone.rate)[begun]
    return float(rates.max())


def _grows_for_ever(plateau: Plateau) -> bool:
    """Whether some neuron, past its last deactivation, still grows."""
    final = np.zeros(len(plateau.component.neurons), dtype=bool)
    for stretch in plateau.rounds:
        final[stretch.who] = (to_float(stretch.cone.rate) > 0) & (to_float(stretch.cone.plus) != 0)
    return bool(final.any())
