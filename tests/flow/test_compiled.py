"""What is compiled: each function for one kind of arguments."""

from tests.benchmarks.standard import wide
from verify.flow import chase, dense
from verify.flow.float64 import FLOAT64
from verify.flow.simulate import simulate

ENTRIES = [
    *(getattr(FLOAT64, name) for name in ("grouped", "condensed", "started", "extend", "first_crossing", "sizes")),
    *(getattr(FLOAT64, name) for name in ("boosted", "advanced", "jacobi")),
    chase.chase,
    dense.evaluated,
    dense.last_terms,
]


def test_one_signature_a_function():
    """Labels that are all of a problem's, or some of them, are the same kind of array."""
    for problem in (wide(18.4, 12), wide(230.0, 60), wide(100.0, 2, n=2)):
        trajectory = simulate(problem)
        trajectory.along([0.1, 0.5 * trajectory.t_end])
    assert max(len(entry.signatures) for entry in ENTRIES) == 1
