"""The loop: every component goes from plateau to Taylor step to plateau until it is certified to converge.

What is proved, segment after segment: the balls of a moment hold the component at its exact time, and the active pairs
are those with p_jk > 0. A plateau or step is the flow up to the first death, or its span (``plateau``, ``taylor``,
``deaths``); the interval of a death holds the flow in whatever order pairs die, and leaves no pair in doubt
(``passage``); components without a common pair evolve apart; a tail is for ever (``tail``). Time never goes back.
Computing with fewer bits than asked for widens balls and loses nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from verify.certify.balls import Ball, library, precision, widest
from verify.certify.deaths import first_death, stop
from verify.certify.moment import Moment, Setting, begin
from verify.certify.passage import through
from verify.certify.plateau import Plateau, find_plateau
from verify.certify.segment import Segment
from verify.certify.tail import Rest, find_tail
from verify.certify.taylor import Taylor, taylor_step
from verify.errors import PrecisionExhausted, SimulationFailed
from verify.problem import Problem

MOST_STEPS = 3000
"""Pieces of a trajectory beyond which it fails loudly."""

WIDEST = 1e-3
"""Relative radius of an output weight at which the bits are used up."""

SPARE = 40
"""Bits beyond those that the output weights are known to, so that rounding does not show."""

GUARD = 64
"""Bits beyond those that the depths ask for."""


@dataclass(frozen=True)
class Effort:
    """How deep a trajectory is followed.

    - ``depth``: nats below 1 that the residual has reached where the certified tail begins.
    - ``bits``: of the midpoints of balls. ``quiet``: nats below 1 that outputs, over time, still are where a plateau
      ends, so that what it neglects is of the size of rounding.

    While the residual falls down to the depth, radii grow, by as much or more, since the enclosures do not know that
    errors decay: bits are twice the depth.
    """

    depth: float
    bits: int

    @property
    def quiet(self) -> float:
        return (self.bits - GUARD / 2) * math.log(2)

    @property
    def doubled(self) -> Effort:
        """Twice the bits for the same depth."""
        return Effort(self.depth, 2 * self.bits)


def effort_for(problem: Problem, digits: int, kappa: float = 0.0) -> Effort:
    """The effort for so many digits of the state.

    ``kappa``: κ, where the ends of phases 2 and 3 are to lie before the tail, at which gaps are λ^(ε/5) and more, and
    tilts of λ^ε are to be seen, which are squares of coordinates.
    """
    depth = digits * math.log(10) + kappa / 5
    bits = math.ceil((2 * depth + kappa / 8) / math.log(2)) + GUARD + math.ceil(math.log2(1 + _size(problem)))
    return Effort(depth, bits)


def _size(problem: Problem) -> float:
    return abs(problem.initialisation.minus_log_lambda) * problem.initialisation.m


def follow(problem: Problem, effort: Effort, until: Ball | None = None) -> tuple[Setting, list[Segment]]:
    """The segments of a problem's trajectory, component by component, each followed to its tail or past ``until``.

    Raises ``PrecisionExhausted``, with the bits to try, where a proof obligation cannot be met, ``SimulationFailed``
    after too many steps, and what :func:`verify.certify.moment.begin` refuses.
    """
    with precision(effort.bits):
        setting, start = begin(problem)
        waiting, done = start.parts(), list[Segment]()
        try:
            while waiting:
                moment = waiting.pop()
                if until is not None and moment.t > until:
                    continue
                with precision(bits_for(moment, effort)):
                    waiting.extend(_advance(moment, setting, effort, done))
                if len(done) > MOST_STEPS:
                    raise SimulationFailed(_stuck(moment))
        except PrecisionExhausted as error:
            raise PrecisionExhausted(f"{error}; with {effort.bits} bits: try {2 * effort.bits}") from None
    return setting, done


def bits_for(moment: Moment, effort: Effort, spare: int = SPARE) -> int:
    """Bits worth computing with: those that the balls still have, and some to spare."""
    known = max((x.rel_accuracy_bits() for x in moment.a), default=0)
    return min(effort.bits, max(known, 0) + spare)


def _advance(moment: Moment, setting: Setting, effort: Effort, done: list[Segment]) -> list[Moment]:
    """Adds the next segments of a component; what is left to follow."""
    if not moment.active.any():
        done.append(Rest(moment))
        return []
    tail = find_tail(moment, setting.n, effort.depth)
    if tail is not None:
        done.append(tail)
        return []
    if widest(moment.a) > WIDEST:
        raise PrecisionExhausted(f"the balls have become too wide by t = {float(moment.t):.6g}")
    segment: Plateau | Taylor | None = find_plateau(moment, setting, effort.quiet)
    if segment is None:
        segment = taylor_step(moment, setting)
    span, death = first_death(segment, setting)
    after = stop(segment, span)
    if after.t > moment.t:
        done.append(replace(segment, end=after.t))
    if death is None:
        return [_later(after, moment)]
    passage = through(after, setting, death.pairs, death.last - death.first)
    done.append(passage)
    return passage.after().parts()


def _later(after: Moment, moment: Moment) -> Moment:
    if not after.t > moment.t:
        raise PrecisionExhausted(f"a step from t = {float(moment.t):.6g} is shorter than the last bit of the time")
    return after


def _stuck(moment: Moment) -> str:
    labels = ", ".join(map(str, moment.labels))
    return (
        f"the certified flow of labels {labels} has not converged by t = {float(moment.t):.6g} after {MOST_STEPS} "
        f"pieces at {library().ctx.prec} bits: some labels of one component are fitted long before others, or a "
        "coordinate turns back so near to 0 that steps have become too short"
    )
