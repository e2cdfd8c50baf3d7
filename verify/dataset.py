"""The data of the paper: orthonormal inputs, labels, and what the lemmas derive from them."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from verify.decimals import ExactArray, exact_array
from verify.errors import InvalidDataset
from verify.notation import BoolArray, FloatArray

ORTHONORMAL_TOLERANCE = 1e-12


@dataclass(frozen=True, init=False, repr=False)
class Dataset:
    """Orthonormal inputs x (n, d) with labels y (n,); x None stands for the standard basis of R^d.

    Entries are numbers or decimal strings and mean exact decimals; `x`, `y` are their float64 values.
    Labels all of one sign are legal: what speaks of the other sign is then 0, inf or nan as stated below.

    Raises InvalidDataset for inputs that are not orthonormal to 1e-12, a zero label, an exact tie between the
    squares of positive and of negative labels, n > d, and malformed numbers or shapes.
    Source: Assumptions 1 and 2 (T), the constants of Appendix B.1 (R).

    >>> data = Dataset([[0.6, 0.8], [-0.8, 0.6]], [2, -1])
    >>> data.ratio, data.d_plus
    (2.0, array([0.6, 0.8]))
    """

    exact_x: ExactArray | None
    exact_y: ExactArray
    d: int
    flipped: bool = field(compare=False)

    def __init__(self, x: Any, y: Any, *, d: int | None = None, flipped: bool = False) -> None:
        exact_y = exact_array(y, "y", 1, InvalidDataset)
        exact_x, dimension = _read_inputs(x, exact_y.shape[0], d)
        fields = {"exact_x": exact_x, "exact_y": exact_y, "d": dimension, "flipped": flipped}
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def __post_init__(self) -> None:
        _check_labels(self.exact_y)
        if self.n > self.d:
            raise InvalidDataset(
                f"n = {self.n} inputs cannot be orthonormal in d = {self.d} dimensions; n <= d is needed"
            )
        if self.exact_x is not None:
            _check_orthonormal(self.x)
        if self._excess == 0:
            raise InvalidDataset(
                f"y: the positive and the negative labels have the same norm {self.norm_plus * self.n:.6g} "
                "exactly; Assumption 2 asks for different norms, so change a label"
            )

    @classmethod
    def standard(cls, y: Any, d: int | None = None) -> "Dataset":
        """Return the dataset with x_k = e_k in R^d; d defaults to the number of labels."""
        return cls(None, y, d=d)

    def oriented(self) -> "Dataset":
        """Return the dataset with ratio > 1: this one, or the `flipped` one with all labels negated."""
        if self.is_oriented:
            return self
        return Dataset(self.exact_x, self.exact_y.negated(), d=self.d, flipped=not self.flipped)

    @property
    def n(self) -> int:
        """Number of inputs."""
        return self.exact_y.shape[0]

    @property
    def is_standard(self) -> bool:
        """Whether x_k = e_k exactly."""
        return self.exact_x is None

    @cached_property
    def x(self) -> FloatArray:
        """Inputs (n, d), read-only."""
        if self.exact_x is not None:
            return self.exact_x.float64
        basis = np.eye(self.n, self.d)
        basis.setflags(write=False)
        return basis

    @property
    def y(self) -> FloatArray:
        """Labels (n,), read-only."""
        return self.exact_y.float64

    @cached_property
    def positive(self) -> BoolArray:
        """Mask (n,) of the labels y_k > 0."""
        return self.y > 0

    @cached_property
    def negative(self) -> BoolArray:
        """Mask (n,) of the labels y_k < 0."""
        return self.y < 0

    @cached_property
    def d_plus(self) -> FloatArray:
        """D₊ = (1/n) sum of y_k x_k over y_k > 0, shape (d,)."""
        return _target(self.x, self.y, self.positive)

    @cached_property
    def d_minus(self) -> FloatArray:
        """D₋ = (1/n) sum of y_k x_k over y_k < 0, shape (d,)."""
        return _target(self.x, self.y, self.negative)

    @cached_property
    def norm_plus(self) -> float:
        """‖D₊‖ = ‖y₊‖/n; 0 when no label is positive."""
        return math.hypot(*self.y[self.positive]) / self.n

    @cached_property
    def norm_minus(self) -> float:
        """‖D₋‖ = ‖y₋‖/n; 0 when no label is negative."""
        return math.hypot(*self.y[self.negative]) / self.n

    @cached_property
    def ratio(self) -> float:
        """The paper's r = ‖D₊‖/‖D₋‖; inf when no label is negative."""
        return self.norm_plus / self.norm_minus if self.norm_minus > 0 else math.inf

    @property
    def is_oriented(self) -> bool:
        """Whether ‖D₊‖ > ‖D₋‖, decided exactly even where the ratio rounds to 1."""
        return self._excess > 0

    @cached_property
    def alpha_plus(self) -> float:
        """α = min over y_k > 0 of y_k²/(2n²‖D₊‖²); nan when no label is positive. The text lacks the 1/n²."""
        return _alpha(self.y[self.positive])

    @cached_property
    def alpha_minus(self) -> float:
        """α₋, the same over y_k < 0; nan when no label is negative."""
        return _alpha(self.y[self.negative])

    @cached_property
    def epsilon_max(self) -> float:
        """Largest ε that meets the three conditions below, for this dataset or the oriented twin.

        (a) (1 + 3ε) max(1 - α, 1/r) <= 1 - ε (T), (b) (1 + 3rε)(1 - α₋) <= 1 - ε (D), (c) 3rε <= 1 (D).
        Without negative labels only 1 - α is left of them.
        """
        if not self.is_oriented:
            return self.oriented().epsilon_max
        bounds = [self.alpha_plus / (4 - 3 * self.alpha_plus)]
        if self.negative.any():
            inverse = self.norm_minus / self.norm_plus
            gap = float(self._excess / self._squares[0]) / (1 + inverse)
            bounds.append(gap / (1 + 3 * inverse))
            bounds.append(self.alpha_minus * inverse / (inverse + 3 * (1 - self.alpha_minus)))
            bounds.append(inverse / 3)
        return min(bounds)

    @cached_property
    def orthonormal_digits(self) -> float:
        """Decimal digits to which the Gram matrix of the exact inputs is the identity; inf when it is."""
        if self.exact_x is None:
            return math.inf
        x = self.exact_x.fractions()
        error = abs(x @ x.T - np.eye(self.n, dtype=int)).max()
        return math.inf if error == 0 else math.log10(error.denominator) - math.log10(error.numerator)

    @cached_property
    def _squares(self) -> tuple[Fraction, Fraction]:
        y = self.exact_y.fractions()
        positive = sum((v * v for v in y[self.positive]), Fraction())
        negative = sum((v * v for v in y[self.negative]), Fraction())
        return positive, negative

    @property
    def _excess(self) -> Fraction:
        return self._squares[0] - self._squares[1]

    def __repr__(self) -> str:
        return f"Dataset(n={self.n}, d={self.d}, y={self.y.tolist()})"


def _read_inputs(x: Any, n: int, d: int | None) -> tuple[ExactArray | None, int]:
    if x is None:
        return None, n if d is None else d
    exact_x = exact_array(x, "x", 2, InvalidDataset)
    rows, columns = exact_x.shape
    if rows != n:
        raise InvalidDataset(f"x has {rows} rows but y has {n} labels; give one row a label")
    if d not in (None, columns):
        raise InvalidDataset(f"d = {d} contradicts x of shape {exact_x.shape}; leave d out when x is given")
    is_standard = np.array_equal(exact_x.source, np.eye(rows, columns))
    return (None if is_standard else exact_x), columns


def _target(x: FloatArray, y: FloatArray, mask: BoolArray) -> FloatArray:
    target: FloatArray = y[mask] @ x[mask] / len(y)
    target.setflags(write=False)
    return target


def _alpha(labels: FloatArray) -> float:
    if not len(labels):
        return math.nan
    return float(np.abs(labels).min() / math.hypot(*labels)) ** 2 / 2


def _check_labels(exact_y: ExactArray) -> None:
    y = exact_y.float64
    if not len(y):
        raise InvalidDataset("y is empty; at least one label is needed")
    if not y.all():
        k = int(np.flatnonzero(y == 0)[0])
        raise InvalidDataset(f"y[{k}] = {exact_y.decimals()[k]} is zero in float64; every label must be non-zero")


def _check_orthonormal(x: FloatArray) -> None:
    gram = x @ x.T
    error = np.abs(gram - np.eye(len(x)))
    if error.max() > ORTHONORMAL_TOLERANCE:
        row, other = (int(i) for i in np.unravel_index(int(error.argmax()), error.shape))
        raise InvalidDataset(
            f"x must have orthonormal rows: <x[{row}], x[{other}]> = {gram[row, other]:.17g} "
            f"should be {int(row == other)} "
            f"to {ORTHONORMAL_TOLERANCE:g}; numpy.linalg.qr(x.T).Q.T makes such rows"
        )
