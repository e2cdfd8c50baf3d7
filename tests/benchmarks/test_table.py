"""The table and the figure of the benchmarks, from runs made up here."""

from tests.benchmarks.conftest import write
from tests.benchmarks.figure import curves
from tests.benchmarks.table import Run, Table

RUNS = (
    Run("task", "verify", 0.01, 1e-15, "", ("Λ", 230.0)),
    Run("task", "peer", 0.25, 1e-9, "", ("Λ", 230.0)),
    Run("task", "verify", 0.01, 1e-15, "", ("Λ", 10.0)),
    Run("alone", "m = 100", 0.02, None, "", ("m", 100)),
)


def test_ratios_are_within_a_task():
    table = Table(list(RUNS))
    assert [row[3] for row in table.rows()] == ["1.00", "25.00", "1.00", "1.00"]


def test_curves_are_sorted_and_named_by_program():
    assert curves(list(RUNS), "Λ") == {"verify": [(10.0, 0.01), (230.0, 0.01)], "peer": [(230.0, 0.25)]}
    assert curves(list(RUNS), "m") == {"verify, to rest": [(100, 0.02)]}


def test_report_holds_every_row_and_a_figure(tmp_path):
    write(Table(list(RUNS)), tmp_path / "new")
    assert (tmp_path / "new" / "table.md").read_text(encoding="utf-8").count("\n|") == len(RUNS) + 2
    assert (tmp_path / "new" / "figure.png").read_bytes().startswith(b"\x89PNG")
