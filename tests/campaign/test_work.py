"""What a worker answers, whatever happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.campaign.cheap import claims_file, config
from tests.problems import small
from verify import Dataset, Initialisation, Problem
from verify.campaign.sample import draw
from verify.campaign.schema import FEATURES, ROWS, rows_table
from verify.campaign.work import Task, check_or_say_why, check_tasks, rows_of_the_dead
from verify.catalogue import Selection
from verify.check import select
from verify.claim import Claim, Margin
from verify.errors import PrecisionExhausted, SimulationFailed


def claim(name: str, error: Exception | None = None) -> Claim:
    def measure(evidence: object) -> Margin:
        if error is not None:
            raise error
        return Margin(1.0, 0.0, "nats")

    return Claim(name, "here", "D", "1 ≥ 0", measure)


def test_rows_carry_the_features_of_their_problem(tmp_path: Path) -> None:
    which = config(tmp_path)
    drawn = [draw(which, index) for index in (3, 7)]
    table = check_tasks([Task.of(one) for one in drawn], Selection.parse(which.claims), "auto")
    assert table.schema.equals(ROWS)
    assert table["index"].to_pylist() == [3] * 3 + [7] * 3
    assert table["kappa"].to_pylist()[::3] == [one.problem.kappa for one in drawn]


def test_a_bug_in_one_claim_leaves_the_others() -> None:
    rows = check_or_say_why(small(), [claim("A"), claim("B", ZeroDivisionError("oh")), claim("C")], "auto")
    assert rows["verdict"].tolist() == ["HOLDS", "UNRESOLVED", "HOLDS"]
    assert rows["reason"].tolist()[1] == "ZeroDivisionError: oh"


def test_ctrl_c_in_a_compiled_loop_stops() -> None:
    error = SystemError("a compiled function returned a result with an exception set")
    error.__cause__ = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        check_or_say_why(small(), [claim("A"), claim("B", error)], "auto")


def test_a_simulation_that_fails_leaves_all_unresolved() -> None:
    rows = check_or_say_why(small(), [claim("A"), claim("B", SimulationFailed("too many steps"))], "auto")
    assert set(rows["verdict"]) == {"UNRESOLVED"} and set(rows["reason"]) == {"SimulationFailed: too many steps"}


def test_digits_that_are_not_there_are_only_an_error_when_asked_for() -> None:
    short = [claim("A", PrecisionExhausted("too few digits"))]
    assert check_or_say_why(small(), short, "auto")["verdict"].tolist() == ["UNRESOLVED"]
    with pytest.raises(PrecisionExhausted):
        check_or_say_why(small(), short, 50)


def test_a_problem_that_ends_its_worker_has_rows(tmp_path: Path) -> None:
    which = config(tmp_path)
    table = rows_of_the_dead(Task.of(draw(which, 2)), Selection.parse([str(claims_file(tmp_path))]), "it died")
    assert table["verdict"].to_pylist() == ["UNRESOLVED"] * 3 and set(table["reason"].to_pylist()) == {"it died"}


def test_verdicts_can_be_certified() -> None:
    start = Initialisation([[1.0, -0.5, 0.5], [-0.25, 1.0, 0.1]], [1, -1], 300)
    problem = Problem(Dataset.standard([1, -0.5], d=3), start)
    rows = check_or_say_why(problem, [*select(["L3.time", "L7.dead"]), claim("My.own")], "certified")
    assert rows["verdict"].tolist() == ["HOLDS", "FAILS", "UNRESOLVED"]
    assert rows["reason"].str.startswith("certified").tolist() == [True, True, False]
    assert (rows["margin"].abs() > rows["uncertainty"]).tolist() == [True, True, False]
    assert rows_table(rows, 0, dict.fromkeys(FEATURES)).schema.equals(ROWS)


def test_a_problem_that_cannot_be_certified_says_why() -> None:
    boundary = Problem(Dataset.standard([1, -0.5]), Initialisation([[1.0, 0.0], [-0.25, 1.0]], [1, -1], 300))
    rows = check_or_say_why(boundary, select(["L3.time"]), "certified")
    assert rows["verdict"].tolist() == ["UNRESOLVED"] and "<g[0], x[1]> = 0 exactly" in rows["reason"][0]
