"""`verify replay`: which problem a key means."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from verify.cli.replay import find
from verify.errors import InvalidArgument

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")


@pytest.fixture
def stored() -> Iterator[Path]:
    folder = Path("reports/latest/problems")
    folder.mkdir(parents=True)
    for key in ("aaaa000000000000", "aaab000000000000"):
        (folder / f"{key}.json").write_text("{}")
    yield folder


def test_problems_are_found_by_key_prefix_and_store(stored: Path) -> None:
    expected = stored / "aaab000000000000.json"
    assert find("aaab000000000000", None) == find("aaab", None) == expected
    for store in (stored, stored.parent, stored.parent.parent):
        assert find("aaab", store).samefile(expected)
    assert find(str(expected), None) == expected


@pytest.mark.parametrize(
    ("which", "message"),
    [("aaa", "is ambiguous: aaaa0+, aaab0+; give more"), ("bbb", "no bbb"), ("*", "neither a file nor a key")],
)
def test_keys_that_name_no_single_problem(stored: Path, which: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        find(which, None)
