"""The experiments by name, in the order of the paper, and over how many seeds each is run unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from verify.errors import InvalidArgument, did_you_mean
from verify.experiments import (
    appendix_a1,
    high_dimension,
    larger_scale,
    lazy,
    leaky,
    near_orthogonal,
    necessary,
    norms,
    section5,
    threshold,
    unbalanced,
    width,
)
from verify.experiments.result import Progress, Remark, Result


@dataclass(frozen=True)
class Experiment:
    """``run(seeds, progress)`` makes the result, and measures ``claims``; ``seeds`` is how many it takes by default.

    ``keeps``: whether it takes a third argument, the folder in which it keeps seeds one by one.
    """

    name: str
    run: Callable[..., Result]
    claims: tuple[Remark, ...]
    seeds: int = 20
    keeps: bool = False

    def result(self, seeds: int | None, progress: Progress, folder: Path) -> Result:
        """Run it; ``seeds`` None means ``self.seeds``."""
        arguments = (seeds or self.seeds, progress)
        return self.run(*arguments, folder) if self.keeps else self.run(*arguments)


PAPER = (
    Experiment("section5", section5.run, section5.CLAIMS),
    Experiment("appendix-a1", appendix_a1.run, appendix_a1.CLAIMS),
    Experiment("appendix-a1-lazy", lazy.run, lazy.CLAIMS),
    Experiment("appendix-a2", high_dimension.run, high_dimension.CLAIMS, keeps=True),
)
"""What the paper shows."""

REMARKS = (
    Experiment("necessary", necessary.run, necessary.CLAIMS),
    Experiment("width", width.run, width.CLAIMS),
    Experiment("threshold", threshold.run, threshold.CLAIMS, seeds=5),
    Experiment("near-orthogonal", near_orthogonal.run, near_orthogonal.CLAIMS),
    Experiment("unbalanced", unbalanced.run, unbalanced.CLAIMS),
    Experiment("norms", norms.run, norms.CLAIMS),
    Experiment("larger-scale", larger_scale.run, larger_scale.CLAIMS),
    Experiment("leaky", leaky.run, leaky.CLAIMS),
)
"""What it remarks on dropping an assumption."""

EXPERIMENTS = {experiment.name: experiment for experiment in (*PAPER, *REMARKS)}
GROUPS = {"all": (*PAPER, *REMARKS), "remarks": REMARKS}


def measured_by() -> dict[str, tuple[Experiment, Remark]]:
    """By the id of a claim: the experiment that measures it, and the claim.

    >>> measured_by()["X.norms"][0].name
    'norms'
    """
    return {claim.id: (experiment, claim) for experiment in EXPERIMENTS.values() for claim in experiment.claims}


def chosen(names: Iterable[str]) -> list[Experiment]:
    """The experiments of these names, groups (``all``, ``remarks``) and claims, each once. Raises InvalidArgument.

    >>> [experiment.name for experiment in chosen(["X.descent", "remarks"])][:3]
    ['section5', 'necessary', 'width']
    """
    found: dict[str, Experiment] = {}
    claims = {name: (experiment,) for name, (experiment, _) in measured_by().items()}
    known = claims | {name: (experiment,) for name, experiment in EXPERIMENTS.items()} | GROUPS
    for name in names:
        if name not in known:
            raise InvalidArgument(f"{name!r} is no experiment; {did_you_mean(name, list(known))}")
        found |= {experiment.name: experiment for experiment in known[name]}
    return list(found.values())
