"""Components with one label: two exponentials against the general recursion."""

from typing import Any

import numpy as np
import pytest

from verify.flow import rapidity, series
from verify.flow.multiprecision import MPMATH, default_engine, multiprecision
from verify.flow.series import Law, Series, started

ORDER, GAIN, SIGNS = 29, 0.3, [1, -1, 1, -1]
SILENT = 2


def setting(number: Any, axis: float, row: int, start: float, labels: int = 1) -> tuple[Series, Law]:
    """Four neurons, one of them off, driven by the given row of the residual."""
    rng = np.random.default_rng(row)

    def numbers(values: Any) -> Any:
        return np.vectorize(lambda value: number(float(value)), otypes=[object])(values)

    a, z = numbers(rng.uniform(0.5, 1.0, 4)), numbers(rng.uniform(0.1, 1.0, (4, labels)))
    channel = np.full((4, labels), row) + np.arange(labels)
    channel[SILENT] = -1
    weight = numbers(np.array(SIGNS) * rng.uniform(0.01, 0.3, 4))
    framed, off_axis = np.full(labels, axis != 0), np.zeros(labels, dtype=bool)
    law = Law(
        channel, numbers(np.array(SIGNS) * GAIN), weight, weight, numbers(axis * np.eye(labels)), framed, off_axis,
        numbers([1.0])[0],
    )  # fmt: skip
    return started(law, a, z, numbers([start] * labels), ORDER + 1), law


@pytest.mark.parametrize("engine", [MPMATH, default_engine()], ids=["mpmath", "default"])
@pytest.mark.parametrize(("axis", "row"), [(0.0, 0), (1.0, 0), (1.0, 1), (-1.0, 1)])
@pytest.mark.parametrize("start", [0.75, 2.0**-700])
def test_the_series_are_those_of_the_recursion(engine, axis, row, start):
    with multiprecision(50, engine=engine).context():
        (here, law), (there, _) = (setting(engine.number, axis, row, start) for _ in range(2))
        rapidity.extend(here, law, 0, ORDER)
        series.extend(there, law, 0, ORDER)
        for name in ("a", "r", "alpha", "z", "drive"):
            mine, other = (getattr(one, name) if name != "r" else one.r.T for one in (here, there))
            largest = abs(other[1:]).max(axis=0)
            assert all(abs(mine - other)[1:].max(axis=0) <= 1e-50 * largest), name
        assert [bool(value) for value in here.a[1]] == [j != SILENT for j in range(4)]


def test_labels_that_couple_and_later_orders_are_left_to_the_recursion(monkeypatch: pytest.MonkeyPatch):
    called = []
    monkeypatch.setattr(series, "extend", lambda _, law, begin, end: called.append((len(law.framed), begin)))
    with multiprecision(50).context():
        number = default_engine().number
        rapidity.extend(*setting(number, 0.0, 0, 0.5, labels=2), 0, ORDER)
        rapidity.extend(*setting(number, 0.0, 0, 0.5), 5, ORDER)
    assert called == [(2, 0), (1, 5)]
