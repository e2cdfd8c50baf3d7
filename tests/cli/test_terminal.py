"""Exit codes of verdicts, and JSON for programs."""

from __future__ import annotations

import pytest

from tests.report.synthetic import frame, row
from verify.cli.terminal import exit_code, plain, records


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ("HOLDS", 0), ("HOLDS VACUOUS", 0), ("HOLDS UNRESOLVED", 3), ("FAILS UNRESOLVED HOLDS", 1),
        ("VACUOUS", 3), ("", 3),
    ],
)  # fmt: skip
def test_exit_code_of_verdicts(verdicts: str, code: int) -> None:
    rows = frame(*(row(verdict=verdict, margin=-1.0 if verdict == "FAILS" else 1.0) for verdict in verdicts.split()))
    assert exit_code(rows) == code


def test_a_margin_that_is_no_number_never_ends_with_zero() -> None:
    assert exit_code(frame(row(margin=float("nan")))) == 3


def test_json_has_no_numbers_that_json_lacks() -> None:
    inf = float("inf")
    [found] = records(frame(row(margin=inf, uncertainty=float("nan"))))
    assert (found["margin"], found["uncertainty"], found["neuron"]) == ("inf", None, None)
    assert plain([float("nan"), -inf, (1, "a"), True, None]) == [None, "-inf", [1, "a"], True, None]
