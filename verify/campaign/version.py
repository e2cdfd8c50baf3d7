"""The version of the code that decides a result: release and a hash of the sources that compute it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import verify
from verify.catalogue import Selection

OUTSIDE = ("cli", "report", "campaign", "strategies", "baseline", "pytest_plugin.py", "__main__.py")
"""Parts of the package that no verdict depends on."""


def code_version(selection: Selection = Selection()) -> str:  # noqa: B008
    """Such as ``0.1.0-3f2a9c41``: another one whenever the simulator, a claim, or a user's own claim file changes."""
    digest = hashlib.sha256(_package_digest())
    for _, text in selection.sources:
        digest.update(text.encode())
    return f"{verify.__version__}-{digest.hexdigest()[:8]}"


@cache
def _package_digest() -> bytes:
    root = Path(verify.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root)
        if name.parts[0] not in OUTSIDE:
            digest.update(name.as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.digest()
