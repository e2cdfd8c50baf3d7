"""Quantities of the proofs, read off a state in logarithms."""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.flow.arithmetic import Array
from verify.flow.state import State
from verify.problem import Problem


def key_set(problem: Problem, side: int) -> Array:
    """(m,) mask: S₊₁ for side +1, S₋₁ for side −1. [R, Appendix B.1]"""
    return problem.key_plus if side > 0 else problem.key_minus


def target_norm(problem: Problem, side: int) -> float:
    """‖D₊‖ for side +1, ‖D₋‖ for side −1. [R]"""
    return problem.dataset.norm_plus if side > 0 else problem.dataset.norm_minus


def log_gap(state: State, side: int) -> tuple[float, float]:
    """Sign and logarithm of n‖D‖ − u, u = Σ over the key set of ‖w_j‖², without cancellation. [D, section 2.9]

    n‖D‖ − u = ⟨ŷ, r + o⟩ − Σ a_j² (1 − cos∠(w_j, D)), where o is what the other neurons put out; the identity
    needs balancedness.
    """
    problem = state.problem
    key = key_set(problem, side)
    labels = problem.dataset.positive if side > 0 else problem.dataset.negative
    weights = problem.dataset.y[labels] / np.linalg.norm(problem.dataset.y[labels])
    others = np.maximum(state.directions[np.ix_(~key, labels)], 0)
    shares = (state.signs[~key, None] * others * weights).sum(axis=1)
    magnitude = state.arithmetic.magnitude
    signs = [state.residual_axis[[0 if side > 0 else 1]], np.sign(shares.astype(float)), -np.ones(int(key.sum()))]
    logs = [
        state.log_residual_axis[[0 if side > 0 else 1]],
        2 * state.log_norms[~key] + magnitude(shares),
        2 * state.log_norms[key] + state.log_misalignment(side)[key],
    ]
    return signed_log_sum(np.concatenate(signs), np.concatenate(logs))


def signed_log_sum(signs: Array, logs: Array) -> tuple[float, float]:
    """Sign and logarithm of Σ signs·e^logs.

    >>> signed_log_sum(np.array([1.0, -1.0]), np.log([3.0, 1.0]))
    (1.0, 0.6931471805599453)
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


def as_float(value: Any) -> float:
    """Nearest machine float."""
    return float(value)
