"""The register of errata on disk: one TOML file an entry, the problems beside it, and measuring them again."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.check import check
from verify.claim import Claim
from verify.claims import CLAIMS
from verify.errata.readings import READINGS
from verify.errors import InvalidArgument, did_you_mean
from verify.problem import Problem

STATUSES = ("confirmed", "confirmed in part", "not confirmed", "no error")
TEXTS = ("id", "title", "source", "status", "printed", "why", "corrected", "found")
MEASURED = ("claim", "problem", "verdict", "margin", "exponent")
DIGITS = 40
"""With which a measurement is made again."""


@dataclass(frozen=True)
class Measurement:
    """What a claim gives on a problem: ``verdict``, ``margin``, and ``exponent``, None where it says nothing."""

    claim: str
    problem: str
    verdict: str
    margin: float
    exponent: float | None = None


@dataclass(frozen=True)
class Erratum:
    """An entry: what is printed, why it fails, what holds instead, how the problems were found, what they show."""

    id: str
    title: str
    source: str
    status: str
    printed: str
    why: str
    corrected: str
    found: str
    measurements: tuple[Measurement, ...]
    folder: Path

    def path(self, measurement: Measurement) -> Path:
        """The file of a measurement's problem."""
        return self.folder / measurement.problem


def read_register(folder: Path, ids: list[str] | None = None) -> list[Erratum]:
    """The entries of a folder, or those asked for, in order. Raises InvalidArgument, naming the file and the key."""
    entries = {entry.id: entry for entry in map(_read, sorted(folder.glob("*.toml")))}
    if not entries:
        raise InvalidArgument(f"{folder}: holds no errata (*.toml); name the folder with --errata DIR")
    for wanted in ids or []:
        if wanted not in entries:
            raise InvalidArgument(f"erratum {wanted!r} is unknown; {did_you_mean(wanted, entries)}")
    return [entries[wanted] for wanted in ids] if ids else list(entries.values())


def _read(path: Path) -> Erratum:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidArgument(f"{path}: cannot be read: {error}") from error
    for name in TEXTS:
        if not isinstance(values.get(name), str) or not values[name].strip():
            raise InvalidArgument(f"{path}: {name} must be a text that says something")
    if values["status"] not in STATUSES:
        raise InvalidArgument(f"{path}: status = {values['status']!r} must be one of: {', '.join(STATUSES)}")
    measurements = tuple(_measurement(path, entry) for entry in values.get("measurements", []))
    if not measurements:
        raise InvalidArgument(f"{path}: an entry needs a [[measurements]] with claim, problem, verdict and margin")
    return Erratum(**{name: values[name].strip() for name in TEXTS}, measurements=measurements, folder=path.parent)


def _measurement(path: Path, values: dict[str, Any]) -> Measurement:
    missing = [name for name in MEASURED[:4] if name not in values]
    unknown = [name for name in values if name not in MEASURED]
    if missing or unknown:
        told = "; ".join([f"{name} is missing" for name in missing] + [f"{name} is unknown" for name in unknown])
        raise InvalidArgument(f"{path}: measurements: {told}; an entry has {', '.join(MEASURED)}")
    return Measurement(**values)


@dataclass(frozen=True)
class Again:
    """A measurement made again: what came out, and what differs from the register; empty when nothing does."""

    measurement: Measurement
    verdict: str
    margin: float
    uncertainty: float
    scale: str
    difference: str


def measured_again(erratum: Erratum, digits: int | None = DIGITS) -> Iterator[Again]:
    """Every measurement of an entry, in so many digits or in float64. Raises what `check` raises, and UnknownClaim."""
    for measurement in erratum.measurements:
        problem = Problem.from_json(erratum.path(measurement))
        row = check(problem, [_claim(measurement.claim)], digits=digits).iloc[0]
        yield Again(
            measurement,
            str(row["verdict"]),
            float(row["margin"]),
            float(row["uncertainty"]),
            str(row["scale"]),
            _difference(measurement, row),
        )


def _claim(name: str) -> Claim | str:
    return next((claim for claim in (*READINGS, *CLAIMS) if claim.id == name), name)


def _difference(stored: Measurement, row: Any) -> str:
    """Verdicts must agree; margins and exponents to the four digits that the register gives."""
    if stored.verdict != row["verdict"]:
        return f"verdict {row['verdict']}, not {stored.verdict}"
    for name, value in (("margin", stored.margin), ("exponent", stored.exponent)):
        if value is not None and not math.isclose(value, float(row[name]), rel_tol=1e-3):
            return f"{name} {float(row[name]):.5g}, not {value:.5g}"
    return ""
