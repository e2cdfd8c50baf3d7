"""Certificate files: what a certification rests on, so that anybody can check it again."""

from __future__ import annotations

import math
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verify import jsonfile
from verify.certify.attempts import failure
from verify.certify.balls import Ball, ceil_float, floor_float, library, precision
from verify.certify.evidence import Evidence
from verify.certify.passage import Passage
from verify.certify.segment import Segment
from verify.certify.text import plain_moment, spelled
from verify.certify.verdicts import Certification, Outcome
from verify.release import VERSION

FORMAT = 1

STEP = 4
"""Thousandths by which balls are stored wider from one segment to the next."""

FINER = 18
"""Bits by which residuals are stored finer than output weights."""


def certificate(found: Certification) -> dict[str, Any]:
    """A certification as JSON values.

    - ``problem``, in the orientation of the proofs; ``effort``: depth and bits. ``versions``.
    - ``segments``: of the trajectory, each with the balls it begins with
      and its end. Balls grow by ``STEP`` from one to the next, so that each segment can be checked
      on its own: what comes out of the balls of one lies within those of the next, however radii are rounded.
    - ``phases``: balls that hold t₂ and t₃.
    - ``states``: enclosures at the times of the phases, as intervals of machine floats. ``verdicts``: one a claim.
    """
    evidence = found.evidence
    sound = failure(evidence) is None
    with precision(evidence.effort.bits):
        return {
            "format": FORMAT,
            "problem": evidence.problem.to_json(),
            "effort": {"depth": evidence.effort.depth, "bits": evidence.effort.bits},
            "versions": versions(),
            "segments": _segments(evidence.trajectory.segments) if sound else [],
            "phases": {name: spelled(t) for name, t in evidence.brackets.items()},
            "states": {name: enclosures(evidence, t) for name, t in evidence.brackets.items()},
            "verdicts": [_verdict(outcome) for outcome in found.outcomes],
        }


def save(found: Certification, path: Path) -> None:
    """Write the certificate; the file is complete or not there."""
    jsonfile.save(path, certificate(found))


def versions() -> dict[str, str]:
    """Of everything that computes."""
    flint = library()
    return {
        "verify": VERSION,
        "python-flint": flint.__version__,
        "flint": str(getattr(flint, "__FLINT_VERSION__", "")),
        "python": platform.python_version(),
    }


def _segments(segments: Sequence[Segment]) -> list[dict[str, Any]]:
    """Residuals are known to as many bits as they start with until outputs grow: they are stored with a few more than
    output weights have, so that no more are needed to get from one segment to the next.
    """
    rows: list[dict[str, Any]] = []
    least: dict[int, int] = {}
    for i, segment in enumerate(segments):
        neurons = segment.begin.neurons
        known = max((x.rel_accuracy_bits() for x in segment.begin.a), default=0) + FINER
        bits = min([known, *(least[j] for j in neurons if j in least)])
        least.update(dict.fromkeys(neurons, bits))
        row: dict[str, Any] = {"kind": segment.kind, **plain_moment(segment.begin, STEP * i, bits)}
        if segment.end is not None:
            row["end"] = spelled(segment.end)
        if isinstance(segment, Passage):
            row["dying"] = [list(pair) for pair in segment.dying]
        rows.append(row)
    return rows


def _verdict(outcome: Outcome) -> dict[str, Any]:
    ends = {name: getattr(outcome.result, name, None) for name in ("low", "high")}
    finite = {name: None if x is None else _number(x) for name, x in ends.items()}
    scale = getattr(outcome.result, "scale", "")
    return {"claim": outcome.claim.id, "verdict": str(outcome.verdict), **finite, "scale": scale}


def _number(x: float) -> float | str:
    """An infinite one is written as a string, since JSON has no such number."""
    return x if math.isfinite(x) else str(x)


def enclosures(evidence: Evidence, t: Ball) -> dict[str, Any]:
    """The state at a time as intervals [low, high] of machine floats, in lists of the shapes that it has."""
    state = evidence.timeline.at(t)

    def interval(x: Ball) -> list[float | str]:
        return [_number(floor_float(x)), _number(ceil_float(x))]

    return {
        "t": interval(t),
        "log_norms": [interval(x) for x in state.log_norms],
        "directions": [[interval(x) for x in row] for row in state.directions],
        "residual": [interval(x) for x in state.residual],
    }
