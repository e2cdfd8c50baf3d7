"""Quantities of the proofs, read off a state in logarithms.

Shapes are those of a state at one time; a state at many times puts the times first.
"""

from __future__ import annotations

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array, to_float
from verify.flow.state import State
from verify.flow.sums import signed_log_sum
from verify.notation import BoolArray
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


def log_gap(state: State, side: int) -> tuple[Array, Array]:
    """Sign and logarithm of n‖D‖ − u, u = Σ over the key set of ‖w_j‖², without cancellation. [D, section 2.9]

    n‖D‖ − u = ⟨ŷ, r⟩ − excess, with the excess of :func:`log_axis_excess`; the identity needs balancedness.
    """
    axis = state.axis(side)
    sign, excess = _axis_excess(state, side)
    signs, logs = np.stack([axis.sign, -sign], axis=-1), np.stack([axis.log_along, excess], axis=-1)
    sign, log = _signed_log_sum(signs, logs, state.arithmetic)
    return sign, to_float(log)


def log_axis_excess(state: State, side: int) -> tuple[Array, Array]:
    """Sign and logarithm of Σ a_j² (1 − cos∠(w_j, D)) over the key set, minus ⟨ŷ, o⟩, o the others' outputs. [D]"""
    sign, log = _axis_excess(state, side)
    return sign, to_float(log)


def _axis_excess(state: State, side: int) -> tuple[Array, Array]:
    key, arithmetic = key_set(state.problem, side), state.arithmetic
    shares = (state.signs * side * (state.moving @ state.constants.side(side).unit))[..., ~key]
    tilted = 2 * state.log_norms[..., key] + state.log_misalignment(side)[..., key]
    others = 2 * state.log_norms[..., ~key] + arithmetic.log(abs(shares))
    signs = np.concatenate([np.ones(tilted.shape), -arithmetic.sign(shares)], axis=-1)
    logs = np.concatenate([tilted, others], axis=-1)
    return _signed_log_sum(signs, logs, arithmetic)


def _signed_log_sum(signs: Array, logs: Array, arithmetic: Arithmetic) -> tuple[Array, Array]:
    """Sign and logarithm of Σ signs·e^logs over the last axis, with all digits of the arithmetic."""
    if not arithmetic.wide:
        return signed_log_sum(signs, logs)
    total = (signs * arithmetic.exp(logs)).sum(axis=-1)
    return arithmetic.sign(total), arithmetic.log(abs(total))


def log_outputs(state: State) -> tuple[Array, Array]:
    """Signs and logarithms (n,) of the outputs h(x_k), from the neurons' coordinates."""
    logs = 2 * to_float(state.log_norms)[..., None] + state.arithmetic.magnitude(state.moving)
    signs = to_float(state.signs)[..., None] + np.zeros(logs.shape)
    return signed_log_sum(np.swapaxes(signs, -1, -2), np.swapaxes(logs, -1, -2))


def log_key_norm(state: State, side: int) -> Array:
    """ln u, u = Σ over the key set of a_j²."""
    return log_sum(2 * state.log_norms[..., key_set(state.problem, side)])


def log_dynamic_target(state: State, side: int) -> Array:
    """ln‖D₊ᵗ‖ or ln‖D₋ᵗ‖, D₊ᵗ = (1/n) Σ_{y_k > 0} r_k x_k. [R]"""
    logs = state.log_residual[..., side_labels(state.problem, side)]
    return log_sum(2 * logs) / 2 - np.log(state.problem.dataset.n)


def growth_rates(state: State) -> Array:
    """(m,): d ln|a_j|/dt = s_j ⟨w_j⁺, r⟩/(n|a_j|)."""
    pull = (state.moving @ state.residual[..., None])[..., 0]
    return to_float(state.signs * pull / state.problem.dataset.n)


def log_sum(logs: Array) -> Array:
    """ln Σ e^logs over the last axis."""
    return signed_log_sum(np.ones(np.shape(logs)), logs)[1]


def log_norm_excess(state: State) -> Array:
    """(m,): ln of ‖w_j‖/|a_j|, zero for a balanced neuron."""
    rest = state.arithmetic.exp(2 * state.log_rest)
    return state.arithmetic.log((state.moving * state.moving).sum(axis=-1) + rest) / 2


def log_speeds_squared(state: State) -> Array:
    """ln‖∇L‖² = ln (1/n²) Σ_j (a_j²‖r_A‖² + ⟨w_j⁺, r⟩²), the rate at which the loss falls."""
    logs = to_float(state.log_residual)
    top = logs.max(axis=-1, initial=-np.inf)
    top = np.where(top == -np.inf, 0.0, top)
    scaled = to_float(state.residual_sign) * np.exp(logs - top[..., None])
    pull = to_float(state.moving) @ scaled[..., None]
    felt = (np.where(state.active, 1.0, 0.0) @ (scaled * scaled)[..., None] + pull * pull)[..., 0]
    with np.errstate(divide="ignore"):
        sizes = np.log(felt) + 2 * to_float(state.log_norms)
    return log_sum(sizes) + 2 * top - 2 * np.log(state.problem.dataset.n)
