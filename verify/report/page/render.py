"""The page as one string: template, style, scripts and data in one file that needs no network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from verify.report.formats import count
from verify.report.page.content import Content
from verify.report.page.curve_data import curve_data
from verify.report.page.formula import formula
from verify.report.trajectory_figure import Curves

SCRIPTS = ("decode.js", "svg.js", "plots.js", "filters.js", "trajectory.js", "main.js")
WORDS = {"HOLDS": "held", "FAILS": "failed", "UNRESOLVED": "unresolved", "VACUOUS": "vacuous"}


def render_page(content: Content, curves: Mapping[str, Curves]) -> str:
    """The HTML page of a study, with the trajectories of some problems; it opens from a disk, without a network."""
    study, claims = content.study, content.claims
    problems = content.problem_columns()
    data = {
        "problems": problems,
        "claims": [drawn | _numbers(said) for drawn, said in zip(content.columns, claims, strict=True)],
        "curves": {key: curve_data(one) for key, one in curves.items()},
        "replay": study.replay,
    }
    page: str = _template().render(
        title=study.title or "Margins of the claims",
        claims=claims,
        totals=content.counts,
        words=WORDS,
        certified=content.certified,
        size=", ".join(count(size, noun) for noun, size in content.sizes.items()),
        problems=problems,
        columns=len(claims),
        sample=_sample_lines(study.sample),
        provenance=study.provenance,
        curves=curves,
        style=_text("page.css"),
        script=Markup("\n").join(_text(name) for name in SCRIPTS),
        data=_embedded(data),
        formula=formula,
    )
    return page


def _numbers(claim: dict[str, Any]) -> dict[str, Any]:
    return {name: claim[name] for name in ("scale", "margin", "median_value")}


def _sample_lines(sample: Any) -> dict[str, str]:
    """The declaration in words, one line a key."""
    lines: dict[str, str] = {}
    for name, value in sample.items():
        if isinstance(value, dict) and set(value) == {"low", "high"}:
            lines[name] = f"{value['low']:g} to {value['high']:g}"
        elif isinstance(value, dict):
            lines |= _sample_lines(value)
        elif isinstance(value, list):
            lines[name] = ", ".join(map(str, value))
        elif value != "":
            lines[name] = str(value)
    return lines


def _embedded(data: Any) -> Markup:
    """JSON that can stand inside a script element."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))


def _text(name: str) -> Markup:
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(str(_text("page.html")))
