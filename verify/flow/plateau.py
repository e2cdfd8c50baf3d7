"""Plateaus: as long as the residual stands still every neuron moves by exact boosts, whatever the distance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from verify.flow.arithmetic import Array, to_float
from verify.flow.balance import lateral_unit, neural_tangent, residual_in_unit
from verify.flow.component import Component, Moment
from verify.flow.deaths import NONE, Deaths
from verify.flow.forcing import FittedResidual, forcing_of
from verify.flow.ledger import Ledger
from verify.flow.modes import decay_of, modes_of
from verify.flow.waiting import waiting_residual
from verify.notation import BoolArray


@dataclass(frozen=True)
class Plateau:
    """A stretch of time on which the residual is ``y`` on some labels and 0 on the others. [D, section 2.7]

    The first kind, ``waiting``, belongs to labels that the network has not begun to fit: outputs below the
    tolerance. The second kind, ``fitted``, holds residuals below the tolerance, which decay linearly through the
    constant neural tangent matrix. Neurons are then independent of one another. ``end`` is the time at which a
    growing neuron's output reaches the tolerance, infinite when none ever does: the component is at rest. Where no
    neuron feels a force there is no ``ledger``. Where the ledger holds outputs (:mod:`.faint`) these may be above the
    tolerance; neurons have answered them, and ``truncation`` is what that may be off by.
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
            residual, log_residual = waiting_residual(component, now, self.component.frame.target)
        else:
            residual, log_residual = self._decayed(t)
        if self.fitted.any() and not self.fitted.all():
            waiting, log_waiting = waiting_residual(component, now, self.component.frame.target)
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
