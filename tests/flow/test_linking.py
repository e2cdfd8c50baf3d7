"""What is compiled: each function once, and into machine code only those that Python calls."""

import pytest
from numba.core.codegen import JITCodeLibrary
from numba.core.cpu import CPUContext

from tests.benchmarks.standard import wide
from verify.flow import chase, dense
from verify.flow.compiled import compilable, compiled
from verify.flow.float64 import FLOAT64
from verify.flow.simulate import simulate

ENTRIES = [
    *(getattr(FLOAT64, name) for name in ("grouped", "condensed", "started", "extend", "first_crossing", "sizes")),
    *(getattr(FLOAT64, name) for name in ("boosted", "advanced", "jacobi")),
    chase.chase,
    dense.evaluated,
    dense.last_terms,
]


@compilable
def innermost(x):
    return x + 1.0


@compilable
def middle(x):
    return 2.0 * innermost(x)


def outermost(x):
    return middle(x) + innermost(x)


def test_parts_are_not_made_machine_code(monkeypatch, tmp_path):
    made, finish = [], JITCodeLibrary._finalize_specific
    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", lambda self: (made.append(self.name), finish(self))[1])
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))
    assert compiled(outermost)(3.0) == outermost(3.0) == 12.0
    assert made[-1] == "outermost" and not {"middle", "innermost"} & set(made)


def test_numba_is_as_it_was_afterwards(monkeypatch):
    before = CPUContext.get_executable, JITCodeLibrary.finalize

    def wrong(x):
        return x + "a"

    with pytest.raises(Exception, match="No implementation"):
        compiled(wrong)(1.0)
    assert (CPUContext.get_executable, JITCodeLibrary.finalize) == before


def test_one_signature_a_function():
    """Labels that are all of a problem's, or some of them, are the same kind of array."""
    for problem in (wide(18.4, 12), wide(230.0, 60), wide(100.0, 2, n=2)):
        trajectory = simulate(problem)
        trajectory.along([0.1, 0.5 * trajectory.t_end])
    assert max(len(entry.signatures) for entry in ENTRIES) == 1
