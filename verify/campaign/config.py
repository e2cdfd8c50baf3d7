"""The declaration of a campaign: a TOML file, read with errors that name the key, its value and what would be right."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.campaign.laws import Kind, Law, largest, law, plain, smallest
from verify.errors import InvalidCampaign, did_you_mean
from verify.families import DIRECTIONS, INPUTS, LABELS
from verify.flow.multiprecision import FEWEST, MOST

REGIME = "regime"
NEED_TWO_LABELS = ("lone", "near_tie")
ASKED_FOR = ("heavy", "equal")
"""Families left out unless they are named: hundreds of neurons; labels of one sign when n <= 2."""
KEYS = ("title", "problems", "seed", "claims", "digits", "sample")
FAMILIES: dict[str, Mapping[str, Any]] = {"inputs": INPUTS, "labels": LABELS, "directions": DIRECTIONS}
LAWS = {
    "n": Kind(integer=True, low=1),
    "m": Kind(integer=True, low=2),
    "d": Kind(integer=True, low=1),
    "epsilon_fraction": Kind(low=0, high=1, strict=True),
    "kappa": Kind(low=0, strict=True),
    "minus_log_lambda": Kind(low=0, strict=True),
}
SAMPLE_KEYS = (*FAMILIES, *LAWS)


@dataclass(frozen=True)
class Sample:
    """Where problems come from: families to choose from, and laws of the numbers.

    ``d`` None means d = n. Of ``kappa`` and ``minus_log_lambda`` one is set; the other is None. ``minus_log_lambda``
    may be ``"regime"``: each problem at the Λ from which on the lemmas should hold.
    """

    inputs: tuple[str, ...]
    labels: tuple[str, ...]
    directions: tuple[str, ...]
    n: Law
    m: Law
    d: Law | None
    epsilon_fraction: Law
    kappa: Law | None
    minus_log_lambda: Law | str | None

    @property
    def scales(self) -> Law | str:
        """The law of κ or of Λ, whichever is set."""
        rule = self.kappa if self.kappa is not None else self.minus_log_lambda
        assert rule is not None
        return rule


@dataclass(frozen=True)
class Config:
    """A campaign: how many problems from which sample, and what is checked on them with how many digits."""

    problems: int
    seed: int
    claims: tuple[str, ...]
    digits: int | str | None
    sample: Sample
    title: str = ""

    @classmethod
    def from_toml(cls, path: str | Path) -> Config:
        """Read a configuration. Raises InvalidCampaign, naming the file."""
        try:
            values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
            return cls.from_dict(values)
        except OSError as error:
            raise InvalidCampaign(f"{path}: cannot be read: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InvalidCampaign(f"{path}: not valid TOML: {error}") from error
        except InvalidCampaign as error:
            raise InvalidCampaign(f"{path}: {error}") from error

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Config:
        """The configuration in the values of a TOML file.

        >>> Config.from_dict({"problems": 10, "sample": {"n": [2, 3], "kappa": 200}}).sample.kappa
        (200,)
        """
        _check_names(values, KEYS, "")
        return cls(
            problems=_integer(values, "problems", 1, 100),
            seed=_integer(values, "seed", 0, 0),
            claims=_texts(values.get("claims", []), "claims"),
            digits=_digits(values.get("digits", "auto")),
            sample=_sample(values.get("sample", {})),
            title=_text(values.get("title", ""), "title"),
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON values that `from_dict` reads back."""
        families = {name: list(getattr(self.sample, name)) for name in FAMILIES}
        numbers = {name: plain(getattr(self.sample, name)) for name in LAWS}
        return {
            "title": self.title,
            "problems": self.problems,
            "seed": self.seed,
            "claims": list(self.claims),
            "digits": "float64" if self.digits is None else self.digits,
            "sample": families | {name: value for name, value in numbers.items() if value is not None},
        }


def _sample(values: Any) -> Sample:
    if not isinstance(values, dict):
        raise InvalidCampaign(f"sample = {values!r} must be a table [sample]")
    _check_names(values, SAMPLE_KEYS, "sample.")
    if "kappa" in values and "minus_log_lambda" in values:
        raise InvalidCampaign("give sample.kappa or sample.minus_log_lambda, not both: kappa = epsilon * Λ")
    families = {name: _families(values, name, table) for name, table in FAMILIES.items()}
    given = {"n": {"low": 2, "high": 4}, "m": {"low": 2, "high": 8}, "epsilon_fraction": 0.9} | values
    if "kappa" not in given:
        given.setdefault("minus_log_lambda", REGIME)
    laws = {name: _law(given[name], name) if name in given else None for name in LAWS}
    sample = Sample(**families, **laws)  # type: ignore[arg-type]
    _check_sizes(sample)
    return sample


def _law(value: Any, name: str) -> Law | str:
    if name == "minus_log_lambda" and isinstance(value, str):
        if value != REGIME:
            raise InvalidCampaign(f"sample.{name} = {value!r} must be {REGIME!r}, a number above 0, a list or a range")
        return value
    return law(value, f"sample.{name}", LAWS[name])


def _families(values: Mapping[str, Any], name: str, table: Mapping[str, Any]) -> tuple[str, ...]:
    default = [family for family in table if family not in ASKED_FOR]
    chosen = _texts(values.get(name, default), f"sample.{name}")
    for family in chosen:
        if family not in table:
            raise InvalidCampaign(f"sample.{name} = {family!r} is no known family; {did_you_mean(family, table)}")
    if not chosen:
        raise InvalidCampaign(f"sample.{name} = [] names no family; known: {', '.join(table)}")
    return chosen


def _check_sizes(sample: Sample) -> None:
    fewest = smallest(sample.n)
    if sample.d is not None and smallest(sample.d) < largest(sample.n):
        raise InvalidCampaign(
            f"sample.d = {plain(sample.d)} must be at least the largest n = {largest(sample.n):g}: "
            "n orthonormal inputs need n <= d"
        )
    for family in NEED_TWO_LABELS:
        if family in sample.labels and fewest < 2:
            raise InvalidCampaign(f"sample.n = {plain(sample.n)} must be at least 2 for labels = {family!r}")
    least = 3 if "equal" in sample.labels else 2
    if sample.scales == REGIME and fewest < least:
        raise InvalidCampaign(
            f"sample.n = {plain(sample.n)} must be at least {least} for minus_log_lambda = 'regime' with labels = "
            f"{list(sample.labels)}: the lemmas need labels of both signs; or give sample.kappa"
        )


def _check_names(values: Mapping[str, Any], known: Iterable[str], prefix: str) -> None:
    for name in values:
        if name not in known:
            raise InvalidCampaign(f"unknown key {prefix + name!r}; {did_you_mean(name, known)}")


def _integer(values: Mapping[str, Any], name: str, low: int, default: int) -> int:
    kind, value = Kind(integer=True, low=low), values.get(name, default)
    if not kind.accepts(value):
        raise InvalidCampaign(f"{name} = {value!r} must be {kind}")
    return int(value)


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise InvalidCampaign(f"{name} = {value!r} must be a text")
    return value


def _texts(value: Any, name: str) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(entry, str) for entry in values):
        raise InvalidCampaign(f"{name} = {value!r} must be a text or a list of texts")
    return tuple(part.strip() for entry in values for part in entry.split(",") if part.strip())


def _digits(value: Any) -> int | str | None:
    if value == "float64":
        return None
    number = Kind(integer=True, low=FEWEST, high=MOST)
    if value in ("auto", "certified") or number.accepts(value):
        return value  # type: ignore[no-any-return]
    raise InvalidCampaign(f"digits = {value!r} must be 'auto', 'float64', 'certified' or {number}")
