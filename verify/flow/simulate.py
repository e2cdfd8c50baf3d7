"""The only loop: every component goes from plateau to fit or Taylor steps to plateau until it rests."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np

from verify.errors import InvalidArgument, InvalidProblem, PrecisionExhausted, SimulationFailed
from verify.flow.arithmetic import Arithmetic
from verify.flow.chain import Chain, follow
from verify.flow.component import Component, Moment, split
from verify.flow.estimate import Stretch
from verify.flow.fit import find_fit
from verify.flow.float64 import FLOAT64
from verify.flow.multiprecision import check_digits, multiprecision
from verify.flow.start import SQUARABLE, initial_state
from verify.flow.step import Step
from verify.flow.stillness import find_plateau, leave
from verify.flow.trajectory import Trajectory
from verify.flow.uneven import even_frame
from verify.problem import Problem

MOST_BYTES = 4e9
"""Memory that the numbers of one Taylor step may take."""

MOST_STEPS, MOST_STEPS_IN_DIGITS = 100_000, 10_000
"""A simulation that needs more Taylor steps than this fails loudly. Either takes about a minute for a few neurons, and
as many steps in digits take 1 GB."""

LARGEST = 2.0**53
"""Largest |Λ| at which outputs are followed in float64: beyond it 2Λ, their logarithm, is rounded by up to 2."""


def simulate(
    problem: Problem, until: float | None = None, digits: int | None = None, rtol: float | None = None
) -> Trajectory:
    """Follow the gradient flow of ``problem`` from time 0. [T, eq. 2 and 3; method D]

    - ``until``: last time; None means until every component is at rest, its residual below 1e-30 of the labels.
    - ``digits``: None for float64, or from 20 to 2000 decimal digits that log-norms, directions, residuals (relative)
      and times of deactivation will have; numbers are then mpmath's, and decimals are never rounded to floats.
    - ``rtol``: relative size of what a step may neglect; None means an eighth of the unit roundoff.

    The cost does not depend on Λ: while the residual stands still neurons are moved by exact boosts, and all
    deactivations are found in closed form or as roots of polynomials known to be monotone, never by sampling.
    At ⟨w_j, x_k⟩ = 0 exactly the solution that stays at 0 is followed.

    Raises ``InvalidArgument`` for a negative or non-finite ``until``, an ``rtol`` outside (0, 1e-3], or digits out of
    range, ``PrecisionExhausted`` for digits that the inputs do not hold or that need
    too much memory, ``SimulationFailed`` when it cannot finish.

    >>> from verify import Dataset, Initialisation, Problem
    >>> start = Initialisation([[1.0, -0.5], [-0.25, 1.0]], [1, -1], minus_log_lambda=100)
    >>> round(float(simulate(Problem(Dataset.standard([1, -0.5]), start)).at(300.0).residual[0]), 9)
    0.0
    """
    arithmetic = arithmetic_for(problem, digits)
    with arithmetic.context():
        tolerance = _tolerance(rtol, arithmetic)
        end = _until(until, arithmetic)
        stretches = _run(*initial_state(problem, arithmetic), tolerance, math.inf if end is None else end)
        return Trajectory(problem, tuple(stretches), arithmetic, tolerance, end)


def arithmetic_for(problem: Problem, digits: int | None) -> Arithmetic:
    """Machine floats, or as many guard digits as the length of the trajectory asks for."""
    _check_labels(problem)
    if digits is None:
        return FLOAT64
    check_digits(digits)
    _check_orthonormal(problem, digits)
    y = np.abs(problem.dataset.y)
    slowest = float(np.linalg.norm(y) / y.min())
    arithmetic = multiprecision(digits, abs(problem.initialisation.minus_log_lambda) * slowest)
    _check_memory(problem, arithmetic)
    return arithmetic


def _check_labels(problem: Problem) -> None:
    """Raise ``InvalidProblem`` for labels whose squares are no machine numbers."""
    sizes = np.abs(problem.dataset.y)
    wrong = np.flatnonzero((sizes < 1 / SQUARABLE) | (sizes > SQUARABLE))
    if len(wrong):
        raise InvalidProblem(
            f"y[{wrong[0]}] = {problem.dataset.y[wrong[0]]:g}: the flow can follow labels of sizes between "
            f"{1 / SQUARABLE:g} and {SQUARABLE:g}; divide all labels by C and all directions by sqrt(C)"
        )


def _check_memory(problem: Problem, arithmetic: Arithmetic) -> None:
    """Raise ``PrecisionExhausted`` when one Taylor step would need more than ``MOST_BYTES``."""
    m, n = problem.initialisation.m, problem.dataset.n
    needed = arithmetic.bytes_of((m * (n + 1) + 2 * n) * (arithmetic.order + 1))
    if needed > MOST_BYTES:
        raise PrecisionExhausted(
            f"digits = {arithmetic.digits} with m = {m} neurons and n = {n} labels needs about {needed / 1e9:.3g} GB "
            f"for one step, more than {MOST_BYTES / 1e9:g} GB; ask for fewer digits or a smaller problem"
        )


def _check_orthonormal(problem: Problem, digits: int) -> None:
    """Raise ``PrecisionExhausted`` for inputs that are not orthonormal to the digits asked for."""
    reached = problem.dataset.orthonormal_digits
    if reached < digits:
        raise PrecisionExhausted(
            f"digits = {digits} exceeds what the inputs x hold: their rows are orthonormal to {reached:.3g} digits "
            "only; take x=None, the family 'rational', or decimal strings with as many digits"
        )


def _tolerance(rtol: float | None, arithmetic: Arithmetic) -> Any:
    if rtol is None:
        return arithmetic.epsilon / 8
    if not (isinstance(rtol, (int, float)) and 0 < rtol <= 1e-3):
        raise InvalidArgument(f"rtol = {rtol!r} must be a number in (0, 1e-3]")
    if arithmetic.digits > 16 and rtol < 0.1 * arithmetic.epsilon:
        raise PrecisionExhausted(f"rtol = {rtol!r} is finer than digits = {arithmetic.digits} can tell")
    return max(arithmetic.number(rtol), arithmetic.epsilon / 8)


def _until(until: Any, arithmetic: Arithmetic) -> Any:
    if until is None:
        return None
    if not (isinstance(until, (int, float, np.number, mpmath.mpf)) and 0 <= until < math.inf):
        raise InvalidArgument(f"until = {until!r} must be a finite time ≥ 0, or None to run until rest")
    return arithmetic.number(until)


def _run(component: Component, now: Moment, tolerance: Any, until: Any) -> list[Stretch]:
    waiting = split(component, now)
    done: list[Stretch] = []
    steps, most = 0, MOST_STEPS_IN_DIGITS if component.arithmetic.wide else MOST_STEPS
    while waiting:
        component, now = waiting.pop()
        plateau = find_plateau(component, now, tolerance)
        if plateau is not None and plateau.end > now.t:  # not if it is shorter than the rounding of the time
            done.append(plateau)
            if plateau.end < until:
                _check_scale(component)
                waiting.extend(leave(plateau, plateau.end))
            continue
        fit = find_fit(component, now, tolerance)
        if fit is not None and fit.end > now.t:
            done.append(fit)
            if fit.end < until:
                waiting.append(fit.leave())
            continue
        pieces = [(component, now)]
        while len(pieces) == 1:
            chain = follow(*even_frame(*pieces[0]), tolerance)
            done.append(chain)
            steps += len(chain)
            if steps > most or not (chain.end > chain.begin or chain.dying):
                raise SimulationFailed(_stuck(chain, steps))
            pieces = chain.leave() if chain.end < until else []
            if not chain.dying:
                break
        waiting.extend(pieces)
    return done


def _check_scale(component: Component) -> None:
    """Raise ``PrecisionExhausted`` when outputs come to count and machine floats cannot tell how large they are."""
    scale = component.minus_log_lambda
    if not component.arithmetic.wide and abs(scale) > LARGEST:
        raise PrecisionExhausted(
            f"minus_log_lambda = {scale:g} is beyond what machine floats can follow once outputs count, {LARGEST:g}: "
            "they round the logarithms of these by more than 1; ask for digits (20 or more) in a simulation. Claims, "
            "whose times are machine floats, are measured up to there only"
        )


def _stuck(chain: Chain | Step, steps: int) -> str:
    labels = ", ".join(str(k) for k in chain.component.labels)
    return (
        f"the flow could not be followed past t = {chain.begin}: {steps} Taylor steps so far, the last one ends at "
        f"{chain.end} (labels {labels}); a residual that grazes zero or scales too far apart do this; "
        "ask for (more) digits"
    )
