"""The gradient flow for inputs of any geometry, from event to event."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from verify.errors import InvalidArgument
from verify.experiments.alone import run_alone, stacked, time_alone
from verify.experiments.modes import Modes
from verify.experiments.path import Path
from verify.experiments.regression import Regression
from verify.experiments.run import Run
from verify.network import Network

MANY = 2000
"""From so many pairs on, neurons are followed one by one as long as they move alone: fewer events for each."""


def general_flow(
    data: Regression,
    start: Network,
    until: float,
    *,
    rtol: float = 1e-9,
    rest: float = 0.0,
    times: Iterable[float] | None = None,
    progress: Callable[[float], object] | None = None,
) -> Path:
    """Follow θ' = −∇L(θ) from ``start`` to the time ``until``, event by event.

    p_jk' = (a_j/n) Σ_l G_kl σ'(p_jl) r_l and a_j' = (1/n) Σ_k σ(p_jk) r_k, where a pair p_jk may pass 0 in either
    direction, or slide along it (see ``Modes``): the solution in the sense of Filippov, and where that is not unique
    the one that stays inactive. Between events the field is smooth and scipy's DOP853 integrates it with local error
    ``rtol`` relative to each neuron's own size, so that λ sets no scale; events come from Bernstein coefficients of the
    dense output, which miss none of its crossings.

    ``rest``: stop as soon as the loss has fallen below this fraction of its start. ``times``: keep the states at these
    times only; for data so large that all steps would not fit into memory. ``progress`` is told the time reached.
    Raises InvalidArgument for arguments out of range, SimulationFailed where the flow cannot be followed.
    Source: eq. 2, 3 (T), for inputs as in Appendix A (T); sliding (D).

    >>> data = Regression(np.array([[2.0, 1.0]]), np.array([1.0]))
    >>> path = general_flow(data, Network(np.array([1e-3]), np.array([[1e-3, 0.0]])), until=20.0)
    >>> bool(abs(path.at(20.0).residual[0]) < 1e-8)
    True
    """
    wanted = None if times is None else sorted({float(t) for t in times})
    _check(data, start, until, rtol, wanted)
    goal = rest * data.loss(data.projections(start), start.a)
    return _followed(data, start, until, rtol, goal, wanted, progress)


def _followed(
    data: Regression,
    start: Network,
    until: float,
    rtol: float,
    goal: float,
    times: list[float] | None,
    progress: Callable[[float], object] | None,
) -> Path:
    alone = min(time_alone(data, start), until) if start.m * data.n >= MANY else 0.0
    singles = run_alone(data, start, alone, rtol, times) if alone > 0 else []
    run = _joined(singles, until) if singles else _begun(data, start, until, rtol)
    run.times = None if times is None else [t for t in times if t > alone or not singles]
    while run.t < until and run.loss() > goal:
        run.advance()
        if progress is not None:
            progress(run.t)

    def coarser(factor: float) -> Path:
        kept = None if times is None else [t for t in times if t <= run.t]
        return _followed(data, start, run.t, factor * rtol, 0.0, kept, None)

    return Path(data, start, rtol, run, tuple(singles), coarser)


def _check(data: Regression, start: Network, until: float, rtol: float, times: list[float] | None) -> None:
    if not until > 0 or not 0 < rtol < 1e-3:
        raise InvalidArgument(f"until = {until} must be positive, and rtol = {rtol} between 0 and 1e-3")
    if times and not 0 <= times[0] <= times[-1] <= until:
        raise InvalidArgument(f"times = {times[0]} … {times[-1]} must lie in [0, until] = [0, {until}]")
    if data.d != start.d:
        raise InvalidArgument(f"start has d = {start.d}, but the inputs have d = {data.d}")


def _begun(data: Regression, start: Network, until: float, rtol: float) -> Run:
    p = data.projections(start)
    return Run(Modes.of(data, p, start.a), np.append(p.ravel(), start.a), 0.0, until, rtol, None)


def _joined(singles: list[Run], until: float) -> Run:
    modes = Modes.joined([run.modes for run in singles])
    return Run(modes, stacked([run.state for run in singles]), singles[0].t, until, singles[0].rtol, None)
