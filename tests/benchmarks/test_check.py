"""Claims and dense output on the problem with m = 60."""

import math

import numpy as np
import pytest

from tests.benchmarks.table import Run, Table, median_seconds
from tests.benchmarks.test_simulate import sixty
from tests.problems import reference
from verify.check import check
from verify.claims import CLAIMS
from verify.flow.simulate import simulate

SLOWEST = 5


@pytest.mark.parametrize("minus_log_lambda", [230.0, 1e6])
def test_at(benchmark, minus_log_lambda):
    """Trajectory.at at 64 times, spread over the trajectory and over its nodes."""
    trajectory = simulate(sixty(minus_log_lambda))
    nodes = trajectory.nodes
    times = np.concatenate([np.linspace(0.0, trajectory.t_end, 32), nodes[:: max(1, len(nodes) // 32)][:32]])
    found = benchmark(lambda: [trajectory.at(float(t)) for t in times])
    assert len(found) == len(times)
    assert all(np.isfinite(state.log_norms.astype(float)).all() for state in found)


def test_check_of_all_claims(benchmark):
    """The reference R3, Λ = 1500: every claim once."""
    frame = benchmark.pedantic(check, (reference("R3")[0],), rounds=1, iterations=1)
    assert frame["claim"].tolist() == [claim.id for claim in CLAIMS]
    assert (frame["margin"].isna() == frame["verdict"].eq("VACUOUS") | frame["uncertainty"].isna()).all()


def test_time_of_check(timed, table: Table):
    """All claims at two scales, and the slowest of them."""
    problems = {scale: sixty(scale) for scale in (230.0, 1e6)}
    for scale, problem in problems.items():
        frame = check(problem)
        slowest = frame.nlargest(SLOWEST, "seconds")[["claim", "seconds"]].itertuples(index=False)
        names = ", ".join(f"{claim} {seconds:.2g} s" for claim, seconds in slowest)
        total = float(frame["seconds"].sum())
        table.add(Run("check, all claims, m = 60", f"Λ = {scale:g}", total, None, f"slowest: {names}"))
        assert math.isfinite(total)


def test_time_of_a_state(timed, table: Table):
    """One state from the dense output, at the middle of every segment."""
    for scale in (18.4, 1e6):
        trajectory = simulate(sixty(scale))
        times = (trajectory.nodes[1:] + trajectory.nodes[:-1]) / 2
        seconds = median_seconds({"at": lambda t=trajectory, m=times: [t.at(float(x)) for x in m]}, 5)["at"]
        table.add(Run("Trajectory.at, m = 60", f"Λ = {scale:g}", seconds / len(times)))
