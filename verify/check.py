"""Check claims on a problem: hypotheses first, then margins, then verdicts."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import pandas as pd

from verify.claim import Claim, Margin, Vacuous, Verdict
from verify.claims import CLAIMS
from verify.errors import PrecisionExhausted, UnknownClaim, did_you_mean
from verify.evidence import Evidence
from verify.problem import Problem

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

NUMBERS = ("margin", "uncertainty", "quantity_log", "bound_log", "exponent", "claimed_exponent", "t", "seconds")


def check(
    problem: Problem, claims: str | Iterable[Claim | str] | None = None, digits: int | str | None = "auto"
) -> pd.DataFrame:
    """Margins and verdicts of claims on one problem, one row a claim, with the columns ``COLUMNS``.

    - ``claims``: ids or claims (one id alone will do); None means all of :data:`verify.CLAIMS`.
    - ``digits``: ``"auto"`` or None for float64, the only arithmetic so far.

    A dataset with ‖D₊‖ < ‖D₋‖ is checked with all labels and signs flipped, and the reason says so.
    Raises ``UnknownClaim`` with near names, and whatever the simulation raises.

    >>> from verify import Dataset, Initialisation
    >>> start = Initialisation([[1.0, -0.5], [-0.25, 1.0]], [1, -1], minus_log_lambda=1000)
    >>> check(Problem(Dataset.standard([1, -0.5]), start), ["L2.align+"]).verdict.tolist()
    ['HOLDS']
    """
    if digits not in ("auto", None):
        raise PrecisionExhausted(f"digits = {digits!r} is not available: this version checks in float64 ('auto')")
    evidence = Evidence(problem)
    rows = [_row(problem.key, claim, evidence) for claim in select(claims)]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.astype(dict.fromkeys(NUMBERS, "float64") | {"neuron": "Int64", "label": "Int64", "digits": "int64"})


def select(claims: str | Iterable[Claim | str] | None) -> list[Claim]:
    """The claims meant by ids or claims; all of them for None. Raises ``UnknownClaim``."""
    if claims is None:
        return list(CLAIMS)
    known = {claim.id: claim for claim in CLAIMS}
    out = []
    for claim in [claims] if isinstance(claims, str) else claims:
        if isinstance(claim, Claim):
            out.append(claim)
        elif claim in known:
            out.append(known[claim])
        else:
            raise UnknownClaim(f"claim {claim!r} is unknown; {did_you_mean(str(claim), known)}")
    return out


def measure(claim: Claim, evidence: Evidence) -> Margin | Vacuous:
    """The margin of one claim, or why there is nothing to check."""
    for hypothesis in claim.hypotheses:
        failure = hypothesis(evidence)
        if failure is not None:
            return Vacuous(failure)
    return claim.measure(evidence)


def _row(key: str, claim: Claim, evidence: Evidence) -> dict[str, Any]:
    began = time.perf_counter()
    result = measure(claim, evidence)
    row: dict[str, Any] = {
        "problem": key,
        "claim": claim.id,
        "source": claim.source,
        "tag": claim.tag,
        "digits": 16,
        "seconds": time.perf_counter() - began,
    }
    flipped = "labels and signs flipped; " if evidence.flipped else ""
    if isinstance(result, Vacuous):
        blank = dict.fromkeys(("margin", "uncertainty", "quantity_log", "bound_log"), math.nan)
        return row | blank | {"verdict": str(Verdict.VACUOUS), "scale": "", "reason": flipped + result.reason}
    fields = ("uncertainty", "scale", "quantity_log", "bound_log", "exponent", "claimed_exponent", "neuron", "label")
    values = {name: getattr(result, name) for name in fields}
    needed = ""
    if result.verdict == Verdict.UNRESOLVED and math.isfinite(result.value):
        needed = f"; about {result.digits_needed} digits would decide it"
    reason = (flipped + result.note + needed).strip("; ")
    return row | values | {"verdict": str(result.verdict), "margin": result.value, "t": result.t, "reason": reason}


class _CallableModule(ModuleType):
    """This module is also the function of its name, so that ``verify.check`` works whichever was imported first."""

    __call__ = staticmethod(check)


sys.modules[__name__].__class__ = _CallableModule
