"""The hypotheses of the lemmas, each a function that says why it fails on a problem."""

from __future__ import annotations

from verify.evidence import Evidence


def small_scale(evidence: Evidence) -> str | None:
    """λ < 1."""
    scale = evidence.problem.initialisation.minus_log_lambda
    return None if scale > 0 else f"λ = exp({0.0 - scale:g}) is not below 1"


def balanced(evidence: Evidence) -> str | None:
    """|a_j| = ‖w_j‖ at the start. [T, eq. 4]"""
    return None if evidence.problem.initialisation.is_balanced else "the initialisation is not balanced"


def plus_neurons(evidence: Evidence) -> str | None:
    """S₊₁ ≠ ∅. [T, Assumption 3]"""
    return _neurons(evidence, +1)


def minus_neurons(evidence: Evidence) -> str | None:
    """There are negative labels and S₋₁ ≠ ∅. [T, Assumption 3]"""
    return negative_labels(evidence) or _neurons(evidence, -1)


def negative_labels(evidence: Evidence) -> str | None:
    """D₋ ≠ 0."""
    return None if evidence.problem.dataset.negative.any() else "no label is negative: D₋ = 0"


def _neurons(evidence: Evidence, side: int) -> str | None:
    name, labels = ("S₊₁", "positive") if side > 0 else ("S₋₁", "negative")
    key = evidence.key(side)
    if not key.any():
        return f"{name} is empty (Assumption 3)"
    on = evidence.problem.dataset.positive if side > 0 else evidence.problem.dataset.negative
    touching = (evidence.problem.projections[key][:, on] == 0).any()
    return f"a neuron of {name} starts at 0 on a {labels} label: the flow is not unique" if touching else None


TRAJECTORY = (small_scale, balanced)
"""What every statement about a phase assumes."""
