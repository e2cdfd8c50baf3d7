"""A step in the proof of phase 2: the turn at t_u, where u₊ has reached a seventh of its limit."""

from __future__ import annotations

import math

from verify.claim import Claim, Margin, relative_margin
from verify.evidence import Evidence
from verify.hypotheses import TRAJECTORY, plus_neurons
from verify.phases import turn_levels


def turn(evidence: Evidence) -> Margin:
    """t_u comes by u₊ = n‖D₊‖/7, not by tilt, and t₂ − t_u ≤ (ε/5)Λ/‖D₊‖. [T, Lemma 10, third point]

    The margin is the slack of the time; where the tilt comes first, minus what the size still misses, in nats.
    """
    first, second = evidence.turn_exit, evidence.second_exit
    if first.condition is None or second.condition is None:
        return Margin(-math.inf, 0.0, "relative", note="phase 2 does not end before the flow rests")
    if first.condition == "tilt":
        missing = turn_levels(evidence.timeline.state(first.t))["size"]
        return Margin(missing, 8 * evidence.error, "nats", t=first.t, note="the tilt comes first")
    bound = evidence.kappa / 5 / evidence.problem.dataset.norm_plus
    error = evidence.time_uncertainty(first) + evidence.time_uncertainty(second)
    return relative_margin(second.t - first.t, bound, error, t=first.t)


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
