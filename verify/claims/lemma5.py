"""Lemma 5: near the selected interpolator the loss satisfies a Polyak-Łojasiewicz inequality with constant ‖D₋‖."""

from __future__ import annotations

import numpy as np

from verify.claim import Claim, Margin, relative_margin
from verify.evidence import Evidence
from verify.hypotheses import balanced, minus_neurons, plus_neurons, small_scale
from verify.pl import LocalNetworks, smallest_ratio

RADIUS_EXPONENT = 1 / 160
"""p in the radius λ^(pε) of the ball; the text lost it."""


def constant(evidence: Evidence) -> Margin:
    """‖∇L‖²/L ≥ ‖D₋‖ for balanced θ with ‖θ − θ*‖ ≤ λ^(pε). [R, Lemma 5]

    The quantity is ‖D₋‖ over the smallest ratio found in the ball by random draws and projected descent. For a
    small ball the ratio tends to 2‖D₋‖, so that the margin tends to 1/2.
    """
    problem = evidence.problem
    data = problem.dataset
    local = LocalNetworks.around(data, problem.initialisation.signs, evidence.selected_sizes)
    radius = float(np.exp(-RADIUS_EXPONENT * evidence.kappa))
    rng = np.random.default_rng(int(problem.key, 16))
    ratio = smallest_ratio(local, radius, rng)
    depth = RADIUS_EXPONENT * evidence.kappa
    note = f"smallest ratio found {ratio / data.norm_minus:.6g} ‖D₋‖ in a ball of radius exp(−{depth:.4g})"
    if ratio <= 0:
        return Margin(-np.inf, 0.0, "relative", note=note)
    quantity = data.norm_minus / ratio
    return relative_margin(quantity, 1.0, 1e-10 * quantity, note=note)


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
