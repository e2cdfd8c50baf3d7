"""Statements in plain text, such as ``‖w_j‖ ≤ 2cλ^(1−ε)``, as HTML with real indices and exponents."""

from __future__ import annotations

import html
import re

from markupsafe import Markup

INDEX = re.compile(r"([_^])(?:\(((?:[^()]|\([^()]*\))*)\)|\{([^{}]*)\}|([A-Za-z0-9θλε∞]+))")
WORD = re.compile("&[a-z]+;|[A-Za-z]+\u0332?|[α-ω]")
PRODUCTS = ("mc", "jk", "kl")
"""Runs of letters that are no words."""
POWER = re.compile(r"(?<=\d)e([+-]?\d+)")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def formula(statement: str) -> Markup:
    """The statement as HTML: everything escaped, indices and exponents set, single letters in italics.

    >>> formula("‖w_j‖ ≤ 2cλ^(1−ε)")
    Markup('‖<i>w</i><sub><i>j</i></sub>‖ ≤ 2<i>c</i><i>λ</i><sup>1−<i>ε</i></sup>')
    """
    pieces, last = [], 0
    for found in INDEX.finditer(statement):
        mark, *groups = found.groups()
        inner = next(part for part in groups if part is not None)
        tag = "sub" if mark == "_" else "sup"
        pieces += [_italic(statement[last : found.start()]), f"<{tag}>{formula(inner)}</{tag}>"]
        last = found.end()
    return Markup("".join([*pieces, _italic(statement[last:])]))


def typeset(text: str) -> str:
    """A text with numbers such as ``-9.46e+08`` as ``−9.46·10⁸``.

    >>> typeset("-9.46e+08 ± 2e-12")
    '−9.46·10⁸ ± 2·10⁻¹²'
    """
    powered = POWER.sub(lambda found: "·10" + str(int(found[1])).translate(SUPERSCRIPTS), text)
    return powered.replace("-", "−")


def _italic(text: str) -> str:
    return WORD.sub(_letter, html.escape(text, quote=False))


def _letter(found: re.Match[str]) -> str:
    word = found.group()
    if word == "sqrt":
        return "√"
    return f"<i>{word}</i>" if len(word.rstrip("\u0332")) == 1 or word in PRODUCTS else word
