"""Families of inputs: each takes (rng, n, d) and returns n orthonormal rows, shape (n, d)."""

from collections.abc import Callable
from decimal import Context, Decimal, Inexact, localcontext

import numpy as np

from verify.notation import FloatArray, ObjectArray

Inputs = FloatArray | ObjectArray
InputFamily = Callable[[np.random.Generator, int, int], Inputs]

#: (cosine, sine) pairs that are finite decimals: hypotenuses 5, 25 and 125.
DECIMAL_ANGLES = tuple((Decimal(c), Decimal(s)) for c, s in (("0.6", "0.8"), ("0.28", "0.96"), ("0.352", "0.936")))


def standard_basis(rng: np.random.Generator, n: int, d: int) -> Inputs:
    """Return x_k = e_k."""
    return np.eye(n, d)


def haar_rotation(rng: np.random.Generator, n: int, d: int) -> Inputs:
    """Return n rows of a Haar orthogonal d x d matrix: QR of a Gaussian with diag(R) made positive."""
    q, r = np.linalg.qr(rng.standard_normal((d, n)))
    return np.ascontiguousarray((q * np.where(np.diag(r) < 0, -1.0, 1.0)).T)


def signed_permutation(rng: np.random.Generator, n: int, d: int) -> Inputs:
    """Return n distinct basis vectors, each with a sign."""
    rows = np.eye(d)[rng.permutation(d)[:n]]
    signed: FloatArray = rows * rng.choice([-1.0, 1.0], size=(n, 1)) + 0.0
    return signed


def rational_rotation(rng: np.random.Generator, n: int, d: int) -> Inputs:
    """Return rows with finite decimal entries, as Decimal, whose Gram matrix is exactly the identity."""
    planes = [rng.choice(d, 2, replace=False).tolist() for _ in range(d)] if d > 1 else []
    angles = rng.integers(len(DECIMAL_ANGLES), size=d).tolist()
    turns = [(i, j, k) for (i, j), k in zip(planes, angles, strict=False)]
    return decimal_rotation(signed_permutation(rng, n, d), turns)


def decimal_rotation(x: Inputs, turns: list[tuple[int, int, int]]) -> ObjectArray:
    """Turn the columns (i, j) of x by the angle DECIMAL_ANGLES[k], for each (i, j, k), without rounding.

    >>> decimal_rotation(np.eye(2), [(0, 1, 0)]).astype(float).tolist()
    [[0.6, 0.8], [-0.8, 0.6]]
    """
    rows = np.array([[Decimal(int(entry)) for entry in row] for row in x], dtype=object)
    with localcontext(Context(prec=1000, traps=[Inexact])):
        for i, j, k in turns:
            cosine, sine = DECIMAL_ANGLES[k]
            left, right = rows[:, i].copy(), rows[:, j].copy()
            rows[:, i], rows[:, j] = cosine * left - sine * right, sine * left + cosine * right
    return rows


INPUTS: dict[str, InputFamily] = {
    "standard": standard_basis,
    "signed_permutation": signed_permutation,
    "rational": rational_rotation,
    "haar": haar_rotation,
}
