"""What changed between two sets of rows: verdicts, then margins beyond their joint error, then error bars, then time.

Two margins are compared on the scale of their logarithms with their own error bars; no absolute tolerance is involved.
Numbers carry rounding in their logarithm too: a margin of 10⁻²⁰⁰ is exp(−460), and 460 is known to a few roundoffs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from verify.notation import FloatArray

CASE = ["problem", "claim"]
COMPARED = (*CASE, "verdict", "margin", "uncertainty", "scale", "seconds")
GROWTH = 3.0
"""An error bar that has grown by more than this factor is worth a word."""
ROUNDING = 8 * float(np.finfo(float).eps)
SERIOUS = {"FAILS": 0, "UNRESOLVED": 1, "VACUOUS": 2, "HOLDS": 3}


@dataclass(frozen=True)
class Changes:
    """The differences between two sets of rows, each a table with one line a case, the most serious first.

    - ``flips``: another verdict. ``moved``: a margin further off than both error bars allow; ``ratio`` says how many
      times. ``grown``: an error bar longer by more than the factor. ``lost``, ``new``: cases of only one of the two.
    - ``seconds``: time per claim, on the cases of both. ``cases``: how many these are.
    """

    flips: pd.DataFrame
    moved: pd.DataFrame
    grown: pd.DataFrame
    lost: pd.DataFrame
    new: pd.DataFrame
    seconds: pd.DataFrame
    cases: int

    @property
    def any(self) -> bool:
        """Whether anything changed but time and new cases."""
        return bool(len(self.flips) or len(self.moved) or len(self.grown) or len(self.lost))

    @property
    def claims(self) -> list[str]:
        """The claims with a change, in the order of the tables."""
        named = pd.concat([self.flips, self.moved, self.grown, self.lost])["claim"]
        return list(dict.fromkeys(named))


def compare(before: pd.DataFrame, after: pd.DataFrame, growth: float = GROWTH) -> Changes:
    """The changes from ``before`` to ``after``, rows with at least the columns ``COMPARED``.

    NaN equals NaN, an infinite margin equals itself; gained or lost, either is a move. A missing error bar is infinite.

    >>> rows = pd.DataFrame([["a", "L3.time", "HOLDS", 0.5, 1e-9, "relative", 0.1]], columns=list(COMPARED))
    >>> compare(rows, rows.assign(margin=0.5 + 1e-9)).any, compare(rows, rows.assign(margin=0.6)).claims
    (False, ['L3.time'])
    """
    names = list(COMPARED)
    both = before[names].merge(after[names], on=CASE, how="outer", suffixes=("_before", "_after"), indicator=True)
    common = both[both["_merge"] == "both"].drop(columns="_merge").reset_index(drop=True)
    flipped = (common["verdict_before"].astype(str) != common["verdict_after"].astype(str)).to_numpy()
    ratio, growths = _ratios(common), _growths(common)
    measured = common.assign(ratio=ratio, growth=growths)
    moved = measured[~flipped & (ratio > 1)].sort_values("ratio", ascending=False, kind="stable")
    grown = measured[~flipped & (growths > growth)].sort_values("growth", ascending=False, kind="stable")
    return Changes(
        flips=_by_seriousness(measured[flipped]),
        moved=moved.reset_index(drop=True),
        grown=grown.reset_index(drop=True),
        lost=both.loc[both["_merge"] == "left_only", CASE].reset_index(drop=True),
        new=both.loc[both["_merge"] == "right_only", CASE].reset_index(drop=True),
        seconds=common.groupby("claim", sort=False)[["seconds_before", "seconds_after"]].sum().reset_index(),
        cases=len(common),
    )


def rounding(margin: FloatArray) -> FloatArray:
    """What rounding alone does to a margin: a few units roundoff of its logarithm, or of 1 where that is larger."""
    size = np.abs(margin)
    with np.errstate(divide="ignore", invalid="ignore"):
        depth = np.where(size > 0, np.abs(np.log(size)), 0.0)
    return np.where(np.isfinite(size), ROUNDING * (1 + depth) * size, 0.0)


def _ratios(common: pd.DataFrame) -> FloatArray:
    """The distance of the two margins over what their error bars allow together; 0 where they are the same."""
    old, new = _floats(common, "margin_before"), _floats(common, "margin_after")
    allowed = _bars(common, "before") + _bars(common, "after")
    same = (old == new) | (np.isnan(old) & np.isnan(new))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.abs(new - old) / allowed
    ratio = np.where(np.isnan(old) | np.isnan(new) | (np.isinf(old) | np.isinf(new)), np.inf, ratio)
    other_scale = common["scale_before"].fillna("").astype(str) != common["scale_after"].fillna("").astype(str)
    ratio = np.where(other_scale & ~(np.isnan(old) & np.isnan(new)), np.inf, ratio)
    return np.asarray(np.where(same & ~(other_scale & ~np.isnan(old)), 0.0, ratio))


def _growths(common: pd.DataFrame) -> FloatArray:
    """How many times longer the error bar is; 1 where a case has no margin before or after."""
    old, new = _bars(common, "before"), _bars(common, "after")
    without = np.isnan(_floats(common, "margin_before")) | np.isnan(_floats(common, "margin_after"))
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.where(new == old, 1.0, new / old)
    return np.asarray(np.where(without, 1.0, growth))


def _bars(common: pd.DataFrame, when: str) -> FloatArray:
    """Error bars, no shorter than rounding makes them; a missing one is infinite."""
    bars = np.nan_to_num(_floats(common, f"uncertainty_{when}"), nan=np.inf, posinf=np.inf)
    return np.asarray(np.maximum(bars, rounding(_floats(common, f"margin_{when}"))))


def _floats(common: pd.DataFrame, name: str) -> Any:
    return common[name].to_numpy(dtype=float, na_value=np.nan)


def _by_seriousness(flips: pd.DataFrame) -> pd.DataFrame:
    order = flips["verdict_after"].astype(str).map(SERIOUS).sort_values(kind="stable").index
    return flips.loc[order].reset_index(drop=True)
