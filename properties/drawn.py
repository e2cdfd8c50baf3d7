"""Problems at the Λ from which on the lemmas should hold, or beyond it."""

from hypothesis import settings
from hypothesis import strategies as st

from verify.regime import in_regime
from verify.strategies import problems

FACTORS = st.sampled_from([1.0, 1.5, 3.0, 10.0])

SWEEPS = settings(max_examples=max(10, settings().max_examples // 4))
"""For properties that simulate every problem at several scales, or in many digits: a quarter of the examples."""


def in_their_regime(n=(2, 4), m=(2, 6), **options):
    """Problems in their regime: Λ is 1 to 10 times the sufficient value."""
    return st.builds(in_regime, problems(n=n, m=m, **options), FACTORS)
