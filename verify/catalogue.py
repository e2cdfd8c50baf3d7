"""Claims by name: ids and patterns, Python files, and what installed packages offer under ``verify.claims``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from verify import claims as paper
from verify.claim import Claim
from verify.errors import InvalidArgument, UnknownClaim

ENTRY_POINTS = "verify.claims"


@dataclass(frozen=True)
class Selection:
    """Claims as a user names them, with the text of each Python file, so that they mean the same on every machine.

    - ``parts``: ids, patterns with ``*`` or ``?``, and paths of Python files; none at all means the paper's claims.
    - ``sources``: path and text of each of those files.

    >>> [claim.id for claim in Selection.parse("L2.align+,L2.n*").claims() or []]
    ['L2.align+', 'L2.norm']
    """

    parts: tuple[str, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str | Iterable[str] | None) -> Selection:
        """The selection meant by a comma-separated text or its parts. Raises InvalidArgument for an empty one."""
        if text is None:
            return cls()
        pieces = text.split(",") if isinstance(text, str) else text
        parts = tuple(part.strip() for part in pieces if part.strip())
        if not parts:
            raise InvalidArgument(f"--claims = {text!r} names no claim; give ids such as L2.align+,L3.time")
        return cls(parts, tuple((part, _text_of(Path(part))) for part in parts if part.endswith(".py")))

    def claims(self) -> list[Claim] | None:
        """The claims, each once, in the order named; None for those of the paper.

        Raises UnknownClaim with near names, InvalidArgument for a file that breaks or defines no claim.
        """
        if not self.parts:
            return None
        sources = dict(self.sources)
        chosen = [
            claim
            for part in self.parts
            for claim in (_defined_in(part, sources[part]) if part in sources else _matching(part))
        ]
        return list({claim.id: claim for claim in chosen}.values())


def installed() -> list[Claim]:
    """The claims that installed packages offer, in the order of their names.

    An entry point in the group ``verify.claims`` is a claim, a sequence of claims, or a module that defines some.
    Raises InvalidArgument for one that cannot be loaded, holds no claim, or takes an id of the paper.
    """
    found: list[Claim] = []
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        try:
            value = point.load()
        except Exception as error:
            raise InvalidArgument(f"entry point {point.name} of {ENTRY_POINTS}: {_told(error)}") from error
        claims = _claims_of(value)
        if not claims:
            raise InvalidArgument(f"entry point {point.name} of {ENTRY_POINTS}: {point.value} holds no Claim")
        found += claims
    taken = {claim.id for claim in paper.CLAIMS}
    for claim in found:
        if claim.id in taken:
            raise InvalidArgument(f"claim {claim.id!r} of an installed package: this id is taken; give it another")
    return found


def available() -> list[Claim]:
    """The paper's claims, then those of installed packages: everything that can be named."""
    return [*paper.CLAIMS, *installed()]


def _matching(part: str) -> list[Claim]:
    known = available()
    found = [claim for claim in known if claim.id == part or fnmatchcase(claim.id, part)]
    if not found:
        near = get_close_matches(part, [claim.id for claim in known], n=3)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise UnknownClaim(f"claim {part!r} is unknown; {hint}`verify claims` lists all {len(known)}")
    return found


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidArgument(f"{path}: no such Python file") from error


def _defined_in(path: str, text: str) -> list[Claim]:
    """The claims that a Python file defines, in order: all module-level names that are claims."""
    module = ModuleType(f"verify_claims_{Path(path).stem}")
    module.__file__ = path
    sys.modules[module.__name__] = module
    try:
        exec(compile(text, path, "exec"), module.__dict__)
    except Exception as error:
        raise InvalidArgument(f"{path}: {_told(error)}") from error
    found = _claims_of(module)
    if not found:
        raise InvalidArgument(f"{path}: defines no Claim; assign one to a name of the module")
    return found


def _claims_of(value: object) -> list[Claim]:
    """The claims in a module, a sequence, or a claim by itself."""
    if isinstance(value, Claim):
        return [value]
    if isinstance(value, ModuleType):
        own = vars(value).values()
        return [claim for entry in own if isinstance(entry, (Claim, tuple, list)) for claim in _claims_of(entry)]
    return [claim for claim in value if isinstance(claim, Claim)] if isinstance(value, (tuple, list)) else []


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
