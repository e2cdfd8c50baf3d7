"""Right answers for claims: the decoupled problem in closed form, and the linearised flow in many digits."""

import math
from dataclasses import replace
from functools import cache

import mpmath as mp
import numpy as np

from tests.linearised import digits_for, linear_neuron, misalignment
from tests.problems import decoupled, decoupled_state, decoupled_time, unfitted
from verify.evidence import Evidence
from verify.families import draw_problem
from verify.flow.trajectory import Trajectory
from verify.notation import FloatArray
from verify.problem import Problem

SCALES = (1e3, 1e4, 1e5, 1e6)
FAINT_LABEL = (2.0, -0.1)
"""Labels with 2n‖D₋‖ = 0.2 < 1, where erratum E4 shows."""


@cache
def evidence(minus_log_lambda: float, y: tuple[float, float] = (2.0, -1.0)) -> Evidence:
    """Evidence of the decoupled problem, computed once for all tests of a file."""
    return Evidence(decoupled(minus_log_lambda, y))


@cache
def unfitted_evidence() -> Evidence:
    """Evidence of a problem whose phase 2 never ends."""
    return Evidence(unfitted())


def level_at_rest(found: Evidence) -> float:
    """−κ/5 − ln(n‖D₊‖ − u₊) at the end of the trajectory, from the norms as they stand."""
    norms = found.trajectory.at(found.trajectory.t_end).log_norms
    gap = found.problem.dataset.n * found.problem.dataset.norm_plus - np.exp(2 * norms[found.key(1)]).sum()
    return float(-found.kappa / 5 - np.log(gap))


@cache
def drawn(seed: int, kappa: float, n: int = 4, m: int = 7, d: int = 5) -> Evidence:
    """Evidence of a drawn problem on the standard basis, where ``linear_neuron`` applies."""
    rng = np.random.default_rng(seed)
    return Evidence(draw_problem(rng, inputs="standard", labels="rational", n=n, m=m, d=d, kappa=kappa))


def second_time(problem: Problem) -> float:
    """t₂ of the decoupled problem: y₊ − u₊ = λ^(ε/5), once that is after t₊₁."""
    return decoupled_time(problem, 0, -problem.kappa / 5 - math.log(problem.dataset.y[0]))


def third_time(problem: Problem) -> float:
    """t₃ of the decoupled problem: |y₋| − u₋ = λ^(ε/29), once that is after t₂."""
    return decoupled_time(problem, 1, -problem.kappa / 29 - math.log(-problem.dataset.y[1]))


def log_residuals(problem: Problem, t: float) -> FloatArray:
    """ln|r_k| (2,) of the decoupled problem, also where r_k is below every machine float."""
    y = np.abs(problem.dataset.y)
    log_share = 2 * (np.log(problem.initialisation.norms) - problem.initialisation.minus_log_lambda) - np.log(y)
    logit = log_share - np.log1p(-np.exp(log_share)) + 2 * y * t / problem.dataset.n
    return np.asarray(np.log(y) - np.logaddexp(0.0, logit))


def log_missing(problem: Problem, label: int, t: float) -> float:
    """ln(sqrt|y| − |a|) of one neuron of the decoupled problem, without cancellation."""
    root = math.sqrt(abs(problem.dataset.y[label]))
    return float(log_residuals(problem, t)[label]) - math.log(root + math.exp(decoupled_state(problem, t)[0][label]))


def log_distance(problem: Problem, t: float, at_rest: tuple[int, ...] = (0, 1)) -> float:
    """ln of the distance to the point where the neurons ``at_rest`` fit their labels and the others vanish."""
    logs = decoupled_state(problem, t)[0].copy()
    for label in at_rest:
        logs[label] = log_missing(problem, label, t)
    return float(np.logaddexp.reduce(2 * logs) + math.log(2)) / 2


def linear_tilt(problem: Problem, side: int, t: float) -> tuple[int, float]:
    """The worst neuron of S±₁ at time t under the linearised flow, and ln(1 − cos) of its angle to ±D±."""
    key = np.flatnonzero(problem.key_plus if side > 0 else problem.key_minus)
    with mp.workdps(digits_for(problem, t)):
        tilts = {int(j): misalignment(problem, linear_neuron(problem, int(j), t), side) for j in key}
        worst = max(tilts, key=lambda j: tilts[j])
        return worst, float(mp.log(tilts[worst])) if tilts[worst] > 0 else -math.inf


def linear_last_death(problem: Problem, side: int) -> float:
    """When the last neuron of S±₁ dies on a label of the other sign, under the linearised flow."""
    key = np.flatnonzero(problem.key_plus if side > 0 else problem.key_minus)
    norm = problem.dataset.norm_plus if side > 0 else problem.dataset.norm_minus
    with mp.workdps(60):
        return max(float(linear_neuron(problem, int(j), 200 / norm).last_deactivation) for j in key)


def spoil(monkeypatch, change, after=0.0):
    """Replace every state from time ``after`` on by ``change(state)``, where states at many times come as one too."""
    for name in ("at", "along"):
        monkeypatch.setattr(Trajectory, name, spoiling(getattr(Trajectory, name), change, after))


def spoiling(right, change, after):
    """The method ``right`` of a trajectory, with its states changed."""

    def wrong(self, t):
        state = right(self, t)
        late, changed = np.asarray(state.t) >= after, change(state)
        mixed = {}
        for name in ("log_growth", "signs", "directions"):
            before = getattr(state, name)
            which = late.reshape(late.shape + (1,) * (before.ndim - late.ndim))
            mixed[name] = np.where(which, getattr(changed, name), before)
        return replace(state, **mixed)

    return wrong
