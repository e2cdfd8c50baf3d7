"""The columns of `check`, for everything that reads or writes its rows; importing this costs nothing."""

from __future__ import annotations

COLUMNS = (
    "problem",
    "claim",
    "source",
    "tag",
    "verdict",
    "margin",
    "uncertainty",
    "scale",
    "quantity_log",
    "bound_log",
    "exponent",
    "claimed_exponent",
    "neuron",
    "label",
    "t",
    "digits",
    "seconds",
    "reason",
)
"""In the order of the frame."""

FLOATS = ("margin", "uncertainty", "quantity_log", "bound_log", "exponent", "claimed_exponent", "t", "seconds")
"""Columns of numbers; NaN where there is none."""

INTEGERS = ("neuron", "label", "digits")
"""Columns of counts; missing where there is none."""

CERTIFIED = "certified"
"""The first word of the reason of a verdict that is proved; a semicolon comes after it where more is said."""

TEXTS = tuple(name for name in COLUMNS if name not in FLOATS + INTEGERS)
"""The other columns."""
