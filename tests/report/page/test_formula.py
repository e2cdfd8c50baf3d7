"""Statements become HTML without losing or inventing anything."""

from __future__ import annotations

import re

import pytest

from verify.claims import CLAIMS
from verify.report.page.formula import formula


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("θ_S", "<i>θ</i><sub><i>S</i></sub>"),
        ("λ^(2(1−rε))", "<i>λ</i><sup>2(1−<i>r</i><i>ε</i>)</sup>"),
        ("p_jk < 0 & x", "<i>p</i><sub><i>jk</i></sub> &lt; 0 &amp; <i>x</i>"),
        ("sqrt(2n)", "√(2<i>n</i>)"),
        ("½c̲λ for all t", "½<i>c̲</i><i>λ</i> for all <i>t</i>"),
        ("<script>", "&lt;script&gt;"),
    ],
)
def test_indices_exponents_letters_and_escapes(statement: str, expected: str) -> None:
    assert formula(statement) == expected


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_statement_keeps_its_signs(claim: object) -> None:
    statement: str = claim.statement  # type: ignore[attr-defined]
    shown = re.sub(r"<[^>]+>", "", formula(statement)).replace("&lt;", "<").replace("&gt;", ">").replace("√", "sqrt")
    kept = "".join(letter for letter in statement if letter not in "_^(){} ")
    assert "".join(letter for letter in shown if letter not in "_^(){} ") == kept
