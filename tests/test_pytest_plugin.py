"""The pytest plugin, run inside pytest on small test files with made-up frames."""

import math
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pyarrow.parquet as parquet
import pytest

from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.initialisation import Initialisation
from verify.problem import Problem
from verify.pytest_plugin import COLUMNS, Margins

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[1]

HELPERS = """
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from verify.dataset import Dataset
from verify.initialisation import Initialisation
from verify.problem import Problem
from verify.pytest_plugin import COLUMNS

def problem(number=0):
    return Problem(Dataset.standard([2, -1]), Initialisation([[1, 1], [2, 1]], [1, -1], 1000 + number))

def frame(problem, **verdicts):
    rows = [
        {"problem": problem.key, "claim": claim.replace("_", "."), "source": "Lemma 0", "tag": "T",
         "verdict": verdict, "margin": margin, "uncertainty": 1e-9, "scale": "nats", "neuron": 1,
         "label": None, "t": 2.5, "digits": 16, "seconds": 0.1, "reason": ""}
        for claim, (verdict, margin) in verdicts.items()
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"neuron": "Int64", "label": "Int64"})
"""
# The installed package may bring the plugin too, under the name of its entry point.
PLUGIN = ("-p", "no:verify", "-p", "verify.pytest_plugin", "-p", "no:cacheprovider")


def run(pytester: pytest.Pytester, body: str, *options: str) -> pytest.RunResult:
    # A process of its own, because pytester forgets modules and pandas cannot register with pyarrow twice.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        pytester.makepyfile(HELPERS + body)
        return pytester.runpytest_subprocess(*PLUGIN, *options)


def problem(number: int = 0) -> Problem:
    return Problem(Dataset.standard([2, -1]), Initialisation([[1, 1], [2, 1]], [1, -1], 1000 + number))


def row(key: str, claim: str, verdict: str, margin: object) -> dict[str, object]:
    known = {"problem": key, "claim": claim, "verdict": verdict, "margin": margin}
    rest = {"uncertainty": 1e-9, "scale": "relative", "neuron": pd.NA, "label": pd.NA, "digits": 16}
    return {name: {**rest, **known}.get(name, math.nan) for name in COLUMNS}


def frame(*rows: dict[str, object]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(COLUMNS)).astype({"neuron": "Int64", "label": "Int64"})


def test_a_session_ends_with_a_table_and_files(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
def test_it(margins):
    margins.record(frame(problem(0), A=("HOLDS", 3.0), B=("VACUOUS", float("nan"))), problem(0))
    margins.assert_held(frame(problem(1), A=("HOLDS", 2.0), B=("VACUOUS", float("nan"))), problem(1))
    margins.assert_held(frame(problem(2), A=("UNRESOLVED", 1e-10), C=("HOLDS", 1.0)), problem(2))
""",
    )
    assert result.ret == pytest.ExitCode.OK
    keys = [problem(number).key for number in range(3)]
    result.stdout.fnmatch_lines(
        [
            "*= margins =*",
            "claim  cases  held  failed  unresolved  vacuous  smallest margin  problem key",
            f"A      3      2     0       1           0        1e-10 nats       {keys[2]}",
            "B      2      0     0       0           2        never tested     all vacuous",
            f"C      1      1     0       0           0        1 nats           {keys[2]}",
            f"written to {pytester.path / 'reports' / 'latest'}",
        ]
    )
    out = pytester.path / "reports" / "latest"
    table = parquet.read_table(out / "margins.parquet")
    assert table.column_names == list(COLUMNS)
    assert str(table.schema.field("neuron").type) == "int64"
    assert table["claim"].to_pylist() == pd.read_csv(out / "margins.csv")["claim"].tolist() == list("ABABAC")
    assert [path.name for path in (out / "problems").iterdir()] == [f"{keys[2]}.json"]
    assert sorted(path.name for path in out.iterdir()) == ["margins.csv", "margins.parquet", "problems"]


def test_failures_name_claim_margin_witness_and_replay(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
def test_it(margins):
    verdicts = {"L2_align": ("FAILS", -0.25), "L3_time": ("FAILS", -1.5), "L3_exit": ("HOLDS", 1.0)}
    margins.assert_held(frame(problem(), **verdicts), problem())
""",
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    key = problem().key
    result.stdout.fnmatch_lines(
        [
            "E *L2.align FAILS: margin -0.25 ± 1e-09 nats at neuron = 1, t = 2.5",
            "E *L3.time FAILS: margin -1.5 ± 1e-09 nats at neuron = 1, t = 2.5",
            f"E *verify replay {key}",
        ]
    )
    saved = Problem.from_json(pytester.path / "reports" / "latest" / "problems" / f"{key}.json")
    assert saved.key == key


def test_hypothesis_may_shrink_and_replay_without_counting_twice(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
seen = set()

@settings(max_examples=50, database=None, deadline=None)
@given(st.integers(0, 1000))
def test_it(margins, number):
    seen.add(number)
    verdict = ("FAILS", -1.0) if number >= 20 else ("HOLDS", 1.0)
    margins.assert_held(frame(problem(number), A=verdict), problem(number))

def test_count(margins):
    assert len(margins.rows) == len(seen) > 2
    assert margins.tallies()["A"].counts["FAILS"] == sum(number >= 20 for number in seen)
""",
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([f"*verify replay {problem(20).key}*", "*number=20,*"])
    result.stdout.no_fnmatch_line("*FailedHealthCheck*")
    saved = list((pytester.path / "reports" / "latest" / "problems").iterdir())
    assert f"{problem(20).key}.json" in {path.name for path in saved}


def test_margin_is_the_same_fixture(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
def test_it(margin, margins):
    margin.assert_held(frame(problem(), A=("HOLDS", 3.0)), problem())
    assert margin is margins and len(margins.rows) == 1
""",
    )
    result.assert_outcomes(passed=1)


def test_nothing_happens_unless_the_fixture_is_used(pytester: pytest.Pytester) -> None:
    result = run(pytester, "def test_it(): pass\n")
    result.stdout.no_fnmatch_line("*margins*")
    assert not (pytester.path / "reports").exists()


def test_what_was_recorded_survives_an_interrupt(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
def test_it(margins):
    margins.record(frame(problem(), A=("HOLDS", 3.0)), problem())
    raise KeyboardInterrupt
""",
        "--margins-out",
        "elsewhere",
    )
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert parquet.read_table(pytester.path / "elsewhere" / "margins.parquet").num_rows == 1
    result.stdout.fnmatch_lines(["A *1 *1 *0 *0 *0 *3 nats*"])


@pytest.mark.parametrize("passes", [True, False])
def test_an_unwritable_folder_is_reported_and_keeps_the_exit_code(pytester: pytest.Pytester, passes: bool) -> None:
    (pytester.path / "taken").write_text("a file, not a folder")
    result = run(
        pytester,
        f"""
def test_it(margins):
    margins.record(frame(problem(), A=("HOLDS", 3.0)), problem())
    assert {passes}
""",
        "--margins-out",
        "taken",
    )
    assert result.ret == (pytest.ExitCode.OK if passes else pytest.ExitCode.TESTS_FAILED)
    result.stdout.fnmatch_lines(["A *1 *1 *0 *0 *0 *3 nats*", "NOT written to *taken: *Error: *"])


def test_untested_and_failed_claims_are_red(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        """
def test_it(margins):
    verdicts = {"A": ("HOLDS", 1.0), "B": ("VACUOUS", float("nan")), "C": ("FAILS", -1.0)}
    margins.record(frame(problem(), **verdicts), problem())
""",
        "--color=yes",
    )
    lines = {line.split("  ")[0].lstrip("\x1b[31m"): line for line in result.outlines if "1 " in line}
    assert lines["B"].startswith("\x1b[31m") and lines["C"].startswith("\x1b[31m")
    assert not lines["A"].startswith("\x1b[31m")


def test_a_margin_that_is_no_number_never_counts_as_held() -> None:
    for margin in (math.nan, None, pd.NA):
        margins = Margins()
        margins.assert_held(frame(row(problem().key, "A", "HOLDS", margin)), problem())
        tally = margins.tallies()["A"]
        assert tally.counts == {"VACUOUS": 0, "HOLDS": 0, "UNRESOLVED": 1, "FAILS": 0}
        assert tally.tightest is None and not tally.all_vacuous


def test_a_margin_of_zero_is_the_smallest_and_stays_it() -> None:
    margins = Margins()
    for number, margin in enumerate([0.5, 0.0, 0.25]):
        key = problem(number).key
        margins.record(frame(row(key, "A", "HOLDS", margin)), problem(number))
    assert margins.tallies()["A"].tightest == pytest.approx(margins.rows[1], nan_ok=True)
    assert list(margins.problems_to_keep()) == [problem(1).key]


def test_the_more_serious_verdict_on_a_pair_is_kept() -> None:
    margins, key = Margins(), problem().key
    for verdict, margin in (("HOLDS", 1.0), ("FAILS", -1.0), ("HOLDS", 1.0)):
        margins.record(frame(row(key, "A", verdict, margin)), problem())
    assert [(r["verdict"], r["margin"]) for r in margins.rows] == [("FAILS", -1.0)]


def test_wrong_frames_are_refused() -> None:
    margins, key = Margins(), problem().key
    good = row(key, "A", "HOLDS", 1.0)
    with pytest.raises(InvalidArgument, match=r"lacks the columns.*'margin'"):
        margins.record(frame(good).drop(columns="margin"), problem())
    with pytest.raises(InvalidArgument, match="verdict = 'MAYBE' must be one of VACUOUS, HOLDS"):
        margins.record(frame({**good, "verdict": "MAYBE"}), problem())
    with pytest.raises(InvalidArgument, match=f"frame is about problem '{key}'"):
        margins.record(frame(good), problem(1))
    assert margins.rows == []


def test_importing_the_plugin_is_light() -> None:
    script = "import sys, verify.pytest_plugin; print(sorted({'pandas', 'numpy', 'numba'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("environment", "examples"),
    [
        ({}, 20),
        ({"CI": "true"}, 200),
        ({"HYPOTHESIS_PROFILE": "thorough"}, 2000),
        ({"VERIFY_PROFILE": "ci", "HYPOTHESIS_PROFILE": "dev"}, 200),
        ({"VERIFY_PROFILE": "dev", "CI": "true"}, 20),
    ],
)
def test_profiles_of_the_property_tests(environment: dict[str, str], examples: int) -> None:
    script = (
        "import runpy; runpy.run_path('properties/conftest.py')\n"
        "from hypothesis import settings; d = settings()\n"
        "print(d.max_examples, d.deadline, d.print_blob, d.derandomize, d.database is not None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(examples), "None", "True", "False", "True"]
