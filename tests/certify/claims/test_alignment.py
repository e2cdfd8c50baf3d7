"""The step of the alignment phase about signs of residuals, in balls."""

from __future__ import annotations

from tests.claims.test_phase1 import opposite
from verify.certify.verdicts import certify


def test_outputs_of_the_opposite_sign_may_exceed_a_label() -> None:
    [row] = certify(opposite(), ["P1.sign"]).frame().itertuples()
    assert row.verdict == "HOLDS (certified)"
