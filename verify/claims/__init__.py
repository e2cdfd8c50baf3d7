"""The claims of the paper, one file a lemma, in the order of the proof."""

from __future__ import annotations

from verify.claim import Claim
from verify.claims import interpolator, lemma1, lemma2, lemma3, lemma5, lemma6

CLAIMS: tuple[Claim, ...] = (
    *lemma1.CLAIMS,
    *lemma6.CLAIMS,
    *lemma2.CLAIMS,
    *lemma3.CLAIMS,
    *interpolator.CLAIMS,
    *lemma5.CLAIMS,
)
