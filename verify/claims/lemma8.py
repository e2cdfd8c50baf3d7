"""Lemma 8: the twin of Lemma 7 for S₋₁ at t₋₁ = −ε ln λ/‖D₋‖."""

from __future__ import annotations

from functools import partial

from verify.claim import Claim
from verify.claims.lemma7 import align, dead, dead_literal, norm
from verify.hypotheses import TRAJECTORY, minus_neurons, negative_labels

_HYPOTHESES = (*TRAJECTORY, minus_neurons)

CLAIMS = (
    Claim(
        "L8.norm",
        "Lemma 8",
        "T",
        "‖w_j‖ ≤ 2cλ^(1−rε) for all j at t₋₁",
        partial(norm, side=-1),
        (*TRAJECTORY, negative_labels),
    ),
    Claim(
        "L8.align",
        "Lemma 8",
        "T",
        "⟨w_j/‖w_j‖, −D₋⟩ ≥ (1 − 2λ^ε)‖D₋‖ for j ∈ S₋₁ at t₋₁",
        partial(align, side=-1),
        _HYPOTHESES,
    ),
    Claim(
        "L8.dead",
        "Lemma 8",
        "T",
        "⟨w_j, x_k⟩ = 0 for j ∈ S₋₁, y_k > 0 at t₋₁",
        partial(dead_literal, side=-1),
        _HYPOTHESES,
        reading="literal",
    ),
    Claim(
        "L8.dead.corrected",
        "Lemma 8 with erratum E1",
        "D",
        "⟨w_j, x_k⟩ ≤ 0 for j ∈ S₋₁, y_k > 0 at t₋₁",
        partial(dead, side=-1),
        _HYPOTHESES,
        reading="corrected",
    ),
)
