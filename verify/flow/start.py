"""How a problem enters the flow: all neurons and labels as one component at time 0."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verify.errors import PrecisionExhausted
from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.balance import fresh_residual
from verify.flow.component import Component, Moment, moment
from verify.flow.frame import Frame
from verify.notation import FloatArray, ObjectArray
from verify.problem import Problem

ALIGNED = 1e-6
"""A neuron with off-axis coordinates below this share of the axis is projected in exact arithmetic."""
SQUARABLE = 1e150
"""Sizes between its inverse and this have squares that are machine numbers."""


def initial_state(problem: Problem, arithmetic: Arithmetic) -> tuple[Component, Moment]:
    """All neurons and labels as one component at time 0, in the given arithmetic.

    Raises PrecisionExhausted, in float64, for directions and output scales whose squares are no machine numbers.
    """
    start, dataset = problem.initialisation, problem.dataset
    if not arithmetic.wide:
        _check_sizes("the norms of directions", start.norms, "; a factor common to all of them belongs into Λ")
        if start.output_scale is not None:
            _check_sizes("output_scale", start.output_scale)
    g, y = arithmetic.array(start.exact_directions), arithmetic.array(dataset.exact_y)
    projections = projections_of(problem, arithmetic)
    active = np.asarray(projections > 0, dtype=bool)
    norms = arithmetic.sqrt((g * g).sum(axis=1))
    scale = norms if start.exact_output_scale is None else arithmetic.array(start.exact_output_scale)
    frozen = np.where(active, projections * 0, projections)
    rest = (frozen * frozen).sum(axis=1) + orthogonal_square(problem, arithmetic)
    unbalanced = 0 if start.output_scale is None else (scale - norms) * (scale + norms)
    frame = Frame.of(y, arithmetic)
    component = Component(
        neurons=np.arange(start.m),
        labels=np.arange(dataset.n),
        signs=np.array(arithmetic.array(start.exact_signs)),
        y=y,
        n=dataset.n,
        excess=rest + unbalanced,
        minus_log_lambda=arithmetic.number(start.exact_minus_log_lambda),
        active=active,
        frame=frame,
        arithmetic=arithmetic,
    )
    at_labels = np.where(active, projections, projections * 0) / scale[:, None]
    along = frame.to_axes(at_labels)
    _mend_aligned(problem, component, scale, along)
    z = np.where(component.rotated, along, at_labels)
    log_scale = arithmetic.log(scale)
    now = moment(arithmetic.number(0), log_scale, scale / scale, z, component.frame.target)
    residual, log_residual = fresh_residual(component, now)
    return component, replace(now, residual=residual, log_residual=log_residual)


def _check_sizes(name: str, sizes: FloatArray, remark: str = "") -> None:
    wrong = np.flatnonzero((sizes < 1 / SQUARABLE) | (sizes > SQUARABLE))
    if len(wrong):
        raise PrecisionExhausted(
            f"{name}: number {wrong[0]} is {sizes[wrong[0]]:.6g}, and float64 can follow sizes between "
            f"{1 / SQUARABLE:g} and {SQUARABLE:g} only; digits=20 or more can follow all{remark}"
        )


def projections_of(problem: Problem, arithmetic: Arithmetic) -> Array:
    """(m, n): ⟨g_j, x_k⟩."""
    return arithmetic.array(problem.exact_projections if arithmetic.wide else problem.projections)


def _mend_aligned(problem: Problem, component: Component, scale: Array, along: Array) -> None:
    """Recompute, in place, off-axis coordinates of neurons that start almost on their target, where digits cancel.

    The part of p orthogonal to the labels is p − y⟨p, y⟩/⟨y, y⟩, exact in fractions; along the axes it is
    −v_k + u_k v_pivot/(1 + u_pivot), u = |y|/‖y‖, which does not cancel.
    """
    frame = component.frame
    for members in frame.blocks:
        pivot = members[frame.axis[members].argmax()]
        apart = members[members != pivot]
        close = abs(along[:, apart]).max(axis=1) < ALIGNED * abs(along[:, pivot])
        unit = frame.axes[pivot, members]
        for j in (close & component.rotated[:, pivot]).nonzero()[0]:
            v = component.arithmetic.array(
                _orthogonal(problem.exact_projections[j, members], problem.dataset.exact_y.fractions()[members])
            )
            along[j, apart] = ((unit * v[members == pivot] / (1 + unit[members == pivot]) - v) / scale[j])[
                members != pivot
            ]


def _orthogonal(p: ObjectArray, y: ObjectArray) -> ObjectArray:
    """p − y⟨p, y⟩/⟨y, y⟩ in fractions; the sign of y does not matter."""
    return np.asarray(p - y * ((p * y).sum() / (y * y).sum()))


def orthogonal_square(problem: Problem, arithmetic: Arithmetic) -> Array:
    """(m,): ‖g_⊥‖², the part of each direction that no input sees."""
    start, dataset = problem.initialisation, problem.dataset
    if dataset.n == dataset.d:
        return arithmetic.zeros(start.m)
    if arithmetic.wide:
        exact_g, exact_p = start.exact_directions.fractions(), problem.exact_projections
        return arithmetic.array((exact_g * exact_g).sum(axis=1) - (exact_p * exact_p).sum(axis=1))
    g = start.directions
    beyond = g[:, dataset.n :] if dataset.is_standard else g - problem.projections @ dataset.x
    return (beyond * beyond).sum(axis=1)
