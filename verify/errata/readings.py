"""Readings of the text that only the register of errata measures, as claims."""

from __future__ import annotations

import math

from verify import bars
from verify.claim import Claim, Margin, power_margin
from verify.evidence import Evidence
from verify.flow.arithmetic import to_float
from verify.hypotheses import TRAJECTORY, plus_neurons


def turn_as_printed(evidence: Evidence) -> Margin:
    """‖D₊‖ − min ⟨w_j, D₊⟩ < 5‖D₊‖λ^ε at t₊₁, with w_j as printed and not w_j/‖w_j‖; both sides over ‖D₊‖. [T, B.5]

    The quantity is 1 − ‖w_j‖ cos∠(w_j, D₊), which is 1 while norms are small.
    """
    state = evidence.timeline.state(evidence.time_plus)
    key = evidence.key(+1)
    logs, tilts = to_float(state.log_norms)[key], to_float(state.log_misalignment(+1))[key]
    along = [math.exp(size) * (1 - math.exp(tilt)) for size, tilt in zip(logs, tilts, strict=True)]
    return power_margin(
        math.log1p(-min(along)) if min(along) < 1 else -math.inf,
        math.log(5) - evidence.kappa,
        2 * bars.log_norm(evidence, evidence.time_plus),
        kappa=evidence.kappa,
        claimed_exponent=1.0,
        t=evidence.time_plus,
    )


READINGS = (
    Claim(
        "P2.turn.printed",
        "Lemma 10, third point, as printed",
        "T",
        "h(t₊₁) < 5‖D₊‖λ^ε for h(t) = ‖D₊‖ − min_{S₊₁} ⟨w_j, D₊⟩",
        turn_as_printed,
        (*TRAJECTORY, plus_neurons),
        reading="literal",
    ),
)
