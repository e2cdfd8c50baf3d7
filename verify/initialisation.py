"""The initialisation of the paper: directions g_j and signs s_j at the scale λ = exp(-Λ)."""

from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from verify.decimals import ExactArray, exact_array, exact_number
from verify.errors import InvalidInitialisation
from verify.notation import FloatArray


@dataclass(frozen=True, init=False, repr=False)
class Initialisation:
    """Hidden weights w_j(0) = λ g_j and output weights a_j(0) = s_j λ ‖g_j‖, or s_j λ output_scale_j.

    directions g: (m, d); signs s: (m,), each +1 or -1; minus_log_lambda Λ = -ln λ: any finite number;
    output_scale: None (balanced) or (m,) positive. Numbers mean exact decimals; λ itself is never formed.

    Raises InvalidInitialisation for a zero direction, other signs, an output scale that is not positive, and
    malformed numbers or shapes. Source: Section 2, eq. 4 (T); output_scale serves Lemma 1 and Section 5 (T).

    >>> start = Initialisation([[3, 4], [1, 0]], [1, -1], minus_log_lambda=10_000)
    >>> start.norms, start.c
    (array([5., 1.]), 5.0)
    """

    exact_directions: ExactArray
    exact_signs: ExactArray
    exact_minus_log_lambda: Decimal
    exact_output_scale: ExactArray | None

    def __init__(self, directions: Any, signs: Any, minus_log_lambda: Any, output_scale: Any = None) -> None:
        error = InvalidInitialisation
        fields = {
            "exact_directions": exact_array(directions, "directions", 2, error),
            "exact_signs": exact_array(signs, "signs", 1, error),
            "exact_minus_log_lambda": exact_number(minus_log_lambda, "minus_log_lambda", error),
            "exact_output_scale": None if output_scale is None else exact_array(output_scale, "output_scale", 1, error),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def __post_init__(self) -> None:
        _check_directions(self.directions)
        _check_length("signs", self.exact_signs, self.m)
        _check_signs(self.exact_signs)
        if self.exact_output_scale is not None:
            _check_length("output_scale", self.exact_output_scale, self.m)
            _check_positive(self.exact_output_scale)

    def flipped(self) -> "Initialisation":
        """Return the initialisation with every sign s_j negated."""
        signs = self.exact_signs.negated()
        return Initialisation(self.exact_directions, signs, self.exact_minus_log_lambda, self.exact_output_scale)

    @property
    def m(self) -> int:
        """Number of neurons."""
        return self.exact_directions.shape[0]

    @property
    def d(self) -> int:
        """Dimension of the inputs."""
        return self.exact_directions.shape[1]

    @property
    def directions(self) -> FloatArray:
        """The g_j as rows (m, d), read-only."""
        return self.exact_directions.float64

    @property
    def signs(self) -> FloatArray:
        """The s_j (m,), each +1.0 or -1.0, read-only."""
        return self.exact_signs.float64

    @property
    def minus_log_lambda(self) -> float:
        """Λ = -ln λ."""
        return float(self.exact_minus_log_lambda)

    @property
    def output_scale(self) -> FloatArray | None:
        """|a_j(0)|/λ (m,) where it was given; None means balanced."""
        return None if self.exact_output_scale is None else self.exact_output_scale.float64

    @property
    def is_balanced(self) -> bool:
        """Whether |a_j(0)| = ‖w_j(0)‖ by definition."""
        return self.exact_output_scale is None

    @cached_property
    def norms(self) -> FloatArray:
        """‖g_j‖ (m,), without underflow, read-only."""
        norms = row_norms(self.directions)
        norms.setflags(write=False)
        return norms

    @property
    def c(self) -> float:
        """The largest ‖g_j‖."""
        return float(self.norms.max())

    @property
    def c_low(self) -> float:
        """The smallest ‖g_j‖."""
        return float(self.norms.min())

    def __repr__(self) -> str:
        balance = "" if self.is_balanced else ", unbalanced"
        return f"Initialisation(m={self.m}, d={self.d}, minus_log_lambda={self.minus_log_lambda}{balance})"


def row_norms(rows: FloatArray) -> FloatArray:
    """Return the Euclidean norm of each row of a (m, d) array, without underflow or overflow of the squares.

    >>> row_norms(np.array([[3e-200, 4e-200], [0.0, 0.0]]))
    array([5.e-200, 0.e+000])
    """
    largest = np.abs(rows).max(axis=1, initial=0.0)
    scale = np.where(largest > 0, largest, 1.0)
    scaled = rows / scale[:, None]
    norms: FloatArray = scale * np.sqrt(np.einsum("jd,jd->j", scaled, scaled))
    return norms


def _check_directions(directions: FloatArray) -> None:
    if not directions.size:
        raise InvalidInitialisation(f"directions has shape {directions.shape}; at least one neuron is needed")
    non_zero = directions.any(axis=1)
    if not non_zero.all():
        j = int(np.flatnonzero(~non_zero)[0])
        raise InvalidInitialisation(
            f"directions[{j}] = {directions[j].tolist()} is the zero vector; every g_j must be non-zero"
        )


def _check_length(name: str, array: ExactArray, m: int) -> None:
    if array.shape != (m,):
        raise InvalidInitialisation(
            f"{name} has {array.shape[0]} entries but directions has {m} rows; give one entry a neuron"
        )


def _check_signs(signs: ExactArray) -> None:
    wrong = (signs.source != 1) & (signs.source != -1)
    if wrong.any():
        j = int(np.flatnonzero(wrong)[0])
        raise InvalidInitialisation(f"signs[{j}] = {signs.source[j]} must be +1 or -1")


def _check_positive(output_scale: ExactArray) -> None:
    wrong = output_scale.float64 <= 0
    if wrong.any():
        j = int(np.flatnonzero(wrong)[0])
        raise InvalidInitialisation(
            f"output_scale[{j}] = {output_scale.source[j]} must be positive; the sign of a_j belongs in signs"
        )
