"""Steps in the proof of Lemma 3 (Lemma 10 of the appendix): idle rates, colinear targets, the logistic equation."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous, Verdict, power_margin, slack_margin
from verify.evidence import Evidence
from verify.flow.arithmetic import Array
from verify.flow.boost import to_float
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, plus_neurons
from verify.measures import growth_rates, log_axis_excess, log_outputs, log_sum, side_labels
from verify.notation import BoolArray, FloatArray
from verify.windows import Extreme


def rate(evidence: Evidence, corrected: bool) -> Margin | Vacuous:
    """(ln‖w_j‖)′ ≤ max((1 − α)‖D₊‖, ‖D₋‖) + e for j outside S₊₁ on [0, t₂]. [T, second point; erratum E2]

    Printed, α = min y_k²/(2‖D₊‖²); corrected, it carries 1/n². The text's small term is taken as the bound
    e = 2 sqrt(2‖D₊‖) λ^(ε/4) of ``L10.colinear``. The margin is relative to ‖D₊‖. Where ‖D₋‖ is the bound and the
    fastest neuron nears −D₋, so that the difference cancels, it is in nats, from the parts that are left.
    """
    data = evidence.problem.dataset
    idle = ~evidence.key(+1)
    if not idle.any():
        return Vacuous("every neuron is in S₊₁")
    alpha = data.alpha_plus * (1 if corrected else data.n**2)
    bound = max((1 - alpha) * data.norm_plus, data.norm_minus) + math.exp(log_tolerance(evidence))
    if bound >= data.norm_plus:
        return Vacuous("the bound is not below ‖D₊‖, which no neuron can exceed")

    margin = _slack(evidence, idle, bound)
    aligned = data.norm_minus > 0 and bound == data.norm_minus + math.exp(log_tolerance(evidence))
    if margin.verdict == Verdict.FAILS or not aligned or evidence.problem.initialisation.signs[margin.neuron] > 0:
        return margin
    finer = _aligned_margin(evidence, margin.note)
    if finer.verdict != Verdict.HOLDS or (margin.verdict != Verdict.HOLDS and _others_near(evidence, idle, bound)):
        return margin
    return finer


def _slack(evidence: Evidence, who: BoolArray, bound: float) -> Margin:
    """(bound − fastest rate of the neurons ``who`` on [0, t₂])/‖D₊‖."""

    @Batched
    def rates(state: State) -> FloatArray:
        return np.where(who, growth_rates(state), -np.inf)

    norm, window = evidence.problem.dataset.norm_plus, evidence.window(0.0, evidence.second_exit.t)
    noise = bars.growth(evidence, evidence.time_plus) * norm
    worst = evidence.timeline.largest(rates, *window, noise=noise)
    error = (_rate_error(evidence, worst) + bars.located(worst, window, noise)) / norm
    size = (bound + abs(worst.value)) / norm
    note = f"fastest idle rate {worst.value / norm:.6g} ‖D₊‖, bound {bound / norm:.6g} ‖D₊‖"
    slack = (bound - worst.value) / norm
    return slack_margin(slack, error, "relative", size=size, neuron=worst.member, t=worst.t, note=note)


def _others_near(evidence: Evidence, idle: BoolArray, bound: float) -> bool:
    """Whether an idle neuron with s_j = +1, which cannot near −D₋, comes as near to the bound."""
    others = idle & (evidence.problem.initialisation.signs > 0)
    return bool(others.any()) and _slack(evidence, others, bound).verdict != Verdict.HOLDS


def _rate_error(evidence: Evidence, worst: Extreme) -> float:
    """Of a growth rate ⟨q, r⟩/n on active labels: q turns, so that it feels what of r is across it, and r is off."""
    state, data = evidence.timeline.state(worst.t), evidence.problem.dataset
    q = to_float(state.moving[worst.member])
    r = np.where(state.active[worst.member], to_float(state.residual), 0.0)
    turning = float(np.linalg.norm(r - (q @ r) * q)) * bars.growth(evidence, worst.t)
    sides = [side for side in (1, -1) if side_labels(evidence.problem, side).any()]
    residual = max(bars.log_residual(evidence, state, side) for side in sides)
    late = bars.drift_at(evidence, worst.t, evidence.second_exit, +1)
    return (turning + float(np.abs(r).sum()) * (residual + late)) / data.n


def _aligned_margin(evidence: Evidence, note: str) -> Margin:
    """The margin in nats of ‖(h₋⁺, r₊⁻)‖/n ≤ ‖D₋‖(1 − cos) + e, which suffices where the fastest neuron nears −D₋.

    For s_j = −1 the rate is ‖D₋‖cos − ⟨w_j, h₋⟩/n − ⟨w_j, r₊⟩/n in units of ‖w_j‖; what helps is left out, so that a
    negative margin would decide nothing. The error is that of an output or a residual, and of a tilt.
    """
    data = evidence.problem.dataset
    idle = ~evidence.key(+1) & (evidence.problem.initialisation.signs < 0)
    window = evidence.window(0.0, evidence.second_exit.t)

    @Batched
    def harm(state: State) -> FloatArray:
        sign, outputs = log_outputs(state)
        residual = to_float(state.log_residual)
        wrong = np.where(data.negative & (sign > 0), outputs, -np.inf)
        wrong = np.where(data.positive & (state.residual_sign < 0), residual, wrong)
        return np.stack([log_sum(2 * wrong) / 2 - math.log(data.n)], axis=-1)

    @Batched
    def closeness(state: State) -> FloatArray:
        return np.where(idle, -np.asarray(state.log_misalignment(-1), dtype=np.float64), -np.inf)

    worst, located = bars.largest(evidence, harm, window, bars.log_norm)
    tilt, tilt_error = bars.largest(evidence, closeness, window, bars.log_tilt)
    state, negative = evidence.timeline.state(worst.t), np.flatnonzero(data.negative).tolist()
    errors = [bars.log_residual(evidence, state, +1), *(bars.log_output(evidence, state, k) for k in negative)]
    return power_margin(
        worst.value,
        log_sum(np.array([log_tolerance(evidence), math.log(data.norm_minus) - tilt.value])),
        max(errors) + located + tilt_error,
        kappa=evidence.kappa,
        claimed_exponent=0.25,
        neuron=tilt.member,
        t=worst.t,
        note=note,
    )


def log_tolerance(evidence: Evidence) -> float:
    """ln of 2 sqrt(2‖D₊‖) λ^(ε/4), the error term of phase 2. [R]"""
    return math.log(2 * math.sqrt(2 * evidence.problem.dataset.norm_plus)) - evidence.kappa / 4


def colinear(evidence: Evidence) -> Margin:
    """‖D₊ᵗ − (1 − u₊/(n‖D₊‖))D₊‖ ≤ 2 sqrt(2‖D₊‖) λ^(ε/4) on [t₊₁, t₂]. [R, proof of Lemma 10]

    Its parts are a_j²(1 − cos), others' outputs, and the residual across the axis that these make.
    """
    n = evidence.problem.dataset.n

    @Batched
    def deviation(state: State) -> FloatArray:
        along, across = log_axis_excess(state, +1)[1], state.axis(+1).log_across
        return np.stack([log_sum(np.stack([2 * along, 2 * across], axis=-1)) / 2 - math.log(n)], axis=-1)

    worst, error = bars.largest(evidence, deviation, _phase(evidence), _parts_error)
    return power_margin(
        worst.value,
        log_tolerance(evidence),
        error,
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

    worst, error = bars.largest(evidence, deviation, _phase(evidence), _parts_error)
    return power_margin(worst.value, bound_log, error, kappa=kappa, claimed_exponent=0.25, t=worst.t)


def _parts_error(evidence: Evidence, t: float) -> float:
    """Of ln a_j²(1 − cos), of which the other parts have no more: two log-norms and a tilt; and of the time of t₂."""
    here = 2 * bars.log_norm(evidence, t) + bars.log_tilt(evidence, t)
    return here + bars.drift_at(evidence, t, evidence.second_exit, +1)


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
