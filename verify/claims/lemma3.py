"""Lemma 3: phase 2 ends in time, because the positive labels are fitted, with S₊₁ still aligned."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verify import bars
from verify.batches import Batched
from verify.claim import Claim, Margin, Vacuous, power_margin, relative_margin, slack_margin
from verify.evidence import Evidence
from verify.flow.state import State
from verify.hypotheses import TRAJECTORY, plus_neurons
from verify.measures import log_dynamic_target, target_norm
from verify.notation import BoolArray, FloatArray
from verify.phases import Exit, second_levels
from verify.unended import late, unended


def time(evidence: Evidence) -> Margin:
    """t₂ ≤ −(1 + 3ε) ln λ/‖D₊‖. [T, Lemma 3]"""
    problem, end = evidence.problem, evidence.second_exit
    bound = (1 + 3 * problem.epsilon) * problem.initialisation.minus_log_lambda / problem.dataset.norm_plus
    if end.condition is None:
        return late(evidence, "t₂", 0.0, bound)
    return relative_margin(end.t, bound, bars.time(evidence, end, +1), t=end.t, note=f"ended by {end.condition}")


def exit(evidence: Evidence) -> Margin:
    """Phase 2 ends with u₊ = n‖D₊‖ − λ^(ε/5), not with a norm or a tilt. [T, Lemma 3]

    The margin is the distance, in nats, from the nearest of the other two conditions when the fit is reached; when
    one of them comes first it is minus what the fit still misses.
    """
    if evidence.second_exit.condition is None:
        return unended(evidence, "t₂")
    end = evidence.second_exit
    return exit_by_fit(evidence, end, second_levels(evidence.timeline.state(end.t)), +1)


def exit_by_fit(evidence: Evidence, end: Exit, levels: dict[str, float], side: int) -> Margin:
    """The margin of the claim that the fit ends a phase, from the levels reached there."""
    name = max((name for name in levels if name != "fit"), key=lambda name: levels[name])
    value = -levels[name] if end.condition == "fit" else levels["fit"]
    state, which = evidence.timeline.state(end.t), name if end.condition == "fit" else "fit"
    error = bars.level(evidence, state, which, side) + bars.drift(evidence, end, side)
    return slack_margin(value, error, "nats", t=end.t, note=f"ended by {end.condition}")


def align(evidence: Evidence) -> Margin | Vacuous:
    """⟨w_j/‖w_j‖, D₊⟩ ≥ ‖D₊‖ − λ^(ε/2) for j in S₊₁ on [t₊₁, t₂]. [T, Lemma 3]"""
    return stays_aligned(evidence, +1, 1 / 2, evidence.time_plus, evidence.second_exit)


def stays_aligned(evidence: Evidence, side: int, exponent: float, start: float, end: Exit) -> Margin | Vacuous:
    """The margin of ⟨w_j/‖w_j‖, ±D±⟩ ≥ ‖D±‖ − λ^(pε) for j in S±₁ from ``start`` to the end of a phase."""
    kappa, norm, key = evidence.kappa, target_norm(evidence.problem, side), evidence.key(side)
    if -kappa * exponent >= math.log(norm):
        target = "D₊" if side > 0 else "−D₋"
        return Vacuous(f"λ^({exponent:.3g}ε) ≥ ‖D‖, and a neuron of the cone cannot be further than that from {target}")

    @Batched
    def tilt(state: State) -> FloatArray:
        return np.where(key, np.asarray(state.log_misalignment(side), dtype=np.float64), -np.inf)

    worst, error = bars.largest(evidence, tilt, evidence.window(start, end.t), bars.log_tilt)
    return power_margin(
        worst.value + math.log(norm),
        -kappa * exponent,
        error + bars.drift_at(evidence, worst.t, end, side),
        kappa=kappa,
        claimed_exponent=exponent,
        neuron=worst.member,
        t=worst.t,
    )


def idle(evidence: Evidence) -> Margin | Vacuous:
    """‖w_j‖ ≤ 2cλ^ε for j outside S₊₁ on [0, t₂]. [T, Lemma 3]"""
    return largest_idle_norm(evidence, ~evidence.key(+1), 2.0, evidence.second_exit, +1)


def largest_idle_norm(evidence: Evidence, idle: BoolArray, factor: float, end: Exit, side: int) -> Margin | Vacuous:
    """The margin of ‖w_j‖ ≤ factor·cλ^ε for the neurons ``idle`` up to the end of the phase that fits a side."""
    if not idle.any():
        return Vacuous("every neuron is a key neuron")

    @Batched
    def log_norm(state: State) -> FloatArray:
        return np.where(idle, np.asarray(state.log_norms, dtype=np.float64), -np.inf)

    worst, error = bars.largest(evidence, log_norm, evidence.window(0.0, end.t), bars.log_norm)
    return power_margin(
        worst.value,
        math.log(factor * evidence.problem.initialisation.c) - evidence.kappa,
        error + bars.drift_at(evidence, worst.t, end, side),
        kappa=evidence.kappa,
        claimed_exponent=1.0,
        neuron=worst.member,
        t=worst.t,
    )


def loss(evidence: Evidence, exponent: float) -> Margin:
    """(1/2n) Σ_{y_k>0} r_k² at t₂ is at most λ^(pε), constant 1. [T, Lemma 3 and its appendix version; erratum E3]

    At t₂ the gap is λ^(ε/5) by definition, so that the margin only carries the error of finding t₂. The loss is a
    square: twice the error of ‖D₊ᵗ‖.
    """
    end = evidence.second_exit
    if end.condition is None:
        return unended(evidence, "t₂")
    n = evidence.problem.dataset.n
    loss_log = 2 * log_dynamic_target(evidence.timeline.state(end.t), +1) + math.log(n / 2)
    return power_margin(
        loss_log,
        -exponent * evidence.kappa,
        2 * bars.log_target_at(evidence, end, +1),
        kappa=evidence.kappa,
        claimed_exponent=exponent,
        t=end.t,
    )


_HYPOTHESES = (*TRAJECTORY, plus_neurons)

CLAIMS = (
    Claim("L3.time", "Lemma 3", "T", "t₂ ≤ −(1 + 3ε) ln λ/‖D₊‖", time, _HYPOTHESES),
    Claim("L3.exit", "Lemma 3", "T", "u₊(t₂) = n‖D₊‖ − λ^(ε/5) is what ends phase 2", exit, _HYPOTHESES),
    Claim(
        "L3.align",
        "Lemma 3",
        "T",
        "⟨w_j/‖w_j‖, D₊⟩ ≥ ‖D₊‖ − λ^(ε/2) for j ∈ S₊₁ on [t₊₁, t₂]",
        align,
        _HYPOTHESES,
    ),
    Claim(
        "L3.idle",
        "Lemma 3",
        "T",
        "‖w_j‖ ≤ 2cλ^ε for j ∉ S₊₁ on [0, t₂]",
        idle,
        _HYPOTHESES,
    ),
    Claim(
        "L3.loss",
        "Lemma 3, main text",
        "T",
        "loss on the positive labels at t₂ ≤ λ^(ε/5)",
        partial(loss, exponent=0.2),
        _HYPOTHESES,
        reading="literal",
    ),
    Claim(
        "L3.loss.appendix",
        "Lemma 10, remark",
        "T",
        "loss on the positive labels at t₂ ≤ λ^(2ε/5)",
        partial(loss, exponent=0.4),
        _HYPOTHESES,
        reading="corrected",
    ),
)
