"""Steps in the proof of Lemma 3 (Lemma 10 of the appendix): idle rates, colinear targets, the logistic equation."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache, partial
from itertools import compress

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous, Verdict, power_margin, slack_margin
from verify.evidence import Evidence
from verify.flow.arithmetic import Array, to_float
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, plus_neurons
from verify.measures import growth_rates, log_axis_excess, log_sum, side_labels
from verify.notation import BoolArray, FloatArray
from verify.windows import Extreme


def rate(evidence: Evidence, corrected: bool) -> Margin | Vacuous:
    """(ln‖w_j‖)′ ≤ max((1 − α)‖D₊‖, ‖D₋‖) + e for j outside S₊₁ on [0, t₂]. [T, second point; erratum E2]

    Printed, α = min y_k²/(2‖D₊‖²); corrected, it carries 1/n². The text's small term is taken as the bound
    e = 2 sqrt(2‖D₊‖) λ^(ε/4) of ``L10.colinear``. The margin is relative to ‖D₊‖. Where an idle neuron tends to a
    rate that equals the bound ‖D₋‖, so that the difference cancels, it is in nats: of what lifts rates against e.
    """
    data = evidence.problem.dataset
    idle = ~evidence.key(+1)
    if not idle.any():
        return Vacuous("every neuron is in S₊₁")
    alpha = data.alpha_plus * (1 if corrected else data.n**2)
    bound = max((1 - alpha) * data.norm_plus, data.norm_minus) + math.exp(log_tolerance(evidence))
    if bound >= data.norm_plus:
        return Vacuous("the bound is not below ‖D₊‖, which no neuron can exceed")
    margin = _slack(evidence, bound)
    if margin.verdict == Verdict.FAILS or alpha * data.norm_plus < data.norm_plus - data.norm_minus:
        return margin
    finer = _excess(evidence, margin) if _nears_bound(evidence, idle) else margin
    return finer if finer.verdict == Verdict.HOLDS else margin


def _nears_bound(evidence: Evidence, idle: BoolArray) -> bool:
    """Whether ‖D₋‖ is the largest rate ‖y_A‖/n to which an idle neuron tends, A its active labels of its own sign."""
    data, start = evidence.problem.dataset, evidence.problem.initialisation
    squares = [Fraction(float(y)) ** 2 for y in data.y]
    own = (evidence.problem.projections > 0) & (np.sign(data.y) == start.signs[:, None])
    largest = max(sum(compress(squares, row), Fraction()) for row in own[idle])
    return largest == sum(compress(squares, data.negative), Fraction()) > 0


def _slack(evidence: Evidence, bound: float) -> Margin:
    """(bound − fastest rate of the neurons outside S₊₁ on [0, t₂])/‖D₊‖."""
    norm, (worst, error) = evidence.problem.dataset.norm_plus, _fastest(evidence)
    size = (bound + abs(worst.value)) / norm
    note = f"fastest idle rate {worst.value / norm:.6g} ‖D₊‖, bound {bound / norm:.6g} ‖D₊‖"
    slack = (bound - worst.value) / norm
    return slack_margin(slack, error / norm, "relative", size=size, neuron=worst.member, t=worst.t, note=note)


@lru_cache(maxsize=16)
def _fastest(evidence: Evidence) -> tuple[Extreme, float]:
    """The fastest rate of a neuron outside S₊₁ on [0, t₂], and its error bar: both readings ask for it."""
    idle, norm = ~evidence.key(+1), evidence.problem.dataset.norm_plus

    @Batched
    def rates(state: State) -> FloatArray:
        return np.where(idle, growth_rates(state), -np.inf)

    window, noise = evidence.window(0.0, evidence.second_exit.t), bars.growth(evidence, evidence.time_plus) * norm
    worst = evidence.timeline.largest(rates, *window, noise=noise)
    return worst, _rate_error(evidence, worst) + bars.located(worst, window, noise)


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


def _excess(evidence: Evidence, margin: Margin) -> Margin:
    """The margin in nats of what lifts a rate above ‖y_A‖/n, against the tolerance e. [D]

    s r_k is at most |y_k| and what neurons of the other sign put out there on labels of the neuron's own sign, and at
    most what an output has overshot its label on others: a rate exceeds ‖y_A‖/n by at most the norm of both over n.
    A negative margin would decide nothing. Outputs carry two log-norms and a direction, an overshoot its residual.
    """
    data, signs = evidence.problem.dataset, evidence.problem.initialisation.signs
    wrong = signs[:, None] != np.sign(data.y)

    @Batched
    def harm(state: State) -> FloatArray:
        logs = 2 * to_float(state.log_norms)[..., None] + state.arithmetic.magnitude(state.moving)
        outputs = log_sum(np.swapaxes(np.where(wrong, logs, -np.inf), -1, -2))
        beyond = np.where(state.residual_sign * np.sign(data.y) < 0, to_float(state.log_residual), -np.inf)
        parts = np.concatenate([2 * outputs, 2 * beyond], axis=-1)
        return np.stack([log_sum(parts) / 2 - math.log(data.n)], axis=-1)

    worst, error = bars.largest(evidence, harm, evidence.window(0.0, evidence.second_exit.t), _harm_error)
    return power_margin(
        worst.value,
        log_tolerance(evidence),
        error,
        kappa=evidence.kappa,
        claimed_exponent=0.25,
        neuron=margin.neuron,
        t=worst.t,
        note=margin.note,
    )


def _harm_error(evidence: Evidence, t: float) -> float:
    """Of ln of a sum of outputs a_j²q_jk, two log-norms and a direction each, and of residuals: that of the worst."""
    state = evidence.timeline.state(t)
    return max(3 * bars.log_norm(evidence, t), *(bars.log_residual(evidence, state, side) for side in (1, -1)))


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
