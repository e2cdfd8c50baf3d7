"""The table of benchmarks: tests add rows, and the run ends by printing them."""

import pytest

from tests.benchmarks.table import Table

TABLE = pytest.StashKey[Table]()


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


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    if config.stash[TABLE].runs:
        terminalreporter.section("times, ratios and accuracies")
        terminalreporter.write_line(config.stash[TABLE].text())
