"""The figure of a trajectory, from plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verify.errors import InvalidArgument
from verify.report.figures import figure_bytes
from verify.report.trajectory_figure import Curves, trajectory_figure

TIMES = np.linspace(0.0, 100.0, 51)


def curves(**changes: Any) -> Curves:
    """Four neurons: one of S₊₁, one of S₋₁, two others; a loss that falls below the smallest float."""
    plain: dict[str, Any] = {
        "times": TIMES,
        "log_loss": -20.0 * TIMES,
        "log_norms": -1e6 + TIMES[:, None] * np.array([3.0, 2.0, 1.0, 0.0]),
        "plus": np.array([True, False, False, False]),
        "minus": np.array([False, True, False, False]),
        "log_tilt_plus": -30.0 * TIMES[:, None],
        "log_tilt_minus": -3.0 * TIMES[:, None],
        "phases": {"t_plus1": 1.0, "t1": 2.0, "t2": 50.0, "t3": float("inf")},
    }
    return Curves(**(plain | changes))


def test_panels_share_time_and_are_named() -> None:
    axes = trajectory_figure(curves()).axes
    assert [ax.get_ylabel().split()[0] for ax in axes] == ["loss", "ln‖$w_j$‖", "misalignment"]
    assert axes[-1].get_xlabel() == "time t"
    assert {ax.get_xlim() for ax in axes} == {(0.0, 100.0)}


def test_loss_and_tilt_are_drawn_in_decades_also_where_they_underflow() -> None:
    loss, _, tilt = trajectory_figure(curves()).axes
    assert loss.lines[0].get_ydata()[-1] == pytest.approx(-2000.0 / np.log(10.0))
    assert min(line.get_ydata()[-1] for line in tilt.lines[:2]) == pytest.approx(-3000.0 / np.log(10.0))


def test_each_neuron_is_drawn_in_the_colour_of_its_set() -> None:
    norms = trajectory_figure(curves()).axes[1]
    colours = [line.get_color() for line in norms.lines[:4]]
    assert len(set(colours)) == 3 and colours[0] == colours[1]


def test_phases_are_marked_and_close_ones_share_a_name() -> None:
    loss, norms, _ = trajectory_figure(curves()).axes
    assert [text.get_text() for text in loss.texts] == ["$t_{+1}$, $t_1$", "$t_2$"]
    assert sum(line.get_xdata()[0] == 50.0 for line in norms.lines) == 1


def test_empty_sets_and_a_loss_of_zero_are_drawn() -> None:
    nobody, nothing = np.zeros(4, dtype=bool), np.empty((len(TIMES), 0))
    bare = curves(plus=nobody, minus=nobody, log_tilt_plus=nothing, log_tilt_minus=nothing, phases={})
    assert figure_bytes(trajectory_figure(bare)).startswith(b"\x89PNG")
    fitted = curves(log_loss=np.full(len(TIMES), -np.inf))
    assert figure_bytes(trajectory_figure(fitted)).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "value"),
    [("log_loss", np.zeros(3)), ("log_norms", np.zeros((2, 4))), ("plus", np.zeros(5, dtype=bool))],
)
def test_arrays_that_do_not_fit_are_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(InvalidArgument, match=f"^{name}: "):
        curves(**{name: value})
