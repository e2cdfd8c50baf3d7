"""Options that several commands share: what their texts mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from verify.cli.options import claims_of, digits_of
from verify.errors import InvalidArgument, UnknownClaim

pytestmark = pytest.mark.usefixtures("in_an_empty_folder")


def test_claims_by_id_pattern_and_file(lemma: Path, tmp_path: Path) -> None:
    assert claims_of(None) is None
    assert [claim.id for claim in claims_of("L2.*") or []] == ["L2.align+", "L2.align-", "L2.norm"]
    assert [claim.id for claim in claims_of(" L2.norm, L2.n*,") or []] == ["L2.norm"]
    with pytest.raises(UnknownClaim, match=r"`verify claims` lists all"):
        claims_of("zzz")
    with pytest.raises(InvalidArgument, match="names no claim"):
        claims_of(" , ")
    with pytest.raises(InvalidArgument, match="no such Python file"):
        claims_of("missing.py")
    (tmp_path / "empty.py").write_text("x = 1\n")
    with pytest.raises(InvalidArgument, match="defines no Claim"):
        claims_of(str(tmp_path / "empty.py"))
    (tmp_path / "broken.py").write_text("1 / 0\n")
    with pytest.raises(InvalidArgument, match=r"broken\.py: ZeroDivisionError"):
        claims_of(str(tmp_path / "broken.py"))


@pytest.mark.parametrize("text", ["", "x", "-3", "0", "1.5", "³"])
def test_digits_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="must be auto or a whole number"):
        digits_of(text)
    assert (digits_of("auto"), digits_of("50")) == ("auto", 50)
