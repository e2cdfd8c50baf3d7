"""What the figures show, read off their artists."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from tests.report.synthetic import campaign, frame, row
from verify.errors import InvalidArgument
from verify.report.figures import COLOURS, figure_bytes, margins_figure

NATS, RELATIVE = "nats", "relative"


def points(ax: Any) -> int:
    return sum(len(collection.get_offsets()) for collection in ax.collections)


def names(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def test_each_scale_has_its_panel_and_each_claim_its_line() -> None:
    upper, lower = margins_figure(campaign(10)).axes
    assert names(upper) == ["L2.align+", "L2.align-", "L2.norm", "L3.align", "X.never"]
    assert names(lower)[0] == "L1.conserved" and len(names(lower)) == 7
    assert ("[nats]" in upper.get_xlabel(), "[relative]" in lower.get_xlabel()) == (True, True)
    assert (upper.get_xscale(), lower.get_xscale()) == ("symlog", "symlog")


def test_every_margin_is_a_point_and_those_far_out_are_one_arrow() -> None:
    inf = float("inf")
    margins = [1.0, 2.0, -3.0, inf, inf, -1e9]
    rows = [row("A", "HOLDS" if margin > 0 else "FAILS", margin, scale=NATS) for margin in margins]
    [ax] = margins_figure(frame(*rows)).axes
    assert points(ax) == 3 + 1 + 1


def test_colours_are_those_of_the_verdicts() -> None:
    from matplotlib.colors import to_hex

    rows = frame(row("A", "FAILS", -1.0, scale=NATS), row("A", "HOLDS", 1.0, scale=NATS))
    [ax] = margins_figure(rows).axes
    shown = {float(c.get_offsets()[0][0]): to_hex(c.get_facecolor()[0]) for c in ax.collections if len(c.get_offsets())}
    assert shown == {-1.0: COLOURS["FAILS"], 1.0: COLOURS["HOLDS"]}


def test_a_claim_never_tested_is_named_without_points() -> None:
    [ax] = margins_figure(frame(*(row("X.never", "VACUOUS") for _ in range(4)))).axes
    assert names(ax) == ["X.never"] and points(ax) == 0
    assert "vacuous in all 4" in [text.get_text() for text in ax.texts]


def test_a_claim_never_tested_is_red() -> None:
    [ax] = margins_figure(frame(row("X.never", "VACUOUS"))).axes
    assert [text.get_color() for text in ax.texts if "vacuous" in text.get_text()] == [COLOURS["FAILS"]]


def test_a_claim_on_two_scales_stands_in_both_panels_each_with_its_own() -> None:
    rows = frame(
        row("A", margin=0.5, scale=RELATIVE),
        row("A", "FAILS", -40.0, scale=NATS),
        row("A", "VACUOUS", scale=NATS),
        row("B", margin=2.0, scale=NATS),
    )
    nats, relative = margins_figure(rows).axes
    assert (names(nats), names(relative)) == (["A", "B"], ["A"])
    assert (points(nats), points(relative)) == (2, 1)
    written = [{text.get_text() for text in ax.texts} for ax in (nats, relative)]
    assert "−40" in written[0] and "0.5" in written[1] and "−40" not in written[1]
    medians = [
        [float(np.mean(line.get_xdata())) for line in ax.lines if line.get_linewidth() == 1.6]
        for ax in (nats, relative)
    ]
    assert medians == [[-40.0, 2.0], [0.5]]


def test_a_margin_held_without_a_number_is_not_drawn() -> None:
    [ax] = margins_figure(frame(row("A", "HOLDS", float("nan"), scale=NATS))).axes
    assert points(ax) == 0


def test_many_claims_stand_side_by_side() -> None:
    rows = frame(*(row(f"C{i}", margin=0.1, scale=scale) for i, scale in enumerate([NATS] * 15 + [RELATIVE] * 15)))
    left, right = margins_figure(rows).axes
    assert left.get_position().x1 < right.get_position().x0


def test_nothing_at_all_is_still_a_figure() -> None:
    assert figure_bytes(margins_figure(frame())).startswith(b"\x89PNG")


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml")])
def test_kinds_of_files(suffix: str, start: bytes) -> None:
    assert figure_bytes(margins_figure(campaign(2)), suffix).startswith(start)


def test_other_kinds_are_refused() -> None:
    with pytest.raises(InvalidArgument, match=r"not '\.gif'"):
        figure_bytes(margins_figure(campaign(2)), ".gif")


def test_matplotlib_waits_until_something_is_drawn() -> None:
    code = "import sys, verify.report.figures, verify.report.trajectory_figure; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_zero_lies_inside_every_axis() -> None:
    for ax in margins_figure(campaign(10)).axes:
        low, high = ax.get_xlim()
        assert low < 0 < high and np.isfinite([low, high]).all()
