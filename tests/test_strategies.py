"""The strategies: assumptions by construction, simple shrinks, and draws that a seed decides."""

import re
import subprocess
import sys

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.families import INPUTS, LABELS
from verify.initialisation import Initialisation
from verify.network import Network
from verify.problem import Problem
from verify.strategies import (
    datasets,
    initialisations,
    labels,
    networks,
    orthonormal_inputs,
    problems,
    sample,
)

QUICK = settings(max_examples=60, deadline=None, database=None)
FIND = settings(max_examples=100, deadline=None, database=None, suppress_health_check=list(HealthCheck))


@QUICK
@given(problems())
def test_problems_meet_the_three_assumptions(problem: Problem) -> None:
    assert problem.dataset.is_oriented and problem.has_key_sets
    assert problem.dataset.positive.any() and problem.dataset.negative.any()
    assert np.all(problem.projections != 0)
    assert 2 <= problem.dataset.n <= 4 and 2 <= problem.initialisation.m <= 8


@QUICK
@given(problems(n=(1, 3), m=(2, 3), kappa=(40.0, 4000.0), epsilon_fraction=(0.5, 0.6), sign_case="any"))
def test_problems_keep_to_the_ranges_asked(problem: Problem) -> None:
    half_a_unit = 5e-6  # of the sixth digit of Λ, where its first digit is 1
    assert 40 * (1 - half_a_unit) <= problem.kappa <= 4000 * (1 + half_a_unit)
    assert 0.5 - 1e-5 <= problem.epsilon / problem.dataset.epsilon_max <= 0.6 + 1e-5
    assert problem.dataset.n <= 3 and problem.initialisation.m <= 3
    assert np.any(problem.key_plus) and problem.dataset.positive.any()


@QUICK
@given(datasets(n=(3, 3), oriented=False))
def test_unoriented_datasets_are_legal_too(dataset: Dataset) -> None:
    assert dataset.n == 3 and dataset.positive.any() and dataset.negative.any()


def test_unoriented_datasets_lean_either_way() -> None:
    assert {dataset.is_oriented for dataset in sample(datasets(oriented=False), 30, seed=0)} == {True, False}


@pytest.mark.parametrize("family", INPUTS)
def test_every_input_family_is_orthonormal(family: str) -> None:
    for d in (1, 3):
        for x in sample(orthonormal_inputs(1, d, [family]), 10 if family in ("haar",) else 1, seed=1):
            row = np.asarray(x, dtype=float)
            np.testing.assert_allclose(row @ row.T, np.eye(1), rtol=0, atol=1e-14)
    for x in sample(orthonormal_inputs(3, 4, [family]), 10 if family == "haar" else 1, seed=2):
        rows = np.asarray(x, dtype=float)
        np.testing.assert_allclose(rows @ rows.T, np.eye(3), rtol=0, atol=1e-14)


@pytest.mark.parametrize("family", LABELS)
@pytest.mark.parametrize("sign_case", ["both", "any"])
def test_every_label_family_gives_legal_labels(family: str, sign_case: str) -> None:
    for y in sample(labels(4, [family], sign_case=sign_case), 15, seed=0):
        dataset = Dataset.standard(y)
        assert dataset.is_oriented
        assert sign_case == "any" or (dataset.positive.any() and dataset.negative.any())
        if family == "lone":
            assert min(dataset.positive.sum(), dataset.negative.sum()) == 1
        if family == "equal":
            assert len(set(np.abs(y).tolist())) == 1


def test_any_sign_case_includes_one_sided_labels() -> None:
    drawn = sample(labels(3, ["rational"], sign_case="any"), 40, seed=0)
    assert {bool(np.all(y > 0)) for y in drawn} == {True, False}


@QUICK
@given(st.data())
def test_initialisations_fit_the_dataset_given(data: st.DataObject) -> None:
    dataset = data.draw(datasets())
    start = data.draw(initialisations(dataset, m=(2, 5), minus_log_lambda=1e6))
    assert isinstance(start, Initialisation)
    assert start.d == dataset.d and start.minus_log_lambda == 1e6 and start.is_balanced
    assert Problem(dataset, start).has_key_sets


def test_heavy_networks_come_when_asked_for() -> None:
    start = sample(initialisations(Dataset.standard([2, -1]), m=(2, 2), families=["heavy"]), 1, seed=0)[0]
    assert 16 <= start.m <= 64


@QUICK
@given(networks(3, balanced=True))
def test_balanced_networks_are_balanced(net: Network) -> None:
    np.testing.assert_allclose(np.abs(net.a), np.linalg.norm(net.w, axis=1), rtol=1e-15)


@QUICK
@given(networks(2, m=(2, 3)))
def test_networks_have_the_shape_asked(net: Network) -> None:
    assert net.d == 2 and net.m in (2, 3) and np.all(net.w != 0) and np.all(net.a != 0)


def test_problems_shrink_to_small_sizes_and_short_decimals() -> None:
    smallest = find(problems(), lambda problem: problem.initialisation.m >= 3, settings=FIND)
    shown = smallest.to_json()
    assert smallest.dataset.n == 2 and smallest.dataset.is_standard and smallest.initialisation.m == 3
    assert set(np.abs(smallest.initialisation.directions).ravel().tolist()) == {1.0}
    assert all(len(repr(label)) <= 5 for label in shown["y"])


def test_strategies_never_discard_an_example() -> None:
    rejected: list[object] = []

    @settings(max_examples=200, database=None, deadline=None, phases=[Phase.generate])
    @given(problems())
    def count(problem: Problem) -> None:
        rejected.append(problem)

    count()
    assert len(rejected) == 200


def test_sample_is_exact_distinct_and_decided_by_its_seed() -> None:
    first, again, other = (sample(problems(), 25, seed) for seed in (3, 3, 4))
    keys = [problem.key for problem in first]
    assert len(set(keys)) == 25
    assert keys == [problem.key for problem in again]
    assert keys != [problem.key for problem in other]


def test_sample_does_not_always_give_the_simplest_problem() -> None:
    assert len({sample(problems(), 1, seed)[0].key for seed in range(4)}) == 4


def test_sample_does_not_depend_on_the_constants_of_loaded_modules(tmp_path) -> None:
    # Hypothesis mixes numbers found in local source files into its draws.
    (tmp_path / "constants_here.py").write_text("A = 12345\nB = 0.37\nC = [1600, 117, 255, 3.25, 0.125]\n")
    script = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, '.']\n"
        "{extra}\n"
        "from verify.strategies import problems, sample\n"
        "print([p.key for p in sample(problems(), 20, 0)])\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script.replace("{extra}", extra)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for extra in ("", "import constants_here")
    ]
    assert outputs[0] == outputs[1] and outputs[0].startswith("['")


def test_sample_works_on_items_without_a_key_and_on_small_spaces() -> None:
    assert sorted(set(sample(st.sampled_from([1, 2]), 6, seed=0))) == [1, 2]
    with pytest.raises(InvalidArgument, match="count = 2: the strategy gave only 1 distinct"):
        sample(
            st.just(Problem(Dataset.standard([2, -1]), Initialisation([[1, 1], [1, 1]], [1, -1], 9))),
            2,
            seed=0,
        )


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (problems(kappa=(3.0, 2.0)), "kappa = (3.0, 2.0)"),
        (problems(epsilon_fraction=(0.5, 1.5)), "epsilon_fraction = (0.5, 1.5)"),
        (problems(m=(1, 4)), "m = (1, 4)"),
        (problems(n=(1, 1)), "n = (1, 1)"),
        (problems(sign_case="none"), "sign_case = 'none'"),
        (labels(2, ["equals"]), "families = 'equals' is no known family; did you mean 'equal'"),
        (labels(1, ["lone"]), "n = 1: none of the label families"),
        (orthonormal_inputs(2, 2, ["haarr"]), "did you mean 'haar'"),
    ],
)
def test_bad_arguments_are_refused_by_name(strategy: st.SearchStrategy[object], message: str) -> None:
    with pytest.raises(InvalidArgument, match=re.escape(message)):
        sample(strategy, 1, seed=0)
