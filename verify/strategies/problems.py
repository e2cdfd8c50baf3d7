"""Strategies of initialisations, problems and networks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.families.directions import DIRECTIONS, rounded_rows, unit_rows, with_coordinates, with_key_sets
from verify.families.draw import make_epsilon, named
from verify.families.rounding import significant
from verify.initialisation import Initialisation
from verify.network import Network
from verify.notation import FloatArray
from verify.problem import Problem
from verify.strategies.data import datasets
from verify.strategies.numbers import (
    PERCENT,
    SIGNS,
    Range,
    Sizes,
    gaussians,
    generators,
    matrix,
    sixteenths,
    vector,
)

#: "heavy" is left out: its hundreds of neurons are for those who ask.
DEFAULT_DIRECTIONS = ("lattice", "gaussian", "tight", "wide")


@st.composite
def initialisations(
    draw: DrawFn,
    /,
    dataset: Dataset,
    m: Sizes = (2, 8),
    families: Sequence[str] = DEFAULT_DIRECTIONS,
    *,
    minus_log_lambda: float = 20.0,
) -> Initialisation:
    """Balanced initialisations with a neuron in each key set (Assumption 3) and no zero coordinate."""
    if not 2 <= m[0] <= m[1]:
        raise InvalidArgument(f"m = {m} must be a range 2 <= low <= high: one neuron for each of the two key sets")
    name = draw(st.sampled_from(families))
    free = draw(_free_rows(name, draw(st.integers(*m)), dataset.d))
    width = len(free)
    first, offset = draw(st.integers(0, width - 1)), draw(st.integers(1, width - 1))
    pair = (first, (first + offset) % width)
    signs = draw(vector(SIGNS, width))
    signs[list(pair)] = 1.0, -1.0
    p = with_key_sets(free[:, : dataset.n], np.linalg.norm(free, axis=1), dataset.positive, pair)
    g = with_coordinates(free, p, dataset.x)
    return Initialisation(rounded_rows(draw(_scaled(name, g))), signs, minus_log_lambda)


def _free_rows(name: str, m: int, d: int) -> SearchStrategy[FloatArray]:
    family = named(DIRECTIONS, name, "families")
    if name == "heavy":
        return generators().map(lambda rng: family(rng, m, d))
    if name == "gaussian":
        return matrix(st.builds(float.__mul__, SIGNS, gaussians()), m, d)
    return matrix(sixteenths(), m, d)


def _scaled(name: str, g: FloatArray) -> SearchStrategy[FloatArray]:
    if name == "tight":
        return st.just(unit_rows(g))
    if name == "wide":
        return vector(st.integers(-2, 2), len(g)).map(lambda powers: g * 10.0 ** powers[:, None])
    return st.just(g)


@st.composite
def problems(
    draw: DrawFn,
    /,
    n: Sizes = (1, 4),
    m: Sizes = (2, 8),
    kappa: Range = (1.0, 40.0),
    epsilon_fraction: Range = (0.3, 0.95),
    *,
    direction_families: Sequence[str] = DEFAULT_DIRECTIONS,
    **dataset_options: Any,
) -> Problem:
    """Problems that meet Assumptions 1 to 3, oriented (ratio > 1) unless oriented=False is given.

    epsilon = fraction * epsilon_max, Lambda = kappa/epsilon; both are rounded to six digits.
    Further keywords are those of `datasets`, among them sign_case="both", with which n starts at 2.
    """
    if not 0 < kappa[0] <= kappa[1]:
        raise InvalidArgument(f"kappa = {kappa} must be a range 0 < low <= high")
    if not 0 < epsilon_fraction[0] <= epsilon_fraction[1] <= 1:
        raise InvalidArgument(f"epsilon_fraction = {epsilon_fraction} must be a range in (0, 1]")
    dataset = draw(datasets(n, **dataset_options))
    epsilon = make_epsilon(dataset, _between(epsilon_fraction, draw(PERCENT)))
    minus_log_lambda = significant(_between(kappa, draw(PERCENT)) / epsilon)
    start = draw(initialisations(dataset, m, direction_families, minus_log_lambda=minus_log_lambda))
    return Problem(dataset, start, epsilon)


def _between(ends: Range, percent: int) -> float:
    return ends[0] + (ends[1] - ends[0]) * percent / 99


@st.composite
def networks(draw: DrawFn, /, d: int, m: Sizes = (1, 8), *, balanced: bool = False) -> Network:
    """Networks whose weights are sixteenths, none zero; balanced makes |a_j| = ||w_j||."""
    width = draw(st.integers(*m))
    w, a = draw(matrix(sixteenths(), width, d)), draw(vector(sixteenths(), width))
    return Network(np.sign(a) * np.linalg.norm(w, axis=1) if balanced else a, w)
