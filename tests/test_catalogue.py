"""Claims by id, pattern, file, and from installed packages."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from verify import catalogue
from verify.catalogue import Selection, available, installed
from verify.claim import Claim, Margin
from verify.claims import CLAIMS
from verify.errors import InvalidArgument, UnknownClaim

OWN = Claim("Own.claim", "here", "D", "0 ≤ 1", lambda evidence: Margin(1.0, 0.0, "relative"))
PAIR = (OWN, Claim("Own.other", "here", "D", "0 ≤ 2", lambda evidence: Margin(2.0, 0.0, "relative")))
TAKEN = Claim("L3.time", "here", "D", "0 ≤ 1", lambda evidence: Margin(1.0, 0.0, "relative"))
NOTHING = 3
HERE = "tests.test_catalogue"


def offer(monkeypatch: pytest.MonkeyPatch, *values: str) -> None:
    points = [EntryPoint(f"p{i}", value, "verify.claims") for i, value in enumerate(values)]
    monkeypatch.setattr(catalogue, "entry_points", lambda group: points if group == "verify.claims" else [])


def test_installed_claims_can_be_named_but_are_not_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, f"{HERE}:OWN")
    assert installed() == [OWN]
    assert [claim.id for claim in available()] == [*(claim.id for claim in CLAIMS), "Own.claim"]
    assert Selection.parse("Own.*,L3.time").claims()[0] is OWN  # type: ignore[index]
    assert Selection.parse(None).claims() is None


def test_an_entry_point_is_a_claim_a_sequence_or_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, f"{HERE}:PAIR")
    assert [claim.id for claim in installed()] == ["Own.claim", "Own.other"]
    offer(monkeypatch, "verify.claims.lemma6")
    with pytest.raises(InvalidArgument, match=r"'L6.frozen' of an installed package: this id is taken"):
        installed()


@pytest.mark.parametrize(
    ("value", "message"),
    [("no_such_module:X", "entry point p0 of verify.claims: ModuleNotFoundError"),
     (f"{HERE}:NOTHING", "holds no Claim"),
     (f"{HERE}:TAKEN", "'L3.time' of an installed package: this id is taken")],
)  # fmt: skip
def test_a_bad_entry_point_is_named(monkeypatch: pytest.MonkeyPatch, value: str, message: str) -> None:
    offer(monkeypatch, value)
    with pytest.raises(InvalidArgument, match=message):
        available()


def test_a_file_means_the_same_where_it_is_not(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "from verify import Claim, Margin\n@dataclass\nclass Note:\n    text: str = ''\n"
        "mine = Claim('My.claim', 'here', 'D', '0 ≤ 1', lambda evidence: Margin(1.0, 0.0, 'relative'))\n",
        encoding="utf-8",
    )
    selection = Selection.parse(str(path))
    path.unlink()
    assert [claim.id for claim in selection.claims() or []] == ["My.claim"]


def test_names_that_are_none() -> None:
    with pytest.raises(UnknownClaim, match=r"did you mean L3\.time"):
        Selection.parse("L3.tme").claims()
    for empty in ("", " , ", []):
        with pytest.raises(InvalidArgument, match="names no claim"):
            Selection.parse(empty)
