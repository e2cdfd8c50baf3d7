"""Results on disk: whole files, and a page over all experiments that are there."""

import json
from pathlib import Path

import numpy as np

from verify.claim import relative_margin
from verify.experiments.catalogue import EXPERIMENTS, chosen
from verify.experiments.drawing import gif, panels
from verify.experiments.result import Finding, Measured, Remark, Result, worst_margin
from verify.experiments.store import PAGE, store
from verify.report.provenance import Provenance


def result(name: str, margin: float) -> Result:
    finding = Finding(
        Remark("X.some", "Section 5", "T", "a | b"), worst_margin(np.array([margin]), 0.1, "relative"), "so.", name
    )
    rows = (Measured("quantity", "about 2", [1.0, 3.0]),)
    figure, _ = panels(1, 1)
    return Result(
        name,
        f"About {name}",
        "n = 1",
        2,
        rows,
        (finding,),
        {name: figure},
        {f"{name}.gif": gif([figure, figure], 100), f"{name}.mp4": b"video"},
    )


def test_pages_grow_with_the_results(tmp_path: Path) -> None:
    provenance = Provenance.collect(command="verify reproduce")
    paths = store(result("width", -1.0), tmp_path, provenance)
    assert {path.name for path in paths} == {"width.png", "width.gif", "width.mp4", "width.json", PAGE}
    store(result("section5", 1.0), tmp_path, provenance)
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert page.index("About section5") < page.index("About width")
    assert "| quantity | about 2 | 2 ± 1.4 (1 … 3) |" in page and "a \\| b" in page
    assert "**`X.some`: FAILS.** so." in page and "**`X.some`: HOLDS.** so." in page
    assert json.loads((tmp_path / "width.json").read_text(encoding="utf-8"))["rows"][0]["values"] == [1.0, 3.0]
    assert (tmp_path / "width.gif").read_bytes().startswith(b"GIF8")
    assert "![About width](width.gif)" in page and "[The same as a video](width.mp4)" in page


def test_an_unknown_margin_is_stored_as_missing(tmp_path: Path) -> None:
    broken = result("leaky", float("nan"))
    assert broken.findings[0].verdict == "UNRESOLVED" and relative_margin(1.0, 2.0, 0.0).verdict == "HOLDS"
    store(broken, tmp_path, Provenance.collect())
    assert json.loads((tmp_path / "leaky.json").read_text(encoding="utf-8"))["findings"][0]["margin"] is None


def test_all_is_all() -> None:
    assert [e.name for e in chosen(["all"])] == list(EXPERIMENTS)
