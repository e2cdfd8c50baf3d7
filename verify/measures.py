"""Quantities of the proofs, read off a state in logarithms."""

from __future__ import annotations

import numpy as np

from verify.flow.arithmetic import Array
from verify.flow.state import State
from verify.notation import BoolArray, FloatArray
from verify.problem import Problem


def key_set(problem: Problem, side: int) -> Array:
    """(m,) mask: S₊₁ for side +1, S₋₁ for side −1. [R, Appendix B.1]"""
    return problem.key_plus if side > 0 else problem.key_minus


def target_norm(problem: Problem, side: int) -> float:
    """‖D₊‖ for side +1, ‖D₋‖ for side −1. [R]"""
    return problem.dataset.norm_plus if side > 0 else problem.dataset.norm_minus


def side_labels(problem: Problem, side: int) -> BoolArray:
    """(n,) mask: labels of the sign of ``side``."""
    return problem.dataset.positive if side > 0 else problem.dataset.negative


def log_gap(state: State, side: int) -> tuple[float, float]:
    """Sign and logarithm of n‖D‖ − u, u = Σ over the key set of ‖w_j‖², without cancellation. [D, section 2.9]

    n‖D‖ − u = ⟨ŷ, r⟩ − excess, with the excess of :func:`log_axis_excess`; the identity needs balancedness.
    """
    column = 0 if side > 0 else 1
    sign, excess = log_axis_excess(state, side)
    axis = float(state.residual_axis[column]), float(state.log_residual_axis[column])
    return signed_log_sum(np.array([axis[0], -sign]), np.array([axis[1], excess]))


def log_axis_excess(state: State, side: int) -> tuple[float, float]:
    """Sign and logarithm of Σ a_j² (1 − cos∠(w_j, D)) over the key set, minus ⟨ŷ, o⟩, o the others' outputs. [D]"""
    key, labels = key_set(state.problem, side), side_labels(state.problem, side)
    weights = state.problem.dataset.y[labels] / np.linalg.norm(state.problem.dataset.y[labels])
    shares = (state.signs[~key, None] * np.maximum(state.directions[np.ix_(~key, labels)], 0) * weights).sum(axis=1)
    tilted = 2 * state.log_norms[key] + state.log_misalignment(side)[key]
    others = 2 * state.log_norms[~key] + state.arithmetic.magnitude(shares)
    signs = np.concatenate([np.ones(int(key.sum())), -np.sign(shares.astype(float))])
    return signed_log_sum(signs, np.concatenate([tilted, others]))


def log_outputs(state: State) -> tuple[FloatArray, FloatArray]:
    """Signs and logarithms (n,) of the outputs h(x_k), from the neurons' coordinates."""
    positive = np.where(state.active, state.directions, 0 * state.directions)
    logs = np.asarray(2 * state.log_norms, dtype=np.float64)[:, None] + state.arithmetic.magnitude(positive)
    top = logs.max(axis=0)
    top = np.where(top == -np.inf, 0.0, top)
    totals = np.asarray(state.signs, dtype=np.float64) @ np.exp(logs - top)
    with np.errstate(divide="ignore"):
        return np.sign(totals), np.log(np.abs(totals)) + top


def log_key_norm(state: State, side: int) -> float:
    """ln u, u = Σ over the key set of a_j²."""
    return log_sum(2 * state.log_norms[key_set(state.problem, side)])


def log_dynamic_target(state: State, side: int) -> float:
    """ln‖D₊ᵗ‖ or ln‖D₋ᵗ‖, D₊ᵗ = (1/n) Σ_{y_k > 0} r_k x_k. [R]"""
    logs = state.log_residual[side_labels(state.problem, side)]
    return log_sum(2 * logs) / 2 - float(np.log(state.problem.dataset.n))


def growth_rates(state: State) -> FloatArray:
    """(m,): d ln|a_j|/dt = s_j ⟨w_j⁺, r⟩/(n|a_j|)."""
    moving = np.where(state.active, state.directions, state.directions * 0)
    return np.asarray(state.signs * (moving @ state.residual) / state.problem.dataset.n, dtype=np.float64)


def log_sum(logs: Array) -> float:
    """ln Σ e^logs."""
    return signed_log_sum(np.ones(len(logs)), logs)[1]


def signed_log_sum(signs: Array, logs: Array) -> tuple[float, float]:
    """Sign and logarithm of Σ signs·e^logs.

    >>> sign, log = signed_log_sum(np.array([1.0, -1.0]), np.log([3.0, 1.0]))
    >>> sign, round(log, 9)
    (1.0, 0.693147181)
    """
    sizes = np.asarray(logs, dtype=np.float64)
    top = float(sizes.max(initial=-np.inf))
    if top == -np.inf:
        return 0.0, -np.inf
    total = float((np.asarray(signs, dtype=np.float64) * np.exp(sizes - top)).sum())
    with np.errstate(divide="ignore"):
        return float(np.sign(total)), float(np.log(abs(total)) + top)


def log_norm_excess(state: State) -> Array:
    """(m,): ln of ‖w_j‖/|a_j|, zero for a balanced neuron."""
    moving = np.where(state.active, state.directions, state.directions * 0)
    rest = state.arithmetic.exp(2 * state.log_rest)
    return state.arithmetic.log((moving * moving).sum(axis=1) + rest) / 2


def log_speeds_squared(state: State) -> float:
    """ln‖∇L‖² = ln (1/n²) Σ_j (a_j²‖r_A‖² + ⟨w_j⁺, r⟩²), the rate at which the loss falls."""
    moving = np.where(state.active, state.directions, state.directions * 0)
    logs = np.asarray(state.log_residual, dtype=np.float64)
    top = float(logs.max(initial=-np.inf))
    if top == -np.inf:
        return -np.inf
    scaled = state.residual_sign * np.exp(logs - top)
    felt = np.where(state.active, scaled * scaled, 0).sum(axis=1) + np.asarray(moving @ scaled, dtype=np.float64) ** 2
    with np.errstate(divide="ignore"):
        sizes = np.log(felt) + 2 * np.asarray(state.log_norms, dtype=np.float64)
    return log_sum(sizes) + 2 * top - 2 * float(np.log(state.problem.dataset.n))
