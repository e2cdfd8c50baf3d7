"""The experiments by name, in the order of the paper, and over how many seeds each is run unless told otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

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
    unbalanced,
    width,
)
from verify.experiments.result import Progress, Result


@dataclass(frozen=True)
class Experiment:
    """``run(seeds, progress)`` makes the result; ``seeds`` is how many it takes by default."""

    name: str
    run: Callable[[int, Progress], Result]
    seeds: int = 20


PAPER = (
    Experiment("section5", section5.run),
    Experiment("appendix-a1", appendix_a1.run),
    Experiment("appendix-a1-lazy", lazy.run),
    Experiment("appendix-a2", high_dimension.run, seeds=3),
)
"""What the paper shows."""

REMARKS = (
    Experiment("necessary", necessary.run),
    Experiment("width", width.run),
    Experiment("near-orthogonal", near_orthogonal.run),
    Experiment("unbalanced", unbalanced.run),
    Experiment("norms", norms.run),
    Experiment("larger-scale", larger_scale.run),
    Experiment("leaky", leaky.run),
)
"""What it remarks on dropping an assumption."""

EXPERIMENTS = {experiment.name: experiment for experiment in (*PAPER, *REMARKS)}
GROUPS = {"all": (*PAPER, *REMARKS), "remarks": REMARKS}


def chosen(names: Iterable[str]) -> list[Experiment]:
    """The experiments of these names and groups (``all``, ``remarks``), each once. Raises InvalidArgument.

    >>> [experiment.name for experiment in chosen(["section5", "remarks"])][:3]
    ['section5', 'necessary', 'width']
    """
    found: dict[str, Experiment] = {}
    for name in names:
        if name not in EXPERIMENTS and name not in GROUPS:
            raise InvalidArgument(f"{name!r} is no experiment; {did_you_mean(name, [*EXPERIMENTS, *GROUPS])}")
        for experiment in GROUPS.get(name) or (EXPERIMENTS[name],):
            found[experiment.name] = experiment
    return list(found.values())
