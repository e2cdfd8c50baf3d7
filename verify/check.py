"""Check claims on a problem: hypotheses first, then margins, then verdicts."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from verify import columns
from verify.claim import Claim, Vacuous, Verdict
from verify.claims import CLAIMS
from verify.errors import UnknownClaim, did_you_mean
from verify.evidence import Evidence
from verify.precision import CAP, Outcome, measured, policy_of, resolved
from verify.problem import Problem

COLUMNS = columns.COLUMNS
"""The columns of the frame, in order."""


def check(
    problem: Problem,
    claims: str | Iterable[Claim | str] | None = None,
    digits: int | str | None = "auto",
    cap: int = CAP,
) -> pd.DataFrame:
    """Margins and verdicts of claims on one problem, one row a claim, with the columns ``COLUMNS``.

    - ``claims``: ids or claims (one id alone will do); None means all of :data:`verify.CLAIMS`.
    - ``digits``: ``"auto"`` begins with float64 and measures what stays UNRESOLVED again with more digits, up to
      ``cap``; None is float64 alone; a number from 20 to 2000 is used for all claims.

    A dataset with ‖D₊‖ < ‖D₋‖ is checked with all labels and signs flipped, and the reason says so.
    Raises ``UnknownClaim`` with near names, and whatever the simulation raises.

    >>> from verify import Dataset, Initialisation
    >>> start = Initialisation([[1.0, -0.5], [-0.25, 1.0]], [1, -1], minus_log_lambda=1000)
    >>> check(Problem(Dataset.standard([1, -0.5]), start), ["L2.align+"]).verdict.tolist()
    ['HOLDS']
    """
    evidence = Evidence(problem, policy_of(digits))
    outcomes = measured(select(claims), evidence)
    if digits == "auto":
        outcomes = resolved(problem, outcomes, cap)
    rows = [_row(problem.key, outcome, evidence.flipped) for outcome in outcomes]
    return pd.DataFrame({name: _column(name, [row.get(name) for row in rows]) for name in COLUMNS})


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


def _column(name: str, entries: list[Any]) -> Any:
    """A column of its type, which for the frame as a whole takes longer than many a claim."""
    if name in columns.FLOATS:
        return np.array(entries, dtype=np.float64)
    if name in columns.INTEGERS:
        return np.array(entries, dtype=np.int64) if name == "digits" else pd.array(entries, dtype="Int64")
    return entries or np.array(entries, dtype=object)


def _row(key: str, outcome: Outcome, is_flipped: bool) -> dict[str, Any]:
    claim, result = outcome.claim, outcome.result
    row: dict[str, Any] = {
        "problem": key,
        "claim": claim.id,
        "source": claim.source,
        "tag": claim.tag,
        "digits": outcome.digits,
        "seconds": outcome.seconds,
    }
    flipped = "labels and signs flipped; " if is_flipped else ""
    if isinstance(result, Vacuous):
        blank = dict.fromkeys(("margin", "uncertainty", "quantity_log", "bound_log"), math.nan)
        return row | blank | {"verdict": str(Verdict.VACUOUS), "scale": "", "reason": flipped + result.reason}
    fields = ("uncertainty", "scale", "quantity_log", "bound_log", "exponent", "claimed_exponent", "neuron", "label")
    values = {name: getattr(result, name) for name in fields}
    needed = outcome.remark
    if outcome.unresolved and not needed:
        needed = f"about {outcome.digits_wanted} digits may decide it"
    reason = "; ".join(part for part in (flipped.strip("; "), result.note, needed) if part)
    return row | values | {"verdict": str(result.verdict), "margin": result.value, "t": result.t, "reason": reason}


class _CallableModule(ModuleType):
    """This module is also the function of its name, so that ``verify.check`` works whichever was imported first."""

    __call__ = staticmethod(check)


sys.modules[__name__].__class__ = _CallableModule
