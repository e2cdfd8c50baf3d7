"""The Polyak-Łojasiewicz ratio near an interpolator: against Network, finite differences, limits and a lower bound."""

import math

import numpy as np
import pytest

from verify.dataset import Dataset
from verify.families import draw_problem
from verify.limits import interpolator, selected_sizes
from verify.network import Network
from verify.pl import LocalNetworks, project, provable_ratio, smallest_ratio

RADII = [1.0, 0.3, 0.1, 1e-2]


def case(seed, n=4, m=7):
    """Dataset, signs, sizes of the interpolator that a drawn problem selects."""
    rng = np.random.default_rng(seed)
    problem = draw_problem(rng, inputs="standard", labels="rational", n=n, m=m, d=n, kappa=20.0)
    return problem.dataset, problem.initialisation.signs, selected_sizes(problem)


def even_case():
    """Three labels of either sign, two neurons each and one of size zero."""
    data = Dataset.standard([1.0, 2.0, 1.5, -1.0, -0.5, -0.75])
    signs = np.array([1.0, 1.0, -1.0, -1.0, 1.0])
    shares = np.array([0.3, 0.7, 0.5, 0.5, 0.0])
    return data, signs, np.sqrt(shares * data.n * np.where(signs > 0, data.norm_plus, data.norm_minus))


def network_at(local, v, radius):
    """θ(v) in plain coordinates; inputs are the standard basis."""
    p = local.centre + radius * v
    return Network(local.signs * np.linalg.norm(p, axis=1), p)


def lower_bound(data, local, radius):
    """(2/n) min_k (‖a* on J_k‖ − ρ)₊², J_k the neurons that no displacement of length ρ can switch off at label k.

    ‖∇L‖² ≥ Σ_j a_j² ‖D_j‖² = Σ_k (r_k/n)² Σ_{j active at k} a_j², and a moves by at most ρ in all.
    """
    kept = np.array([np.linalg.norm(local.sizes[local.centre[:, k] > radius]) for k in range(data.n)])
    return 2 / data.n * np.maximum(kept - radius, 0.0).min() ** 2


def limit(data):
    """The smallest ratio as ρ → 0: 2‖D‖ across the labels of a side, 4‖D‖ along them."""
    sides = ((data.positive.sum(), data.norm_plus), (data.negative.sum(), data.norm_minus))
    return min((2 if count > 1 else 4) * norm for count, norm in sides if count)


@pytest.mark.parametrize("seed", range(4))
def test_centre_is_the_interpolator(seed):
    data, signs, sizes = case(seed)
    local = LocalNetworks.around(data, signs, sizes)
    theta = interpolator(data, signs, sizes)
    np.testing.assert_allclose(local.centre, theta.w @ data.x.T, atol=1e-15)
    np.testing.assert_allclose(local.signs * local.sizes, theta.a)


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("seed", range(4))
def test_ratio_and_distance_are_those_of_the_network(seed, radius):
    data, signs, sizes = case(seed)
    local, rng = LocalNetworks.around(data, signs, sizes), np.random.default_rng(seed)
    for _ in range(10):
        v = rng.normal(size=local.centre.shape)
        theta = network_at(local, v, radius)
        assert local.ratio(v, radius) == pytest.approx(theta.pl_ratio(data), rel=1e-10)
        assert radius * local.distance(v, radius) == pytest.approx(theta.distance(network_at(local, v, 0.0)), rel=1e-10)


@pytest.mark.parametrize("radius", RADII)
def test_ratio_from_finite_differences_of_the_loss(radius):
    data, signs, sizes = case(5, n=3, m=4)
    local = LocalNetworks.around(data, signs, sizes)
    theta = network_at(local, np.random.default_rng(0).normal(size=local.centre.shape), radius)
    flat, step = np.concatenate([theta.a, theta.w.ravel()]), 1e-6 * radius

    def loss(values):
        return Network(values[: theta.m], values[theta.m :].reshape(theta.w.shape)).loss(data)

    slopes = [(loss(flat + step * e) - loss(flat - step * e)) / (2 * step) for e in np.eye(len(flat))]
    v = (theta.w - local.centre) / radius
    assert local.ratio(v, radius) == pytest.approx(np.dot(slopes, slopes) / loss(flat), rel=1e-4)


@pytest.mark.parametrize("radius", [1.0, 0.1, 1e-3, 1e-8, 1e-300])
@pytest.mark.parametrize("seed", range(3))
def test_gradient_is_the_finite_difference_of_the_ratio(seed, radius):
    data, signs, sizes = case(seed, n=3, m=4)
    local = LocalNetworks.around(data, signs, sizes)
    v = np.random.default_rng(seed).normal(size=local.centre.shape)
    slopes, h = np.zeros_like(v), 1e-6
    for index in np.ndindex(*v.shape):
        step = np.zeros_like(v)
        step[index] = h
        slopes[index] = (local.ratio(v + step, radius) - local.ratio(v - step, radius)) / (2 * h)
    scale = np.abs(slopes).max()
    np.testing.assert_allclose(local.gradient(v, radius), slopes, rtol=1e-5, atol=1e-6 * scale)


def test_ratio_is_infinite_where_the_loss_vanishes():
    local = LocalNetworks.around(*even_case())
    assert local.ratio(np.zeros_like(local.centre), 0.1) == math.inf


@pytest.mark.parametrize("radius", [0.1, 1e-8, 1e-150, 1e-300])
def test_ratio_along_the_labels_and_across_them(radius):
    """Small displacements along D₋ of all its neurons give 4‖D₋‖, displacements across it 2‖D₋‖."""
    data, signs, sizes = even_case()
    local = LocalNetworks.around(data, signs, sizes)
    along, across = np.zeros_like(local.centre), np.zeros_like(local.centre)
    along[2:4] = local.centre[2:4]
    across[2:4, 3:] = np.outer(sizes[2:4], np.cross(np.abs(data.y[3:]), [1.0, 0.0, 0.0]))
    small = 10 * radius + 1e-14
    assert local.ratio(along, radius) == pytest.approx(4 * data.norm_minus, rel=small)
    assert local.ratio(across, radius) == pytest.approx(2 * data.norm_minus, rel=small)


def test_ratio_does_not_lose_digits_as_the_radius_falls():
    """At 1e-6 the plain formula keeps six digits of the residual, at 1e-300 none; the local one is smooth in ρ."""
    data, signs, sizes = even_case()
    local = LocalNetworks.around(data, signs, sizes)
    v = np.random.default_rng(1).normal(size=local.centre.shape)
    tiny = local.ratio(v, 1e-300)
    for radius in (1e-6, 1e-9, 1e-15, 1e-30, 1e-100, 1e-200):
        assert local.ratio(v, radius) == pytest.approx(tiny, rel=100 * radius + 1e-13)
    assert network_at(local, v, 1e-6).pl_ratio(data) == pytest.approx(tiny, rel=1e-4)


@pytest.mark.parametrize("radius", [1.0, 0.1, 1e-8, 1e-300])
def test_projection_ends_in_the_ball(radius):
    data, signs, sizes = case(1)
    local, rng = LocalNetworks.around(data, signs, sizes), np.random.default_rng(2)
    for scale in (1e-3, 1.0, 1e3):
        v = project(local, scale * rng.normal(size=local.centre.shape), radius)
        assert local.distance(v, radius) <= 1
    inside = 1e-3 * rng.normal(size=local.centre.shape)
    assert project(local, inside, radius) is inside


@pytest.mark.parametrize("radius", [1e-3, 1e-8, 1e-300])
@pytest.mark.parametrize("seed", range(4))
def test_smallest_ratio_tends_to_its_limit(seed, radius):
    data, signs, sizes = case(seed)
    local = LocalNetworks.around(data, signs, sizes)
    found = smallest_ratio(local, radius, np.random.default_rng(seed))
    assert (1 - 10 * radius / sizes[sizes > 0].min() - 1e-9) * limit(data) <= found <= 1.05 * limit(data)


def test_smallest_ratio_with_three_labels_a_side_is_twice_the_small_target():
    data, signs, sizes = even_case()
    local = LocalNetworks.around(data, signs, sizes)
    found = smallest_ratio(local, 1e-12, np.random.default_rng(0))
    assert found == pytest.approx(2 * data.norm_minus, rel=0.05)
    assert found >= 2 * data.norm_minus * (1 - 1e-9)


@pytest.mark.parametrize("radius", [0.7, 0.3, 0.1, 0.03, 1e-2, 1e-4, 1e-300])
def test_nothing_falls_below_the_lower_bound(radius):
    data, signs, sizes = even_case()
    local, rng = LocalNetworks.around(data, signs, sizes), np.random.default_rng(3)
    bound = lower_bound(data, local, radius)
    assert smallest_ratio(local, radius, rng) >= bound * (1 - 1e-14)
    for _ in range(50):
        assert local.ratio(project(local, rng.normal(size=local.centre.shape), radius), radius) >= bound
    if radius <= 1e-2:
        assert bound >= 1.9 * data.norm_minus


def test_search_finds_less_than_the_best_draw():
    data, signs, sizes = even_case()
    local, rng = LocalNetworks.around(data, signs, sizes), np.random.default_rng(4)
    drawn = min(local.ratio(project(local, rng.normal(size=local.centre.shape), 0.3), 0.3) for _ in range(64))
    assert smallest_ratio(local, 0.3, np.random.default_rng(4)) < 0.9 * drawn


def test_one_sided_labels():
    data = Dataset.standard([3.0, 4.0])
    local = LocalNetworks.around(data, np.array([1.0, -1.0]), np.array([math.sqrt(5.0), 0.0]))
    found = smallest_ratio(local, 1e-9, np.random.default_rng(0))
    assert found == pytest.approx(2 * data.norm_plus, rel=0.02)


@pytest.mark.parametrize("radius", [1.0, 0.1, 1e-8])
def test_many_displacements_at_once(radius):
    data, signs, sizes = case(2)
    local, rng = LocalNetworks.around(data, signs, sizes), np.random.default_rng(5)
    many = 3 * rng.normal(size=(6, *local.centre.shape))
    inside = project(local, many, radius)
    for i, v in enumerate(many):
        np.testing.assert_allclose(inside[i], project(local, v, radius), rtol=1e-13)
        assert local.ratio(many, radius)[i] == pytest.approx(local.ratio(v, radius), rel=1e-13)
        np.testing.assert_allclose(local.gradient(many, radius)[i], local.gradient(v, radius), rtol=1e-10, atol=1e-12)
    assert (local.distance(inside, radius) <= 1).all()


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("seed", range(4))
def test_provable_ratio_is_the_lower_bound(seed, radius):
    """Against the same bound written label by label, and against networks of the ball."""
    data, signs, sizes = case(seed)
    local, rng = LocalNetworks.around(data, signs, sizes), np.random.default_rng(seed)
    bound = provable_ratio(local, radius)
    assert bound == pytest.approx(lower_bound(data, local, radius), rel=1e-12)
    inside = (project(local, 3 * rng.normal(size=local.centre.shape), radius) for _ in range(20))
    assert all(local.ratio(v, radius) >= bound * (1 - 1e-9) for v in inside)


@pytest.mark.parametrize("kappa", [1000.0, 1e5, 1e7])
def test_a_ball_whose_radius_is_no_machine_number_is_still_a_ball(kappa):
    data, signs, sizes = case(3)
    local = LocalNetworks.around(data, signs, sizes)
    with np.errstate(all="raise", under="ignore"):
        found = smallest_ratio(local, float(np.exp(-kappa)), np.random.default_rng(0))
    assert found == pytest.approx(smallest_ratio(local, 1e-200, np.random.default_rng(0)), rel=1e-6)
    assert provable_ratio(local, 0.0) == pytest.approx(2 * min(data.norm_plus, data.norm_minus))
