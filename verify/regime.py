"""From which Λ on the lemmas should hold: explicit sufficient conditions read off the steps of the proof. [D]

The paper leaves λ* implicit ("for λ small enough"). Each condition below states one step of the proof as an
inequality in κ = εΛ or Λ and is solved for the smallest value. Two of them depend on the initial directions, not only
on data and width (erratum E5): how long a key neuron needs to die on the labels of the other sign, and how far from its
target it is by then. Constants are generous: the conditions are sufficient up to the steps they simplify, and a claim
that fails beyond them is a finding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from verify.errors import InvalidArgument
from verify.flow.float64 import FLOAT64
from verify.flow.ledger import ledger_of
from verify.flow.start import initial_state
from verify.measures import key_set, target_norm
from verify.notation import FloatArray
from verify.problem import Problem


@dataclass(frozen=True)
class Condition:
    """One step of the proof: what it is for, and the Λ from which on it is met."""

    name: str
    minus_log_lambda: float


@dataclass(frozen=True)
class Regime:
    """All conditions on a problem; ``minus_log_lambda`` is the largest of their Λ, ``binding`` the one that sets it."""

    conditions: tuple[Condition, ...]

    @property
    def binding(self) -> Condition:
        """The condition that asks for the smallest λ."""
        return max(self.conditions, key=lambda condition: condition.minus_log_lambda)

    @property
    def minus_log_lambda(self) -> float:
        """The Λ from which on every condition is met."""
        return self.binding.minus_log_lambda


def regime(problem: Problem) -> Regime:
    """The sufficient regime of a problem; its own Λ does not matter.

    Raises ``InvalidArgument`` where the lemmas do not apply: a key set is empty, or all labels have one sign.
    """
    problem = problem.oriented()
    if not problem.dataset.negative.any() or not (problem.key_plus.any() and problem.key_minus.any()):
        raise InvalidArgument("the regime needs labels of both signs and non-empty key sets (Assumption 3)")
    found = []
    for name, condition in CONDITIONS.items():
        found.append(Condition(name, condition(problem)))
    return Regime(tuple(found))


def in_regime(problem: Problem, factor: float = 1.0) -> Problem:
    """The same problem at ``factor`` times the Λ of its regime, rounded up to four digits."""
    scale = factor * regime(problem).minus_log_lambda
    unit = 10.0 ** (math.floor(math.log10(scale)) - 3)
    return problem.at_scale(float(f"{math.ceil(scale / unit) * unit:.4g}"))


def small_outputs(problem: Problem) -> float:
    """4mc²λ^(2(1−rε)) ≤ min|y|/8 and 4mc²λ^(2(1−rε)) t₁ ≤ ln 2.

    The first keeps the residuals' signs (P1.sign), the second turns ‖w_j‖ ≤ cλ exp(∫‖D₊ᵗ‖) into the factors 2 and ½
    of Lemmas 2, 7, 8 and 9. With rε ≤ 1/3 the left sides decrease in Λ.
    """
    data, start, epsilon = problem.dataset, problem.initialisation, problem.epsilon
    mass = math.log(4 * start.m) + 2 * math.log(start.c)
    power = 2 * (1 - data.ratio * epsilon)
    signs = (mass - math.log(np.abs(data.y).min() / 8)) / power
    factors = _fixed_point(lambda scale: (mass + math.log(epsilon * scale / (data.norm_minus * math.log(2)))) / power)
    return max(signs, factors, 1.0)


def deaths_in_time(problem: Problem) -> float:
    """t₊₁ and t₋₁ are at least twice the last death of S₊₁ and S₋₁ under the linearised flow. (E5)

    Lemma 7's third step bounds that death by f(0)/(a² − f(0)²), which depends on the initial directions; the boosts
    give it exactly, and the factor 2 covers the residual's distance from y.
    """
    return max(2 * target_norm(problem, side) * _last_death(problem, side)[0] for side in (1, -1)) / problem.epsilon


def aligned_in_time(problem: Problem) -> float:
    """1 − cos ≤ 2λ^ε at t±₁: 2κ − 2‖D‖T + 2d ≥ κ + 1, T the last death and d the rapidity then. (E5)

    After T the cosine is tanh(d + ‖D‖(t − T)) (Grönwall's f′ = a² − f² solved exactly), and 1 − tanh x ≤ 2e^(−2x).
    """
    worst = 0.0
    for side in (1, -1):
        death, rapidity = _last_death(problem, side)
        worst = max(worst, 2 * target_norm(problem, side) * death - 2 * rapidity + 1)
    return worst / problem.epsilon


def logistic_in_time(problem: Problem) -> float:
    """Lemma 3's time: with η the relative error of the rate, 2Λ + 2.2κ + C ≤ (1 − η)(2Λ + 4κ).

    u₊(t₊₁) ≥ (c̲²/4)λ^(2(1+ε)) grows logistically at the rate 2‖D₊‖(1 − η) to n‖D₊‖ − λ^(ε/5);
    C = ln(4n‖D₊‖/c̲²) + ln(2n‖D₊‖). It suffices that κ ≥ C and η(2 + 4ε) ≤ 0.8ε.
    """
    data, start, epsilon = problem.dataset, problem.initialisation, problem.epsilon
    norm = data.norm_plus
    constant = math.log(4 * data.n * norm) - 2 * math.log(start.c_low) + math.log(2 * data.n * norm)
    eta = (4 * math.sqrt(2 / norm) + 1 / norm) * (2 + 4 * epsilon) / (0.8 * epsilon)
    return max(constant, 4 * math.log(eta), 0.0) / epsilon


def fit_before_error(problem: Problem) -> float:
    """n(4 sqrt(2‖D₊‖)λ^(ε/4) + λ^(ε/2)) ≤ ½λ^(ε/5): the logistic limit lies above the end of phase 2."""
    data = problem.dataset
    return 20 * math.log(2 * data.n * (4 * math.sqrt(2 * data.norm_plus) + 1)) / problem.epsilon


def idle_growth(problem: Problem) -> float:
    """2 sqrt(2‖D₊‖)λ^(ε/4)(1 + 3ε)Λ/‖D₊‖ ≤ ln 2: the error of the idle rate costs at most the factor 2 of L3.idle.

    The rest of the exponent, max(1 − α, 1/r)(1 + 3ε)Λ ≤ (1 − ε)Λ, is the definition of ε. The same with ln(3/2) and
    the longer time t₃ serves L4.idle.
    """
    data, epsilon = problem.dataset, problem.epsilon
    size = 2 * math.sqrt(2 * data.norm_plus) * 2 / (data.norm_minus * math.log(1.5))
    return _fixed_point(lambda scale: 4 * math.log(max(size * scale, 1.0)) / epsilon, 4 / epsilon)


def tilt_in_phase_two(problem: Problem) -> float:
    """5‖D₊‖λ^ε e^(2κ/5) ≤ λ^(ε/2): from t_u to t₂ the tilt grows by at most e^(2‖D₊‖(t₂−t_u)), t₂ − t_u ≤ κ/(5‖D₊‖)."""
    return max(10 * math.log(5 * problem.dataset.norm_plus), 0.0) / problem.epsilon


def turn_in_time(problem: Problem) -> float:
    """t₂ − t_u ≤ κ/(5‖D₊‖): ½(ln(6n‖D₊‖) + κ/5) + ½ ≤ 0.95 κ/5, from u₊ = n‖D₊‖/7 at the rate 2‖D₊‖(1 − η)."""
    data = problem.dataset
    return max((math.log(6 * data.n * data.norm_plus) + 1) / 0.18, 0.0) / problem.epsilon


def still_after_two(problem: Problem) -> float:
    """sqrt(n/‖D₊‖)·2λ^(ε/5) ≤ λ^(ε/15): the path of S₊₁ after t₂ is ∫a_j‖D₊ᵗ‖ with ‖D₊ᵗ‖ falling at the rate ‖D₊‖."""
    data = problem.dataset
    return max(7.5 * math.log(2 * math.sqrt(data.n / data.norm_plus)), 0.0) / problem.epsilon


def fits_to_come(problem: Problem) -> float:
    """λ^(ε/5) ≤ n‖D₊‖/2 and λ^(ε/29) ≤ n‖D₋‖/2: a side does not count as fitted before half of it is.

    Otherwise t₂ or t₃ may come as its phase begins. Implied by `pl_ball`, but needed before it.
    """
    data = problem.dataset
    gaps = (5 * math.log(2 / (data.n * data.norm_plus)), 29 * math.log(2 / (data.n * data.norm_minus)))
    return max(*gaps, 0.0) / problem.epsilon


def phase_three(problem: Problem) -> float:
    """2n sqrt(2‖D₋‖)λ^(ε/28) ≤ λ^(ε/29): the tilt λ^(ε/14) allowed in phase 3 costs less than the gap at its end.

    From |h₋| ≤ u₋ sqrt(2h/‖D₋‖)/n. The exponents differ by 1/812, which makes this the binding condition of the proof.
    """
    data = problem.dataset
    return max(812 * math.log(2 * data.n * math.sqrt(2 * data.norm_minus)), 0.0) / problem.epsilon


def pl_ball(problem: Problem) -> float:
    """λ^(ε/160) ≤ 0.2 sqrt(n‖D₋‖) min_k |y_k|/‖y_±‖: then ‖∇L‖²/L ≥ ‖D₋‖ in the whole ball, rigorously.

    ‖∇L‖² ≥ (1/n²) Σ_k r_k² M_k with M_k = Σ a_j² over neurons active on k, so that the ratio is at least 2 min M_k/n.
    Within R of θ* the neurons that lost k have Σc_j² ≤ R²/ŷ_k², hence M_k ≥ (sqrt(n‖D‖ − R²/ŷ_k²) − R)², which is at
    least n‖D₋‖/2 for R = 0.2 sqrt(n‖D₋‖) ŷ_k.
    """
    data = problem.dataset
    norms = data.n * np.where(data.positive, data.norm_plus, data.norm_minus)
    smallest = float((np.abs(data.y) / norms).min())
    radius = 0.2 * math.sqrt(data.n * data.norm_minus) * smallest
    return max(-160 * math.log(radius), 0.0) / problem.epsilon


def final_ball(problem: Problem) -> float:
    """(1 + 3/sqrt(2n‖D₋‖))λ^(ε/29) ≤ λ^(ε/160): distance at t₃ plus the path 2 sqrt(L(t₃)/‖D₋‖) stays in the ball."""
    data = problem.dataset
    constant = 1 + 3 / math.sqrt(2 * data.n * data.norm_minus)
    return math.log(constant) / (1 / 29 - 1 / 160) / problem.epsilon


CONDITIONS: dict[str, Callable[[Problem], float]] = {
    function.__name__: function
    for function in (
        small_outputs,
        deaths_in_time,
        aligned_in_time,
        logistic_in_time,
        fit_before_error,
        idle_growth,
        tilt_in_phase_two,
        turn_in_time,
        still_after_two,
        fits_to_come,
        phase_three,
        pl_ball,
        final_ball,
    )
}


def _last_death(problem: Problem, side: int) -> tuple[float, float]:
    """Under r = y: when the last neuron of S±₁ dies on a label of the other sign, and the smallest rapidity then."""
    death, rapidity = _last_rounds(problem)
    key = key_set(problem, side)
    return float(death[key].max()), float(rapidity[key].min())


@lru_cache(maxsize=4)
def _last_rounds(problem: Problem) -> tuple[FloatArray, FloatArray]:
    """(m,) each, under r = y: when every neuron dies for the last time, and its rapidity then."""
    ledger = ledger_of(*initial_state(problem, FLOAT64), np.zeros(problem.dataset.n, dtype=bool))
    rows, last = ledger.rows, ledger.last
    with np.errstate(divide="ignore", invalid="ignore"):
        rapidity = np.log(rows.plus[last] / rows.minus[last]) / 2
    return rows.start[last], rapidity


def _fixed_point(bound: Callable[[float], float], start: float = 1.0) -> float:
    """The Λ ≥ start from which on bound(Λ) ≤ Λ, for a bound that grows like start·ln Λ: iterated from below."""
    scale = start
    for _ in range(200):
        needed = max(bound(scale), 1.0)
        if needed <= scale * (1 + 1e-9):
            break
        scale = needed
    return scale
