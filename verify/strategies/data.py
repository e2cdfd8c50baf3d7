"""Strategies of orthonormal inputs, labels and datasets."""

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.families.draw import named
from verify.families.inputs import DECIMAL_ANGLES, INPUTS, Inputs, decimal_rotation
from verify.families.labels import LABELS, near_tie, oriented_labels, untied_labels
from verify.notation import FloatArray
from verify.strategies.numbers import PERCENT, SIGNS, Sizes, gaussians, generators, vector


@st.composite
def orthonormal_inputs(draw: DrawFn, /, n: int, d: int, families: Sequence[str] = tuple(INPUTS)) -> Inputs:
    """Orthonormal rows (n, d) from the named families; the standard basis is the simplest."""
    name = draw(st.sampled_from(families))
    if name == "signed_permutation":
        return draw(_signed_permutations(n, d))
    if name == "rational":
        turn = st.tuples(PERCENT, PERCENT, st.integers(0, len(DECIMAL_ANGLES) - 1))
        turns = [(i % d, (i + 1 + j % (d - 1)) % d, k) for i, j, k in draw(st.lists(turn, max_size=d)) if d > 1]
        return decimal_rotation(draw(_signed_permutations(n, d)), turns)
    return named(INPUTS, name, "families")(draw(generators()), n, d)


def _signed_permutations(n: int, d: int) -> SearchStrategy[FloatArray]:
    return st.builds(
        lambda order, signs: np.eye(d)[order[:n]] * signs[:, None] + 0.0,
        st.permutations(range(d)),
        vector(SIGNS, n),
    )


@st.composite
def labels(
    draw: DrawFn,
    /,
    n: int,
    families: Sequence[str] = tuple(LABELS),
    *,
    sign_case: str = "both",
    decades: int = 3,
    oriented: bool = True,
) -> FloatArray:
    """Labels (n,) from the named families that exist for this n; eighths of both signs are the simplest.

    sign_case "both": at least one label of each sign; "any": possibly one sign only. `decades` bounds the
    spread of the family "wide": epsilon falls like its square, so Lambda = kappa/epsilon grows with it.
    """
    counts = _label_families(families, n, sign_case)
    name = draw(st.sampled_from(list(counts)))
    count = draw(st.sampled_from(counts[name]))
    signs = np.where(np.array(draw(st.permutations(range(n)))) < count, 1.0, -1.0)
    y = signs * draw(_sizes(name, n, decades))
    if name == "near_tie":
        y = near_tie(y, 10.0 ** -draw(st.integers(1, 9)))
    return oriented_labels(y) if oriented else untied_labels(y) * draw(SIGNS)


def _sizes(name: str, n: int, decades: int) -> SearchStrategy[FloatArray]:
    eighths = st.integers(0, 31).map(lambda k: ((k + 7) % 32 + 1) / 8)
    if name == "equal":
        return eighths.map(lambda size: np.full(n, size))
    if name == "wide":
        digit_and_power = st.builds(lambda k, e: float(f"{k}e-{e}"), st.integers(1, 9), st.integers(0, decades))
        return vector(digit_and_power, n)
    if name == "gaussian":
        return vector(gaussians().map(abs), n)
    return vector(eighths, n)


def _label_families(families: Sequence[str], n: int, sign_case: str) -> dict[str, list[int]]:
    """Return each family that exists for this n with the numbers of positive labels it may have."""
    if sign_case not in ("both", "any"):
        raise InvalidArgument(f"sign_case = {sign_case!r} must be 'both' or 'any'")
    counts = {name: _positive_counts(name, n, n if sign_case == "any" else n - 1) for name in families}
    possible = {name: count for name, count in counts.items() if count}
    if not possible:
        raise InvalidArgument(f"n = {n}: none of the label families {list(families)} has {sign_case} signs; raise n")
    return possible


def _positive_counts(name: str, n: int, most: int) -> list[int]:
    named(LABELS, name, "families")
    if name == "lone":
        return sorted({1, n - 1}) if n > 1 else []
    if name == "near_tie":
        return list(range(1, n))
    return list(range(n // 2 + 1 if name == "equal" else 1, most + 1))


@st.composite
def datasets(
    draw: DrawFn,
    /,
    n: Sizes = (1, 4),
    *,
    extra_d: Sizes = (0, 2),
    input_families: Sequence[str] = tuple(INPUTS),
    label_families: Sequence[str] = tuple(LABELS),
    sign_case: str = "both",
    decades: int = 3,
    oriented: bool = True,
) -> Dataset:
    """Datasets that meet Assumptions 1 and 2; sign_case "both" starts at n = 2 whatever n says."""
    low, high = (max(n[0], 2) if sign_case == "both" else n[0]), n[1]
    if not 1 <= low <= high:
        raise InvalidArgument(f"n = {n} must be a range 1 <= low <= high, up to 2 at least for labels of both signs")
    size = draw(st.integers(low, high))
    x = draw(orthonormal_inputs(size, size + draw(st.integers(*extra_d)), input_families))
    y = draw(labels(size, label_families, sign_case=sign_case, decades=decades, oriented=oriented))
    return Dataset(x, y)
