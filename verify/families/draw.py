"""Problems drawn from named families."""

from collections.abc import Mapping
from decimal import ROUND_DOWN
from typing import TypeVar

import numpy as np

from verify.dataset import Dataset
from verify.errors import InvalidArgument, did_you_mean
from verify.families.directions import DIRECTIONS, rounded_rows, with_coordinates, with_key_sets
from verify.families.inputs import INPUTS
from verify.families.labels import LABELS
from verify.families.rounding import significant
from verify.initialisation import Initialisation
from verify.problem import Problem

Value = TypeVar("Value")
Range = tuple[float, float]


def named(table: Mapping[str, Value], name: str, argument: str) -> Value:
    """Return the family of this name; raises InvalidArgument with the nearest name otherwise."""
    if name not in table:
        raise InvalidArgument(f"{argument} = {name!r} is no known family; {did_you_mean(str(name), table)}")
    return table[name]


def make_epsilon(dataset: Dataset, fraction: float) -> float:
    """Return fraction * epsilon_max, rounded down to six digits."""
    return significant(fraction * dataset.epsilon_max, 6, ROUND_DOWN)


def draw_initialisation(
    rng: np.random.Generator, dataset: Dataset, family: str, m: int, minus_log_lambda: float
) -> Initialisation:
    """Draw directions and fair signs, one neuron then put in each key set (Assumption 3)."""
    free = named(DIRECTIONS, family, "directions")(rng, m, dataset.d)
    pair = rng.choice(len(free), 2, replace=False)
    signs = rng.choice([-1.0, 1.0], len(free))
    signs[pair] = 1.0, -1.0
    norms = np.linalg.norm(free, axis=1)
    p = with_key_sets(free @ dataset.x.T, norms, dataset.positive, (int(pair[0]), int(pair[1])))
    g = rounded_rows(with_coordinates(free, p, dataset.x))
    return Initialisation(g, signs, minus_log_lambda)


def draw_problem(
    rng: np.random.Generator,
    *,
    inputs: str = "haar",
    labels: str = "gaussian",
    directions: str = "gaussian",
    n: int = 3,
    m: int = 8,
    d: int | None = None,
    epsilon_fraction: float = 0.9,
    kappa: float | Range | None = None,
    minus_log_lambda: float | None = None,
) -> Problem:
    """Draw one oriented problem with both key sets non-empty from named families.

    d None means d = n. kappa = epsilon * Lambda is a number or a range (drawn log-uniformly), 20 when
    neither it nor minus_log_lambda is given. Raises InvalidArgument for unknown names and sizes out of range.

    >>> problem = draw_problem(np.random.default_rng(0), inputs="rational", labels="wide", kappa=(5, 40))
    >>> 5 <= round(problem.kappa, 4) <= 40 and problem.has_key_sets
    True
    """
    size = n if d is None else d
    _check_sizes(n, m, size)
    _check_scales(epsilon_fraction, kappa, minus_log_lambda)
    y = named(LABELS, labels, "labels")(rng, n)
    dataset = Dataset(named(INPUTS, inputs, "inputs")(rng, n, size), y)
    epsilon = make_epsilon(dataset, epsilon_fraction)
    if minus_log_lambda is None:
        minus_log_lambda = significant(_draw_kappa(rng, 20.0 if kappa is None else kappa) / epsilon)
    start = draw_initialisation(rng, dataset, directions, m, minus_log_lambda)
    return Problem(dataset, start, epsilon)


def _draw_kappa(rng: np.random.Generator, kappa: float | Range) -> float:
    low, high = _ends(kappa)
    return float(low * (high / low) ** rng.uniform())


def _ends(kappa: float | Range) -> Range:
    return kappa if isinstance(kappa, tuple) else (kappa, kappa)


def _check_sizes(n: int, m: int, d: int) -> None:
    if not 1 <= n <= d:
        raise InvalidArgument(f"n = {n}, d = {d}: n orthonormal inputs need 1 <= n <= d")
    if m < 2:
        raise InvalidArgument(f"m = {m}: one neuron in each of the two key sets needs m >= 2")


def _check_scales(fraction: float, kappa: float | Range | None, minus_log_lambda: float | None) -> None:
    if not 0 < fraction <= 1:
        raise InvalidArgument(f"epsilon_fraction = {fraction} must be in (0, 1]")
    if kappa is None:
        return
    if minus_log_lambda is not None:
        raise InvalidArgument("give kappa or minus_log_lambda, not both: kappa = epsilon * minus_log_lambda")
    low, high = _ends(kappa)
    if not 0 < low <= high < np.inf:
        raise InvalidArgument(f"kappa = {kappa} must be a positive number or a pair 0 < low <= high")
