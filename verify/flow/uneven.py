"""Blocks of labels that are not fitted together: a shared axis would only cancel there."""

from __future__ import annotations

import numpy as np

from verify.flow.arithmetic import to_float
from verify.flow.component import Component, Moment, reframe
from verify.flow.frame import Frame
from verify.notation import BoolArray


def even_frame(component: Component, now: Moment) -> tuple[Component, Moment]:
    """The state without axes on blocks whose labels are fitted unevenly: there a shared axis would only cancel."""
    if not component.frame.framed.any():
        return component, now
    natural = component.frame.to_labels(now.plain_residual(component.arithmetic))
    share = to_float(abs(natural)) / to_float(abs(component.y))
    return unmixed(component, now, share < 0.01, share < 0.5)


def unmixed(
    component: Component, now: Moment, fitted: BoolArray, nearly: BoolArray | None = None
) -> tuple[Component, Moment]:
    """The same state without axes on blocks that hold both fitted and waiting (not even ``nearly`` fitted) labels."""
    if not fitted.any():
        return component, now
    nearly = fitted if nearly is None else nearly
    mixed = np.zeros_like(fitted)
    for members in component.frame.blocks:
        mixed[members] = fitted[members].any() and not nearly[members].all()
    if not mixed.any():
        return component, now
    plain = Frame.of(component.y, component.arithmetic, without=mixed)
    return reframe(component, now, component.active, plain)
