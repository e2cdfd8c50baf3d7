"""A step in the proof of phase 2: the turn at t_u, where u₊ has reached a seventh of its limit."""

from __future__ import annotations

import math

from verify import bars
from verify.claim import Claim, Margin, relative_margin, slack_margin
from verify.evidence import Evidence
from verify.hypotheses import TRAJECTORY, plus_neurons
from verify.phases import Exit, turn_levels
from verify.unended import late, unended


def turn(evidence: Evidence) -> Margin:
    """t_u comes by u₊ = n‖D₊‖/7, not by tilt, and t₂ − t_u ≤ (ε/5)Λ/‖D₊‖. [T, Lemma 10, third point]

    The margin is the slack of the time; where the tilt comes first, the share of n‖D₊‖/7 that u₊ still misses.
    """
    first, second = evidence.turn_exit, evidence.second_exit
    if first.condition is None:
        return unended(evidence, "t_u", "relative")
    if first.condition == "tilt":
        return _tilted(evidence, first)
    bound = evidence.kappa / 5 / evidence.problem.dataset.norm_plus
    if second.condition is None:
        return late(evidence, "t₂", first.t, bound)
    error = bars.time(evidence, first, +1) + bars.time(evidence, second, +1)
    return relative_margin(second.t - first.t, bound, error, t=first.t)


def _tilted(evidence: Evidence, first: Exit) -> Margin:
    """u₊/(n‖D₊‖/7) − 1 where the tilt comes first."""
    state = evidence.timeline.state(first.t)
    missing = turn_levels(state)["size"]
    error = math.exp(missing) * (bars.level(evidence, state, "size", +1) + bars.drift(evidence, first, +1))
    return slack_margin(math.expm1(missing), error, "relative", t=first.t, note="the tilt comes first")


CLAIMS = (
    Claim(
        "P2.turn",
        "Lemma 10, third point",
        "T",
        "t_u is reached by u₊ = n‖D₊‖/7, and t₂ − t_u ≤ (ε/5)Λ/‖D₊‖",
        turn,
        (*TRAJECTORY, plus_neurons),
    ),
)
