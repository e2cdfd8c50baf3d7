"""Synthetic rows of `check`: no simulator, every column filled the way the contract says."""

from __future__ import annotations

import numpy as np
import pandas as pd

from verify.report.tables import ROW_COLUMNS

NATS, RELATIVE = "nats", "relative"


def row(claim: str = "L3.time", verdict: str = "HOLDS", margin: float = 0.5, **others: object) -> dict[str, object]:
    """One row of `check`; anything not named gets a plain value."""
    vacuous = verdict == "VACUOUS"
    plain: dict[str, object] = {
        "problem": "00000000000000aa", "claim": claim, "source": "Lemma 3", "tag": "T", "verdict": verdict,
        "margin": float("nan") if vacuous else margin, "uncertainty": float("nan") if vacuous else 1e-11,
        "scale": RELATIVE, "quantity_log": 1.0, "bound_log": 2.0,
        "exponent": float("nan"), "claimed_exponent": float("nan"),
        "neuron": pd.NA, "label": pd.NA, "t": float("nan") if vacuous else 12.5, "digits": 16, "seconds": 0.01,
        "reason": "S_-1 is empty" if vacuous else "",
    }  # fmt: skip
    return plain | others


def frame(*rows: dict[str, object]) -> pd.DataFrame:
    """Rows as the DataFrame of `check`."""
    return pd.DataFrame(rows, columns=list(ROW_COLUMNS)).astype({"neuron": "Int64", "label": "Int64"})


CLAIMS = {
    "L1.conserved": (RELATIVE, 1.0, 1e-9), "L1.sign": (RELATIVE, 0.9, 0.1), "L6.frozen": (RELATIVE, 1.0, 0.0),
    "L2.align+": (NATS, 30.0, 2.0), "L2.align-": (NATS, 5.0, 3.0), "L2.norm": (NATS, 2.0, 1.0),
    "L3.time": (RELATIVE, 0.03, 0.02),
    "L3.exit": (RELATIVE, 1e-3, 5e-4), "L3.align": (NATS, 300.0, 1.0), "L5.PL": (RELATIVE, 0.5, 0.2),
    "A1.interpolator": (RELATIVE, 1e-6, 1e-6), "X.never": (NATS, float("nan"), 0.0),
}  # fmt: skip


def campaign(problems: int = 60, seed: int = 0) -> pd.DataFrame:
    """Many problems, claims of both scales, all four verdicts, infinite margins, and X.never vacuous throughout."""
    rng = np.random.default_rng(seed)
    return frame(*(_case(rng, f"{p:016x}", claim, *law) for p in range(problems) for claim, law in CLAIMS.items()))


def _case(
    rng: np.random.Generator, problem: str, claim: str, scale: str, centre: float, spread: float
) -> dict[str, object]:
    power = scale == NATS
    if claim == "X.never" or (power and rng.random() < 0.15):
        return row(claim, "VACUOUS", problem=problem, scale=None, reason="2λ^ε ≥ 2, the bound cannot fail")
    margin = float(centre + spread * rng.standard_normal())
    margin = float("inf") if claim == "L3.align" and rng.random() < 0.1 else margin
    uncertainty = 1e-7 if claim == "A1.interpolator" else 1e-11
    verdict = "UNRESOLVED" if abs(margin) <= uncertainty else "HOLDS" if margin > 0 else "FAILS"
    exponents = {"exponent": float(rng.uniform(1, 2)), "claimed_exponent": 1.0} if power else {}
    return row(
        claim,
        verdict,
        margin,
        problem=problem,
        scale=scale,
        uncertainty=uncertainty,
        neuron=int(rng.integers(8)),
        **exponents,
    )
