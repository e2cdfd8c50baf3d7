"""Certified verdicts with the columns of `check`, for everything that reads those."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from verify import columns
from verify.certify.claims import MEASURES
from verify.certify.margin import CertifiedMargin
from verify.certify.verdicts import Certification, certify
from verify.claim import Claim, Verdict
from verify.problem import Problem


def certified_rows(problem: Problem, claims: Sequence[Claim] | None = None) -> pd.DataFrame:
    """One row a claim with the columns of ``check``; margin ± uncertainty is the interval that holds the margin.

    Where that has no upper end the margin is its lower end. ``digits`` are those of the bits; every reason begins with
    "certified" where there is a verdict. A claim without a certified measurement is UNRESOLVED.
    Raises what :func:`verify.certify.verdicts.certify` raises.
    """
    chosen = None if claims is None else [claim for claim in claims if claim.id in MEASURES]
    found = certify(problem, chosen)
    rows = [_row(found, dict(values)) for values in found.frame().to_dict("records")]
    missing = [] if claims is None else [claim for claim in claims if claim.id not in MEASURES]
    rows += [_blank(problem, claim) for claim in missing]
    frame = pd.DataFrame(rows, columns=list(columns.COLUMNS))
    return frame.astype(dict.fromkeys(columns.FLOATS, "float64") | {"neuron": "Int64", "label": "Int64"})


def _row(found: Certification, values: dict[Any, Any]) -> dict[str, Any]:
    """A row of the certification in the columns of ``check``."""
    [outcome] = [one for one in found.outcomes if one.claim.id == values["claim"]]
    decided = outcome.verdict in (Verdict.HOLDS, Verdict.FAILS)
    margin, uncertainty = _interval(outcome.result) if isinstance(outcome.result, CertifiedMargin) else (math.nan,) * 2
    nowhere = dict.fromkeys(("quantity_log", "bound_log", "exponent", "claimed_exponent"), math.nan)
    reason = "; ".join(part for part in (columns.CERTIFIED if decided else "", values["reason"]) if part)
    digits = math.floor(values["bits"] * math.log10(2))
    numbers = {"margin": margin, "uncertainty": uncertainty, "digits": digits}
    return values | nowhere | numbers | {"verdict": str(outcome.verdict), "reason": reason}


def _interval(margin: CertifiedMargin) -> tuple[float, float]:
    """Middle and half width, the latter rounded up; of a half line its end, of a line nothing."""
    if margin.low == -math.inf and margin.high == math.inf:
        return math.nan, math.nan
    if math.isinf(margin.high) or math.isinf(margin.low):
        return (margin.low if margin.high == math.inf else margin.high), 0.0
    middle = (margin.low + margin.high) / 2
    return middle, math.nextafter(max(middle - margin.low, margin.high - middle), math.inf)


def _blank(problem: Problem, claim: Claim) -> dict[str, Any]:
    nowhere = dict.fromkeys(columns.FLOATS, math.nan)
    words = {"problem": problem.key, "claim": claim.id, "source": claim.source, "tag": claim.tag, "scale": ""}
    counts: dict[str, Any] = {"neuron": None, "label": None, "digits": 0}
    return nowhere | words | counts | {"verdict": str(Verdict.UNRESOLVED), "reason": "no certified measurement"}
