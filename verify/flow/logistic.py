"""How an aligned group of neurons fits its target: a logistic, and the clock it is for everything that grows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from verify.flow.arithmetic import Arithmetic


@dataclass(frozen=True)
class Logistic:
    """The share w of the target that is fitted: w' = 2·rate·w(1 − w). [R, the equation of u₊ in Lemma 10]

    The residual is (1 − w) times the label, so that a neuron moves as far as under the labels themselves in the time
    ∫(1 − w)dt: the clock. ``begin``: time; ``rate``: ‖y‖/n; ``odds``: w/(1 − w) at the begin.
    """

    begin: Any
    rate: Any
    odds: Any
    arithmetic: Arithmetic

    def shares(self, t: Any) -> tuple[Any, Any]:
        """The share that is fitted and the share that is left, w and 1 − w, at the times ``t`` (…)."""
        left = 1 / (1 + self.odds * self._grown(t))
        return self.odds * self._grown(t) * left, left

    def clock(self, t: Any) -> Any:
        """∫(1 − w)dt from the begin to the times ``t`` (…): w grows e^(2·rate) times in its unit."""
        grown = self._grown(t)
        return self.arithmetic.log(grown * (1 + self.odds) / (1 + self.odds * grown)) / (2 * self.rate)

    def when(self, left: Any) -> Any:
        """The time at which the share ``left`` is left."""
        return self.begin + self.arithmetic.log((1 - left) / left / self.odds) / (2 * self.rate)

    @property
    def last(self) -> Any:
        """What the clock never reaches."""
        return self.arithmetic.log((1 + self.odds) / self.odds) / (2 * self.rate)

    def _grown(self, t: Any) -> Any:
        """How many times its start value the odds are."""
        return self.arithmetic.exp(2 * self.rate * (t - self.begin))
