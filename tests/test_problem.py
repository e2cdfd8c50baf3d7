"""Problem: derived quantities, JSON and key, orientation, and every refusal."""

import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.problems import REFERENCES, ROTATION, reference, rotated, small
from verify.dataset import Dataset
from verify.errors import InvalidDataset, InvalidInitialisation, InvalidProblem
from verify.initialisation import Initialisation
from verify.problem import Problem

VALID = {
    "x": None,
    "y": [2, -1],
    "g": [[1, 2], [2, -1]],
    "s": [1, -1],
    "minus_log_lambda": 14,
    "epsilon": None,
}


def without(key: str) -> dict:
    return {k: v for k, v in VALID.items() if k != key}


def test_epsilon_defaults_to_nine_tenths_of_the_largest():
    problem = small(1000)
    assert problem.epsilon == 0.9 * problem.dataset.epsilon_max
    assert problem.exact_epsilon is None
    assert problem.kappa == problem.epsilon * 1000


def test_the_largest_epsilon_is_legal_and_exact():
    problem = small(epsilon=small().dataset.epsilon_max)
    assert problem.epsilon == problem.dataset.epsilon_max
    assert small(epsilon="0.0100").exact_epsilon == Decimal("0.01")


def test_key_sets_by_hand():
    problem = small()
    assert problem.key_plus.tolist() == [True, False, False, False]
    assert problem.key_minus.tolist() == [False, False, True, False]
    assert problem.has_key_sets
    np.testing.assert_array_equal(problem.projections, [[3, 4], [-1, 2], [-2, 1], [1, -2]])


def test_projections_on_rotated_inputs():
    problem = rotated()
    expected = [[5, 0], [1, 2], [-0.4, 2.2], [-1, -2]]
    np.testing.assert_allclose(problem.projections, expected, rtol=1e-14, atol=0)


def test_a_projection_that_is_exactly_zero_counts_as_active():
    """<g, x> = 0 in decimals, where float64 gives a rounding error of either sign."""
    x = [["0.6", "0.8"], ["-0.8", "0.6"]]
    directions = [[f"{0.8 * scale:.1f}", f"{-0.6 * scale:.1f}"] for scale in range(1, 30)]
    problem = Problem(Dataset(x, [2, -1]), Initialisation(directions, [1] * 29, 14))
    assert (problem.projections[:, 0] == 0).all()
    assert problem.key_plus.all()
    assert (problem.initialisation.directions @ problem.dataset.x[0] != 0).any()


def test_cancelled_projections_keep_relative_accuracy():
    problem = Problem(
        Dataset([["0.6", "0.8"], ["-0.8", "0.6"]], [2, -1]),
        Initialisation([["0.8", "-0.59999999999999999999"]], [1], 14),
    )
    assert problem.projections[0, 0] == pytest.approx(8e-21, rel=1e-15)


def test_a_sign_without_labels_asks_for_no_neuron():
    start = Initialisation([[1, 1]], [1], 14)
    assert Problem(Dataset.standard([1, 2]), start).has_key_sets
    assert not Problem(Dataset.standard([1, -2]), start).has_key_sets
    assert not Problem(Dataset.standard([-1, -2]), start).has_key_sets


def test_orientation_swaps_the_key_sets_and_keeps_epsilon():
    mirrored = Problem(Dataset.standard([-2, 1], d=3), small().initialisation.flipped(), "0.01")
    turned = mirrored.oriented()
    assert turned == small(epsilon="0.01")
    assert turned.key == small(epsilon="0.01").key != mirrored.key
    assert turned.dataset.flipped and turned.oriented() is turned
    np.testing.assert_array_equal(turned.key_plus, mirrored.key_minus)
    np.testing.assert_array_equal(turned.key_minus, mirrored.key_plus)


@pytest.mark.parametrize("name", REFERENCES)
def test_reference_problems_round_trip(name, tmp_path):
    problem = reference(name)[0]
    problem.save(tmp_path / "p.json")
    again = Problem.from_json(tmp_path / "p.json")
    assert again == problem and again.key == problem.key
    assert Problem.from_json(problem.to_json()) == problem


@given(
    st.integers(1, 10**25).map(lambda digits: str(Decimal(digits).scaleb(-20))),
    st.lists(st.floats(0.1, 9.0), min_size=1, max_size=3),
)
def test_json_text_round_trip_keeps_the_key(number, scales):
    start = Initialisation([[g] for g in scales], [1] * len(scales), number, output_scale=scales)
    problem = Problem(Dataset.standard([number]), start)
    again = Problem.from_json(json.loads(json.dumps(problem.to_json())))
    assert again == problem and again.key == problem.key


def test_json_keys_and_values():
    problem = Problem(Dataset(ROTATION, ["2", "-0.10000000000000000001"]), small().initialisation)
    assert problem.to_json() == {
        "x": [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0]],
        "y": [2.0, "-0.10000000000000000001"],
        "g": [[3.0, 4.0, 0.0], [-1.0, 2.0, 2.0], [-2.0, 1.0, 2.0], [1.0, -2.0, 2.0]],
        "s": [1, 1, -1, -1],
        "minus_log_lambda": 1000.0,
        "epsilon": None,
    }


def test_the_key_ignores_spelling_and_sees_every_part():
    spelled = VALID | {"y": ["2.00", -1.0], "minus_log_lambda": "1.4e1"}
    del spelled["x"], spelled["epsilon"]
    key = Problem.from_json(VALID).key
    assert Problem.from_json(spelled).key == key
    changes = [
        {"x": [[0, 1], [1, 0]]},
        {"y": ["2.00000000000000000001", -1]},
        {"g": [[1, 2], [2, -1.5]]},
        {"s": [-1, 1]},
        {"minus_log_lambda": 15},
        {"epsilon": 0.001},
        {"output_scale": [1, 2]},
    ]
    keys = {Problem.from_json(VALID | change).key for change in changes}
    assert len(keys | {key}) == len(changes) + 1
    assert len(key) == 16 and int(key, 16) >= 0


def test_json_numbers_in_a_file_mean_their_decimals(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('{"y": [2.00000000000000000001, -1], "g": [[1, 2]], "s": [1], "minus_log_lambda": 14}')
    assert Problem.from_json(path).dataset.exact_y.decimals()[0] == Decimal("2.00000000000000000001")


@pytest.mark.parametrize("epsilon", [0, -0.01, 0.5, "1e-400"])
def test_epsilon_out_of_range_is_refused_with_the_largest(epsilon):
    largest = small().dataset.epsilon_max
    with pytest.raises(InvalidProblem, match=rf"epsilon = .* must be above 0 and at most {largest!r}"):
        small(epsilon=epsilon)


@pytest.mark.parametrize(("epsilon", "shown"), [(float("nan"), "nan must be finite"), ("a", "'a' is not a decimal")])
def test_epsilon_that_is_no_number_is_refused(epsilon, shown):
    with pytest.raises(InvalidProblem, match=f"epsilon = {shown}"):
        small(epsilon=epsilon)


def test_labels_that_leave_no_epsilon_are_refused():
    with pytest.raises(InvalidProblem, match="y: the largest epsilon rounds to 0"):
        Problem(Dataset.standard([1e200, -1e-200]), Initialisation([[1, 1]], [1], 14))


def test_parts_of_different_dimension_are_refused():
    with pytest.raises(InvalidProblem, match="directions have d = 2 columns but the inputs have d = 3"):
        Problem(Dataset.standard([2, -1], d=3), Initialisation([[1, 1]], [1], 14))


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (VALID | {"epsilom": 1}, InvalidProblem, "unknown key 'epsilom'; did you mean 'epsilon'"),
        ({"problem": VALID}, InvalidProblem, "unknown key 'problem'; Known: y, g, s"),
        (without("y"), InvalidProblem, "key 'y' is missing; a problem needs y, g, s, minus_log_lambda"),
        (VALID | {"minus_log_lambda": None}, InvalidProblem, "key 'minus_log_lambda' is missing"),
        (
            VALID | {"g": [[1, 2], [2]]},
            InvalidInitialisation,
            r"g\[1\] is of length 1 but g\[0\] is of length 2",
        ),
        (VALID | {"s": [1, 0]}, InvalidInitialisation, r"signs\[1\] = 0 must be \+1 or -1"),
        (VALID | {"y": [1, 0]}, InvalidDataset, r"y\[1\] = 0 is zero"),
        (VALID | {"y": [1, -2, 3]}, InvalidDataset, "n = 3 inputs cannot be orthonormal in d = 2"),
        (VALID | {"epsilon": 0.9}, InvalidProblem, "epsilon = 0.9 must be above 0 and at most"),
    ],
)
def test_bad_json_is_refused_naming_key_and_file(values, error, message, tmp_path):
    with pytest.raises(error, match=message):
        Problem.from_json(values)
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(error, match=rf"bad\.json: {message}"):
        Problem.from_json(path)


def test_repr_names_the_key():
    problem = small()
    assert repr(problem) == f"Problem(key={problem.key!r}, n=2, m=4, kappa={problem.kappa:.6g})"
