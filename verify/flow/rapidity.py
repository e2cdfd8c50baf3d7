"""Taylor coefficients of a component with one label, whose neurons are all boosted by the same rapidity."""

from __future__ import annotations

from typing import Any

import numpy as np

from verify.flow import series as recursion
from verify.flow.arithmetic import Array
from verify.flow.polynomial import inner_product
from verify.flow.series import Law, Series


def extend(series: Series, law: Law, begin: int, end: int) -> None:
    """As :func:`.series.extend`, which it hands on to where several labels couple. For numbers that are dear. [D]

    With one label, a ± z = (a ± z)(0) e^(±s_j η) with the same η' = (time unit)/n·r for all neurons. So two series,
    e^η and e^−η, stand for any number of neurons, and the output is a combination of their squares.
    """
    if begin > 0 or len(law.framed) > 1 or law.off_axis[0] or len(set(series.channel)) != 1:
        recursion.extend(series, law, begin, end)
        return
    sign, c, orders = np.where(series.gain > 0, 1, -1), int(series.channel[0]), slice(1, end + 1)
    growing, shrinking = series.alpha[0] + sign * series.z[0], series.alpha[0] - sign * series.z[0]
    masses = tuple((sign * series.weight * part * part).sum() / 4 for part in (growing, shrinking))
    rises, falls, residual = _series(abs(series.gain[0]), masses, series.r[c, 0], end + 1)
    up, down = np.multiply.outer(rises[1:], growing) / 2, np.multiply.outer(falls[1:], shrinking) / 2
    series.alpha[orders], series.z[orders] = up + down, sign * (up - down)
    series.a[orders] = series.a[0] * 0
    series.a[orders, series.neuron] = series.alpha[orders]
    series.drive[orders] = residual[1:, None]
    series.r[c, orders] = residual[1:]
    series.r[1 - c, orders] = residual[1:] * (law.axes[0, 0] if law.framed[0] else 1)


def _series(gain: Any, masses: tuple[Any, ...], start: Any, size: int) -> tuple[Array, Array, Array]:
    """e^η, e^−η and the residual, where η' = gain·residual and residual' = (shrinking e^−2η − growing e^2η)'."""
    growing, shrinking = masses
    rises, falls, residual = [start * 0 + 1], [start * 0 + 1], [start]
    for k in range(size - 1):
        backwards = residual[::-1]
        rises.append(gain * inner_product(rises, backwards) / (k + 1))
        falls.append(-gain * inner_product(falls, backwards) / (k + 1))
        residual.append(shrinking * _square(falls) - growing * _square(rises))
    return np.array(rises, dtype=object), np.array(falls, dtype=object), np.array(residual, dtype=object)


def _square(x: list[Any]) -> Any:
    """The last coefficient of the square of a series; at least two are given."""
    last, half = len(x) - 1, len(x) // 2
    twice = 2 * inner_product(x[:half], x[last : last - half : -1])
    return twice if len(x) % 2 == 0 else twice + x[half] * x[half]
