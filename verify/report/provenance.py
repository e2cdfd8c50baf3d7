"""Where a report comes from: versions, commit, machine, digits, tolerance, seed, date and command."""

from __future__ import annotations

import platform
import shlex
import subprocess
import sys
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from verify.release import FOLDER, VERSION

TOLERANCE = "a Taylor step neglects an eighth of the unit roundoff"


@dataclass(frozen=True)
class Provenance:
    """What must be known to repeat a report; every field is a string, empty when unknown."""

    version: str
    commit: str
    python: str
    numpy: str
    scipy: str
    numba: str
    pyarrow: str
    platform: str
    digits: str
    tolerance: str
    seed: str
    date: str
    command: str

    @classmethod
    def collect(
        cls, seed: int | None = None, command: str | None = None, digits: int | str | None = "auto"
    ) -> Provenance:
        """The provenance of this very run; `command` None means the command line of this process.

        >>> Provenance.collect(seed=7, command="verify report --seed 7").seed
        '7'
        """
        return cls(
            version=VERSION,
            commit=_commit(FOLDER),
            python=platform.python_version(),
            **{name: version(name) for name in ("numpy", "scipy", "numba", "pyarrow")},
            platform=f"{platform.system()} {platform.machine()}",
            digits="float64" if digits is None else str(digits),
            tolerance=TOLERANCE,
            seed="" if seed is None else str(seed),
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            command=_command_line() if command is None else command,
        )

    def to_dict(self) -> dict[str, str]:
        """Field names and values, in order."""
        return asdict(self)


def _command_line() -> str:
    name = Path(sys.argv[0]).name
    return shlex.join(["verify" if name == "__main__.py" else name, *sys.argv[1:]])


def _commit(folder: Path) -> str:
    """The commit of the checkout this package runs from, with `+` when files differ from it; empty outside git."""
    head = _git(folder, "rev-parse", "HEAD")
    tracked = _git(folder, "ls-files", "--error-unmatch", "release.py")
    if not head or not tracked:
        return ""
    return head + ("+" if _git(folder, "status", "--porcelain", "--untracked-files=no", "--", ".") else "")


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
