"""For every claim a planted falsehood: a sharper bound, another window or another set, which some problem refutes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.can_fail.planted import drawn
from verify.claim import Margin, Verdict
from verify.claims import CLAIMS
from verify.evidence import Evidence
from verify.measures import target_norm
from verify.precision import measure
from verify.regime import in_regime

Plant = Callable[[Margin, Evidence], Margin]


def exponent(p: float) -> Plant:
    """The bound with another exponent: (λ^ε)^p in place of the claimed power."""

    def plant(margin: Margin, evidence: Evidence) -> Margin:
        return replace(margin, value=margin.value - (p - margin.claimed_exponent) * evidence.kappa)

    return plant


def constant(factor: float) -> Plant:
    """The bound times a factor."""

    def plant(margin: Margin, evidence: Evidence) -> Margin:
        if margin.scale == "nats":
            return replace(margin, value=margin.value + float(np.log(factor)))
        return replace(margin, value=1 - (1 - margin.value) / factor)

    return plant


def opposite(margin: Margin, evidence: Evidence) -> Margin:
    """The contrary statement."""
    return replace(margin, value=-margin.value)


def shorter_time(side: int, share: float) -> Plant:
    """(1 + share·ε)Λ/‖D±‖ in place of the claimed time bound."""

    def plant(margin: Margin, evidence: Evidence) -> Margin:
        problem = evidence.problem
        scale = problem.initialisation.minus_log_lambda / target_norm(problem, side)
        return replace(margin, value=1 - float(np.exp(margin.quantity_log)) / ((1 + share * problem.epsilon) * scale))

    return plant


PLANTS: dict[str, Plant] = {
    "L1.conserved": constant(1e-12),
    "L1.sign": opposite,
    "L6.frozen": constant(1e-12),
    "L2.align+": exponent(30.0),
    "L2.align-": exponent(3.0),
    "L2.norm": constant(0.1),
    "L7.norm": constant(0.1),
    "L7.align": exponent(3.0),
    "L7.dead.corrected": constant(1e-5),
    "L8.norm": constant(0.1),
    "L8.align": exponent(3.0),
    "L8.dead.corrected": constant(1e-5),
    "L9.lower+": lambda margin, evidence: replace(margin, value=margin.value - 1.5 * evidence.kappa),
    "L9.lower-": lambda margin, evidence: replace(margin, value=margin.value - 3.0 * evidence.kappa),
    "P1.sign": constant(1e-3),
    "P1.monotone": opposite,
    "P1.monotone-": opposite,
    "L3.time": shorter_time(+1, 1 / 20),
    "L3.exit": opposite,
    "L3.align": exponent(30.0),
    "L3.idle": exponent(1e3),
    "L3.loss.appendix": exponent(0.5),
    "L10.rate.corrected": lambda margin, evidence: replace(margin, value=margin.value - 0.05),
    "L10.colinear": exponent(1e3),
    "L10.logistic": exponent(3.0),
    "P2.turn": constant(0.25),
    "C1.saddle": constant(0.4),
    "C1.exponent": lambda margin, evidence: replace(margin, value=0.02 - abs(margin.exponent - 0.25)),
    "C1.strict": constant(1e-12),
    "L4.time": shorter_time(-1, 1 / 100),
    "L4.exit": opposite,
    "L4.align": exponent(30.0),
    "L4.still": exponent(0.3),
    "L4.fitted": exponent(0.3),
    "L4.idle": exponent(1e4),
    "L4.close.corrected": constant(0.4),
    "P3.sign": opposite,
    "A1.interpolator": lambda margin, evidence: replace(margin, value=margin.value - 0.05),
    # Five times the constant: the network that the search has found refutes it.
    "L5.PL": lambda margin, evidence: replace(margin, value=(1 + margin.value) / 5 - 1, uncertainty=1e-9),
    "L12.rate": lambda margin, evidence: replace(margin, value=margin.value - 4.0),
    "L12.ball": exponent(0.05),
    "T1.loss": opposite,
    "T1.bias": lambda margin, evidence: replace(margin, value=margin.value - 3.0),
    "AD.subgradient": opposite,
}
"""The planted falsehood of each claim. Literal readings are claims about misprints and fail as they stand."""

BY_ID = {claim.id: claim for claim in CLAIMS}


@cache
def evidence() -> tuple[Evidence, ...]:
    return tuple(Evidence(in_regime(problem)) for problem in drawn(5, 60)[:12])


@cache
def margins(claim_id: str) -> tuple[tuple[Margin, Evidence], ...]:
    found = [(measure(BY_ID[claim_id], each), each) for each in evidence()]
    return tuple((margin, each) for margin, each in found if isinstance(margin, Margin))


def test_every_claim_has_a_plant():
    assert set(PLANTS) == {claim.id for claim in CLAIMS if claim.reading != "literal"}


@pytest.mark.parametrize("claim_id", PLANTS)
def test_the_claim_stands_and_the_plant_falls(claim_id):
    assert margins(claim_id)
    assert all(margin.verdict is not Verdict.FAILS for margin, _ in margins(claim_id))
    planted = [PLANTS[claim_id](margin, each) for margin, each in margins(claim_id)]
    assert any(margin.verdict is Verdict.FAILS for margin in planted)
