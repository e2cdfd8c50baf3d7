"""Problem i is a function of the configuration and i."""

from __future__ import annotations

import pytest

from verify.campaign.config import Config
from verify.campaign.sample import FEATURES, draw


def config(**sample: object) -> Config:
    return Config.from_dict({"problems": 50, "seed": 4, "sample": sample})


def test_an_index_is_the_same_problem_whatever_was_drawn_before() -> None:
    which = config(kappa={"low": 5, "high": 50})
    forwards = [draw(which, index).problem.key for index in range(8)]
    backwards = [draw(which, index).problem.key for index in reversed(range(8))]
    assert forwards == backwards[::-1] and len(set(forwards)) == 8


def test_seeds_differ() -> None:
    one, other = ({"problems": 9, "seed": seed, "sample": {"kappa": 9}} for seed in (0, 1))
    assert draw(Config.from_dict(one), 3).problem.key != draw(Config.from_dict(other), 3).problem.key


def test_a_grid_sets_each_problem_at_every_scale() -> None:
    for name in ("kappa", "minus_log_lambda"):
        which = config(**{name: [100, 300, 1000]})
        found = [draw(which, index) for index in range(6)]
        assert found[0].problem.dataset == found[2].problem.dataset != found[3].problem.dataset
        scales = [one.features[name] for one in found]
        assert scales == pytest.approx([100, 300, 1000] * 2, rel=1e-4)


def test_the_features_are_those_of_the_problem() -> None:
    which = config(n=[2, 3], m={"low": 3, "high": 5}, d=6, labels="gaussian", inputs="standard", kappa=30)
    for index in range(10):
        one = draw(which, index)
        assert tuple(one.features) == FEATURES
        assert one.features["n"] == one.problem.dataset.n in (2, 3)
        assert 3 <= one.features["m"] <= 5 and one.features["d"] == 6
        assert one.features["labels"] == "gaussian" and one.problem.has_key_sets
        assert one.problem.kappa == pytest.approx(30, rel=1e-4)


def test_the_regime_is_where_the_lemmas_should_hold() -> None:
    from verify.regime import regime

    problem = draw(config(n=3, labels="rational"), 0).problem
    assert problem.initialisation.minus_log_lambda >= regime(problem).minus_log_lambda
