"""Results on disk: one JSON file and its figures an experiment, and one page over all that are there."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from verify.experiments.catalogue import EXPERIMENTS
from verify.experiments.drawing import png
from verify.experiments.result import Finding, Result
from verify.report.formats import margin_text, to_markdown
from verify.report.provenance import Provenance
from verify.report.write import write_atomically

PAGE = "README.md"
ORIGIN = ("version", "commit", "python", "numpy", "scipy", "date", "command")


def store(result: Result, folder: Path, provenance: Provenance) -> list[Path]:
    """Write NAME.json, NAME*.png and animations, and the page anew; returns the paths. Raises ReportNotWritten.

    Files are replaced one by one, each whole; other experiments in the folder stay.
    """
    written = [write_atomically(folder / f"{name}.png", png(figure)) for name, figure in result.figures.items()]
    written += [write_atomically(folder / name, content) for name, content in result.animations.items()]
    content = json.dumps(_plain(result, provenance), indent=1, ensure_ascii=False) + "\n"
    written.append(write_atomically(folder / f"{result.name}.json", content.encode()))
    written.append(write_atomically(folder / PAGE, page(folder).encode()))
    return written


def page(folder: Path) -> str:
    """The Markdown page over the results in a folder."""
    paths = [folder / f"{name}.json" for name in EXPERIMENTS]
    stored = [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]
    return (
        "# The paper's experiments, and its remarks\n\n"
        "Written by `verify reproduce`. Numbers are mean ± standard deviation (smallest … largest) over the seeds "
        "named; "
        "the paper shows one run of each. A margin above 0 by more than its error bar means that the claim holds.\n\n"
        + _verdicts(stored)
        + "".join(_section(result) for result in stored)
    )


def _plain(result: Result, provenance: Provenance) -> dict[str, Any]:
    return {
        "name": result.name,
        "title": result.title,
        "setting": result.setting,
        "seeds": result.seeds,
        "rows": [
            {"quantity": r.quantity, "paper": r.paper, "measured": r.text(), "values": [float(v) for v in r.values]}
            for r in result.rows
        ],
        "findings": [_plain_finding(finding) for finding in result.findings],
        "figures": [*(f"{name}.png" for name in result.figures), *result.animations],
        "provenance": {name: text for name, text in provenance.to_dict().items() if text},
    }


def _plain_finding(finding: Finding) -> dict[str, Any]:
    margin = finding.margin
    numbers = {"margin": margin.value, "uncertainty": margin.uncertainty}
    return {
        **asdict(finding.claim),
        "verdict": str(finding.verdict),
        **{name: number if math.isfinite(number) else None for name, number in numbers.items()},
        "scale": margin.scale,
        "note": margin.note,
        "text": finding.text,
        "figure": finding.figure,
    }


def _verdicts(stored: list[dict[str, Any]]) -> str:
    rows = [
        {
            "claim": f["id"],
            "tag": f["tag"],
            "statement": f["statement"],
            "verdict": f["verdict"],
            "margin": margin_text(f["margin"], f["uncertainty"]),
            "scale": f["scale"],
            "seeds": result["seeds"],
            "remark": f["note"],
        }
        for result in stored
        for f in result["findings"]
    ]
    return to_markdown(pd.DataFrame(rows), code=["claim"]) + "\n"


def _section(result: dict[str, Any]) -> str:
    table = pd.DataFrame(result["rows"])[["quantity", "paper", "measured"]]
    table.columns = ["quantity", "the paper says", f"measured ({result['seeds']} seeds)"]
    findings = "".join(f"**`{f['id']}`: {f['verdict']}.** {f['text']}\n\n" for f in result["findings"])
    figures = "".join(_shown(result["title"], name) for name in result["figures"])
    origin = ", ".join(f"{name} {result['provenance'].get(name, '')}" for name in ORIGIN)
    return (
        f"\n## {result['title']}\n\nSetting: {result['setting']}.\n\n{to_markdown(table)}\n{findings}{figures}"
        f"<sub>{origin}</sub>\n"
    )


def _shown(title: str, name: str) -> str:
    """A picture; a video, which Markdown cannot show, as a link."""
    return f"[The same as a video]({name})\n\n" if name.endswith(".mp4") else f"![{title}]({name})\n\n"
