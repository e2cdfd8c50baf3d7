"""What a claim about the end of a phase measures on a problem where that phase does not end.

"Never" is a statement about all times up to rest, so that its margin is how near the phase comes to its end: the
highest level of any of its conditions, in nats below 0, with the error bar of that level. [D]
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import Margin, slack_margin, unresolved
from verify.evidence import Evidence
from verify.flow.state import State
from verify.notation import FloatArray
from verify.phases import Levels, second_levels, third_levels, turn_levels


@dataclass(frozen=True)
class Nearest:
    """The highest level (nats, below 0) on the way, its error bar, when, and the name of the condition."""

    level: float
    uncertainty: float
    t: float
    condition: str


def nearest(evidence: Evidence, end: str) -> Nearest:
    """How near the phase that should end at ``"t_u"``, ``"t₂"`` or ``"t₃"`` comes to it before the trajectory ends."""
    levels, side, start = _phase(evidence, end)
    names = list(levels(evidence.timeline.state(0.0)))

    @Batched
    def values(states: State) -> FloatArray:
        reached = levels(states)
        return np.stack([reached[name] for name in names], axis=-1)

    found = evidence.timeline.largest(values, *evidence.window(start, math.inf))
    state = evidence.timeline.state(found.t)
    return Nearest(found.value, bars.level(evidence, state, names[found.member], side), found.t, names[found.member])


def _phase(evidence: Evidence, end: str) -> tuple[Levels, int, float]:
    """Conditions, side of the fit, and begin of the phase."""
    if end == "t_u":
        return turn_levels, +1, evidence.time_plus
    if end == "t₂":
        return second_levels, +1, evidence.time_plus
    return third_levels, -1, evidence.second_exit.t


def _waiting_for(evidence: Evidence, end: str) -> str:
    """Where t₂ does not exist, t₃ waits for it."""
    return "t₂" if evidence.second_exit.condition is None and end == "t₃" else end


def unended(evidence: Evidence, end: str, scale: str = "nats") -> Margin:
    """The margin of a claim about what holds at the end of a phase: by how much the nearest condition misses.

    In nats, or relative to the threshold of that condition.
    """
    end = _waiting_for(evidence, end)
    near = nearest(evidence, end)
    value, error = near.level, near.uncertainty
    if scale == "relative":
        value, error = math.expm1(value), error * math.exp(value)
    return slack_margin(value, error, scale, t=near.t, note=_note(evidence, end, near))


def late(evidence: Evidence, end: str, since: float, bound: float) -> Margin:
    """The margin of a claim that the end of a phase comes within ``bound`` after ``since``, relative to ``bound``.

    The trajectory's end takes the place of the phase's, an upper bound of the margin; as far as the nearest condition
    may have been met after all, the error bar reaches to the margin of that time. A trajectory that stops before the
    bound decides nothing.
    """
    end, last = _waiting_for(evidence, end), float(evidence.trajectory.t_end)
    near = nearest(evidence, end)
    if last - since < bound:
        return unresolved(f"{_note(evidence, end, near)}, and the trajectory stops before the bound")
    doubt = (last - near.t) / bound if -near.level <= near.uncertainty else 0.0
    return slack_margin(1 - (last - since) / bound, doubt, "relative", t=last, note=_note(evidence, end, near))


def _note(evidence: Evidence, end: str, near: Nearest) -> str:
    last = float(evidence.trajectory.t_end)
    return (
        f"{end} is not reached by t = {last:.6g}: {near.condition} misses by {-near.level:.4g} nats at t = {near.t:.6g}"
    )
