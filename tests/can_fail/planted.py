"""Planted errors: run the claims on drawn problems and say which verdicts came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from verify.check import check
from verify.claim import Claim, Margin
from verify.errors import VerifyError
from verify.evidence import Evidence
from verify.flow import boost, course
from verify.flow.float64 import FLOAT64
from verify.problem import Problem
from verify.strategies import problems, sample


@cache
def drawn(low: float, high: float, count: int = 40) -> tuple[Problem, ...]:
    """The problems that every plant is tried on, the same in every run; at least two labels of a sign in many."""
    return tuple(sample(problems(n=(2, 4), kappa=(low, high)), count, 20220601))


def verdicts(claims: Sequence[Claim | str], low: float, high: float) -> Counter[str]:
    """How often each verdict was given; a simulation or measurement that breaks counts as ``"BROKEN"``."""
    out: Counter[str] = Counter()
    for problem in drawn(low, high):
        try:
            out.update(check(problem, claims).verdict)
        except (VerifyError, ArithmeticError, ValueError, RuntimeWarning):
            out["BROKEN"] += 1
    return out


def sharpened(claim: Claim, exponent: float, constant_log: float = 0.0) -> Claim:
    """The claim with the bound replaced by e^constant_log (λ^ε)^exponent."""

    def measure(evidence: Evidence) -> Margin:
        margin = claim.measure(evidence)
        assert isinstance(margin, Margin)
        bound_log = constant_log - exponent * evidence.kappa
        return replace(margin, bound_log=bound_log, value=bound_log - margin.quantity_log)

    return replace(claim, id=claim.id + ".sharpened", measure=measure)


def uncompiled(monkeypatch, **others):
    """Let the simulator run the boosts as they stand in Python, where they can be broken; other parts may be replaced.

    Steps are then taken one by one, by the loop that serves every arithmetic.
    """
    plain = replace(FLOAT64, boosted=course.boosted, advanced=boost.advanced, **others)
    monkeypatch.setattr("verify.flow.simulate.FLOAT64", plain)
