"""What a search has found."""

from __future__ import annotations

from dataclasses import dataclass, field

from verify.claim import Claim
from verify.search.evaluation import Evaluation


@dataclass
class Found:
    """What a search has found.

    - ``worst``: the evaluation with the smallest margin; None where nothing was measured.
    - ``simplest``: a simplified one that shows the same; None before there is one.
    - ``confirmed``: the simplest one in more digits, where the claim fails; None otherwise.
    - ``scaled``: the smallest margin over ε, if it is a relative slack, or over κ; None where none was decided.
    - ``verdicts``, ``evaluations``, ``seconds``: what the folder holds, the last one processor time.
    - ``interrupted``: whether Ctrl-C ended it. ``unmeasured``: why there is nothing to search.
    """

    claim: Claim
    worst: Evaluation | None = None
    simplest: Evaluation | None = None
    confirmed: Evaluation | None = None
    scaled: float | None = None
    verdicts: dict[str, int] = field(default_factory=dict)
    evaluations: int = 0
    seconds: float = 0.0
    interrupted: bool = False
    unmeasured: str = ""

    @property
    def refuted(self) -> bool:
        """Whether the claim fails on a problem of the space, also in more digits."""
        return self.confirmed is not None and self.confirmed.verdict == "FAILS"
