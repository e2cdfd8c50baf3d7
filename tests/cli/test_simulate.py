"""`verify simulate`: what it prints, and its figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.problems import ROTATION, small

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")


def test_simulate_says_where_the_flow_ends(file: Path) -> None:
    answer = run("simulate", file, "--json")
    found = json.loads(answer.stdout)
    assert answer.exit_code == 0
    assert found["problem"] == small().key and found["t_end"] > 2000 and found["loss"] < 1e-50
    assert found["deactivations"][0].keys() == {"t", "neuron", "label"}
    output = run("simulate", file).output
    assert all(name in output for name in ("t_end", "loss at t_end", "deactivations", "error estimate"))


def test_until_is_the_end(file: Path) -> None:
    assert json.loads(run("simulate", file, "--until", 3, "--json").stdout)["t_end"] == 3.0
    answer = run("simulate", file, "--until", -1)
    assert answer.exit_code == 2 and "until = -1.0" in answer.stderr


@pytest.mark.parametrize("labels", [[2, -1], [1, -2]])
def test_the_figure_is_drawn_in_both_orientations(tmp_path: Path, labels: list[int]) -> None:
    values = small().to_json() | {"x": ROTATION, "y": labels}
    (tmp_path / "p.json").write_text(json.dumps(values))
    answer = run("simulate", tmp_path / "p.json", "--plot", tmp_path / "out.png")
    assert answer.exit_code == 0 and "figure written to" in answer.stderr
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_a_figure_of_an_unknown_kind_is_refused(file: Path, tmp_path: Path) -> None:
    answer = run("simulate", file, "--until", 1, "--plot", tmp_path / "out.gif")
    assert answer.exit_code == 2 and "not '.gif'" in answer.stderr
