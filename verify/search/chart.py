"""Problems around a given one as vectors of real numbers, for optimisers: what is discrete stays as it is."""

from __future__ import annotations

import math

import numpy as np

from verify.claim import Claim
from verify.dataset import Dataset
from verify.errors import VerifyError
from verify.families.directions import rounded_rows, unit_rows, with_key_sets
from verify.families.draw import make_epsilon
from verify.families.labels import near_tie
from verify.families.rounding import significant_all
from verify.initialisation import Initialisation
from verify.notation import FloatArray
from verify.problem import Problem
from verify.search.space import Space

DECADES = math.log(1000.0)
"""Labels and norms of directions stay within three decades up and down: ε falls with the square of a label."""
LEADS = math.log(1e-9), math.log(1e6)
"""Ends of ln of ‖y₊‖²/‖y₋‖² − 1."""
LARGEST = 1e12
"""Beyond this Λ, which a tiny ε asks for, float64 cannot tell the times of a trajectory apart."""


class Chart:
    """Coordinates: ln|y_k|, ln of the lead of the positive labels, ln‖g_j‖, g_j/‖g_j‖, and two for ε and Λ.

    Signs of labels and neurons, sizes, and one neuron of each key set are those of the problem. Every vector stands
    for a problem of the space, rounded to six digits; ``start`` for the one given, up to rounding.
    """

    def __init__(self, space: Space, claim: Claim, problem: Problem) -> None:
        problem = problem.oriented()
        data, init = problem.dataset, problem.initialisation
        self.space, self.claim = space, claim
        self._signs, self._label_signs = init.signs, np.sign(data.y)
        self._pair = int(problem.key_plus.argmax()), int(problem.key_minus.argmax())
        self._shape = init.m, init.d
        lead = math.log(data.ratio**2 - 1) if data.ratio > 1 + 1e-9 else LEADS[0]
        low, high = space.scale.ends(problem, claim)
        where = math.log(init.minus_log_lambda / low) / math.log(high / low) if high > low else 0.0
        parts = (np.log(np.abs(data.y)), [lead], np.log(init.norms), unit_rows(init.directions).ravel())
        fraction = (problem.epsilon / data.epsilon_max - space.epsilon[0]) / _width(space.epsilon)
        self.start: FloatArray = np.concatenate([*parts, [fraction, where]])

    def problem(self, vector: FloatArray) -> Problem | None:
        """The problem at a vector; None beyond `LARGEST`, and where the assumptions cannot be met to the last digit."""
        (m, d), n = self._shape, self._label_signs.size
        logs, lead, norms, rows, ends = np.split(vector, np.cumsum([n, 1, m, m * d]))
        if not rows.reshape(m, d).any(axis=1).all():
            return None
        try:
            data = Dataset.standard(self._labels(logs, float(lead[0])), d=d)
            epsilon = make_epsilon(data, self.space.epsilon[0] + _width(self.space.epsilon) * fold(ends[0]))
            start = Initialisation(self._directions(norms, rows.reshape(m, d), data), self._signs, 1000.0)
            placed = self.space.scale.place(Problem(data, start, epsilon), self.claim, fold(ends[1]))
        except (VerifyError, ArithmeticError):
            return None
        return placed if placed.initialisation.minus_log_lambda <= LARGEST else None

    def _labels(self, logs: FloatArray, lead: float) -> FloatArray:
        sizes = significant_all(np.exp(np.clip(logs, -DECADES, DECADES)))
        return near_tie(self._label_signs * sizes, math.exp(np.clip(lead, *LEADS)))

    def _directions(self, norms: FloatArray, rows: FloatArray, data: Dataset) -> FloatArray:
        unit = unit_rows(rows)
        n, ones = data.n, np.ones(len(unit))
        unit[:, :n] = with_key_sets(unit[:, :n], ones, data.positive, self._pair)
        return rounded_rows(unit * np.exp(np.clip(norms, -DECADES, DECADES))[:, None])


def fold(value: float) -> float:
    """A real number folded into [0, 1], so that optimisers need no bounds.

    >>> fold(0.25), fold(1.25), fold(-0.25)
    (0.25, 0.75, 0.25)
    """
    return 1 - abs(1 - value % 2)


def _width(ends: tuple[float, float]) -> float:
    return max(ends[1] - ends[0], 1e-12)
