"""What plateaus, fits and Taylor steps have in common."""

from __future__ import annotations

from typing import Any, Protocol

from verify.flow.component import Component, Moment
from verify.flow.deaths import Deaths


class Segment(Protocol):
    """A stretch of one component's time: a plateau, a fit or a Taylor step."""

    @property
    def component(self) -> Component: ...
    @property
    def begin(self) -> Any: ...
    @property
    def end(self) -> Any: ...
    @property
    def deactivations(self) -> Deaths: ...
    @property
    def truncation(self) -> Any: ...
    @property
    def rate(self) -> float:
        """The fastest rate of the segment."""

    @property
    def imbalance(self) -> Any:
        """What the segment neglects of a_j² − ‖w_j‖², relative to a_j²."""

    def neglected(self, t: Any) -> Any:
        """What the segment has neglected by the time ``t`` on it, at most ``truncation``."""

    def at(self, t: Any) -> tuple[Component, Moment]:
        """Who is active at ``t`` and the state then; times (T,) become the first axis of all that depends on them."""
