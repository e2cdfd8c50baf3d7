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
    sizes = abs(arithmetic.array(problem.dataset.exact_y))
    sides = tuple(_side(problem, sign, sizes, frozen < 0, arithmetic) for sign in (1, -1))
    return Constants(
        frozen=frozen,
        mobile=np.asarray((frozen == 0).all(axis=1)),
        log_rest=arithmetic.log(square) / 2,
        sides=(sides[0], sides[1]),
        minus_log_lambda=arithmetic.number(problem.initialisation.exact_minus_log_lambda),
    )


def _side(problem: Problem, sign: int, sizes: Array, below: BoolArray, arithmetic: Arithmetic) -> Side:
    """From the sizes of all labels (n,), and the pairs that are frozen below 0 (m, n)."""
    labels = problem.dataset.positive if sign > 0 else problem.dataset.negative
    unit, blocked = 0 * sizes, (below & labels).any(axis=1)
    if labels.any():
        scaled = sizes[labels] / sizes[labels].max()
        unit[labels] = scaled / arithmetic.sqrt((scaled * scaled).sum())
    return Side(sign, labels, unit, np.asarray(blocked, dtype=bool))
