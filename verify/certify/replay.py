"""A certificate checked again: every segment on its own, then the ends of the phases, then the verdicts.

Nothing is searched for: neither bits nor deaths nor ends of phases, and extrema only as closely as the verdicts need.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from verify import jsonfile
from verify.certify.balls import Ball, precision
from verify.certify.certificate import FORMAT, enclosures
from verify.certify.deaths import falling
from verify.certify.evidence import Evidence
from verify.certify.follow import Effort, bits_for
from verify.certify.moment import Moment, Setting, begin
from verify.certify.passage import Passage
from verify.certify.plateau import Plateau
from verify.certify.search import Timeline
from verify.certify.segment import Segment
from verify.certify.tail import Rest, find_tail
from verify.certify.taylor import Taylor, taylor_step
from verify.certify.text import read, read_moment
from verify.certify.trajectory import DOUBLINGS, CertifiedTrajectory
from verify.certify.verdicts import BITS, Certification, Outcome, measurable, measured
from verify.claim import Vacuous
from verify.errors import InvalidCertificate, MissingExtra, VerifyError
from verify.problem import Problem

SPARE = 32
"""Bits beyond those that the balls of a segment have, with which it is checked at first."""

MOST_BITS = BITS[1] * 2**DOUBLINGS
"""As many as a certification of the most bits that can be asked for may come to."""

COARSE = 1.0
"""Relative width to which extrema are enclosed at first: bounded from above, and no closer than a verdict may need."""


@dataclass(frozen=True)
class Entry:
    """A stored segment: its kind, the balls it begins with, its end and the pairs that die on it."""

    kind: str
    begin: Moment
    end: Ball | None
    dying: tuple[tuple[int, int], ...]


def replay(path: Path) -> Certification:
    """The verdicts of a certificate file, checked again.

    Raises ``InvalidCertificate`` for a file that is none, a step that does not follow, or a verdict that differs.
    """
    values = jsonfile.load(path)
    try:
        return _replayed(values)
    except MissingExtra:
        raise
    except VerifyError as error:
        raise InvalidCertificate(f"{path}: {error}") from error
    except KeyError as error:
        raise InvalidCertificate(f"{path}: is no certificate: the key {error} is missing") from error
    except (TypeError, IndexError, ValueError) as error:
        raise InvalidCertificate(f"{path}: is no certificate of this version: {error!r}") from error


def _replayed(values: dict[str, Any]) -> Certification:
    if values["format"] != FORMAT:
        raise InvalidCertificate(f"format = {values['format']!r} must be {FORMAT}")
    problem = Problem.from_json(values["problem"]).oriented()
    effort = Effort(float(values["effort"]["depth"]), int(values["effort"]["bits"]))
    if not 0 < effort.bits <= MOST_BITS:
        raise InvalidCertificate(f"bits = {effort.bits} must be from 1 to {MOST_BITS}")
    if not (values["segments"] and values["verdicts"]):
        raise InvalidCertificate("holds no trajectory, or no verdict: there is nothing to check")
    stored = {str(row["claim"]): row for row in values["verdicts"]}
    if len(stored) != len(values["verdicts"]):
        raise InvalidCertificate("a claim has two verdicts")
    with precision(effort.bits):
        trajectory = _trajectory(problem, effort, [_entry(row) for row in values["segments"]])
        evidence = Evidence(problem, effort, trajectory)
        evidence.brackets.update({str(name): read(text) for name, text in values["phases"].items()})
    evidence.timeline = Timeline(trajectory, COARSE)
    found = measured(measurable(list(stored)), evidence)
    doubtful = [outcome.claim for outcome in found.outcomes if _contradiction(outcome, stored[outcome.claim.id])]
    evidence.timeline = Timeline(trajectory)
    closer = {outcome.claim.id: outcome for outcome in measured(doubtful, evidence).outcomes}
    outcomes = tuple(closer.get(outcome.claim.id, outcome) for outcome in found.outcomes)
    for outcome in outcomes:
        if why := _contradiction(outcome, stored[outcome.claim.id]):
            raise InvalidCertificate(why)
    _compare_states(values["states"], evidence)
    return replace(found, outcomes=outcomes)


def _contradiction(outcome: Outcome, stored: dict[str, Any]) -> str | None:
    """Why a stored verdict cannot be true, or a stored margin; None where both may be."""
    name, result = outcome.claim.id, outcome.result
    if str(outcome.verdict) != stored["verdict"]:
        return f"verdict of {name} is {outcome.verdict}, not {stored['verdict']} as stored"
    if isinstance(result, Vacuous) or _meet([stored["low"], stored["high"]], [result.low, result.high]):
        return None
    return (
        f"margin of {name} lies in [{result.low}, {result.high}], not in [{stored['low']}, {stored['high']}] as stored"
    )


def _compare_states(stored: dict[str, Any], evidence: Evidence) -> None:
    """Raises ``InvalidCertificate`` for a stored enclosure that certainly misses the state."""
    with precision(evidence.effort.bits):
        for name, t in evidence.brackets.items():
            for part, intervals in enclosures(evidence, t).items() if name in stored else ():
                if not _meet(stored[name][part], intervals):
                    raise InvalidCertificate(f"{part} stored at {name} is not that of the trajectory")


def _meet(stored: list[Any], again: list[Any]) -> bool:
    """Whether intervals, in lists of any depth, overlap one by one."""
    if not isinstance(again[0], list):
        low, high = map(float, stored)
        return bool(low <= float(again[1]) and float(again[0]) <= high)
    return len(stored) == len(again) and all(map(_meet, stored, again))


def _entry(row: dict[str, Any]) -> Entry:
    end = read(row["end"]) if "end" in row else None
    return Entry(str(row["kind"]), read_moment(row), end, tuple((int(j), int(i)) for j, i in row.get("dying", [])))


def _trajectory(problem: Problem, effort: Effort, entries: list[Entry]) -> CertifiedTrajectory:
    setting, start = begin(problem)
    waiting = {_key(entry.begin): entry for entry in entries}
    if len(waiting) != len(entries):
        raise InvalidCertificate("two segments begin with the same component at the same time")
    following = start.parts()
    done: list[Segment] = []
    while following:
        segment, after = _confirmed(_stored(following.pop(), waiting), waiting, setting, effort)
        done.append(segment)
        following.extend(after)
    if waiting:
        raise InvalidCertificate(f"{len(waiting)} segments follow from no other")
    return CertifiedTrajectory(problem, setting, tuple(done), effort, None)


Key = tuple[Any, tuple[int, ...], tuple[int, ...]]


def _key(moment: Moment) -> Key:
    mantissa, exponent = moment.t.man_exp()
    return (int(mantissa), int(exponent)), moment.neurons, moment.labels


def _stored(reached: Moment, waiting: dict[Key, Entry]) -> Entry:
    """The segment that begins with balls that hold all of these. Raises ``InvalidCertificate`` where there is none."""
    entry = waiting.pop(_key(reached), None)
    if entry is None or not _within(reached, entry.begin):
        why = "no segment begins" if entry is None else "the balls stored do not hold those reached"
        raise InvalidCertificate(
            f"at t = {float(reached.t):.6g}, neurons {reached.neurons}, labels {reached.labels}: {why}"
        )
    return entry


def _confirmed(
    entry: Entry, waiting: dict[Key, Entry], setting: Setting, effort: Effort
) -> tuple[Segment, list[Moment]]:
    """A segment that leads into the next ones: with few bits where these do, since its balls need no more."""
    for bits in (bits_for(entry.begin, effort, SPARE), effort.bits):
        with precision(bits):
            try:
                segment, after = _checked(entry, setting)
            except InvalidCertificate:
                if bits == effort.bits:
                    raise
                continue
            if all(_leads(part, waiting) for part in after):
                break
    return segment, after


def _leads(reached: Moment, waiting: dict[Key, Entry]) -> bool:
    entry = waiting.get(_key(reached))
    return entry is not None and _within(reached, entry.begin)


def _within(small: Moment, large: Moment) -> bool:
    pairs = [*zip(small.a, large.a, strict=True), *zip(small.r, large.r, strict=True)]
    pairs += [pair for rows in zip(small.p, large.p, strict=True) for pair in zip(*rows, strict=True)]
    return bool((small.active == large.active).all()) and all(outer.contains(inner) for inner, outer in pairs)


def _checked(entry: Entry, setting: Setting) -> tuple[Segment, list[Moment]]:
    """The segment, its proof obligations met, and the components it ends in."""
    begin, end = entry.begin, entry.end
    try:
        if entry.kind == "rest" and not begin.active.any():
            return Rest(begin), []
        if entry.kind == "tail" and (tail := find_tail(begin, setting.n, 0.0)) is not None:
            return tail, []
        if end is not None and end > begin.t and entry.kind == "death" and _distinct(entry.dying, begin):
            passage = Passage(begin, setting, entry.dying, end)
            return passage, passage.after().parts()
        if end is not None and end > begin.t and entry.kind in ("plateau", "step"):
            return _moving(entry.kind, begin, setting, end)
    except (VerifyError, ZeroDivisionError) as error:
        raise InvalidCertificate(f"a {entry.kind} from t = {float(begin.t):.6g}: {error}") from error
    raise InvalidCertificate(f"a {entry.kind} from t = {float(begin.t):.6g} cannot be confirmed")


def _distinct(dying: tuple[tuple[int, int], ...], begin: Moment) -> bool:
    """Whether these are active pairs, none of them named twice, so that each is proved to die."""
    return len(set(dying)) == len(dying) and set(dying) <= set(begin.pairs())


def _moving(kind: str, begin: Moment, setting: Setting, end: Ball) -> tuple[Segment, list[Moment]]:
    span = end - begin.t
    segment: Plateau | Taylor = Plateau(begin, setting, span) if kind == "plateau" else taylor_step(begin, setting)
    if isinstance(segment, Plateau) and not segment.certain():
        raise InvalidCertificate("outputs are not certain to be small")
    dying, doubtful = falling(segment, setting, span)
    if dying or doubtful is not None:
        raise InvalidCertificate("no pair is to die on it, and this is not certain")
    return replace(segment, end=end), [segment.moment(end)]
