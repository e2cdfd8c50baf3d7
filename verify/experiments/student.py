"""One seed of Appendix A.2: gradient descent and the exact flow from the same small start."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

import numpy as np

from verify.experiments.descent import CHUNK, descend
from verify.experiments.flow import general_flow
from verify.experiments.path import Path
from verify.experiments.regression import Regression
from verify.experiments.saddles import first_below, slowest
from verify.experiments.teacher import draw, explained
from verify.network import Network
from verify.notation import FloatArray

STEP, ITERATIONS, EVERY = 1e-3, 200_000, 100
TIME, RTOL = 2 * STEP, 1e-8
SHOWN = (0, 20_000, 75_000, 120_000, ITERATIONS)


@dataclass(frozen=True, eq=False)
class Student:
    """What is kept of one seed.

    - ``losses``: of descent, every hundredth iteration. ``shares``: of the principal components at the end.
    - ``flat`` (5, m, 2): hidden weights of descent after the iterations ``SHOWN``, in the plane of the first two
      components of the last ones; ``signs`` (5, m) of their output weights.
    - ``apart`` (5,): distance of descent to the flow at these, of the final norm.
    - ``cosine``: the largest |cos| between two inputs. ``events`` of the flow; ``slides``: at its end.
    """

    losses: FloatArray
    shares: FloatArray
    flat: FloatArray
    signs: FloatArray
    apart: FloatArray
    cosine: FloatArray
    events: FloatArray
    slides: FloatArray

    @property
    def iterations(self) -> FloatArray:
        """The iterations of ``losses``."""
        return np.arange(0.0, ITERATIONS + 1, EVERY)

    @property
    def left(self) -> float:
        """Iteration after which the loss is 1 % lower than at the start."""
        return first_below(self.iterations, self.losses, 0.99 * self.losses[0])

    @property
    def saddle(self) -> tuple[float, float, float]:
        """Iteration, loss and depth of the saddle between 98 % of the loss at the start and nearly that of the end."""
        start, end = self.losses[0], self.losses[-1]
        return slowest(self.iterations, self.losses, 0.98 * start, max(0.01 * start, 1.2 * end))


def follow(seed: int, tell: Callable[[str], object], rtol: float = RTOL, finer: int = 1) -> dict[str, FloatArray]:
    """The fields of ``Student`` for one seed; ``tell`` hears how far it is.

    ``rtol``: of the flow. ``finer``: so many steps of descent for one of the paper.
    """
    data, start = draw(seed)
    times, until = [i * TIME for i in SHOWN], ITERATIONS * TIME
    done, total = count(CHUNK, CHUNK), finer * ITERATIONS
    keep = [finer * i for i in SHOWN]
    descent = descend(
        data, start, TIME / finer, total, keep, lambda _: tell(f"descent, iteration {next(done)} of {total}")
    )
    path = general_flow(
        data, start, until, rtol=rtol, times=times, progress=lambda t: tell(f"the flow, t = {t:.0f} of {until:.0f}")
    )
    networks = [descent.after(i).parameters() for i in keep]
    plane = np.linalg.svd(networks[-1].w, full_matrices=False)[2][:2]
    last = path.events.groupby(["neuron", "label"])["after"].last()
    return {
        "losses": descent.losses[:: finer * EVERY],
        "shares": explained(networks[-1])[:12],
        "flat": np.array([net.w @ plane.T for net in networks]),
        "signs": np.array([np.sign(net.a) for net in networks]),
        "apart": _apart(networks, path, times),
        "cosine": np.array(np.abs(_cosines(data)).max()),
        "events": np.array(float(len(path.events))),
        "slides": np.array(float((last == "slide").sum())),
    }


def _apart(networks: list[Network], path: Path, times: list[float]) -> FloatArray:
    final = math.sqrt(path.at(path.t_end).parameters().norm_squared())
    return np.array([one.distance(path.at(t).parameters()) / final for one, t in zip(networks, times, strict=True)])


def _cosines(data: Regression) -> FloatArray:
    cosines = data.gram / np.outer(data.lengths, data.lengths)
    return np.asarray(cosines[~np.eye(data.n, dtype=bool)])
