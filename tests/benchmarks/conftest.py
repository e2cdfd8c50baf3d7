"""The table of benchmarks: tests add rows, and the run ends by printing them and, on demand, writing a report."""

import platform
from pathlib import Path

import pytest

from tests.benchmarks.figure import draw
from tests.benchmarks.table import Table

TABLE = pytest.StashKey[Table]()

HEAD = """# Times, ratios and accuracies

{python} on {machine}. Milliseconds of processor time, medians; the ratio is that to the first
run of the same task. How each row is measured: [docs/performance.md](../../docs/performance.md).

"""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("benchmarks of verify")
    group.addoption("--long", action="store_true", help="also the comparisons that take minutes")
    group.addoption("--performance", metavar="FOLDER", help="write table.md and figure.png there")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TABLE] = Table()


@pytest.fixture
def table(request: pytest.FixtureRequest) -> Table:
    """Where a benchmark leaves its times and accuracies."""
    return request.config.stash[TABLE]


@pytest.fixture
def timed(request: pytest.FixtureRequest) -> None:
    """Skips a comparison of times unless benchmarks are asked for."""
    if not request.config.getoption("benchmark_enable"):
        pytest.skip("compares times: run with --benchmark-enable, or make bench")


@pytest.fixture
def lengthy(request: pytest.FixtureRequest, timed: None) -> None:
    """Skips a comparison that takes minutes unless those are asked for."""
    if not request.config.getoption("--long", False):
        pytest.skip("takes minutes: make bench ARGS=--long")


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    table, folder = config.stash[TABLE], config.getoption("--performance", None)
    if not table.runs:
        return
    terminalreporter.section("times, ratios and accuracies")
    terminalreporter.write_line(table.text())
    if folder:
        write(table, Path(folder))
        terminalreporter.write_line(f"written to {folder}")


def write(table: Table, folder: Path) -> None:
    """table.md and figure.png."""
    folder.mkdir(parents=True, exist_ok=True)
    head = HEAD.format(python=f"Python {platform.python_version()}", machine=platform.machine())
    (folder / "table.md").write_text(head + table.markdown() + "\n", encoding="utf-8")
    draw(table.runs, folder / "figure.png")
