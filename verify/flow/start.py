"""How a problem enters the flow: all neurons and labels as one component at time 0."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verify.flow.arithmetic import Arithmetic, Array
from verify.flow.balance import fresh_residual
from verify.flow.component import Component, Moment, moment
from verify.flow.frame import Frame
from verify.problem import Problem


def initial_state(problem: Problem, arithmetic: Arithmetic) -> tuple[Component, Moment]:
    """All neurons and labels as one component at time 0, in the given arithmetic."""
    start, dataset = problem.initialisation, problem.dataset
    g, y = arithmetic.array(start.directions), arithmetic.array(dataset.y)
    projections = arithmetic.array(problem.projections)
    active = np.asarray(projections > 0)
    norms = arithmetic.sqrt((g * g).sum(axis=1))
    scale = norms if start.output_scale is None else arithmetic.array(start.output_scale)
    frozen = np.where(active, projections * 0, projections)
    rest = (frozen * frozen).sum(axis=1) + orthogonal_square(problem, arithmetic)
    unbalanced = 0 if start.output_scale is None else (scale - norms) * (scale + norms)
    frame = Frame.of(y, arithmetic)
    component = Component(
        neurons=np.arange(start.m),
        labels=np.arange(dataset.n),
        signs=arithmetic.array(start.signs),
        y=y,
        n=dataset.n,
        excess=rest + unbalanced,
        minus_log_lambda=start.minus_log_lambda,
        active=active,
        frame=frame,
        arithmetic=arithmetic,
    )
    at_labels = np.where(active, projections, projections * 0) / scale[:, None]
    z = np.where(component.rotated, frame.to_axes(at_labels), at_labels)
    log_scale = arithmetic.log(scale)
    now = moment(0.0, log_scale, scale / scale, z, component.target)
    residual, log_residual = fresh_residual(component, now)
    return component, replace(now, residual=residual, log_residual=log_residual)


def orthogonal_square(problem: Problem, arithmetic: Arithmetic) -> Array:
    """(m,): ‖g_⊥‖², the part of each direction that no input sees."""
    g, dataset = problem.initialisation.directions, problem.dataset
    if dataset.n == dataset.d:
        return arithmetic.zeros(len(g))
    beyond = g[:, dataset.n :] if dataset.is_standard else g - problem.projections @ dataset.x
    beyond = arithmetic.array(beyond)
    return (beyond * beyond).sum(axis=1)
