"""What never changes on a trajectory, in its arithmetic: frozen coordinates, immovable parts, target directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.start import orthogonal_square, projections_of
from verify.notation import BoolArray
from verify.problem import Problem


@dataclass(frozen=True)
class Side:
    """The labels of one sign: ``sign`` ±1, their mask (n,), |y|/‖y‖ on them (n,), who is frozen below 0 there (m,)."""

    sign: int
    labels: BoolArray
    unit: Array
    blocked: BoolArray


@dataclass(frozen=True)
class Constants:
    """Constants of the motion.

    - ``frozen`` (m, n): coordinates that start negative, over λ, zero elsewhere; ``mobile`` (m,): neurons without any.
    - ``log_rest`` (m,): ln of the part of w_j that never moves, over λ. ``sides``: positive labels, negative labels.
    - ``minus_log_lambda``: Λ.
    """

    frozen: Array
    mobile: BoolArray
    log_rest: Array
    sides: tuple[Side, Side]
    minus_log_lambda: Any

    def side(self, sign: int) -> Side:
        """The positive labels for +1, the negative ones for −1."""
        return self.sides[0 if sign > 0 else 1]


def constants_of(problem: Problem, arithmetic: Arithmetic) -> Constants:
    """The constants of a problem."""
    projections = projections_of(problem, arithmetic)
    frozen = np.where(projections < 0, projections, 0 * projections)
    square = (frozen * frozen).sum(axis=1) + orthogonal_square(problem, arithmetic)
    sides = tuple(_side(problem, sign, frozen, arithmetic) for sign in (1, -1))
    return Constants(
        frozen=frozen,
        mobile=np.asarray((frozen == 0).all(axis=1)),
        log_rest=arithmetic.log(square) / 2,
        sides=(sides[0], sides[1]),
        minus_log_lambda=arithmetic.number(problem.initialisation.exact_minus_log_lambda),
    )


def _side(problem: Problem, sign: int, frozen: Array, arithmetic: Arithmetic) -> Side:
    labels = problem.dataset.positive if sign > 0 else problem.dataset.negative
    y = arithmetic.array(problem.dataset.exact_y)
    sizes = np.where(labels, abs(y), 0 * y)
    largest = max(sizes)
    scaled = sizes / largest if largest > 0 else sizes
    norm = arithmetic.sqrt((scaled * scaled).sum()) if largest > 0 else 1
    return Side(sign, labels, scaled / norm, np.asarray((frozen[:, labels] < 0).any(axis=1)))
