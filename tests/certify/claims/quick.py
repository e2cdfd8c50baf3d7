"""A small problem whose trajectory is certified in a second."""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd

from verify import Dataset, Initialisation, Problem
from verify.certify.evidence import Evidence
from verify.certify.follow import effort_for
from verify.certify.verdicts import measurable, measured


def quick(minus_log_lambda: Any = 300) -> Problem:
    """Three labels and five neurons; some of every kind die, κ is 10 at Λ = 300."""
    g = [["1.0", "0.5", "0.5", "0.3"], ["-0.25", "0.6", "1.0", "0.1"], ["0.75", "-0.5", "-1.0", "0.2"],
         ["0.4", "1.1", "0.9", "-0.2"], ["0.3", "0.2", "0.7", "1.0"]]  # fmt: skip
    return Problem(Dataset.standard(["1", "0.75", "-0.5"], d=4), Initialisation(g, [1, -1, 1, 1, -1], minus_log_lambda))


@cache
def evidence(minus_log_lambda: Any = 300) -> Evidence:
    """Its evidence; to be used at the bits of its effort."""
    problem = quick(minus_log_lambda)
    return Evidence(problem, effort_for(problem, 15, max(problem.kappa, 0.0)))


def rows(claims: list[str]) -> pd.DataFrame:
    """The certified rows of claims, of one trajectory."""
    return measured(measurable(claims), evidence()).frame()
