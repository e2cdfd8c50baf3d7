"""Certificate files: what is written is enough to check it again, and what does not follow is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from verify import Dataset, Initialisation, Problem
from verify.certify.balls import library, precision
from verify.certify.certificate import certificate, save
from verify.certify.replay import replay
from verify.certify.text import read, spelled
from verify.certify.verdicts import Certification, certify
from verify.cli import app
from verify.cli.certify import interval
from verify.errors import InvalidCertificate

CLAIMS = ["L3.time", "L3.align", "L7.dead", "L12.rate", "L2.align+"]


@pytest.fixture(scope="module")
def found() -> Certification:
    return certify(quick(), CLAIMS)


def quick() -> Problem:
    """Two labels; the third neuron dies on the negative one."""
    start = Initialisation([[1.0, -0.5, 0.5], [-0.25, 1.0, 0.1], [0.5, 0.75, -1.0]], [1, -1, 1], 300)
    return Problem(Dataset.standard([1, -0.5], d=3), start)


@pytest.fixture
def stored(found: Certification, tmp_path: Path) -> dict[str, Any]:
    save(found, tmp_path / "c.json")
    values: dict[str, Any] = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    return values


def replayed(values: dict[str, Any], folder: Path) -> Certification:
    (folder / "again.json").write_text(json.dumps(values), encoding="utf-8")
    return replay(folder / "again.json")


def test_a_certificate_is_confirmed(found: Certification, stored: dict[str, Any], tmp_path: Path) -> None:
    again = replayed(stored, tmp_path)
    assert [outcome.verdict for outcome in again.outcomes] == [outcome.verdict for outcome in found.outcomes]
    for new, old in zip(again.frame().itertuples(), found.frame().itertuples(), strict=True):
        assert new.low <= old.high and old.low <= new.high, new.claim


def test_a_certificate_names_versions_bits_and_enclosures(stored: dict[str, Any], found: Certification) -> None:
    assert {"verify", "python-flint", "flint", "python"} == set(stored["versions"])
    assert stored["effort"]["bits"] == found.evidence.effort.bits
    low, high = stored["states"]["t₂"]["t"]
    assert found.evidence.second_exit is not None
    assert low <= float(found.evidence.second_exit.t) <= high < low + 1e-9
    assert all(low <= high for low, high in stored["states"]["t₂"]["log_norms"])


def narrowed(values: dict[str, Any]) -> None:
    """The radius of a ball in the middle of the trajectory is written too small."""
    row = values["segments"][len(values["segments"]) // 2]
    row["a"][0] = row["a"][0].split("~")[0]


def shifted_death(values: dict[str, Any]) -> None:
    row = next(row for row in values["segments"] if row["kind"] == "death")
    row["dying"] = [[0, 0]]


def early_tail(values: dict[str, Any]) -> None:
    """A step while labels are being fitted is called the tail."""
    row = max((r for r in values["segments"] if r["kind"] == "step"), key=lambda r: len(r["labels"]))
    row["kind"] = "tail"


def lost_component(values: dict[str, Any]) -> None:
    values["segments"] = [row for row in values["segments"] if row["kind"] != "tail"]


def wrong_phase(values: dict[str, Any]) -> None:
    with precision(200):
        values["phases"]["t₂"] = spelled(read(values["phases"]["t₂"]) + 1)


def wrong_verdict(values: dict[str, Any]) -> None:
    values["verdicts"][0]["verdict"] = "FAILS"


def other_problem(values: dict[str, Any]) -> None:
    values["problem"]["minus_log_lambda"] = 300.0001


def no_ball(values: dict[str, Any]) -> None:
    values["segments"][0]["r"][0] = "1.5"


def no_segments(values: dict[str, Any]) -> None:
    values["segments"] = []


def no_verdicts(values: dict[str, Any]) -> None:
    values["verdicts"] = []


def too_many_bits(values: dict[str, Any]) -> None:
    values["effort"]["bits"] = 10**9


def unknown_claim(values: dict[str, Any]) -> None:
    values["verdicts"][0]["claim"] = "L3.tim"


def uncertain_time(values: dict[str, Any]) -> None:
    row = next(row for row in values["segments"] if "end" in row)
    row["end"] = f"{row['end'].split('~')[0]}~1p-20"


def death_of_another(values: dict[str, Any]) -> None:
    """A pair that lives on is said to die, under another number of its neuron."""
    row = next(row for row in values["segments"] if row["kind"] == "death")
    alive = next(
        (j, i) for j, on in enumerate(row["active"]) for i, x in enumerate(on) if x and [j, i] not in row["dying"]
    )
    row["dying"].append([alive[0] - len(row["neurons"]), alive[1]])


def two_verdicts(values: dict[str, Any]) -> None:
    values["verdicts"].insert(0, values["verdicts"][0] | {"verdict": "FAILS"})


def wrong_margin(values: dict[str, Any]) -> None:
    values["verdicts"][0] |= {"low": 0.9, "high": "inf"}


def wrong_state(values: dict[str, Any]) -> None:
    values["states"]["t₂"]["residual"][1] = [0.0, 1.0]


def not_oriented(values: dict[str, Any]) -> None:
    """The mirror image of the flow, which is one as well, but not that of the proofs."""
    values["problem"]["y"] = [-float(y) for y in values["problem"]["y"]]
    values["problem"]["s"] = [-s for s in values["problem"]["s"]]
    for row in values["segments"]:
        row["r"] = [text[1:] if text.startswith("-") else f"-{text}" for text in row["r"]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (death_of_another, "a death from t = .* cannot be confirmed"),
        (two_verdicts, "a claim has two verdicts"),
        (wrong_margin, r"margin of L3.time lies in \[0.* not in \[0.9, inf\] as stored"),
        (wrong_state, "residual stored at t₂ is not that of the trajectory"),
        (not_oriented, "do not hold those reached"),
        (no_verdicts, "nothing to check"),
        (too_many_bits, "bits = 1000000000 must be from 1"),
        (unknown_claim, "did you mean 'L3.time'"),
        (uncertain_time, "a plateau from t"),
        (narrowed, "do not hold those reached"),
        (shifted_death, "a death from t"),
        (early_tail, "a tail from t = .* cannot be confirmed"),
        (lost_component, "no segment begins"),
        (wrong_phase, "verdict of L3.time is UNRESOLVED"),
        (wrong_verdict, "verdict of L3.time is HOLDS, not FAILS as stored"),
        (other_problem, "do not hold those reached"),
        (no_ball, "'1.5' is no ball"),
        (no_segments, "holds no trajectory"),
    ],
)
def test_what_does_not_follow_is_refused(
    change: Callable[[dict[str, Any]], None], message: str, stored: dict[str, Any], tmp_path: Path
) -> None:
    change(stored)
    with pytest.raises(InvalidCertificate, match=f"again.json: .*{message}"):
        replayed(stored, tmp_path)


def test_a_problem_is_no_certificate(tmp_path: Path) -> None:
    quick().save(tmp_path / "p.json")
    with pytest.raises(InvalidCertificate, match="no certificate: the key 'format' is missing"):
        replay(tmp_path / "p.json")


def test_balls_survive_their_text() -> None:
    with precision(200):
        arb = library().arb
        for x in (arb(0), arb(3).sqrt(), -arb(2).exp() * arb(-2000).exp(), arb(0, 1e-9), arb(1) / 4):
            again = read(spelled(x))
            assert again.contains(x) and float(again.rad() - x.rad()) <= 1e-8 * float(x.rad())
            assert again.mid() == x.mid() and read(spelled(x, 4)).contains(x)


def test_failed_trajectories_are_stored_as_such(found: Certification, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.certify.certificate.failure", lambda evidence: "too wide")
    assert certificate(found)["segments"] == []


def test_the_command_saves_replays_and_exits_by_verdict(tmp_path: Path) -> None:
    quick().save(tmp_path / "p.json")

    def run(*arguments: object) -> Any:
        return CliRunner().invoke(app, ["certify", *map(str, arguments)])

    made = run(tmp_path / "p.json", "--claims", "L3.time,L2.align+", "--save", tmp_path / "c.json", "--json")
    assert made.exit_code == 0
    assert [row["verdict"] for row in json.loads(made.stdout)] == ["HOLDS (certified)"] * 2
    again = run(tmp_path / "c.json", "--replay")
    assert again.exit_code == 0 and "HOLDS (certified)" in again.stdout and "nats" in again.stdout
    assert run(tmp_path / "c.json", "--replay", "--claims", "L3.time").exit_code == 2
    assert run(tmp_path / "p.json", "--replay").exit_code == 2
    assert run(tmp_path / "p.json", "--claims", "L7.dead,L5.PL").exit_code == 1


def test_intervals_are_rounded_outwards() -> None:
    assert interval(-0.12345678, 1e-7, 3) == "[-0.124, 1.00e-7]"
    assert interval(float("-inf"), float("inf")) == "[-inf, inf]"
