"""How a component ends: it stands still, or its residual decays for ever, by a certified PL inequality.

Of a component at time 0 let R = ‖r‖, and let J_k be neurons whose q_jk = p_jk/|a_j| exceeds 2δ. As long as these stay
active r' = −Kr/n with K ⪰ μ, μ = min_k Σ_{j ∈ J_k} a_j² (the rest of K is a sum of squares), so that
‖r‖ ≤ R e^(−μt/n). Meanwhile |(ln|a_j|)'| ≤ ‖r‖/n and |q_jk'| ≤ (|r_k| + q_jk ‖q_j‖‖r‖)/n ≤ 2‖r‖/n, for balanced
neurons have ‖q_j‖ ≤ 1. So if δ ≥ R/μ with μ = e^(−2δ) μ(0), then until ∫‖r‖/n reaches δ no pair of J_k dies, K ⪰ μ, and
∫‖r‖/n ≤ R/μ ≤ δ: it never does. For all times t ≥ 0

    ‖r(t)‖ ≤ R e^(−μt/n),   |ln|a_j(t)/a_j(0)|| ≤ δ,   |q_jk(t) − q_jk(0)| ≤ 2δ,

θ converges, and the loss falls at the rate 2μ/n at least. Pairs below 2δ may die or not. [D, Lemma 5 at one point]
"""

from __future__ import annotations

from dataclasses import dataclass

from verify.certify.balls import Ball, ball, from_below, square, total, within
from verify.certify.moment import Moment
from verify.certify.segment import Local


@dataclass(frozen=True)
class Tail:
    """A component from ``begin`` on for ever. ``size``: R; ``rate``: μ/n; ``motion``: δ; all exact bounds."""

    begin: Moment
    size: Ball
    rate: Ball
    motion: Ball
    end: None = None
    kind = "tail"

    @property
    def may_lose_a_pair(self) -> bool:
        """Whether some active pair is not certain to stay so."""
        begin = self.begin
        return not all(begin.p[j][i] / begin.a[j] > 2 * self.motion for j, i in begin.pairs())

    def at(self, tau: Ball) -> Local:
        """The component over the times ``tau``."""
        doubt = within(self.motion)
        r = within(self.size * (-self.rate * from_below(tau.lower())).exp())
        q = [
            [from_below(x / size + 2 * doubt) if self.begin.active[j, i] else ball(0) for i, x in enumerate(row)]
            for j, (size, row) in enumerate(zip(self.begin.a, self.begin.p, strict=True))
        ]
        return Local([x.log() + doubt for x in self.begin.a], q, [r for _ in self.begin.r], [None] * len(q))


@dataclass(frozen=True)
class Rest:
    """Neurons without an active label and labels without an active neuron: nothing moves any more."""

    begin: Moment
    end: None = None
    kind = "rest"

    def at(self, tau: Ball) -> Local:
        """The component at any time."""
        q = [[ball(0) for _ in self.begin.r] for _ in self.begin.a]
        return Local([x.log() for x in self.begin.a], q, self.begin.r, [None] * len(q))


def find_tail(moment: Moment, n: int, depth: float) -> Tail | None:
    """The tail of a component, where it can be certified and ‖r‖ is below e^−depth; None elsewhere."""
    size = moment.residual_size.upper()
    if not size < (-ball(depth)).exp():
        return None
    mu = _coercivity(moment, ball(0))
    if not mu > 0:
        return None
    motion = (2 * size / mu).upper()
    mu = _coercivity(moment, 2 * motion) * (-2 * motion).exp()
    if not (mu > 0 and size / mu <= motion):
        return None
    return Tail(moment, size, (mu / n).lower(), motion)


def _coercivity(moment: Moment, threshold: Ball) -> Ball:
    """min_k Σ a_j² over active neurons with q_jk above a threshold, an exact lower bound."""
    sums = []
    for i in range(len(moment.r)):
        kept = [j for j, x in enumerate(moment.a) if moment.active[j, i] and moment.p[j][i] / x > threshold]
        sums.append(total(square(moment.a[j]) for j in kept).lower())
    least = sums[0]
    for x in sums[1:]:
        least = x if x < least else least
    return least
