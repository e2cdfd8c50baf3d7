"""A made-up campaign for the page: no simulation, every verdict, infinite margins, a claim that was never tested."""

from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd

from tests.report.synthetic import CLAIMS, campaign
from verify.report.page.content import ClaimText, Content, Study, by_claim
from verify.report.page.render import render_page
from verify.report.trajectory_figure import Curves


def rows(problems: int = 40) -> pd.DataFrame:
    """Rows with the features of their problems; keys look like hashes. L2.norm is relative on every other problem."""
    plain = campaign(problems)
    other = (plain["claim"] == "L2.norm") & (plain["problem"].map(lambda key: int(key, 16)) % 2 == 1)
    plain["scale"] = plain["scale"].mask(other & plain["scale"].notna(), "relative")
    keys = {key: hashlib.sha256(key.encode()).hexdigest()[:16] for key in dict.fromkeys(plain["problem"])}
    rng = np.random.default_rng(1)
    features = pd.DataFrame(
        {
            "problem": list(keys.values()),
            "inputs": rng.choice(["haar", "standard"], problems),
            "labels": rng.choice(["gaussian", "wide"], problems),
            "directions": "gaussian",
            "n": rng.integers(2, 5, problems),
            "m": rng.integers(2, 13, problems),
            "d": 5,
            "kappa": 10.0 ** rng.uniform(1, 4, problems),
            "minus_log_lambda": 10.0 ** rng.uniform(3, 6, problems),
        }
    )
    return plain.assign(problem=plain["problem"].map(keys)).merge(features, on="problem")


def curves(times: int = 400) -> Curves:
    """A plateau, a rise and a fit, with a loss that ends at zero."""
    t = np.linspace(0.0, 100.0, times)
    norms = np.column_stack([np.minimum(t - 60.0, 0.0), np.minimum(0.5 * t - 45.0, 0.0), np.full(times, -70.0)])
    with np.errstate(divide="ignore"):
        loss = np.where(t < 60, 0.0, np.where(t < 90, -1.0, np.log(np.maximum(100.0 - t, 0.0)) - 20.0))
    return Curves(
        times=t,
        log_loss=loss,
        log_norms=norms,
        plus=np.array([True, False, False]),
        minus=np.array([False, True, False]),
        log_tilt_plus=-t[:, None],
        log_tilt_minus=-0.5 * t[:, None],
        phases={"t_plus1": 5.0, "t1": 9.0, "t2": 60.0, "t3": float("inf")},
    )


FEATURES = ["problem", "inputs", "labels", "directions", "n", "m", "d", "kappa", "minus_log_lambda"]


def study(table: pd.DataFrame, **others: object) -> Study:
    """A study of some rows."""
    texts = {
        claim: ClaimText(f"‖w_j‖ ≤ 2cλ^(1−ε) <{claim}>", "literal" if claim == "L3.exit" else "") for claim in CLAIMS
    }
    plain: dict[str, object] = {
        "title": "A made-up campaign & more",
        "sample": {"seed": 7, "sample": {"n": {"low": 2, "high": 4}, "labels": ["gaussian", "wide"]}},
        "provenance": {"version": "0.1", "commit": ""},
        "replay": "verify replay KEY --store somewhere",
    }
    problems = table[FEATURES].drop_duplicates("problem")
    return Study(problems, texts, by_claim(table), **plain | others)  # type: ignore[arg-type]


def content(table: pd.DataFrame | None = None, **others: object) -> Content:
    """The content of a page of some rows, by default of all made-up ones."""
    return Content(study(rows() if table is None else table, **others))


def drawn() -> list[str]:
    """The problems whose trajectories are on the page."""
    return content().tightest_keys[:5]


def page() -> str:
    """The whole page."""
    made = content()
    return render_page(made, dict.fromkeys(made.tightest_keys[:5], curves()))
