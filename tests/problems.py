"""Problems whose answers are known: by a formula, by hand, or from the reference trajectories."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from verify.dataset import Dataset
from verify.decimals import ExactArray, exact_array, exact_number
from verify.initialisation import Initialisation
from verify.notation import FloatArray
from verify.problem import Problem

DATA = Path(__file__).parent / "data"
REFERENCES = ("R1", "R2", "R3")

ROTATION = (("0.6", "0.8", "0"), ("-0.8", "0.6", "0"))
"""Two orthonormal rows in R^3, exact as decimals though not as float64."""


@dataclass(frozen=True)
class ReferenceState:
    """The state of a reference trajectory at one time, to about 35 digits."""

    exact_t: Any
    exact_log_norms: ExactArray
    exact_directions: ExactArray
    exact_residual: ExactArray
    exact_loss: Any

    @property
    def t(self) -> float:
        return float(self.exact_t)

    @property
    def log_norms(self) -> FloatArray:
        """ln|a_j|, shape (m,)."""
        return self.exact_log_norms.float64

    @property
    def directions(self) -> FloatArray:
        """p_jk/|a_j|, shape (m, n), 0 after a deactivation."""
        return self.exact_directions.float64

    @property
    def residual(self) -> FloatArray:
        """y_k - h(x_k), shape (n,)."""
        return self.exact_residual.float64

    @property
    def loss(self) -> float:
        return float(self.exact_loss)


@dataclass(frozen=True)
class ReferenceDeactivation:
    """The time at which <w_neuron, x_label> reaches 0."""

    exact_t: Any
    neuron: int
    label: int

    @property
    def t(self) -> float:
        return float(self.exact_t)


def reference(name: str) -> tuple[Problem, list[ReferenceState], list[ReferenceDeactivation]]:
    """Return a reference trajectory, "R1", "R2" or "R3": problem, states and deactivations in time order."""
    record = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    states = [
        ReferenceState(
            exact_number(state["t"], "t"),
            exact_array(state["log_norm"], "log_norm", 1),
            exact_array(state["direction"], "direction", 2),
            exact_array(state["residual"], "residual", 1),
            exact_number(state["loss"], "loss"),
        )
        for state in record["states"]
    ]
    deactivations = [
        ReferenceDeactivation(exact_number(event["t"], "t"), event["neuron"], event["label"])
        for event in record["deactivations"]
    ]
    return Problem.from_json(record["problem"]), states, deactivations


def decoupled(minus_log_lambda: float, y: tuple[float, float] = (2.0, -1.0)) -> Problem:
    """Return two inputs in R^3, each with one neuron on its own axis: every claim has a closed form here.

    Neuron 0 is e_0 with sign +1, neuron 1 is 2 e_1 with sign -1, so u_k = a_k² solves the logistic equation
    u' = 2u(|y_k| - u)/n from u_k(0) = (‖g_k‖ λ)².
    """
    start = Initialisation([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]], [1, -1], minus_log_lambda)
    return Problem(Dataset.standard(y, d=3), start)


def decoupled_state(problem: Problem, t: float) -> tuple[FloatArray, FloatArray]:
    """Return ln|a_j| (2,) and the residuals r_k (2,) of a decoupled problem, for any Λ with u_k(0) < |y_k|.

    u/|y| = 1/(1 + e^-z) with z = logit(u(0)/|y|) + 2|y|t/n, kept in logarithms throughout.
    """
    y = problem.dataset.y
    log_share = 2 * (np.log(problem.initialisation.norms) - problem.initialisation.minus_log_lambda)
    log_share -= np.log(np.abs(y))
    logit = log_share - np.log1p(-np.exp(log_share)) + 2 * np.abs(y) * t / problem.dataset.n
    log_norms = (np.log(np.abs(y)) - np.logaddexp(0.0, -logit)) / 2
    residual = y * np.exp(-np.logaddexp(0.0, logit))
    return log_norms, residual


def decoupled_time(problem: Problem, label: int, log_gap: float) -> float:
    """Return the t at which |r_k|/|y_k| = exp(log_gap) on a decoupled problem; log_gap < 0 is a logarithm."""
    y = abs(float(problem.dataset.y[label]))
    start = problem.initialisation
    log_share = 2 * (math.log(start.norms[label]) - start.minus_log_lambda) - math.log(y)
    logit_start = log_share - math.log1p(-math.exp(log_share))
    logit_end = math.log1p(-math.exp(log_gap)) - log_gap
    return (logit_end - logit_start) * problem.dataset.n / (2 * y)


def small(minus_log_lambda: float = 1000.0, epsilon: Any = None) -> Problem:
    """Return a problem checked by hand: n = 2, m = 4, d = 3, one neuron of each sign in its key set.

    y = (2, -1): ‖D₊‖ = 1, ‖D₋‖ = 1/2, r = 2, α = α₋ = 1/2. S₊₁ = {0} and S₋₁ = {2}.
    """
    directions = [[3, 4, 0], [-1, 2, 2], [-2, 1, 2], [1, -2, 2]]
    start = Initialisation(directions, [1, 1, -1, -1], minus_log_lambda)
    return Problem(Dataset.standard([2, -1], d=3), start, epsilon)


def rotated(minus_log_lambda: float = 1000.0) -> Problem:
    """Return the small problem on inputs off the coordinate axes, in decimals that no float64 equals."""
    return Problem(Dataset(ROTATION, [2, -1]), small(minus_log_lambda).initialisation)


def unfitted() -> Problem:
    """Return a problem whose phase 2 never ends: neuron 0, which sees one positive label, takes it from S₊₁ = {1}.

    κ is 0.02, so that λ^(ε/5) is nearly 1, and norms and tilts would have to be of order one to end it.
    """
    directions = [[1.0, -1.0, -1.0], [0.25, 0.5, -1.0], [-1.0, -1.0, 1.0]]
    return Problem(Dataset.standard([2.0, 0.5, -1.0]), Initialisation(directions, [1, 1, -1], 3.0))


def undying() -> Problem:
    """Return a problem on which key neurons stay active on labels of the other sign: λ = e^-0.05 fits both at once."""
    start = Initialisation([[1.35, 0.9], [1.06, 0.6]], [1, -1], "0.05")
    return Problem(Dataset.standard([2.3, -0.65]), start)


def without_third() -> Problem:
    """Return a problem whose phase 2 ends while phase 3 does not: neuron 1 takes label 1 from S₋₁ = {2}, λ = e^-0.3."""
    directions = [[1.4, -0.1, 1.1, 1.1], [1.73, -0.24, -0.57, 1.3], [-0.3, 0.65, 0.33, 0.05]]
    return Problem(Dataset.standard([1.24, -0.39, 1.93, -1.99]), Initialisation(directions, [1, -1, -1], "0.3"))
