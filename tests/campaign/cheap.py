"""Claims that cost nothing, so that campaigns can be tested without a simulation."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from verify.campaign.config import Config
from verify.campaign.load import load
from verify.campaign.store import Store
from verify.campaign.version import code_version
from verify.catalogue import Selection

CLAIMS = """
import os, signal, time
from verify import Claim, Margin
from verify.claim import Vacuous

def size(evidence):
    time.sleep(float(os.environ.get("SECONDS_A_CLAIM", "0")))
    return Margin(evidence.kappa - 50, 1e-9, "nats", exponent=1.5, claimed_exponent=1.0, neuron=1, t=2.0)

def few(evidence):
    return Vacuous("n is large") if evidence.problem.dataset.n > 2 else Margin(float("inf"), 0.0, "relative")

own = (
    Claim("My.size", "here", "D", "κ ≥ 50", size),
    Claim("My.few", "here", "D", "n ≤ 2", few),
    Claim("My.never", "nowhere", "D", "0 ≤ λ^(1−ε)", lambda evidence: Vacuous("it never applies")),
)
"""


def claims_file(folder: Path) -> Path:
    """A Python file with three claims."""
    path = folder / "cheap_claims.py"
    path.write_text(CLAIMS, encoding="utf-8")
    return path


def config(folder: Path, problems: int = 12, **others: object) -> Config:
    """A campaign of cheap claims."""
    sample = {"n": {"low": 2, "high": 3}, "m": [2, 4], "kappa": {"low": 20, "high": 200}}
    return Config.from_dict({"problems": problems, "claims": str(claims_file(folder)), "sample": sample, **others})


def toml(folder: Path, problems: int = 12) -> Path:
    """The same campaign as a file."""
    path = folder / "campaign.toml"
    path.write_text(
        f'title = "Cheap"\nproblems = {problems}\nclaims = ["{claims_file(folder)}"]\n'
        "[sample]\nn = { low = 2, high = 3 }\nm = [2, 4]\nkappa = { low = 20, high = 200 }\n",
        encoding="utf-8",
    )
    return path


def open_store(folder: Path, which: Config) -> Store:
    """The store of a campaign of cheap claims."""
    return Store(folder, which, code_version(Selection.parse(which.claims)), {"date": "2024-01-01", "seed": "0"})


def finished(folder: Path) -> pd.DataFrame:
    """Problem and index of each case of the claim My.size."""
    rows = load(folder, ["index", "problem", "claim"])
    return rows[rows["claim"] == "My.size"]
