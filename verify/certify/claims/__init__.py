"""Certified measurements by the id of the claim; ids, statements and hypotheses are those of :mod:`verify.claims`."""

from __future__ import annotations

from verify.certify.claims import (
    alignment,
    colinear,
    conserved,
    crossed,
    end,
    families,
    fitting,
    interpolator,
    polyak,
    steps,
)
from verify.certify.margin import Measurement

MEASURES: dict[str, Measurement] = {
    **conserved.MEASURES,
    **alignment.MEASURES,
    **fitting.MEASURES,
    **steps.MEASURES,
    **colinear.MEASURES,
    **crossed.MEASURES,
    **end.MEASURES,
    **polyak.MEASURES,
    **families.MEASURES,
    **interpolator.MEASURES,
}
