"""A component of the flow at one exact time, its numbers as balls, and what never changes on a trajectory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verify.certify.balls import Ball, ball, dot, length
from verify.errors import InvalidInitialisation, InvalidProblem
from verify.flow.activity import groups
from verify.notation import BoolArray
from verify.problem import Problem


@dataclass(frozen=True)
class Setting:
    """Constants of the motion.

    - ``n``: number of labels. ``signs`` (m,): s_j. ``y`` (n,).
    - ``rest`` (m,): the square of the part of w_j that never moves. ``frozen`` (m, n): coordinates negative from the
      start, 0 elsewhere. ``scale``: λ. ``unit`` (n,): |y_k| over the norm of the labels of its sign.
    """

    n: int
    signs: tuple[int, ...]
    y: list[Ball]
    rest: list[Ball]
    frozen: list[list[Ball]]
    scale: Ball
    unit: list[Ball]

    def whole_side(self, labels: tuple[int, ...], active: BoolArray, j: int) -> list[int]:
        """Local numbers of all labels of the sign of neuron ``j``, in case it is active on them; else none."""
        mine = [k for k, y in enumerate(self.y) if y * self.signs[j] > 0]
        local = {k: i for i, k in enumerate(labels) if active[i]}
        return [local[k] for k in mine] if all(k in local for k in mine) else []


@dataclass(frozen=True)
class Moment:
    """Neurons and labels that influence one another and nothing else, at the exact time ``t``.

    - ``neurons`` (k,), ``labels`` (b,): their numbers in the problem. ``active`` (k, b): pairs with p_jk > 0.
    - ``a`` (k,): |a_j|. ``p`` (k, b): ⟨w_j, x_k⟩ of active pairs, 0 elsewhere. ``r`` (b,): the residual.
    """

    t: Ball
    neurons: tuple[int, ...]
    labels: tuple[int, ...]
    active: BoolArray
    a: list[Ball]
    p: list[list[Ball]]
    r: list[Ball]

    @property
    def residual_size(self) -> Ball:
        """‖r‖ over the labels of the component."""
        return length(self.r)

    def pairs(self) -> list[tuple[int, int]]:
        """The active pairs, in local numbers."""
        return [(int(j), int(i)) for j, i in np.argwhere(self.active)]

    def parts(self) -> list[Moment]:
        """The components that this one falls into; neurons and labels without an active pair come last, together."""
        return [self._part(neurons.tolist(), labels.tolist()) for neurons, labels in groups(self.active)]

    def _part(self, rows: list[int], columns: list[int]) -> Moment:
        return Moment(
            self.t,
            tuple(self.neurons[j] for j in rows),
            tuple(self.labels[i] for i in columns),
            self.active[np.ix_(rows, columns)],
            [self.a[j] for j in rows],
            [[self.p[j][i] for i in columns] for j in rows],
            [self.r[i] for i in columns],
        )


def begin(problem: Problem) -> tuple[Setting, Moment]:
    """The constants of a problem, and all of it at time 0, from its exact decimals.

    Raises ``InvalidProblem`` for inputs whose Gram matrix is not exactly the identity and for a coordinate that is
    exactly 0, the boundary of two activation patterns; ``InvalidInitialisation`` for one that is not balanced.
    """
    refuse(problem)
    start = problem.initialisation
    g, projections = start.exact_directions.fractions(), problem.exact_projections
    active = np.asarray(projections > 0, dtype=bool)
    scale = (-ball(start.exact_minus_log_lambda)).exp()
    y = [ball(label) for label in problem.dataset.exact_y.fractions()]
    signs = tuple(int(s) for s in start.signs)
    a = [scale * ball(sum(x * x for x in row)).sqrt() for row in g]
    p = [[scale * ball(max(x, 0)) for x in row] for row in projections]
    rest = [
        scale * scale * ball(sum(x * x for x in row) - sum(x * x for x in moving if x > 0))
        for row, moving in zip(g, projections, strict=True)
    ]
    frozen = [[scale * ball(min(x, 0)) for x in row] for row in projections]
    r = [y[k] - dot([s * size for s, size in zip(signs, a, strict=True)], [row[k] for row in p]) for k in range(len(y))]
    sizes = {sign: length(label for label in y if sign * label > 0) for sign in (1, -1)}
    unit = [abs(label) / sizes[1 if label > 0 else -1] for label in y]
    setting = Setting(len(y), signs, y, rest, frozen, scale, unit)
    return setting, Moment(ball(0), tuple(range(start.m)), tuple(range(len(y))), active, a, p, r)


def refuse(problem: Problem) -> None:
    """Raise for a problem that has no certified trajectory; see :func:`begin`."""
    data = problem.dataset
    if data.exact_x is not None:
        x = data.exact_x.fractions()
        gram = x @ x.T
        for k, other in np.argwhere(gram != np.eye(data.n, dtype=int)).tolist():
            product, due = gram[k, other], int(k == other)
            raise InvalidProblem(
                f"x must have exactly orthonormal rows to be certified: <x[{k}], x[{other}]> = {float(product):.17g} "
                f"is off {due} by {float(product - due):.3g}; take x = null, or rotations by rational angles"
            )
    if not problem.initialisation.is_balanced:
        raise InvalidInitialisation("output_scale must be left out to be certified: only balanced starts are followed")
    for j, k in np.argwhere(problem.exact_projections == 0).tolist():
        raise InvalidProblem(
            f"<g[{j}], x[{k}]> = 0 exactly: neuron {j} starts on the boundary of two activation patterns at label {k}, "
            "where the flow is not unique; move the direction off it"
        )
