"""A search width by width: the worst case of each, with a neuron split in two, is where the next one begins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from verify.catalogue import Selection
from verify.claim import Claim
from verify.errors import InvalidArgument
from verify.families.directions import rounded_rows
from verify.initialisation import Initialisation
from verify.problem import Problem
from verify.search.budget import Budget
from verify.search.folder import opened, write
from verify.search.found import Found
from verify.search.run import search
from verify.search.space import Space


def by_width(
    claim: Claim, selection: Selection, space: Space, budget: Budget, folder: Path, *, seed: int, **options: Any
) -> Iterator[tuple[int, Found]]:
    """Each width of the space with what its search has found, kept in ``folder``/m=WIDTH; Ctrl-C ends the last early.

    The budget is shared equally, ``options`` are those of `search`. Where a claim cannot be measured at a width, what
    is found says why.
    """
    widths, starts = range(space.m[0], space.m[1] + 1), list[Problem]()
    share = budget.shared(len(widths))
    for m in widths:
        place, narrow = folder / f"m={m}", replace(space, m=(m, m))
        with closing(opened(place, claim.id, narrow, seed, share)):
            try:
                found = search(claim, selection, narrow, share, place, seed=seed, starts=starts, **options)
            except InvalidArgument as error:
                found = Found(claim, unmeasured=str(error))
            write(place, narrow, seed, share, found, selection)
        yield m, found
        if found.interrupted:
            return
        starts = [widened(Problem.from_json(found.worst.problem))] if found.worst is not None else []


def widened(problem: Problem) -> Problem:
    """The same network with one neuron more: the largest is split in two, so that outputs stay what they are."""
    start = problem.initialisation
    largest = int(np.argmax(start.norms))
    half = rounded_rows(start.directions[[largest]] / np.sqrt(2))[0].tolist()
    g, s = start.exact_directions.to_json(), start.signs.astype(int).tolist()
    g[largest] = half
    wider = Initialisation([*g, half], [*s, s[largest]], start.exact_minus_log_lambda)
    return Problem(problem.dataset, wider, problem.exact_epsilon)
