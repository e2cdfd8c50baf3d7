"""The named families: what each promises holds for every seed."""

from decimal import Context, Decimal, Inexact, localcontext
from fractions import Fraction

import numpy as np
import pytest

from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.families import DIRECTIONS, INPUTS, LABELS, draw_problem
from verify.families.labels import near_tie, oriented_labels
from verify.families.rounding import significant
from verify.problem import Problem

SEEDS = range(20)


def squares(y: np.ndarray, sign: int) -> Fraction:
    return sum((Fraction(repr(v)) ** 2 for v in y.tolist() if v * sign > 0), Fraction(0))


@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 2), (3, 5), (6, 6)])
def test_inputs_are_orthonormal_rows(name: str, n: int, d: int) -> None:
    for seed in SEEDS:
        x = np.asarray(INPUTS[name](np.random.default_rng(seed), n, d), dtype=float)
        assert x.shape == (n, d)
        np.testing.assert_allclose(x @ x.T, np.eye(n), rtol=0, atol=1e-14)


def test_rational_rotations_are_orthonormal_exactly_and_not_trivial() -> None:
    moved = 0
    for seed in SEEDS:
        x = INPUTS["rational"](np.random.default_rng(seed), 3, 4)
        assert all(isinstance(entry, Decimal) for entry in x.ravel())
        with localcontext(Context(prec=200, traps=[Inexact])):
            assert np.array_equal(x @ x.T, np.eye(3, dtype=int).astype(object))
        moved += any(abs(entry) not in (0, 1) for entry in x.ravel())
    assert moved == len(SEEDS)


def test_haar_rotation_has_no_preferred_sign() -> None:
    # Without the sign fix of QR the first coordinate of the first row would always be negative.
    first = [float(INPUTS["haar"](np.random.default_rng(seed), 1, 3)[0, 0]) for seed in range(300)]
    assert abs(np.mean(first)) < 0.15  # standard error 1/sqrt(900)
    assert np.mean(np.square(first)) == pytest.approx(1 / 3, abs=0.06)


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("n", [2, 3, 4, 7])
def test_labels_meet_assumption_2_and_are_oriented(name: str, n: int) -> None:
    for seed in SEEDS:
        y = LABELS[name](np.random.default_rng(seed), n)
        assert y.shape == (n,) and np.all(y != 0)
        assert squares(y, 1) > squares(y, -1)
        if not (name == "equal" and n == 2):
            assert np.any(y < 0)


@pytest.mark.parametrize("name", ["rational", "equal", "gaussian", "wide"])
def test_a_single_label_is_positive(name: str) -> None:
    assert LABELS[name](np.random.default_rng(0), 1)[0] > 0


@pytest.mark.parametrize("name", ["near_tie", "lone"])
def test_families_of_both_signs_refuse_one_label(name: str) -> None:
    with pytest.raises(InvalidArgument, match=rf"'{name}'.*n >= 2; got n = 1"):
        LABELS[name](np.random.default_rng(0), 1)


def test_near_ties_come_as_near_as_asked() -> None:
    for power in range(1, 10):
        y = near_tie(np.array([1.0, -3.0, 0.25, -0.5]), 10.0**-power)
        excess = float(squares(y, 1) / squares(y, -1) - 1)
        assert excess == pytest.approx(10.0**-power, rel=1e-2)


def test_wide_labels_reach_many_orders_of_magnitude() -> None:
    spreads = [np.ptp(np.log10(np.abs(LABELS["wide"](np.random.default_rng(s), 5)))) for s in range(100)]
    assert 8 < max(spreads) < 12 and min(spreads) < 2


def test_lone_label_is_alone_and_may_have_either_sign() -> None:
    counts = {int(np.sum(LABELS["lone"](np.random.default_rng(seed), 4) > 0)) for seed in SEEDS}
    assert counts == {1, 3}


def test_equal_labels_have_one_size() -> None:
    y = LABELS["equal"](np.random.default_rng(0), 5)
    assert len(set(np.abs(y).tolist())) == 1


def test_an_exact_tie_is_broken_in_decimals_not_in_floats() -> None:
    # 0.3² + 0.4² = 0.5² exactly, though not in float64.
    assert oriented_labels(np.array([0.3, 0.4, -0.5])).tolist() == [0.6, 0.4, -0.5]


@pytest.mark.parametrize("name", DIRECTIONS)
def test_directions_are_nonzero_rows(name: str) -> None:
    g = DIRECTIONS[name](np.random.default_rng(0), 6, 3)
    assert g.shape[1] == 3 and np.all(np.linalg.norm(g, axis=1) > 0)
    assert g.shape[0] == 6 or (name == "heavy" and 48 <= g.shape[0] <= 192)


def test_norm_families_have_the_norms_they_state() -> None:
    rng = np.random.default_rng(1)
    tight = np.linalg.norm(DIRECTIONS["tight"](rng, 50, 4), axis=1)
    wide = np.linalg.norm(DIRECTIONS["wide"](rng, 50, 4), axis=1)
    assert np.all((tight >= 1 - 1e-12) & (tight <= 1.001 + 1e-12))
    assert wide.min() < 0.1 and wide.max() > 10


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("directions", DIRECTIONS)
def test_problems_meet_the_assumptions(inputs: str, labels: str, directions: str) -> None:
    for seed in range(3):
        problem = draw_problem(
            np.random.default_rng(seed),
            inputs=inputs,
            labels=labels,
            directions=directions,
            m=3,
            d=4,
            kappa=(2, 40),
        )
        assert problem.has_key_sets and problem.dataset.is_oriented
        assert np.all(problem.projections != 0)
        assert 2 * (1 - 1e-5) <= problem.kappa <= 40 * (1 + 1e-5)
        assert problem.epsilon == pytest.approx(0.9 * problem.dataset.epsilon_max, rel=1e-5)


def test_two_neurons_are_enough_for_both_key_sets() -> None:
    for seed in SEEDS:
        problem = draw_problem(np.random.default_rng(seed), m=2)
        assert sorted(problem.initialisation.signs.tolist()) == [-1, 1]
        assert problem.key_plus.sum() == problem.key_minus.sum() == 1


def test_a_seed_decides_the_problem_and_its_json_is_short() -> None:
    first, second, other = (draw_problem(np.random.default_rng(s), inputs="standard") for s in (5, 5, 6))
    assert first.key == second.key != other.key
    numbers = [repr(v) for row in first.to_json()["g"] for v in row]
    assert max(map(len, numbers)) <= 10
    assert Problem.from_json(first.to_json()).key == first.key


def test_minus_log_lambda_may_be_given() -> None:
    problem = draw_problem(np.random.default_rng(0), minus_log_lambda=1234.5, epsilon_fraction=1.0)
    assert problem.initialisation.minus_log_lambda == 1234.5
    assert 0.99999 * problem.dataset.epsilon_max < problem.epsilon <= problem.dataset.epsilon_max


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inputs": "har"}, "inputs = 'har' is no known family; did you mean 'haar'"),
        ({"labels": "near_ties"}, "labels = 'near_ties'.*did you mean 'near_tie'"),
        ({"directions": "gausian"}, "directions = 'gausian'.*did you mean 'gaussian'"),
        ({"n": 4, "d": 3}, "n = 4, d = 3: .* 1 <= n <= d"),
        ({"n": 0}, "n = 0"),
        ({"m": 1}, "m = 1: .* m >= 2"),
        ({"epsilon_fraction": 1.5}, r"epsilon_fraction = 1.5 must be in \(0, 1\]"),
        ({"kappa": (5.0, 1.0)}, r"kappa = \(5.0, 1.0\) must be"),
        ({"kappa": 0.0}, "kappa = 0.0 must be a positive"),
        ({"kappa": 2.0, "minus_log_lambda": 10.0}, "not both"),
    ],
)
def test_bad_arguments_are_refused_by_name(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        draw_problem(np.random.default_rng(0), **options)  # type: ignore[arg-type]


def test_significant_keeps_digits_not_places() -> None:
    assert significant(1.23456789e-30, 3) == 1.23e-30
    assert significant(987654321.0, 2) == 9.9e8


def test_drawn_decimals_reach_the_dataset_unrounded() -> None:
    x = INPUTS["rational"](np.random.default_rng(3), 4, 4)
    dataset = Dataset(x, LABELS["rational"](np.random.default_rng(3), 4))
    assert dataset.exact_x is not None and np.array_equal(dataset.exact_x.decimals(), x)
