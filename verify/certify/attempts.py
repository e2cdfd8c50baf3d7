"""Evidence with as many bits as it takes for the trajectory to have a certificate."""

from __future__ import annotations

from verify.certify.balls import precision
from verify.certify.evidence import Evidence
from verify.certify.follow import Effort
from verify.certify.trajectory import DOUBLINGS
from verify.errors import PrecisionExhausted, SimulationFailed
from verify.problem import Problem


def evidence_for(problem: Problem, effort: Effort) -> Evidence:
    """The evidence on a problem, its bits doubled, twice at most, where the trajectory has no certificate."""
    for _ in range(DOUBLINGS):
        evidence = Evidence(problem, effort)
        if failure(evidence) is None:
            return evidence
        effort = effort.doubled
    return Evidence(problem, effort)


def failure(evidence: Evidence) -> str | None:
    """Why the trajectory has no certificate at the bits of the evidence; None where it has one."""
    try:
        with precision(evidence.effort.bits):
            evidence.trajectory  # noqa: B018
    except (PrecisionExhausted, SimulationFailed) as error:
        return str(error)
    return None
