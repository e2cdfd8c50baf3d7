"""Stays of neurons between two of their deactivations: what they are kept as, and their coordinates."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from verify.flow.compiled import compilable
from verify.flow.room import matrix, vector


class Neurons(NamedTuple):
    """Neurons at one moment, as in :class:`.component.Moment`. Shapes: k neurons, b labels.

    ``log_scale``, ``alpha``, ``log_off``, ``excess`` (the conserved α² − |p|², in units of λ²), ``signs`` (k,);
    ``z``, ``off``, ``active`` (k, b).
    """

    log_scale: Any
    alpha: Any
    z: Any
    off: Any
    log_off: Any
    excess: Any
    signs: Any
    active: Any


class Pull(NamedTuple):
    """What moves neurons: a standing residual, less small outputs if there are any.

    - ``natural``, ``along`` (b,): the residual at the labels and along the axes. ``axes``, ``block``, ``framed``,
      ``off_axis``: of :class:`.frame.Frame`. ``n``: number of labels of the whole problem.
    - ``times`` (P + 1,): where the panels begin and end on which outputs count, empty where they are negligible.
      ``outputs`` (P, N + 1, 2b): at the labels, then along the axes, in powers of the time since the panel's begin.
    """

    natural: Any
    along: Any
    axes: Any
    block: Any
    framed: Any
    off_axis: Any
    n: int
    times: Any
    outputs: Any


class Rows(NamedTuple):
    """Stays of neurons between two of their deactivations, one a row; those of a neuron one below the other. R rows.

    A stay also ends with each panel on which outputs count.

    With û the unit vector along ``s r_A``, α = s a = |a| and b = ⟨p, û⟩, the combinations ``plus = α + b`` and
    ``minus = α − b`` are multiplied by e^x and e^−x while the rest of p stays as it is; x = ωτ, ω = ‖r_A‖/n.
    [D, section 2.3] A neuron that feels no force is described along its own direction, at rate zero.

    - ``neuron``, ``sign`` (R,); ``start`` (R,): time; ``label`` (R,): whose death ends the stay, or −1.
    - ``panel`` (R,): on which the stay lies, −1 without panels.
    - ``active`` (R, b): pairs that are on.
    - ``plus``, ``minus`` (R,), in units of e^log_scale. ``direction`` (R, b): û; ``rate`` (R,): ω.
    - ``off`` (R, b), in units of e^log_off: the part of p orthogonal to û.

    Vectors are in the coordinates of the pairs.
    """

    neuron: Any
    sign: Any
    start: Any
    label: Any
    panel: Any
    active: Any
    log_scale: Any
    plus: Any
    minus: Any
    direction: Any
    rate: Any
    off: Any
    log_off: Any


@compilable
def blank(room: int, b: int, like: Any) -> Rows:
    """Rows to be filled in, of numbers as in an array."""
    return Rows(
        vector(room, np.int64),
        vector(room, like.dtype),
        vector(room, like.dtype),
        vector(room, np.int64),
        vector(room, np.int64),
        matrix(room, b, np.bool_),
        vector(room, like.dtype),
        vector(room, like.dtype),
        vector(room, like.dtype),
        matrix(room, b, like.dtype),
        vector(room, like.dtype),
        matrix(room, b, like.dtype),
        vector(room, like.dtype),
    )


@compilable
def mark_rotated(on: Any, framed: Any, block: Any, rotated: Any) -> None:
    """Which pairs are written along the axes: those of neurons active on a whole framed block. In place."""
    for i in range(len(on)):
        rotated[i] = framed[i]
        for k in range(len(on)):
            if framed[k] and block[k] == block[i] and not on[k]:
                rotated[i] = False


@compilable
def at_label(z: Any, rotated: Any, axes: Any, block: Any, k: int) -> Any:
    """The coordinate at label k of a vector in the coordinates of the pairs."""
    if not rotated[k]:
        return z[k]
    total = z[k] * 0
    for i in range(len(z)):
        if rotated[i] and block[i] == block[k]:
            total += axes[i, k] * z[i]
    return total
