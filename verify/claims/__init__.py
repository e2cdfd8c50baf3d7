"""The claims of the paper, one file a lemma, in the order of the proof."""

from __future__ import annotations

from verify.claim import Claim
from verify.claims import (
    appendix_d,
    corollary1,
    interpolator,
    lemma1,
    lemma2,
    lemma3,
    lemma4,
    lemma5,
    lemma6,
    lemma7,
    lemma8,
    lemma9,
    lemma10,
    lemma12,
    phase1,
    phase2,
    phase3,
    theorem1,
)

CLAIMS: tuple[Claim, ...] = (
    *lemma1.CLAIMS,
    *lemma6.CLAIMS,
    *lemma2.CLAIMS,
    *lemma7.CLAIMS,
    *lemma8.CLAIMS,
    *lemma9.CLAIMS,
    *phase1.CLAIMS,
    *lemma3.CLAIMS,
    *lemma10.CLAIMS,
    *phase2.CLAIMS,
    *corollary1.CLAIMS,
    *lemma4.CLAIMS,
    *phase3.CLAIMS,
    *interpolator.CLAIMS,
    *lemma5.CLAIMS,
    *lemma12.CLAIMS,
    *theorem1.CLAIMS,
    *appendix_d.CLAIMS,
)
