"""X.threshold: how λ* depends on the number of inputs and of neurons, against the paper's e^{−Θ(n)}/√m. [T]"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from verify.campaign.version import code_version
from verify.check import select
from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.families.draw import draw_initialisation
from verify.initialisation import Initialisation
from verify.problem import Problem
from verify.search.threshold import threshold

RECORD = "thresholds.jsonl"
OUTPUTS, ONE_SIGN = "outputs", "outputs, one sign"
GROUPS = {
    "phase 1": "L7.norm,L7.align,L7.dead.corrected,L8.norm,L8.align,L8.dead.corrected,L9.lower+,L9.lower-,P1.sign",
    OUTPUTS: "P1.sign",
    ONE_SIGN: "P1.sign",
    "phases 2, 3": "L3.time,L3.exit,L3.align,L3.idle,L3.loss.appendix,L4.time,L4.exit,L4.align,L4.still,L4.fitted,"
    "L4.idle,L4.close.corrected",
    "convergence": "L5.PL,L12.rate,L12.ball,T1.loss",
}
"""Claims whose common Λ* is looked for, by the part of the proof; P1.sign is the step of phase 1 where m enters.

In `ONE_SIGN` all signs are + but that of one neuron of S₋₁, so that outputs cannot cancel."""
KEYS = ("n", "m", "repeat", "group")
LABELS = 2.0, -1.0
"""Their sizes matter: a phase ends as it begins where its gap λ^(ε/29) exceeds ‖y₋‖, which must be 1 or more."""


@dataclass(frozen=True)
class Study:
    """Sizes, repetitions and seed. Raises InvalidArgument for sizes without both signs or both key sets."""

    n: tuple[int, ...]
    m: tuple[int, ...]
    repeats: int
    seed: int

    def __post_init__(self) -> None:
        if not self.n or min(self.n) < 2 or not self.m or min(self.m) < 2 or self.repeats < 1:
            raise InvalidArgument(
                f"n = {self.n}, m = {self.m}, repeats = {self.repeats}: labels of both signs need n of at least 2, "
                "two key sets need m of at least 2, and repeats must be at least 1"
            )

    def problem(self, n: int, m: int, repeat: int, group: str = "") -> Problem:
        """Labels 2 on half of the inputs, rounded up, and −1 on the others; Gaussian directions, Assumption 3 met.

        Signs are fair, except in the group `ONE_SIGN`.
        """
        half = -(-n // 2)
        data = Dataset.standard([LABELS[0]] * half + [LABELS[1]] * (n - half))
        rng = np.random.default_rng([self.seed, n, m, repeat])
        problem = Problem(data, draw_initialisation(rng, data, "gaussian", m, 1000.0))
        return _one_signed(problem) if group == ONE_SIGN else problem

    def cases(self) -> list[tuple[int, int, int, str]]:
        """Everything to measure, all sizes once before any is repeated, small widths first."""
        return [
            (n, m, repeat, group) for repeat in range(self.repeats) for m in self.m for n in self.n for group in GROUPS
        ]

    def run(self, folder: Path) -> Iterator[pd.DataFrame]:
        """All rows so far, as each is finished; those of the same code and problem that the folder holds are free."""
        path, code, wanted = folder / RECORD, code_version(), self.cases()
        folder.mkdir(parents=True, exist_ok=True)
        keys = {case: self.problem(*case).key for case in wanted}
        here = [row for row in _read(path) if row["code"] == code and _case(row) in wanted]
        rows = [row for row in here if row.get("problem") == keys[_case(row)]]
        had = {_case(row) for row in rows}
        with open(path, "a", encoding="utf-8") as file:
            for case in wanted:
                if case not in had:
                    rows.append({"code": code, "seed": self.seed} | self._measure(*case))
                    file.write(json.dumps(rows[-1]) + "\n")
                    file.flush()
                yield pd.DataFrame(rows)

    def _measure(self, n: int, m: int, repeat: int, group: str) -> dict[str, Any]:
        problem = self.problem(n, m, repeat, group)
        found = threshold(problem, select(GROUPS[group].split(",")), digits=None, step=4.0, beyond=4)
        if found.interrupted:
            raise KeyboardInterrupt
        return dict(zip(KEYS, (n, m, repeat, group), strict=True)) | {
            "problem": problem.key,
            "start": _finite(fits_at_start(problem)),
            "epsilon": problem.epsilon,
            "threshold": _finite(found.minus_log_lambda),
            "failing": found.failing,
            "claim": found.claim,
            "sufficient": found.sufficient,
            "condition": found.condition,
            "looked": len(found.scales),
        }


def _one_signed(problem: Problem) -> Problem:
    start, signs = problem.initialisation, np.ones(problem.initialisation.m)
    signs[np.flatnonzero(problem.key_minus)[0]] = -1.0
    return Problem(problem.dataset, Initialisation(start.exact_directions, signs, start.exact_minus_log_lambda))


def fits_at_start(problem: Problem) -> float:
    """The Λ at which the largest output at time 0, as a share of its label, is 1; minus infinity for none. [D]

    h(x_k) = λ² Σ_j s_j‖g_j‖⟨g_j, x_k⟩⁺ at time 0, so that this is ½ ln max_k h(x_k)/(λ²y_k), over outputs with the sign
    of their label.
    """
    start, data = problem.initialisation, problem.dataset
    outputs = (start.signs * start.norms) @ np.maximum(start.directions @ data.x.T, 0.0)
    largest = float((outputs / data.y).max())
    return math.log(largest) / 2 if largest > 0 else -math.inf


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _case(row: dict[str, Any]) -> tuple[int, int, int, str]:
    return row["n"], row["m"], row["repeat"], row["group"]


def _read(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a record; one that was cut short by a kill is removed."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]
