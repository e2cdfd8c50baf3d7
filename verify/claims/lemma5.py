"""Lemma 5: near the selected interpolator the loss satisfies a Polyak-Łojasiewicz inequality with constant ‖D₋‖."""

from __future__ import annotations

import numpy as np

from verify.claim import UNIT, Claim, Margin, slack_margin
from verify.evidence import Evidence
from verify.hypotheses import balanced, minus_neurons, plus_neurons, small_scale
from verify.pl import LocalNetworks, provable_ratio, smallest_ratio

RADIUS_EXPONENT = 1 / 160
"""p in the radius λ^(pε) of the ball; the text lost it."""


def constant(evidence: Evidence) -> Margin:
    """‖∇L‖²/L ≥ ‖D₋‖ for balanced θ with ‖θ − θ*‖ ≤ λ^(pε). [R, Lemma 5]

    The margin is how far the smallest ratio found in the ball, by random draws and projected descent, exceeds ‖D₋‖,
    relative to ‖D₋‖; for a small ball it tends to 1, or to 3 when one label is negative. A ratio found below ‖D₋‖
    refutes the claim up to rounding. One above does not prove it: there the error bar reaches down to a bound that no
    network of the ball can be below.
    """
    problem = evidence.problem
    data = problem.dataset
    local = LocalNetworks.around(data, problem.initialisation.signs, evidence.selected_sizes)
    radius = float(np.exp(-RADIUS_EXPONENT * evidence.kappa))
    rng = np.random.default_rng(int(problem.key, 16))
    ratio = smallest_ratio(local, radius, rng)
    depth = RADIUS_EXPONENT * evidence.kappa
    note = f"smallest ratio found {ratio / data.norm_minus:.6g} ‖D₋‖ in a ball of radius exp(−{depth:.4g})"
    rounding = (local.centre.size + 8) * UNIT * ratio
    doubt = max(ratio - provable_ratio(local, radius), 0.0) if ratio > data.norm_minus else 0.0
    return slack_margin(ratio / data.norm_minus - 1, (doubt + rounding) / data.norm_minus, "relative", note=note)


CLAIMS = (
    Claim(
        "L5.PL",
        "Lemma 5",
        "R",
        "‖∇L(θ)‖²/L(θ) ≥ ‖D₋‖ for balanced θ with ‖θ − θ*‖ ≤ λ^(ε/160)",
        constant,
        (small_scale, balanced, plus_neurons, minus_neurons),
    ),
)
