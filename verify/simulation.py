"""`simulate`: the gradient flow of a problem in machine floats, in many digits, or in balls that hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from verify.errors import InvalidArgument
from verify.flow.simulate import simulate as measured
from verify.flow.trajectory import Trajectory
from verify.problem import Problem

if TYPE_CHECKING:
    from verify.certify.trajectory import CertifiedTrajectory


@overload
def simulate(
    problem: Problem,
    until: Any = None,
    digits: int | None = None,
    rtol: float | None = None,
    *,
    rigorous: Literal[False] = False,
) -> Trajectory: ...


@overload
def simulate(
    problem: Problem,
    until: Any = None,
    digits: int | None = None,
    rtol: float | None = None,
    *,
    rigorous: Literal[True],
) -> CertifiedTrajectory: ...


def simulate(
    problem: Problem,
    until: Any = None,
    digits: int | None = None,
    rtol: float | None = None,
    *,
    rigorous: bool = False,
) -> Trajectory | CertifiedTrajectory:
    """Follow the gradient flow of ``problem`` from time 0. [T, eq. 2 and 3; method D]

    ``rigorous`` False: as :func:`verify.flow.simulate.simulate` says, with an estimate of the error. True: in ball
    arithmetic, as :func:`verify.certify.trajectory.certified` says; the trajectory's numbers are balls that hold the
    true ones, to its limit or the time ``until``, and ``digits`` are about as many as its states have at all times.

    Raises ``InvalidArgument`` for an ``rtol`` beside ``rigorous``, and what these two raise.

    >>> from verify import Dataset, Initialisation, Problem
    >>> start = Initialisation([[1.0, -0.5], [-0.25, 1.0]], [1, -1], minus_log_lambda=100)
    >>> state = simulate(Problem(Dataset.standard([1, -0.5]), start), rigorous=True).at(20)
    >>> bool(state.residual[0] > 0.999)
    True
    """
    if not rigorous:
        return measured(problem, until, digits, rtol)
    if rtol is not None:
        raise InvalidArgument(f"rtol = {rtol!r} means nothing with rigorous=True: what a step omits is enclosed")
    from verify.certify.trajectory import certified

    return certified(problem, until, digits)
