"""Appendix D: only σ′(0) = 0 admits a solution past a deactivation."""

from __future__ import annotations

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous, slack_margin
from verify.evidence import Evidence


def subgradient(evidence: Evidence) -> Margin | Vacuous:
    """At a deactivation p_jk = 0 with p_jk′ = g a_j r_k/n, g = σ′(0): staying at 0 needs g = 0 unless a_j r_k = 0. [T]

    Going on above 0 is impossible while s_j r_k < 0, and so is going below, where nothing moves. The margin is the
    smallest −s_j r_k/|y_k| over all deactivations: where it is positive, g = 0 is the only choice. Only the output in
    r_k = y_k − h(x_k) is inexact: as a_j² and a direction, and by its growth in the error of the time.
    """
    table = evidence.trajectory.deactivations
    if table.empty:
        return Vacuous("nothing is ever deactivated")
    y, signs = evidence.problem.dataset.y, evidence.problem.initialisation.signs
    neurons, labels = table["neuron"].to_numpy(), table["label"].to_numpy()
    times = table["t"].to_numpy(dtype=np.float64)
    residuals = evidence.timeline.values(Batched(lambda states: states.residual), times)
    pushes = -signs[neurons] * residuals[np.arange(len(table)), labels] / np.abs(y[labels])
    worst = int(np.argmin(pushes))
    j, k = int(table["neuron"].iloc[worst]), int(table["label"].iloc[worst])
    t = float(table["t"].iloc[worst])
    output = abs(1 - abs(float(pushes[worst])))
    error = output * (3 * bars.log_norm(evidence, t) + 2 * evidence.trajectory.fastest * bars.death(evidence, t, k))
    return slack_margin(float(pushes[worst]), error, "relative", neuron=j, label=k, t=t)


CLAIMS = (
    Claim(
        "AD.subgradient",
        "Appendix D",
        "T",
        "at every deactivation p_jk would move unless σ′(0) = 0",
        subgradient,
    ),
)
