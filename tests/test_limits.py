"""Limits: minimal-norm interpolators, θ* against the flow, and the certificate of minimality."""

import math

import mpmath as mp
import numpy as np
import pytest

from tests.linearised import linear_neuron
from tests.problems import decoupled, reference, rotated, small
from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.evidence import Evidence
from verify.families import draw_problem
from verify.initialisation import Initialisation
from verify.limits import (
    certificate,
    interpolator,
    log_amplitudes,
    minimal_norm_squared,
    saddle,
    saddle_curvature,
    selected_interpolator,
    selected_sizes,
)
from verify.network import Network
from verify.problem import Problem


def drawn(seed, minus_log_lambda=200.0, **options):
    rng = np.random.default_rng(seed)
    options = {"inputs": "standard", "labels": "rational", "n": 4, "m": 8, "d": 5} | options
    return draw_problem(rng, minus_log_lambda=minus_log_lambda, **options)


def rescaled(problem, minus_log_lambda):
    start = problem.initialisation
    return Problem(problem.dataset, Initialisation(start.directions, start.signs, minus_log_lambda))


def test_minimal_norm_by_hand():
    assert minimal_norm_squared(small().dataset) == 6.0
    assert minimal_norm_squared(Dataset.standard([3.0, 4.0])) == 10.0


DATASETS = [small().dataset, rotated().dataset, drawn(0).dataset, drawn(1, inputs="haar").dataset]


@pytest.mark.parametrize("dataset", DATASETS, ids=["small", "rotated", "standard", "haar"])
def test_interpolator_interpolates_at_the_minimal_norm(dataset):
    signs, shares = np.array([1.0, -1.0, 1.0, -1.0]), np.array([0.2, 1.0, 0.8, 0.0])
    sizes = np.sqrt(shares * dataset.n * np.where(signs > 0, dataset.norm_plus, dataset.norm_minus))
    network = interpolator(dataset, signs, sizes)
    np.testing.assert_allclose(network.output(dataset.x), dataset.y, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(np.linalg.norm(network.w, axis=1), np.abs(network.a), rtol=1e-14)
    assert network.norm_squared() == pytest.approx(minimal_norm_squared(dataset), rel=1e-14)


def test_interpolator_by_hand():
    network = interpolator(Dataset.standard([3.0, -1.0, 4.0]), np.array([1.0, -1.0]), np.array([math.sqrt(5.0), 1.0]))
    np.testing.assert_allclose(network.a, [math.sqrt(5.0), -1.0])
    np.testing.assert_allclose(network.w, [[3 / math.sqrt(5.0), 0.0, 4 / math.sqrt(5.0)], [0.0, 1.0, 0.0]], atol=1e-16)


def test_interpolator_without_negative_labels_leaves_negative_neurons_at_zero():
    network = interpolator(Dataset.standard([3.0, 4.0]), np.array([1.0, -1.0]), np.array([math.sqrt(5.0), 0.0]))
    assert not network.w[1].any()
    np.testing.assert_allclose(network.output(np.eye(2)), [3.0, 4.0])


@pytest.mark.parametrize("sizes", [[1.0], [1.0, -0.5], [1.0, math.nan]])
def test_sizes_that_are_none_are_refused(sizes):
    with pytest.raises(InvalidArgument, match="sizes"):
        interpolator(small().dataset, np.array([1.0, -1.0]), np.array(sizes))


@pytest.mark.parametrize("problem", [small(), drawn(3), drawn(4), reference("R2")[0], reference("R3")[0]], ids=repr)
def test_amplitudes_are_those_of_the_linearised_flow(problem):
    """ln A = lim ln(|a|/λ) − ωt with ω = ‖D₊‖ or ‖D₋‖ for key neurons; and the closed form at the last deactivation."""
    logs = log_amplitudes(problem)
    with mp.workdps(60):
        for j in np.flatnonzero(problem.key_plus | problem.key_minus):
            norm = problem.dataset.norm_plus if problem.key_plus[j] else problem.dataset.norm_minus
            late = 200 / norm
            exact = mp.log(linear_neuron(problem, j, late).a) - mp.mpf(norm) * mp.mpf(late)
            assert logs[j] == pytest.approx(float(exact), abs=1e-11)
            last = linear_neuron(problem, j, late).last_deactivation
            neuron = linear_neuron(problem, j, last)
            target = problem.dataset.d_plus if problem.key_plus[j] else -problem.dataset.d_minus
            along = sum(q * mp.mpf(v) for q, v in zip(neuron.p, target, strict=False)) / mp.mpf(norm)
            closed = -mp.mpf(norm) * last + mp.log((neuron.norm + along) / 2)
            assert logs[j] == pytest.approx(float(closed), abs=1e-11)


def test_a_neuron_that_dies_everywhere_does_not_grow():
    start = Initialisation([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]], [1, -1, 1], 9.0)
    assert log_amplitudes(Problem(Dataset.standard([2.0, -1.0]), start))[2] == -np.inf


def test_amplitude_does_not_depend_on_lambda():
    np.testing.assert_array_equal(log_amplitudes(drawn(3, 200.0)), log_amplitudes(rescaled(drawn(3), 1e6)))


@pytest.mark.parametrize("seed", range(6))
def test_selected_sizes_split_the_minimal_norm(seed):
    problem = drawn(seed)
    sizes, data = selected_sizes(problem), problem.dataset
    assert not sizes[~(problem.key_plus | problem.key_minus)].any()
    for key, norm in ((problem.key_plus, data.norm_plus), (problem.key_minus, data.norm_minus)):
        assert (sizes[key] ** 2).sum() == pytest.approx(data.n * norm, rel=1e-14)
        logs = log_amplitudes(problem)[key]
        np.testing.assert_allclose(np.log(sizes[key]) - np.log(sizes[key][0]), logs - logs[0], atol=1e-12)
    theta = selected_interpolator(problem)
    np.testing.assert_allclose(theta.output(data.x), data.y, rtol=1e-13, atol=1e-15)


def test_selected_sizes_of_the_decoupled_problem():
    np.testing.assert_allclose(selected_sizes(decoupled(50.0)), [math.sqrt(2.0), 1.0], rtol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_the_flow_ends_at_the_selected_interpolator(seed):
    """The distance falls with λ: below 1e-9 in the end, and never above what it was at a larger λ."""
    gaps = []
    for minus_log_lambda in (20.0, 200.0, 2000.0):
        problem = rescaled(drawn(seed), minus_log_lambda)
        trajectory = Evidence(problem).trajectory
        final = np.exp(trajectory.at(trajectory.t_end).log_norms)
        gaps.append(float(np.abs(final - selected_sizes(problem)).max()))
    assert gaps[2] < 1e-9
    assert gaps[2] <= gaps[1] + 1e-12 and gaps[1] <= gaps[0] + 1e-12
    assert gaps[0] > 1e-13


def test_the_reference_is_close_to_the_selected_interpolator():
    problem, states, _ = reference("R3")
    theta = selected_interpolator(problem)
    final = problem.initialisation.signs * np.exp(states[-1].log_norms)
    np.testing.assert_allclose(final, theta.a, atol=1e-9)


@pytest.mark.parametrize(("keep", "name"), [(0, "S₋₁"), (2, "S₊₁")])
def test_an_empty_key_set_is_refused(keep, name):
    start = small().initialisation
    problem = Problem(small().dataset, Initialisation(start.directions[[keep]], start.signs[[keep]], 100.0))
    with pytest.raises(InvalidArgument, match=name):
        selected_sizes(problem)


def test_one_sided_labels_need_one_key_set():
    problem = Problem(Dataset.standard([3.0, 4.0]), Initialisation([[1.0, 1.0]], [1], 30.0))
    np.testing.assert_allclose(selected_sizes(problem), [math.sqrt(5.0)], rtol=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_certificate_of_any_network(seed):
    """Every surplus is ≥ 0, and they sum to ½‖θ‖² − Σ α_k h(x_k)."""
    data, rng = drawn(seed, inputs="haar").dataset, np.random.default_rng(seed)
    network = Network(rng.normal(size=9), rng.normal(size=(9, data.d)))
    proof = certificate(data, network)
    for mask in (data.positive, data.negative):
        assert np.linalg.norm(proof.dual[mask]) == pytest.approx(1.0, rel=1e-14)
    assert proof.value == pytest.approx(minimal_norm_squared(data) / 2, rel=1e-14)
    assert (proof.surplus >= 0).all()
    expected = network.norm_squared() / 2 - proof.dual @ network.output(data.x)
    assert proof.surplus.sum() == pytest.approx(expected, rel=1e-13)


def test_certificate_of_the_closed_form_is_tight():
    problem = drawn(2)
    proof = certificate(problem.dataset, selected_interpolator(problem))
    np.testing.assert_allclose(proof.surplus, 0, atol=1e-15)


def test_surplus_shows_a_neuron_out_of_balance_or_off_target():
    data = Dataset.standard([3.0, -1.0, 4.0])
    axis = np.array([0.6, 0.0, 0.8])
    across = np.array([0.8, 0.0, -0.6])
    turned = axis * math.cos(1e-3) + across * math.sin(1e-3)
    network = Network(np.array([1.0, 1.001, 1.0, -1.0]), np.array([axis, axis, turned, axis]))
    expected = [0.0, 0.001**2 / 2, 1 - math.cos(1e-3), 2.0]
    np.testing.assert_allclose(certificate(data, network).surplus, expected, atol=1e-15)


def test_certificate_without_negative_labels():
    proof = certificate(Dataset.standard([3.0, 4.0]), Network(np.array([1.0]), np.array([[1.0, 0.0]])))
    np.testing.assert_allclose(proof.dual, [0.6, 0.8])
    assert proof.value == pytest.approx(5.0)
    np.testing.assert_allclose(proof.surplus, [1 - 0.6])


@pytest.mark.parametrize("seed", range(4))
def test_saddle_is_critical_and_strict(seed):
    """∇L = 0, positive labels fitted and negative ones not touched; curvature −‖D₋‖ along the neuron named."""
    problem = drawn(seed)
    data, theta = problem.dataset, saddle(problem)
    outputs = theta.output(data.x)
    np.testing.assert_allclose(outputs[data.positive], data.y[data.positive], rtol=1e-13)
    np.testing.assert_array_equal(outputs[data.negative], 0)
    assert theta.gradient(data).norm_squared() < 1e-26
    assert theta.norm_squared() == pytest.approx(2 * data.n * data.norm_plus, rel=1e-13)
    deviation, rounding = saddle_curvature(problem, selected_sizes(problem))
    assert deviation <= rounding < 1e-11


def test_rounding_of_the_saddle_grows_with_the_ratio():
    """The gradient at θ_S is made of numbers of the size of D₊ and held against D₋."""
    start = Initialisation([[1.0, 0.5], [0.5, 1.0]], [1, -1], 100.0)
    near, far = (Problem(Dataset.standard([2.0, y]), start) for y in (-1, -1e-6))
    (_, rounding), (deviation, larger) = (saddle_curvature(p, selected_sizes(p)) for p in (near, far))
    assert larger == pytest.approx(1e6 * rounding)
    assert deviation <= larger


def test_curvature_by_differences_of_the_loss():
    """Without the helper: L(θ_S + τv) − L(θ_S) = −‖D₋‖τ²/2 + O(τ⁴)."""
    problem = drawn(1)
    data, theta = problem.dataset, saddle(problem)
    for tau in (1e-3, 1e-2):
        w = np.vstack([theta.w, -tau * data.d_minus / data.norm_minus / math.sqrt(2)])
        moved = Network(np.append(theta.a, -tau / math.sqrt(2)), w)
        change = moved.loss(data) - theta.loss(data)
        assert change == pytest.approx(-data.norm_minus * tau**2 / 2, rel=tau)
