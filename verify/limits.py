"""The limits for λ → 0: minimal-norm interpolators, the one the flow selects, and the certificate of minimality."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.flow.arithmetic import Arithmetic, Array, to_float
from verify.flow.float64 import FLOAT64
from verify.flow.ledger import ledger_of
from verify.flow.start import initial_state
from verify.initialisation import row_norms
from verify.measures import key_set, target_norm
from verify.network import Network
from verify.notation import FloatArray
from verify.problem import Problem


def minimal_norm_squared(data: Dataset) -> float:
    """min{‖θ‖² : L(θ) = 0} = 2n(‖D₊‖ + ‖D₋‖). [R, Proposition 1]"""
    return 2 * data.n * (data.norm_plus + data.norm_minus)


def interpolator(dataset: Dataset, signs: FloatArray, sizes: FloatArray) -> Network:
    """The network with |a_j| = ‖w_j‖ = sizes_j, w_j along D₊ where s_j = +1 and along −D₋ where s_j = −1. [R, Prop. 1]

    ``signs``, ``sizes`` (m,). It is a minimal-norm interpolator when Σ sizes² over s_j = ±1 is n‖D±‖.
    Raises ``InvalidArgument`` for sizes of another shape or below 0.
    """
    if sizes.shape != signs.shape or not (sizes >= 0).all():
        raise InvalidArgument(f"sizes = {sizes!r} must be {len(signs)} numbers ≥ 0, one for each neuron")
    w = np.zeros((len(signs), dataset.d))
    for side, target in ((1, dataset.d_plus), (-1, -dataset.d_minus)):
        if target.any():
            w[signs == side] = np.outer(sizes[signs == side], target / np.linalg.norm(target))
    return Network(signs * sizes, w)


def log_amplitudes(problem: Problem, arithmetic: Arithmetic = FLOAT64) -> Array:
    """(m,): ln A_j, A_j = lim e^(−ωt)‖w_j(t)‖/λ under the linearised flow r = y, each neuron at its own final rate ω.

    From the boosts between deactivations, in closed form. Minus infinity for a neuron that does not grow. [D]
    """
    ledger = ledger_of(*initial_state(problem, arithmetic), np.zeros(problem.dataset.n, dtype=bool))
    rows, last = ledger.rows, ledger.last
    rate = rows.rate[last]
    amplitude = arithmetic.log(rows.plus[last] / 2) + rows.log_scale[last] - rate * rows.start[last]
    return np.where(rate > 0, amplitude, -np.inf)


def selected_shares(problem: Problem, arithmetic: Arithmetic = FLOAT64) -> Array:
    """(m,): c_j/sqrt(n‖D₊‖) on S₊₁ and c_j/sqrt(n‖D₋‖) on S₋₁, c_j the sizes of θ*; zero elsewhere. [D]

    They are A_j/sqrt(Σ A²) over each key set. Raises ``InvalidArgument`` when a key set is empty.
    """
    return shares_of(problem, log_amplitudes(problem, arithmetic), arithmetic)


def shares_of(problem: Problem, logs: Array, arithmetic: Arithmetic = FLOAT64) -> Array:
    """As :func:`selected_shares`, from the :func:`log_amplitudes` (m,)."""
    shares = arithmetic.zeros(problem.initialisation.m)
    for side in (1, -1):
        key = key_set(problem, side)
        if target_norm(problem, side) == 0:
            continue
        if not key.any():
            raise InvalidArgument(f"S{'₊' if side > 0 else '₋'}₁ is empty: the selected interpolator is not defined")
        amplitudes = arithmetic.exp(logs[key] - logs[key].max())
        shares[key] = amplitudes / arithmetic.sqrt((amplitudes * amplitudes).sum())
    return shares


def selected_sizes(problem: Problem) -> FloatArray:
    """(m,): c_j of θ* = lim_{λ→0} lim_{t→∞} θ, zero outside the key sets. [D]

    c_j = A_j sqrt(n‖D₊‖/Σ A²) on S₊₁ and likewise on S₋₁. Raises ``InvalidArgument`` when a key set is empty.
    """
    return sizes_of(problem, selected_shares(problem))


def sizes_of(problem: Problem, shares: Array) -> FloatArray:
    """As :func:`selected_sizes`, from the :func:`selected_shares` (m,)."""
    sizes = to_float(shares).copy()
    for side in (1, -1):
        sizes[key_set(problem, side)] *= np.sqrt(problem.dataset.n * target_norm(problem, side))
    return sizes


def selected_interpolator(problem: Problem) -> Network:
    """θ*, the minimal-norm interpolator that the flow selects as λ → 0. [D]"""
    return interpolator(problem.dataset, problem.initialisation.signs, selected_sizes(problem))


@dataclass(frozen=True)
class Certificate:
    """Proof that a network is close to minimal among interpolators. [D, F₁ duality]

    - ``dual`` (n,): α with ‖α⁺‖ ≤ 1 and ‖α⁻‖ ≤ 1. ``value``: Σ α_k y_k, a lower bound of ½‖θ‖² for interpolators.
    - ``surplus`` (m,): what each neuron costs beyond what the dual credits it with; all are ≥ 0, and their sum is
      ½‖θ‖² − Σ_k α_k h(x_k). A neuron's surplus vanishes only if it is balanced and lies along its target.
    """

    dual: FloatArray
    value: float
    surplus: FloatArray


def certificate(data: Dataset, network: Network) -> Certificate:
    """The certificate of ``network`` with the optimal dual vector (y₊/‖y₊‖, y₋/‖y₋‖)."""
    dual = data.y / (data.n * np.where(data.positive, data.norm_plus, data.norm_minus))
    projections = np.maximum(network.w @ data.x.T, 0.0)
    norms = row_norms(network.w)
    credit = network.a * (projections @ dual)
    return Certificate(dual, float(dual @ data.y), (network.a**2 + norms**2) / 2 - credit)


def saddle(problem: Problem) -> Network:
    """θ_S: the neurons of S₊₁ as in θ*, all others zero. [R, Corollary 1]"""
    sizes = np.where(problem.key_plus, selected_sizes(problem), 0.0)
    return interpolator(problem.dataset, problem.initialisation.signs, sizes)


def saddle_curvature(problem: Problem, sizes: FloatArray) -> tuple[float, float]:
    """Largest relative deviation from: ∇L = 0 at 0 and θ_S, and curvatures −‖D₊‖ at 0, −‖D₋‖ at θ_S; its rounding. [R]

    ``sizes`` (m,): those of θ*. Along (w, a) ∝ (D₊/‖D₊‖, 1) of a zero neuron at 0, along (−D₋/‖D₋‖, −1) at θ_S;
    compared with second differences of the loss at steps that the loss resolves. Evaluated on the standard basis, where
    a neuron that is orthogonal to an input is so exactly.

    Every number is a sum over at most m neurons and n labels of products of a few factors: it is rounded by m + n + 8
    units of the sum of the sizes of its terms. In the second difference 16 and 4 times the same change are subtracted
    to 12 times it. The gradient cancels outputs against labels of the size n‖D₊‖, and is held against ‖D₋‖ at θ_S.
    """
    data = Dataset.standard(problem.dataset.y)
    sizes = np.where(problem.key_plus, sizes, 0.0)
    saddle_point = interpolator(data, problem.initialisation.signs, sizes)
    origin = Network(np.zeros(1), np.zeros((1, data.d)))
    deviations = []
    for network, target, norm, sign in (
        (origin, data.d_plus, data.norm_plus, 1.0),
        (saddle_point, -data.d_minus, data.norm_minus, -1.0),
    ):
        gradient = np.sqrt(network.gradient(data).norm_squared())
        deviations.append(gradient / (norm * np.sqrt(data.n * data.norm_plus)))
        deviations.append(abs(_curvature(data, network, target / norm, sign) / -norm - 1))
    unit = (len(sizes) + data.n + 8) * FLOAT64.epsilon
    return float(max(deviations)), 2 * unit * max(problem.dataset.ratio, 1.0)


def _curvature(data: Dataset, network: Network, direction: FloatArray, sign: float) -> float:
    """Second derivative of the loss along a new neuron (w, a) = τ(direction, sign)/√2, from exact second differences.

    The loss is a polynomial of degree 4 in τ, even for this neuron, so that two steps give its second derivative.
    """

    def change(tau: float) -> float:
        added = np.vstack([network.w, tau * direction / np.sqrt(2)])
        moved = Network(np.append(network.a, tau * sign / np.sqrt(2)), added)
        outputs = moved.output(data.x) - network.output(data.x)
        return float((outputs * (outputs - 2 * network.residual(data))).sum()) / (2 * data.n)

    tau = np.sqrt(data.n * (data.norm_plus if sign > 0 else data.norm_minus)) / 4
    return float((16 * change(tau) - change(2 * tau)) / (6 * tau**2))
