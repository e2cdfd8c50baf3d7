"""One seed of Appendix A.2, by gradient descent and by the exact flow: what is worth keeping of each."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from verify.experiments.descent import CHUNK, descend
from verify.experiments.flow import general_flow
from verify.experiments.teacher import draw
from verify.notation import FloatArray

STEP, ITERATIONS, EVERY = 1e-3, 200_000, 100
TIME, RTOL = 2 * STEP, 1e-8
SHOWN = (0, 20_000, 75_000, 120_000, ITERATIONS)

Record = dict[str, FloatArray]
Tell = Callable[[str], object]


def by_descent(seed: int, tell: Tell, finer: int = 1) -> Record:
    """``losses`` every hundredth iteration, and states ``p`` (5, m, n), ``a`` (5, m) after the iterations ``SHOWN``.

    ``tell`` hears how far it is. ``finer``: so many steps for one of the paper.
    """
    done, total, keep = count(CHUNK, CHUNK), finer * ITERATIONS, [finer * i for i in SHOWN]
    descent = descend(*draw(seed), TIME / finer, total, keep, lambda _: tell(f"descent, {next(done)} of {total}"))
    states = [descent.after(i) for i in keep]
    return {"losses": descent.losses[:: finer * EVERY]} | _stacked(states)


def by_flow(seed: int, tell: Tell, rtol: float = RTOL) -> Record:
    """The states ``p``, ``a`` at the same times; the number of ``events``, and of pairs that slide at the end."""
    times = [i * TIME for i in SHOWN]
    path = general_flow(
        *draw(seed), times[-1], rtol=rtol, times=times, progress=lambda t: tell(f"the flow, {t:.0f} of {times[-1]:.0f}")
    )
    last = path.events.groupby(["neuron", "label"])["after"].last()
    counts = {"events": np.array(len(path.events)), "slides": np.array((last == "slide").sum())}
    return _stacked([path.at(t) for t in times]) | counts


def _stacked(states: list[Any]) -> Record:
    return {name: np.array([getattr(state, name) for state in states]) for name in ("p", "a")}
