"""Numbers that mean exact decimals: an array of them serves float64 and any number of digits alike."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from verify.errors import InvalidArgument, VerifyError
from verify.notation import FloatArray, ObjectArray

Array = TypeVar("Array", bound=npt.NDArray[Any])

SHAPE_WORDS = {1: "one-dimensional", 2: "two-dimensional (a list of equally long rows)"}
MAX_EXPONENT = 100_000


def exact_number(value: object, name: str, error: type[VerifyError] = InvalidArgument) -> Decimal:
    """Return the decimal that a number or a decimal string stands for; a float f stands for Decimal(repr(f)).

    Raises `error` for NaN, infinities, bool, complex, text that is no number, and what overflows float64.

    >>> exact_number(0.1, "y")
    Decimal('0.1')
    """
    number = _as_decimal(value, name, error)
    if not number.is_finite():
        raise error(f"{name} = {value} must be finite")
    if math.isinf(float(number)):
        raise error(f"{name} = {value} is too large: numbers must stay below {np.finfo(np.float64).max:.4g}")
    if number and number.adjusted() < -MAX_EXPONENT:
        raise error(f"{name} = {value} is too small: numbers other than 0 must exceed 1e-{MAX_EXPONENT}")
    return number


def _as_decimal(value: object, name: str, error: type[VerifyError]) -> Decimal:
    match value:
        case bool() | np.bool_():
            raise error(f"{name} = {value} is a bool; give a number or a decimal string")
        case Decimal():
            return value
        case int() | np.integer():
            return Decimal(int(value))
        case float() | np.floating():
            return Decimal(repr(float(value)))
        case str():
            try:
                return Decimal(value)
            except InvalidOperation:
                raise error(f"{name} = {value!r} is not a decimal number such as '0.25' or '1e-3'") from None
    raise error(f"{name} = {value!r} is of type {type(value).__name__}; give a number or a decimal string")


def json_number(number: Decimal) -> float | str:
    """Return a float whose repr is exactly this decimal, or else the decimal as a string."""
    nearest = float(number)
    return nearest if Decimal(repr(nearest)) == number else str(number)


def canonical_number(number: Decimal) -> float | str:
    """Return one form for all spellings of a decimal: a float where `json_number` does, or else a string.

    >>> {canonical_number(Decimal(text)) for text in ("1", "1.00", "10E-1")}
    {1.0}
    """
    plain = json_number(number)
    if isinstance(plain, float):
        return plain + 0.0
    sign, digits, exponent = number.as_tuple()
    text = "".join(map(str, digits))
    significant = text.rstrip("0")
    return f"{'-' if sign else ''}{significant}e{int(exponent) + len(text) - len(significant)}"


@dataclass(frozen=True, eq=False)
class ExactArray:
    """An array of exact decimals, made by `exact_array`.

    `source` is a read-only array, of float64 (each float f meaning Decimal(repr(f))) or of Decimal objects.
    Two arrays are equal when they hold the same decimals, however these were written.
    """

    source: npt.NDArray[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self.source.shape

    @property
    def holds_floats(self) -> bool:
        """Whether the numbers are stored as float64."""
        return self.source.dtype == np.float64

    @cached_property
    def float64(self) -> FloatArray:
        """The nearest float64 values, read-only."""
        return self.source if self.holds_floats else _read_only(self.source.astype(np.float64))

    def decimals(self) -> ObjectArray:
        """Return the exact values as an object array of Decimal, built at each call."""
        return self._map(lambda number: number)

    def fractions(self) -> ObjectArray:
        """Return the exact values as an object array of Fraction, for arithmetic without rounding."""
        return self._map(Fraction)

    def canonical(self) -> Any:
        """Return nested lists of canonical numbers, for hashing: equal arrays give equal lists."""
        return (self.source + 0.0).tolist() if self.holds_floats else self._map(canonical_number).tolist()

    def to_json(self) -> Any:
        """Return nested lists of floats, with decimal strings where no float has that repr."""
        return self.source.tolist() if self.holds_floats else self._map(json_number).tolist()

    def negated(self) -> "ExactArray":
        """Return the array with every sign flipped, exactly."""
        if self.holds_floats:
            return ExactArray(_read_only(-self.source))
        return ExactArray(_read_only(self._map(Decimal.copy_negate)))

    def _map(self, function: Callable[[Decimal], object]) -> ObjectArray:
        flat = np.empty(self.source.size, dtype=object)
        if self.holds_floats:
            flat[:] = [function(Decimal(repr(number))) for number in self.source.ravel().tolist()]
        else:
            flat[:] = [function(number) for number in self.source.ravel()]
        return flat.reshape(self.shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExactArray):
            return NotImplemented
        if self.holds_floats and other.holds_floats:
            return np.array_equal(self.source, other.source)
        return self.shape == other.shape and bool(np.all(self.decimals() == other.decimals()))

    def __hash__(self) -> int:
        return hash((self.shape, (self.float64 + 0.0).tobytes()))


def exact_array(value: object, name: str, ndim: int, error: type[VerifyError] = InvalidArgument) -> ExactArray:
    """Read nested sequences or an array of float, int, str or Decimal as exact decimals.

    A float array is kept as floats and costs no more than a copy. Raises `error`, naming `name` and the
    index, for the wrong number of dimensions, ragged rows, and everything `exact_number` refuses.

    >>> exact_array(["0.1", 2], "y", 1).float64
    array([0.1, 2. ])
    """
    if isinstance(value, ExactArray):
        value = value.source
    array = value if isinstance(value, np.ndarray) else _object_array(value, name, error)
    if array.ndim != ndim:
        raise error(f"{name} must be {SHAPE_WORDS[ndim]}; got shape {array.shape}")
    if array.dtype.kind == "f":
        return _from_floats(array, name, error)
    return _from_objects(array.astype(object), name, error)


def indexed(name: str, index: tuple[int, ...]) -> str:
    """Return how an entry is written in messages.

    >>> indexed("x", (0, 2))
    'x[0, 2]'
    """
    return f"{name}[{', '.join(map(str, index))}]"


def _object_array(value: object, name: str, error: type[VerifyError]) -> ObjectArray:
    try:
        array = np.array(value, dtype=object)
    except ValueError:
        raise error(f"{name} is ragged: every row must have the same length") from None
    if array.ndim == 1:
        _refuse_ragged(array, name, error)
    return array


def _refuse_ragged(rows: ObjectArray, name: str, error: type[VerifyError]) -> None:
    lengths = [len(row) if isinstance(row, (list, tuple, np.ndarray)) else None for row in rows]
    for index, length in enumerate(lengths):
        if length != lengths[0]:
            described = ["a number" if size is None else f"of length {size}" for size in (length, lengths[0])]
            raise error(
                f"{name}[{index}] is {described[0]} but {name}[0] is {described[1]}: "
                "every row must have the same length"
            )


def _from_floats(array: npt.NDArray[Any], name: str, error: type[VerifyError]) -> ExactArray:
    floats = np.array(array, dtype=np.float64, order="C")
    finite = np.isfinite(floats)
    if not finite.all():
        index = tuple(np.argwhere(~finite)[0].tolist())
        raise error(f"{indexed(name, index)} = {floats[index]} must be finite")
    return ExactArray(_read_only(floats))


def _from_objects(array: ObjectArray, name: str, error: type[VerifyError]) -> ExactArray:
    entries = array.ravel().tolist()
    if entries and set(map(type, entries)) == {float}:
        return _from_floats(array.astype(np.float64), name, error)
    flat = np.empty(array.size, dtype=object)
    for position, entry in enumerate(entries):
        index = tuple(int(i) for i in np.unravel_index(position, array.shape))
        flat[position] = exact_number(entry, indexed(name, index), error)
    return ExactArray(_read_only(flat.reshape(array.shape)))


def _read_only(array: Array) -> Array:
    array.setflags(write=False)
    return array
