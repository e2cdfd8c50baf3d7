"""Certified verdicts on one problem, as a table."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from verify.certify.attempts import evidence_for, failure
from verify.certify.balls import library, precision
from verify.certify.claims import MEASURES
from verify.certify.evidence import Evidence
from verify.certify.follow import effort_for
from verify.certify.margin import CertifiedMargin, open_question
from verify.certify.moment import refuse
from verify.certify.trajectory import checked_digits
from verify.claim import Claim, Vacuous, Verdict
from verify.claims import CLAIMS
from verify.errors import InvalidArgument, PrecisionExhausted, SimulationFailed
from verify.evidence import Evidence as Assumptions
from verify.problem import Problem

COLUMNS = ("problem", "claim", "source", "tag", "verdict", "low", "high", "scale", "neuron", "label", "t", "bits",
           "seconds", "reason")  # fmt: skip
"""The columns of the frame, in order."""

BITS = 64, 100_000
"""Fewest and most bits that can be asked for."""


@dataclass(frozen=True)
class Outcome:
    """A claim measured on one problem: its enclosed margin or why there is none, and for how long."""

    claim: Claim
    result: CertifiedMargin | Vacuous
    seconds: float

    @property
    def verdict(self) -> Verdict:
        return Verdict.VACUOUS if isinstance(self.result, Vacuous) else self.result.verdict


@dataclass(frozen=True)
class Certification:
    """Outcomes of claims on a problem, with the evidence they rest on."""

    evidence: Evidence
    outcomes: tuple[Outcome, ...]

    def frame(self) -> pd.DataFrame:
        """One row a claim, with the columns ``COLUMNS``; the margin lies between ``low`` and ``high``."""
        rows = [_row(self.evidence, outcome) for outcome in self.outcomes]
        return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"neuron": "Int64", "label": "Int64"})


def certify(
    problem: Problem,
    claims: str | Iterable[Claim | str] | None = None,
    digits: int | None = None,
    bits: int | None = None,
) -> Certification:
    """Enclose the margins of claims on one problem: verdicts that depend on no tolerance.

    - ``claims``: ids or claims that have a certified measurement; None means all of them.
    - ``digits``: about as many the state has at all times; None means 15.
    - ``bits``: of the midpoints of balls. None means as many as the digits and κ ask for, doubled twice where a proof
      obligation cannot be met; then what needs the trajectory is UNRESOLVED, and the reason names the bits to try.

    Raises ``MissingExtra`` without python-flint, ``InvalidArgument`` for claims without a certified measurement or
    digits or bits out of range, ``InvalidProblem`` or ``InvalidInitialisation`` for a problem that cannot be certified.

    >>> from verify import Dataset, Initialisation
    >>> start = Initialisation([[1.0, -0.5], [-0.25, 1.0]], [1, -1], minus_log_lambda=300)
    >>> certify(Problem(Dataset.standard([1, -0.5]), start), ["L3.time"]).frame().verdict.tolist()
    ['HOLDS (certified)']
    """
    library()
    began = time.perf_counter()
    depth = checked_digits(digits)
    chosen = measurable(claims)
    refuse(problem)
    effort = effort_for(problem, depth, max(problem.kappa, 0.0))
    if bits is not None:
        return measured(chosen, Evidence(problem, replace(effort, bits=checked_bits(bits))), began)
    return measured(chosen, evidence_for(problem, effort), began)


def checked_bits(bits: object) -> int:
    """The bits, if they are a whole number within ``BITS``. Raises ``InvalidArgument``."""
    least, most = BITS
    if isinstance(bits, bool) or not isinstance(bits, int) or not least <= bits <= most:
        raise InvalidArgument(f"bits = {bits!r} must be a whole number from {least} to {most}, or None")
    return bits


def measurable(claims: str | Iterable[Claim | str] | None) -> list[Claim]:
    """The claims meant, all of those with a certified measurement for None.

    Raises ``InvalidArgument`` for one that has none, ``UnknownClaim`` with near names.
    """
    from verify.check import select

    if claims is None:
        return [claim for claim in CLAIMS if claim.id in MEASURES]
    chosen = select(claims)
    for claim in chosen:
        if claim.id not in MEASURES:
            raise InvalidArgument(
                f"claim {claim.id} has no certified measurement; those that have: {', '.join(MEASURES)}"
            )
    return chosen


def measured(claims: Iterable[Claim], evidence: Evidence, began: float | None = None) -> Certification:
    """All claims on one problem, at the bits of the evidence.

    ``began``: the counter ``time.perf_counter`` when work on the evidence began, which the first claim pays for.
    """
    since = time.perf_counter() if began is None else began
    broken, assumptions = failure(evidence), Assumptions(evidence.problem)
    out = []
    with precision(evidence.effort.bits):
        for claim in claims:
            why = next((why for hypothesis in claim.hypotheses if (why := hypothesis(assumptions))), None)
            if why is not None:
                result: CertifiedMargin | Vacuous = Vacuous(why)
            else:
                result = open_question(broken) if broken else _measure(claim, evidence)
            now = time.perf_counter()
            out.append(Outcome(claim, result, now - since))
            since = now
    return Certification(evidence, tuple(out))


def _measure(claim: Claim, evidence: Evidence) -> CertifiedMargin | Vacuous:
    """An obligation that a claim itself cannot meet, such as a second trajectory, leaves it open."""
    try:
        return MEASURES[claim.id](evidence)
    except (PrecisionExhausted, SimulationFailed) as error:
        return open_question(str(error))


def _row(evidence: Evidence, outcome: Outcome) -> dict[str, Any]:
    claim, result, verdict = outcome.claim, outcome.result, outcome.verdict
    row: dict[str, Any] = {
        "problem": evidence.problem.key,
        "claim": claim.id,
        "source": claim.source,
        "tag": claim.tag,
        "verdict": f"{verdict} (certified)" if verdict in (Verdict.HOLDS, Verdict.FAILS) else str(verdict),
        "bits": evidence.effort.bits,
        "seconds": outcome.seconds,
    }
    flipped = "labels and signs flipped" if evidence.flipped else ""
    if isinstance(result, Vacuous):
        reason = "; ".join(part for part in (flipped, result.reason) if part)
        return row | {"low": math.nan, "high": math.nan, "t": math.nan, "scale": "", "reason": reason}
    wider = f"try {2 * evidence.effort.bits} bits" if verdict == Verdict.UNRESOLVED and result.sharpens else ""
    reason = "; ".join(part for part in (flipped, result.note, wider) if part)
    values = {name: getattr(result, name) for name in ("low", "high", "scale", "neuron", "label", "t")}
    return row | values | {"reason": reason}
