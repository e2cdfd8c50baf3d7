"""Claims for searches: two that cost nothing, and a falsehood near Lemma 3."""

from __future__ import annotations

from pathlib import Path

from verify.catalogue import Selection
from verify.claim import Claim

CLAIMS = """
import math
from verify import Claim, Margin
from verify.claim import Vacuous

def spread(evidence, shift):
    sizes = sorted(abs(evidence.problem.dataset.y))
    turn = evidence.problem.initialisation.directions[0, 0] - 0.7321
    value = (math.log(sizes[-1] / sizes[0]) - 1) ** 2 + turn**2 + shift
    return Margin(value, 1e-12, "relative")

def doubtful(evidence):
    if evidence.digits is None and evidence.problem.initialisation.m > 3:
        return Margin(-1.0, 0.0, "relative")
    return Margin(1.0, 0.0, "relative")

holds = Claim("Cheap.holds", "here", "D", "a spread of labels", lambda evidence: spread(evidence, 0.01))
fails = Claim("Cheap.fails", "here", "D", "a spread of labels", lambda evidence: spread(evidence, -0.2))
float_only = Claim("Cheap.doubtful", "here", "D", "fails in float64 alone", doubtful)
never = Claim("Cheap.never", "here", "D", "nothing", lambda evidence: Vacuous("no reason at all"))
"""

PLANTED = """
from verify import Claim, bars
from verify.claim import relative_margin
from verify.hypotheses import TRAJECTORY, plus_neurons
from verify.unended import late

def time(evidence):
    problem, end = evidence.problem, evidence.second_exit
    bound = (1 + problem.epsilon / 20) * problem.initialisation.minus_log_lambda / problem.dataset.norm_plus
    if end.condition is None:
        return late(evidence, "t₂", 0.0, bound)
    return relative_margin(end.t, bound, bars.time(evidence, end, +1), t=end.t)

planted = Claim("L3.planted", "planted", "D", "t₂ ≤ −(1 + ε/20) ln λ/‖D₊‖", time, (*TRAJECTORY, plus_neurons))
"""


def written(folder: Path, text: str) -> Path:
    """The text as a Python file."""
    path = folder / "my_claims.py"
    path.write_text(text, encoding="utf-8")
    return path


def chosen(folder: Path, claim: str, text: str = CLAIMS) -> tuple[Claim, Selection]:
    """A claim of the file, and the selection it stands in."""
    selection = Selection.parse(str(written(folder, text)))
    return next(one for one in selection.claims() or [] if one.id == claim), selection
