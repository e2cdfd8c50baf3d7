"""Steps in the proof of Lemma 3 (Lemma 10 of the appendix): idle rates, colinear targets, the logistic equation."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous, power_margin
from verify.evidence import Evidence
from verify.flow.arithmetic import Array
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, plus_neurons
from verify.measures import growth_rates, log_axis_excess, log_outputs, log_sum, signed_log_sum
from verify.notation import FloatArray
from verify.windows import Extreme


def rate(evidence: Evidence, corrected: bool) -> Margin | Vacuous:
    """(ln‖w_j‖)′ ≤ max((1 − α)‖D₊‖, ‖D₋‖) + e for j outside S₊₁ on [0, t₂]. [T, second point; erratum E2]

    Printed, α = min y_k²/(2‖D₊‖²); corrected, it carries 1/n². The text's small term is taken as the bound
    e = 2 sqrt(2‖D₊‖) λ^(ε/4) of ``L10.colinear``. The margin is relative to ‖D₊‖.
    """
    data = evidence.problem.dataset
    idle = ~evidence.key(+1)
    if not idle.any():
        return Vacuous("every neuron is in S₊₁")
    alpha = data.alpha_plus * (1 if corrected else data.n**2)
    bound = max((1 - alpha) * data.norm_plus, data.norm_minus) + math.exp(log_tolerance(evidence))
    if bound >= data.norm_plus:
        return Vacuous("the bound is not below ‖D₊‖, which no neuron can exceed")

    @Batched
    def rates(state: State) -> FloatArray:
        return np.where(idle, growth_rates(state), -np.inf)

    start, end = evidence.window(0.0, evidence.second_exit.t)
    worst = evidence.timeline.largest(rates, start, end, noise=evidence.error * data.norm_plus)
    slack = (bound - worst.value) / data.norm_plus
    error = 8 * evidence.trajectory.local_error * _rate_terms(evidence, worst) / data.norm_plus
    aligned = data.norm_minus > 0 and bound == data.norm_minus + math.exp(log_tolerance(evidence))
    if abs(slack) <= error and aligned:
        slack, error = _aligned_slack(evidence, start, end), 0.0
    note = f"fastest idle rate {worst.value / data.norm_plus:.6g} ‖D₊‖, bound {bound / data.norm_plus:.6g} ‖D₊‖"
    return Margin(slack, error, "relative", neuron=worst.member, t=worst.t, note=note)


def _rate_terms(evidence: Evidence, worst: Extreme) -> float:
    """Σ_k |w_jk⁺||r_k|/(n‖w_j‖) at the worst neuron and time: the size of what its rate is summed from."""
    state = evidence.timeline.state(worst.t)
    moving = np.where(state.active[worst.member], state.directions[worst.member], 0)
    return float(np.abs(moving) @ np.abs(state.residual)) / evidence.problem.dataset.n


def _aligned_slack(evidence: Evidence, start: float, end: float) -> float:
    """A lower bound of (‖D₋‖ + e − fastest rate)/‖D₊‖ where the fastest neuron nears −D₋ and the difference cancels.

    For s_j = −1 the rate is ‖D₋‖cos − ⟨w_j, h₋⟩/n − ⟨w_j, r₊⟩/n in units of ‖w_j‖; what helps is left out, so that
    ‖D₋‖(1 − cos) + e − ‖h₋⁺‖/n remains. A positive slack below the smallest float64 is given as that number.
    """
    data = evidence.problem.dataset
    idle = ~evidence.key(+1) & (evidence.problem.initialisation.signs < 0)

    @Batched
    def harm(state: State) -> FloatArray:
        sign, outputs = log_outputs(state)
        wrong = np.where(data.negative & (sign > 0), 2 * outputs, -np.inf)
        return np.stack([log_sum(wrong) / 2 - math.log(data.n)], axis=-1)

    @Batched
    def closeness(state: State) -> FloatArray:
        return np.where(idle, -np.asarray(state.log_misalignment(-1), dtype=np.float64), -np.inf)

    worst = evidence.timeline.largest(harm, start, end, noise=math.inf).value
    tilt = -evidence.timeline.largest(closeness, start, end, noise=math.inf).value
    logs = [log_tolerance(evidence), math.log(data.norm_minus) + tilt, worst]
    sign, total = signed_log_sum(np.array([1.0, 1.0, -1.0]), np.array(logs))
    return float(sign) * max(math.exp(min(total, 0.0)) / data.norm_plus, 5e-324)


def log_tolerance(evidence: Evidence) -> float:
    """ln of 2 sqrt(2‖D₊‖) λ^(ε/4), the error term of phase 2. [R]"""
    return math.log(2 * math.sqrt(2 * evidence.problem.dataset.norm_plus)) - evidence.kappa / 4


def colinear(evidence: Evidence) -> Margin:
    """‖D₊ᵗ − (1 − u₊/(n‖D₊‖))D₊‖ ≤ 2 sqrt(2‖D₊‖) λ^(ε/4) on [t₊₁, t₂]. [R, proof of Lemma 10]"""
    n = evidence.problem.dataset.n

    @Batched
    def deviation(state: State) -> FloatArray:
        along, across = log_axis_excess(state, +1)[1], state.axis(+1).log_across
        return np.stack([log_sum(np.stack([2 * along, 2 * across], axis=-1)) / 2 - math.log(n)], axis=-1)

    worst = evidence.timeline.largest(deviation, *_phase(evidence), noise=evidence.error)
    return power_margin(
        worst.value,
        log_tolerance(evidence),
        16 * evidence.error,
        kappa=evidence.kappa,
        claimed_exponent=0.25,
        t=worst.t,
    )


def logistic(evidence: Evidence) -> Margin:
    """|u₊′ − 2u₊(‖D₊‖ − u₊/n)| ≤ 2u₊e, e = 4 sqrt(2‖D₊‖)λ^(ε/4) + λ^(ε/2), on [t₊₁, t₂]. [R, proof of Lemma 10]

    The quantity is an upper bound of the left side over 2u₊: the three parts that make it up, added in size.
    """
    kappa = evidence.kappa
    bound_log = log_sum(np.array([math.log(2) + log_tolerance(evidence), -kappa / 2]))

    @Batched
    def deviation(state: State) -> FloatArray:
        return np.stack([_logistic_deviation(evidence, state)], axis=-1)

    worst = evidence.timeline.largest(deviation, *_phase(evidence), noise=evidence.error)
    return power_margin(worst.value, bound_log, 16 * evidence.error, kappa=kappa, claimed_exponent=0.25, t=worst.t)


def _logistic_deviation(evidence: Evidence, state: State) -> Array:
    """ln of (1/n)(|excess| + max_j (1 − cos)|⟨r, ŷ⟩| + max_j |off-axis of w_j||off-axis of r| + cross labels)."""
    key, negative = evidence.key(+1), evidence.problem.dataset.negative
    tilt = _largest(state.log_misalignment(+1)[..., key])
    axis = state.axis(+1)
    crossed = (state.moving[..., key, :][..., negative] @ state.residual[..., negative, None])[..., 0]
    parts = [
        log_axis_excess(state, +1)[1],
        tilt + axis.log_along,
        _largest(axis.log_off[..., key]) + axis.log_across,
        _largest(state.arithmetic.magnitude(crossed)),
    ]
    return log_sum(np.stack(parts, axis=-1)) - math.log(evidence.problem.dataset.n)


def _largest(values: FloatArray) -> Array:
    return np.asarray(values, dtype=np.float64).max(axis=-1, initial=-np.inf)


def _phase(evidence: Evidence) -> tuple[float, float]:
    return evidence.window(evidence.time_plus, evidence.second_exit.t)


_HYPOTHESES = (*TRAJECTORY, plus_neurons)

CLAIMS = (
    Claim(
        "L10.rate",
        "proof of Lemma 10, second point",
        "T",
        "(ln‖w_j‖)′ ≤ max((1 − α)‖D₊‖, ‖D₋‖) + o(1) for j ∉ S₊₁ on [0, t₂], α = min y_k²/(2‖D₊‖²)",
        partial(rate, corrected=False),
        _HYPOTHESES,
        reading="literal",
    ),
    Claim(
        "L10.rate.corrected",
        "proof of Lemma 10 with erratum E2",
        "D",
        "(ln‖w_j‖)′ ≤ max((1 − α)‖D₊‖, ‖D₋‖) + o(1) for j ∉ S₊₁ on [0, t₂], α = min y_k²/(2n²‖D₊‖²)",
        partial(rate, corrected=True),
        _HYPOTHESES,
        reading="corrected",
    ),
    Claim(
        "L10.colinear",
        "proof of Lemma 10",
        "R",
        "‖D₊ᵗ − (1 − u₊/(n‖D₊‖))D₊‖ ≤ 2 sqrt(2‖D₊‖) λ^(ε/4) on [t₊₁, t₂]",
        colinear,
        _HYPOTHESES,
    ),
    Claim(
        "L10.logistic",
        "proof of Lemma 10, first point",
        "R",
        "|u₊′ − 2u₊(‖D₊‖ − u₊/n)| ≤ 2u₊(4 sqrt(2‖D₊‖) λ^(ε/4) + λ^(ε/2)) on [t₊₁, t₂]",
        logistic,
        _HYPOTHESES,
    ),
)
