"""What ends phases 2 and 3: conditions on a state, and the end of a phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from verify.certify.balls import Ball, sign
from verify.certify.constants import Constants
from verify.certify.state import CertifiedState

Conditions = dict[str, tuple[Ball, Ball]]
"""By name: a condition is met when the first number is at least the second."""

Conditioned = Callable[[Constants, CertifiedState], Conditions]
"""The conditions that end a phase, at a state."""


@dataclass(frozen=True)
class Exit:
    """The end of a phase: a ball that holds its time, and the one condition that is met there; None where unknown.

    ``excess``: where it is certain to end as it begins, by how much in nats the condition is met; None elsewhere.
    """

    t: Ball
    condition: str | None
    excess: Ball | None = None


def second_conditions(known: Constants, state: CertifiedState) -> Conditions:
    """What ends phase 2: a norm, the fit, a tilt, as in :func:`verify.phases.second_levels`. [R, eq. 17]"""
    plus, others = known.plus, known.others(known.plus.key)
    return {
        "norm": (state.largest_norm(others), 2 * known.largest_direction * known.shrunk(1)),
        "fit": (known.shrunk(Fraction(1, 5)), known.n * plus.norm - state.key_square(plus)),
        "tilt": (state.largest_tilt(plus), known.shrunk(Fraction(1, 2)) / plus.norm),
    }


def third_conditions(known: Constants, state: CertifiedState) -> Conditions:
    """What ends phase 3: a norm, the fit, a tilt, positive labels that are no longer fitted. [R, eq. 23]"""
    minus, others = known.minus, known.others(known.plus.key + known.minus.key)
    return {
        "norm": (state.largest_norm(others), 3 * known.largest_direction * known.shrunk(1)),
        "fit": (known.shrunk(Fraction(1, 29)), known.n * minus.norm - state.key_square(minus)),
        "tilt": (state.largest_tilt(minus), known.shrunk(Fraction(1, 14)) / minus.norm),
        "unfit": (state.dynamic_target(known.plus), known.shrunk(Fraction(1, 14))),
    }


def met(conditions: Conditions) -> int:
    """+1 where some condition is met for certain, −1 where none is."""
    status = [sign(a - b) for a, b in conditions.values()]
    return 1 if 1 in status else 0 if 0 in status else -1


def exit_at(t: Ball, conditions: Conditions) -> Exit:
    """The end of a phase at a time of the ball ``t``, by what the conditions are over all of it."""
    possible = [(name, a, b) for name, (a, b) in conditions.items() if sign(a - b) >= 0]
    if len(possible) != 1:
        return Exit(t, None)
    [(name, a, b)] = possible
    return Exit(t, name, (a / b).log() if a > b else None)
