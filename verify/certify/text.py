"""Balls and moments as JSON, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.certify.balls import Ball, ball, library, within
from verify.certify.moment import Moment
from verify.errors import InvalidCertificate


def spelled(x: Ball, wider: int = 0) -> str:
    """A ball as ``MpE~MpE``: midpoint and radius as hexadecimal mantissas and decimal exponents of 2.

    ``wider``: by how many thousandths the radius is enlarged. Of the text a ball is made that is no smaller.

    >>> from verify.certify.balls import ball
    >>> spelled(ball(0.75))
    '3p-2'
    """
    if x.is_exact():
        return _number(x.mid())
    return f"{_number(x.mid())}~{_number((x.rad() * (1000 + wider) / 1000).upper())}"


def _number(exact: Ball) -> str:
    mantissa, exponent = (int(part) for part in exact.man_exp())
    return f"{mantissa:x}p{exponent}"


def read(text: Any) -> Ball:
    """The ball of such a text. Raises ``InvalidCertificate`` for any other."""
    try:
        parts = [_read_number(part) for part in text.split("~")]
        if len(parts) > 2 or (len(parts) == 2 and not parts[1] >= 0):
            raise ValueError
    except (ValueError, AttributeError):
        raise InvalidCertificate(f"certificate: {text!r} is no ball; expected such as '3p-2~1p-90'") from None
    return library().arb(*parts)


def _read_number(text: str) -> Ball:
    mantissa, exponent = text.split("p")
    return library().arb((int(mantissa, 16), int(exponent)))


def plain_moment(moment: Moment, wider: int, bits: int) -> dict[str, Any]:
    """A moment as JSON values, its balls enlarged by so many thousandths, residuals to no more than so many bits."""

    def text(x: Ball) -> str:
        return spelled(x, wider)

    return {
        "t": spelled(moment.t),
        "neurons": list(moment.neurons),
        "labels": list(moment.labels),
        "active": moment.active.astype(int).tolist(),
        "a": [text(x) for x in moment.a],
        "p": [[text(x) for x in row] for row in moment.p],
        "r": [text(x + within(abs(x) * ball(2) ** -bits)) for x in moment.r],
    }


def read_moment(values: dict[str, Any]) -> Moment:
    """The moment of such values."""
    neurons, labels = (tuple(int(x) for x in values[name]) for name in ("neurons", "labels"))
    return Moment(
        read(values["t"]),
        neurons,
        labels,
        np.array(values["active"], dtype=bool).reshape(len(neurons), len(labels)),
        [read(x) for x in values["a"]],
        [[read(x) for x in row] for row in values["p"]],
        [read(x) for x in values["r"]],
    )
