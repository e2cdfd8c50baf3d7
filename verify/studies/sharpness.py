"""Sharpness: for every power bound the largest exponent, for every constant the best value, that survive a search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from verify.catalogue import Selection
from verify.check import select
from verify.claims import CLAIMS
from verify.errors import InvalidArgument
from verify.problem import Problem
from verify.report.formats import number
from verify.search import Budget, Found, Scale, Space, folder, search
from verify.search.bench import Bench, Objective
from verify.search.evaluation import Evaluation
from verify.studies.constants import (
    CONSTANTS,
    POWERS,
    Constant,
    claims_in_order,
    constant_factor,
    decided,
    exponent_excess,
)

NAME = "sharpness"
TABLE = f"{NAME}.csv"
NEAR, DEEP = Scale("regime", 1, 10), Scale("regime", 100, 1000)
"""Where constants are read, at any λ that the proof admits, and exponents, which constants blur at larger λ."""
REMEMBERED = 20
"""So many problems of a hunt are looked at first, those that an objective makes smallest."""
VISIBLE = 0.01
"""An exponent that exceeds the claimed one by less than this share of it, or of 1, counts as sharp."""


@dataclass(frozen=True)
class Sharpness:
    """The searches behind the table; ``budget`` is that of each of them. They are kept in ``out``/searches.

    ``hunted``: the folder of a hunt, whose problems are looked at first, after those of a table that ``out`` has.
    """

    claims: tuple[str, ...]
    budget: Budget
    seed: int
    out: Path
    hunted: Path

    @classmethod
    def of(cls, claims: str | None, budget: Budget, seed: int, out: Path, hunted: Path) -> Sharpness:
        """For the claims that a text names, or all. Raises InvalidArgument for claims without exponent or constant."""
        listed = claims_in_order(CLAIMS)
        wanted = [claim.id for claim in select(Selection.parse(claims).claims())] if claims else listed
        without = [claim for claim in wanted if claim not in listed]
        if without:
            raise InvalidArgument(f"{', '.join(without)}: no exponent or constant to sharpen; those with one: {listed}")
        return cls(tuple(wanted), budget, seed, out, hunted)

    def run(self, progress: Callable[[Bench], None], jobs: int = 1) -> Iterator[dict[str, Any]]:
        """A row for each claim as its searches end. Ctrl-C raises KeyboardInterrupt; what was measured is kept."""
        constants = {constant.claim: constant for constant in CONSTANTS}
        for claim in self.claims:
            look = _Look(self, claim, progress, jobs)
            yield look.power() if claim in POWERS else look.constant(constants[claim])


@dataclass(frozen=True)
class _Look:
    """The searches for one line of the table."""

    study: Sharpness
    claim: str
    progress: Callable[[Bench], None]
    jobs: int

    def power(self) -> dict[str, Any]:
        """The smallest excess of the exponent deep inside the regime, and the largest constant anywhere in it."""
        deep = self._smallest("exponent", DEEP, exponent_excess)
        near = self._smallest("constant", NEAR, lambda evaluation: evaluation.margin)
        row = self._row("power")
        if deep is None or near is None:
            return row | {"best": "not measured"}
        excess, claimed, factor = exponent_excess(deep), deep.claimed_exponent, constant_factor(near)
        sharp = excess < VISIBLE * min(claimed, 1.0)
        row |= {"claimed": claimed, "measured": claimed + excess, "excess": excess, "factor": factor}
        row |= {"problem": (near if sharp else deep).key, "json": (near if sharp else deep).problem}
        if not sharp:
            return row | {
                "best": f"exponent {_rounded_down(claimed + excess)}" if claimed < 3 else f"claimed {excess:+.3g}"
            }
        return row | {"best": f"exponent as claimed, constant × {number(factor, '.3g')}"}

    def constant(self, constant: Constant) -> dict[str, Any]:
        """The best value of a constant, at once inside the regime and deep inside it."""
        sign = 1.0 if constant.is_floor else -1.0
        values = {}
        for name, scale in (("constant", NEAR), ("deep", DEEP)):
            values[name] = self._smallest(name, scale, lambda one: sign * constant.read(one, _problem(one)))
        row = self._row("constant") | {"claimed": constant.claimed, "words": constant.words}
        near, deep = values["constant"], values["deep"]
        if near is None or deep is None:
            return row | {"best": "not measured"}
        measured = constant.read(near, _problem(near))
        row |= {"measured": measured, "deep": constant.read(deep, _problem(deep))}
        best = f"c {'≤' if constant.is_floor else '≥'} {number(measured, '.3g')}"
        return row | {"problem": near.key, "json": near.problem, "best": best}

    def _row(self, kind: str) -> dict[str, Any]:
        (claim,) = select(self.claim)
        return {"claim": claim.id, "kind": kind, "words": claim.statement, "reading": claim.reading}

    def _smallest(self, name: str, scale: Scale, value: Objective) -> Evaluation | None:
        """The evaluation that makes a value smallest; None where the claim cannot be measured."""
        found = self._searched(self.study.out / "searches" / f"{self.claim}-{name}", scale, value)
        return found.worst if found is not None and found.worst is not None and decided(found.worst) else None

    def _searched(self, place: Path, scale: Scale, value: Objective) -> Found | None:
        (claim,) = select(self.claim)
        objective: Objective = lambda one: value(one) if decided(one) else math.inf  # noqa: E731
        options: dict[str, Any] = {"seed": self.study.seed, "jobs": self.jobs, "progress": self.progress}
        known = [] if place.exists() else self._tabled()
        known += folder.best_of(self.study.hunted / self.claim, objective, REMEMBERED)
        selection, space = Selection.parse(claim.id), Space(scale=scale)
        options |= {"objective": objective, "simplify": False, "starts": known}
        try:
            found = search(claim, selection, space, self.study.budget, place, **options)
        except InvalidArgument:
            return None
        if found.interrupted:
            raise KeyboardInterrupt
        return found

    def _tabled(self) -> list[Problem]:
        """The problem that the table of an earlier run has for this claim: a search that begins must not find less."""
        table = self.study.out / TABLE
        if not table.exists():
            return []
        rows = pd.read_csv(table)
        paths = [problem_file(self.study.out, key) for key in rows.loc[rows["claim"] == self.claim, "problem"].dropna()]
        return [Problem.from_json(path) for path in paths if path.exists()]


def problem_file(out: Path, key: str) -> Path:
    """Where the problem that sets a number is kept."""
    return out / "problems" / f"{key}.json"


def _problem(evaluation: Evaluation) -> Problem:
    return Problem.from_json(evaluation.problem).oriented()


def _rounded_down(exponent: float) -> str:
    """Three digits, never more than the number."""
    unit = 10.0 ** (math.floor(math.log10(exponent)) - 2) if exponent > 0 else 1.0
    return number(math.floor(exponent / unit) * unit, ".3g")
