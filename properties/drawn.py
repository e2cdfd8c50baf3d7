"""Problems at the Λ from which on the lemmas should hold, or beyond it."""

from hypothesis import settings
from hypothesis import strategies as st

from verify.regime import in_regime
from verify.strategies import problems

FACTORS = st.sampled_from([1.0, 1.5, 3.0, 10.0])

REGIME = settings(max_examples=max(10, settings().max_examples // 4))
"""For problems in their regime, which exercise every phase: a quarter of the profile's examples."""

SWEEPS = settings(max_examples=max(10, settings().max_examples // 16))
"""For claims that simulate every problem at several scales."""


def in_their_regime(n=(2, 4), m=(2, 6), **options):
    """Problems in their regime: Λ is 1 to 10 times the sufficient value."""
    return st.builds(in_regime, problems(n=n, m=m, **options), FACTORS)
