"""Problem: dataset, initialisation and ε, the unit that is drawn, simulated, stored and replayed."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from verify import jsonfile
from verify.dataset import Dataset
from verify.decimals import canonical_number, exact_array, exact_number, json_number
from verify.errors import InvalidInitialisation, InvalidProblem, VerifyError, did_you_mean
from verify.initialisation import Initialisation
from verify.notation import BoolArray, FloatArray, ObjectArray

DEFAULT_EPSILON_FRACTION = 0.9
CANCELLATION = 1e-6
REQUIRED_KEYS = ("y", "g", "s", "minus_log_lambda")
OPTIONAL_KEYS = ("x", "epsilon", "output_scale")


@dataclass(frozen=True, init=False, repr=False)
class Problem:
    """One instance of the theorem: a dataset, an initialisation in the same dimension, and ε.

    epsilon None stands for 0.9 times the dataset's largest ε; otherwise 0 < epsilon <= dataset.epsilon_max.
    Raises InvalidProblem when the dimensions differ or ε is out of range.

    >>> start = Initialisation([[1, 2], [2, -1]], [1, -1], minus_log_lambda=1000)
    >>> problem = Problem(Dataset.standard([2, -1]), start)
    >>> problem.key_plus, problem.key
    (array([ True, False]), 'a3cd142530586f55')
    """

    dataset: Dataset
    initialisation: Initialisation
    exact_epsilon: Decimal | None

    def __init__(self, dataset: Dataset, initialisation: Initialisation, epsilon: Any = None) -> None:
        exact = None if epsilon is None else exact_number(epsilon, "epsilon", InvalidProblem)
        object.__setattr__(self, "dataset", dataset)
        object.__setattr__(self, "initialisation", initialisation)
        object.__setattr__(self, "exact_epsilon", exact)
        self.__post_init__()

    def __post_init__(self) -> None:
        if self.dataset.d != self.initialisation.d:
            raise InvalidProblem(
                f"directions have d = {self.initialisation.d} columns but the inputs have d = "
                f"{self.dataset.d} dimensions; the two must agree"
            )
        largest = self.dataset.epsilon_max
        if largest <= 0:
            raise InvalidProblem(
                "y: the largest epsilon rounds to 0 because the labels are too unequal or too near a tie; "
                "it must be at least 1e-308"
            )
        if not 0 < self.epsilon <= largest:
            raise InvalidProblem(
                f"epsilon = {self.exact_epsilon} must be above 0 and at most {largest!r} for this dataset"
            )

    @cached_property
    def epsilon(self) -> float:
        """The exponent ε of the lemmas."""
        if self.exact_epsilon is None:
            return DEFAULT_EPSILON_FRACTION * self.dataset.epsilon_max
        return float(self.exact_epsilon)

    @property
    def kappa(self) -> float:
        """κ = εΛ, so that λ^ε = exp(-κ)."""
        return self.epsilon * self.initialisation.minus_log_lambda

    @cached_property
    def projections(self) -> FloatArray:
        """<g_j, x_k> (m, n) to relative accuracy: the signs are those of the exact decimals."""
        if self.dataset.is_standard:
            return self.initialisation.directions[:, : self.dataset.n]
        projections = _accurate_products(self.initialisation, self.dataset)
        projections.setflags(write=False)
        return projections

    @cached_property
    def exact_projections(self) -> ObjectArray:
        """<g_j, x_k> (m, n) as fractions, without any rounding."""
        g = self.initialisation.exact_directions.fractions()
        if self.dataset.exact_x is None:
            return g[:, : self.dataset.n]
        exact: ObjectArray = g @ self.dataset.exact_x.fractions().T
        return exact

    @cached_property
    def key_plus(self) -> BoolArray:
        """Mask (m,) of S₊₁: s_j = +1 and <g_j, x_k> >= 0 for every y_k > 0. Source: Appendix B.1 (R)."""
        return self._key_set(self.dataset.positive, +1.0)

    @cached_property
    def key_minus(self) -> BoolArray:
        """Mask (m,) of S₋₁: s_j = -1 and <g_j, x_k> >= 0 for every y_k < 0. Source: Appendix B.1 (R)."""
        return self._key_set(self.dataset.negative, -1.0)

    @property
    def has_key_sets(self) -> bool:
        """Whether Assumption 3 holds (T); a sign that no label has asks for no neuron."""
        plus = bool(self.key_plus.any()) or not self.dataset.positive.any()
        return plus and (bool(self.key_minus.any()) or not self.dataset.negative.any())

    def _key_set(self, labels: BoolArray, sign: float) -> BoolArray:
        mask: BoolArray = (self.projections[:, labels] >= 0).all(axis=1) & (self.initialisation.signs == sign)
        return mask

    def oriented(self) -> "Problem":
        """Return the problem with ratio > 1: this one, or its twin with all labels and all s_j negated."""
        if self.dataset.is_oriented:
            return self
        return Problem(self.dataset.oriented(), self.initialisation.flipped(), self.exact_epsilon)

    def at_scale(self, minus_log_lambda: Any) -> "Problem":
        """Return the same problem at another Λ."""
        start = self.initialisation
        moved = Initialisation(start.exact_directions, start.exact_signs, minus_log_lambda, start.exact_output_scale)
        return Problem(self.dataset, moved, self.exact_epsilon)

    @cached_property
    def key(self) -> str:
        """The content hash: 16 hexadecimal digits, the same for all spellings of the decimals."""
        text = json.dumps(self._canonical(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _canonical(self) -> dict[str, Any]:
        data, start = self.dataset, self.initialisation
        scale = start.exact_output_scale
        return {
            "x": None if data.exact_x is None else data.exact_x.canonical(),
            "y": data.exact_y.canonical(),
            "g": start.exact_directions.canonical(),
            "s": start.exact_signs.canonical(),
            "minus_log_lambda": canonical_number(start.exact_minus_log_lambda),
            "epsilon": None if self.exact_epsilon is None else canonical_number(self.exact_epsilon),
            "output_scale": None if scale is None else scale.canonical(),
        }

    def to_json(self) -> dict[str, Any]:
        """Return the problem as JSON values; numbers that no float spells exactly are decimal strings."""
        data, start = self.dataset, self.initialisation
        values = {
            "x": None if data.exact_x is None else data.exact_x.to_json(),
            "y": data.exact_y.to_json(),
            "g": start.exact_directions.to_json(),
            "s": start.signs.astype(int).tolist(),
            "minus_log_lambda": json_number(start.exact_minus_log_lambda),
            "epsilon": None if self.exact_epsilon is None else json_number(self.exact_epsilon),
        }
        if start.exact_output_scale is not None:
            values["output_scale"] = start.exact_output_scale.to_json()
        return values

    @classmethod
    def from_json(cls, source: str | Path | Mapping[str, Any]) -> "Problem":
        """Read a problem from a file, or from a mapping with the keys x, y, g, s, minus_log_lambda, epsilon.

        x, epsilon and output_scale may be null or left out. Numbers may be decimal strings. Raises
        InvalidProblem, InvalidDataset or InvalidInitialisation, naming the file.
        """
        if isinstance(source, Mapping):
            return cls._from_mapping(source)
        values = jsonfile.load(Path(source))
        try:
            return cls._from_mapping(values)
        except VerifyError as error:
            raise type(error)(f"{source}: {error}") from error

    @classmethod
    def _from_mapping(cls, values: Mapping[str, Any]) -> "Problem":
        _check_keys(values)
        g = exact_array(values["g"], "g", 2, InvalidInitialisation)
        s = exact_array(values["s"], "s", 1, InvalidInitialisation)
        x = values.get("x")
        dataset = Dataset(x, values["y"], d=g.shape[1] if x is None else None)
        start = Initialisation(g, s, values["minus_log_lambda"], values.get("output_scale"))
        return cls(dataset, start, values.get("epsilon"))

    def save(self, path: str | Path) -> None:
        """Write the problem as a JSON file; the file is either complete or not there."""
        jsonfile.save(Path(path), self.to_json())

    def __repr__(self) -> str:
        n, m = self.dataset.n, self.initialisation.m
        return f"Problem(key={self.key!r}, n={n}, m={m}, kappa={self.kappa:.6g})"


def _check_keys(values: Mapping[str, Any]) -> None:
    known = REQUIRED_KEYS + OPTIONAL_KEYS
    for key in values:
        if key not in known:
            raise InvalidProblem(f"unknown key {key!r}; {did_you_mean(key, known)}")
    for key in REQUIRED_KEYS:
        if values.get(key) is None:
            needed = ", ".join(REQUIRED_KEYS)
            raise InvalidProblem(f"key {key!r} is missing; a problem needs {needed}")


def _accurate_products(start: Initialisation, data: Dataset) -> FloatArray:
    """Return <g_j, x_k>, recomputed exactly where most digits cancel."""
    products: FloatArray = start.directions @ data.x.T
    sizes = np.abs(start.directions) @ np.abs(data.x).T
    cancelled = np.argwhere(np.abs(products) < CANCELLATION * sizes)
    if len(cancelled) and data.exact_x is not None:
        x = data.exact_x.fractions()
        for j, k in cancelled:
            g = exact_array(start.exact_directions.source[j], "g", 1).fractions()
            products[j, k] = float(sum(g * x[k], Fraction()))
    return products
