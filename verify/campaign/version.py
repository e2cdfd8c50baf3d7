"""The version of the code that decides a result: release and a hash of the sources that compute it."""

from __future__ import annotations

import hashlib
from functools import cache

from verify.catalogue import Selection
from verify.release import FOLDER, VERSION

OUTSIDE = (
    "cli",
    "report",
    "campaign",
    "strategies",
    "search",
    "studies",
    "errata",
    "baseline.py",
    "pytest_plugin.py",
    "__main__.py",
)
"""Parts of the package that no verdict depends on."""
DRAWING = "campaign/sample.py"


def code_version(selection: Selection = Selection()) -> str:  # noqa: B008
    """Such as ``0.1.0-3f2a9c41``: another one whenever the simulator, a claim, or a user's own claim file changes."""
    digest = hashlib.sha256(_package_digest())
    for _, text in selection.sources:
        digest.update(text.encode())
    return f"{VERSION}-{digest.hexdigest()[:8]}"


@cache
def _package_digest() -> bytes:
    digest = hashlib.sha256()
    for path in sorted(FOLDER.rglob("*.py")):
        name = path.relative_to(FOLDER).as_posix()
        if name.split("/")[0] not in OUTSIDE or name == DRAWING:
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.digest()
