"""Eigenvalues and eigenvectors of a symmetric matrix by Jacobi's rotations, one body for every arithmetic.

Slower than the QR algorithm, but entries of eigenvectors that come from a weak coupling keep their relative accuracy,
where QR drops a coupling below the unit roundoff. [Demmel & Veselić 1992]
"""

from __future__ import annotations

from typing import Any

LEAST_SWEEPS = 2
"""Sweeps that rotate every coupling, however small."""

MOST_SWEEPS = 100


def jacobi(matrix: Any, vectors: Any, epsilon: Any) -> None:
    """Diagonalise ``matrix`` (b, b) in place; ``vectors`` (b, b), given as the identity, become the eigenvectors.

    Stops once couplings are below ``epsilon`` times the largest entry of the diagonal.
    """
    size = len(matrix)
    for sweep in range(MOST_SWEEPS):
        coupling, top = epsilon * 0, epsilon * 0
        for p in range(size):
            top = max(top, abs(matrix[p, p]))
            for q in range(p):
                coupling = max(coupling, abs(matrix[p, q]))
        if coupling == 0 or (sweep >= LEAST_SWEEPS and coupling <= epsilon * top):
            return
        for p in range(size):
            for q in range(p):
                if matrix[p, q] == 0:
                    continue
                # The tangent t of the rotation solves t² + 2wt − 1 = 0; the smaller root in size.
                w = (matrix[q, q] - matrix[p, p]) / (2 * matrix[p, q])
                steep = abs(w)
                root = (w * w + 1) ** 0.5 if steep < 1 else steep * ((1 / w) ** 2 + 1) ** 0.5
                t = 1 / (steep + root)
                t = t if w >= 0 else -t
                c = 1 / (t * t + 1) ** 0.5
                s = t * c
                for k in range(size):
                    left, right = matrix[k, p], matrix[k, q]
                    matrix[k, p], matrix[k, q] = c * left - s * right, s * left + c * right
                for k in range(size):
                    left, right = matrix[p, k], matrix[q, k]
                    matrix[p, k], matrix[q, k] = c * left - s * right, s * left + c * right
                    left, right = vectors[k, p], vectors[k, q]
                    vectors[k, p], vectors[k, q] = c * left - s * right, s * left + c * right
                matrix[p, q], matrix[q, p] = coupling * 0, coupling * 0
