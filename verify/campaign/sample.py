"""Problem i of a campaign: a function of the configuration and i alone, whatever was drawn before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from verify.campaign.config import REGIME, Config, Sample
from verify.campaign.laws import Law, Span, draw_integer, draw_number
from verify.families import draw_problem
from verify.families.rounding import significant
from verify.problem import Problem
from verify.regime import in_regime

FEATURES = ("inputs", "labels", "directions", "n", "m", "d", "epsilon", "ratio", "kappa", "minus_log_lambda")
"""What the rows of a campaign say of their problem."""


@dataclass(frozen=True)
class Drawn:
    """A problem of a campaign, its index, and the families it came from."""

    index: int
    problem: Problem
    families: tuple[str, str, str]

    @cached_property
    def features(self) -> dict[str, Any]:
        """The values of ``FEATURES``."""
        data, start = self.problem.dataset, self.problem.initialisation
        sizes = {"n": data.n, "m": start.m, "d": data.d, "epsilon": self.problem.epsilon, "ratio": data.ratio}
        scales = {"kappa": self.problem.kappa, "minus_log_lambda": start.minus_log_lambda}
        return dict(zip(FEATURES[:3], self.families, strict=True)) | sizes | scales


def draw(config: Config, index: int) -> Drawn:
    """Problem ``index``. With a list of k scales each problem comes k times in a row, once at every scale.

    >>> config = Config.from_dict({"problems": 10, "sample": {"kappa": [100, 1000]}})
    >>> first, second = draw(config, 6).problem, draw(config, 7).problem
    >>> first.dataset == second.dataset, round(first.kappa), round(second.kappa)
    (True, 100, 1000)
    """
    scales = config.sample.scales
    grid = len(scales) if isinstance(scales, tuple) else 1
    base, point = divmod(index, grid)
    rng = np.random.default_rng([config.seed, base])
    return _draw(rng, config.sample, index, point)


def _draw(rng: np.random.Generator, sample: Sample, index: int, point: int) -> Drawn:
    choices = (sample.inputs, sample.labels, sample.directions)
    families = tuple(choice[int(rng.integers(len(choice)))] for choice in choices)
    n, m = draw_integer(rng, sample.n), draw_integer(rng, sample.m)
    d = None if sample.d is None else draw_integer(rng, sample.d)
    fraction = draw_number(rng, sample.epsilon_fraction)
    inputs, labels, directions = families
    scale = _scale(rng, sample, point)
    problem = draw_problem(
        rng, inputs=inputs, labels=labels, directions=directions, n=n, m=m, d=d, epsilon_fraction=fraction, **scale
    )
    return Drawn(index, in_regime(problem) if sample.scales == REGIME else problem, (inputs, labels, directions))


def _scale(rng: np.random.Generator, sample: Sample, point: int) -> dict[str, float]:
    """The keyword of `draw_problem` that sets the scale, drawn before all that depends on n, m and d."""
    name = "kappa" if sample.kappa is not None else "minus_log_lambda"
    if sample.scales == REGIME:
        return {}
    rule: Law = sample.scales  # type: ignore[assignment]
    value = draw_number(rng, rule, logarithmic=True) if isinstance(rule, Span) else float(rule[point])
    return {name: significant(value)}
