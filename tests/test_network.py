"""Network: hand values, the gradient against finite differences, and the identities of the tangent kernel."""

import numpy as np
import pytest

from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.network import Network

STEP = 1e-6


def random_case(seed: int) -> tuple[Network, Dataset]:
    """A generic network and dataset: rotated inputs, n = 3, d = 4, m = 7."""
    rng = np.random.default_rng(seed)
    x = np.linalg.qr(rng.normal(size=(4, 3))).Q.T
    return Network(rng.normal(size=7), rng.normal(size=(7, 4))), Dataset(x, rng.normal(size=3))


def flat(network: Network) -> np.ndarray:
    return np.concatenate([network.a, network.w.ravel()])


def unflat(parameters: np.ndarray, like: Network) -> Network:
    return Network(parameters[: like.m], parameters[like.m :].reshape(like.w.shape))


def test_hand_values():
    network = Network(np.array([2.0, -1.0]), np.array([[1.0, -3.0], [0.5, 4.0]]))
    data = Dataset.standard([1.0, -2.0])
    assert network.output(data.x).tolist() == [1.5, -4.0]
    assert network.residual(data).tolist() == [-0.5, 2.0]
    assert network.loss(data) == (0.25 + 4.0) / 4
    assert network.norm_squared() == 5.0 + 26.25
    gradient = network.gradient(data)
    np.testing.assert_allclose(gradient.a, [0.25, -(-0.25 * 0.5 + 1.0 * 4.0)], rtol=1e-15)
    np.testing.assert_allclose(gradient.w, [[0.5, 0.0], [-0.25, 1.0]], rtol=1e-15)
    np.testing.assert_allclose(network.ntk(data.x), [[4 + 1 + 1 + 0.25, 2.0], [2.0, 1 + 16.0]], rtol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_gradient_is_the_finite_difference_of_the_loss(seed):
    network, data = random_case(seed)
    theta = flat(network)
    slopes = [
        (unflat(theta + step, network).loss(data) - unflat(theta - step, network).loss(data)) / (2 * STEP)
        for step in STEP * np.eye(len(theta))
    ]
    np.testing.assert_allclose(flat(network.gradient(data)), slopes, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_loss_decays_at_the_rate_of_the_tangent_kernel(seed):
    network, data = random_case(seed)
    r = network.residual(data)
    rate = r @ network.ntk(data.x) @ r / data.n**2
    assert network.gradient(data).norm_squared() == pytest.approx(rate, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_residual_moves_by_the_tangent_kernel(seed):
    network, data = random_case(seed)
    gradient = network.gradient(data)
    ahead, behind = (unflat(flat(network) - h * flat(gradient), network) for h in (STEP, -STEP))
    velocity = (ahead.residual(data) - behind.residual(data)) / (2 * STEP)
    expected = -network.ntk(data.x) @ network.residual(data) / data.n
    np.testing.assert_allclose(velocity, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_pl_ratio_is_the_squared_gradient_over_the_loss(seed):
    network, data = random_case(seed)
    direct = network.gradient(data).norm_squared() / network.loss(data)
    assert network.pl_ratio(data) == pytest.approx(direct, rel=1e-12)


def test_pl_ratio_survives_a_loss_that_underflows():
    size = 1e-170
    network = Network(np.array([0.0]), np.array([[1.0]]))
    data = Dataset.standard([size])
    assert network.loss(data) == 0.0
    assert network.pl_ratio(data) == pytest.approx(2.0, rel=1e-15)


def test_the_derivative_at_zero_is_zero():
    network = Network(np.array([1.0]), np.array([[0.0, 1.0]]))
    data = Dataset.standard([5.0, 2.0])
    assert network.gradient(data).w[0, 0] == 0.0
    assert network.ntk(data.x)[0, 0] == 0.0


def test_distance():
    network = Network(np.array([1.0]), np.array([[2.0, 3.0]]))
    assert network.distance(network) == 0.0
    assert network.distance(Network(np.array([4.0]), np.array([[2.0, 7.0]]))) == 5.0


@pytest.mark.parametrize(
    ("a", "w", "message"),
    [
        (
            np.ones(2),
            np.ones((3, 2)),
            r"a has shape \(2,\) and w has shape \(3, 2\); a must be \(m,\) and w \(m, d\)",
        ),
        (np.ones((1, 1)), np.ones((1, 2)), r"a has shape \(1, 1\)"),
        (np.array([1.0, np.nan]), np.ones((2, 2)), r"a\[1\] = nan must be finite"),
        (np.ones(1), np.array([[1.0, -np.inf]]), r"w\[0, 1\] = -inf must be finite"),
    ],
)
def test_bad_networks_are_refused(a, w, message):
    with pytest.raises(InvalidArgument, match=message):
        Network(a, w)


def test_mismatched_companions_are_refused():
    network = Network(np.ones(1), np.ones((1, 2)))
    with pytest.raises(InvalidArgument, match=r"x has shape \(3, 3\); it must be \(n, 2\)"):
        network.output(np.eye(3))
    with pytest.raises(InvalidArgument, match=r"other has w of shape \(2, 2\); it must be \(1, 2\)"):
        network.distance(Network(np.ones(2), np.ones((2, 2))))
    with pytest.raises(InvalidArgument, match=r"PL ratio .* undefined where the loss is zero"):
        Network(np.ones(1), np.ones((1, 1))).pl_ratio(Dataset.standard([1.0]))
