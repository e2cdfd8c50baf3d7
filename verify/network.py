"""The network h(x) = sum of a_j max(<w_j, x>, 0): output, loss, gradient, tangent kernel."""

from dataclasses import dataclass

import mpmath
import numpy as np

from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.initialisation import row_norms
from verify.notation import BoolArray, FloatArray


@dataclass(frozen=True, eq=False)
class Network:
    """A one-hidden-layer ReLU network θ = (a, W): a (m,), w (m, d), in float64 or as mpmath numbers.

    The derivative of the ReLU at 0 is 0. The loss is L = (1/2n) sum of (h(x_k) - y_k)².
    Raises InvalidArgument for other shapes and for entries that are not finite.
    Source: Section 2 (T), the loss (R).

    >>> net = Network(np.array([2.0]), np.array([[1.0, 0.0]]))
    >>> net.output(np.eye(2)), net.loss(Dataset.standard([3, -1]))
    (array([2., 0.]), 0.5)
    """

    a: FloatArray
    w: FloatArray

    def __post_init__(self) -> None:
        for name in ("a", "w"):
            value = np.array(getattr(self, name))
            object.__setattr__(self, name, value if _has_digits(value) else value.astype(np.float64))
        if self.a.ndim != 1 or self.w.ndim != 2 or len(self.a) != len(self.w):
            raise InvalidArgument(
                f"a has shape {self.a.shape} and w has shape {self.w.shape}; a must be (m,) and w (m, d)"
            )
        for name in ("a", "w"):
            _check_finite(name, getattr(self, name))

    @property
    def m(self) -> int:
        """Number of neurons."""
        return len(self.a)

    @property
    def d(self) -> int:
        """Dimension of the inputs."""
        return int(self.w.shape[1])

    def output(self, x: FloatArray) -> FloatArray:
        """Return h(x_k) (n,) for inputs x (n, d)."""
        return self.a @ np.maximum(self._projections(x), 0.0)

    def residual(self, dataset: Dataset) -> FloatArray:
        """Return r_k = y_k - h(x_k), shape (n,)."""
        return dataset.y - self.output(dataset.x)

    def loss(self, dataset: Dataset) -> float:
        """Return L = (1/2n) sum of r_k²."""
        r = self.residual(dataset)
        return float(r @ r) / (2 * dataset.n)

    def gradient(self, dataset: Dataset) -> "Network":
        """Return the gradient of the loss, as a network with the parts (dL/da, dL/dw). Source: eq. 3 (T)."""
        return self._gradient(dataset, self.residual(dataset))

    def ntk(self, x: FloatArray) -> FloatArray:
        """Return the tangent kernel K (n, n), K_kl = <dh(x_k)/dθ, dh(x_l)/dθ>, which gives r' = -K r/n.

        Source: derived here (D); for orthonormal inputs K_kl = sum of 1_jk 1_jl (a_j² δ_kl + p_jk p_jl).
        """
        p = self._projections(x)
        active = (p > 0).astype(np.float64)
        hidden = (active.T * self.a**2) @ active * (x @ x.T)
        kernel: FloatArray = hidden + np.maximum(p, 0.0).T @ np.maximum(p, 0.0)
        return kernel

    def pl_ratio(self, dataset: Dataset) -> float:
        """Return ‖∇L‖²/L, the local Polyak-Lojasiewicz ratio, without underflow when the loss is tiny.

        Raises InvalidArgument where the loss is zero. Source: Lemma 5 (R).
        """
        r = self.residual(dataset)
        size = float(row_norms(r[None, :])[0])
        if size == 0:
            raise InvalidArgument("the PL ratio ‖∇L‖²/L is undefined where the loss is zero; give another network")
        return 2 * dataset.n * self._gradient(dataset, r / size).norm_squared()

    def norm_squared(self) -> float:
        """Return ‖θ‖² = sum of a_j² + ‖w_j‖²."""
        return float(self.a @ self.a + np.vdot(self.w, self.w))

    def distance(self, other: "Network") -> float:
        """Return ‖θ - θ'‖ over all parameters; the two networks must have the same shapes."""
        if self.w.shape != other.w.shape:
            raise InvalidArgument(f"other has w of shape {other.w.shape}; it must be {self.w.shape} as here")
        difference = np.concatenate([self.a - other.a, (self.w - other.w).ravel()])
        return float(row_norms(difference[None, :])[0])

    def _projections(self, x: FloatArray) -> FloatArray:
        if x.ndim != 2 or x.shape[1] != self.d:
            raise InvalidArgument(f"x has shape {x.shape}; it must be (n, {self.d}) for this network")
        return self.w @ x.T

    def _gradient(self, dataset: Dataset, residual: FloatArray) -> "Network":
        p = self._projections(dataset.x)
        active: BoolArray = p > 0
        pull = residual / dataset.n
        return Network(-(np.maximum(p, 0.0) @ pull), -self.a[:, None] * ((active * pull) @ dataset.x))


def _has_digits(array: FloatArray) -> bool:
    return array.dtype == object and array.size > 0 and isinstance(array.flat[0], mpmath.mpf)


def _check_finite(name: str, array: FloatArray) -> None:
    finite = np.isfinite(array.astype(np.float64))
    if not finite.all():
        index = tuple(np.argwhere(~finite)[0].tolist())
        raise InvalidArgument(f"{name}{list(index)} = {array[index]} must be finite")
