"""Initialisations as the experiments draw them: Gaussian weights of a given scale, balanced or not."""

from __future__ import annotations

import numpy as np

from verify.errors import InvalidArgument
from verify.initialisation import row_norms
from verify.network import Network


def gaussian_start(
    rng: np.random.Generator, m: int, d: int, scale: float, *, balanced: bool = True, output_scale: float | None = None
) -> Network:
    """w_j ~ N(0, scale² I_d); a_j = ±‖w_j‖ with fair signs, or a_j ~ N(0, output_scale²) when not balanced.

    ``output_scale`` None means ``scale``. Raises InvalidArgument for a scale whose square underflows.
    Source: Section 2; the remark on unbalanced initialisations in Section 3.2 (T).
    """
    if not 1e-100 <= scale <= 1e100:
        raise InvalidArgument(f"scale = {scale} must lie between 1e-100 and 1e100: these experiments run in float64")
    w = scale * rng.normal(size=(m, d))
    if balanced:
        return Network(rng.choice([-1.0, 1.0], m) * row_norms(w), w)
    return Network((scale if output_scale is None else output_scale) * rng.normal(size=m), w)
