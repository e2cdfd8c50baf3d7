"""Which release of the package this is, and where its files are."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

try:
    VERSION = installed_version("relu-flow-verify")
except PackageNotFoundError:
    VERSION = "0+unknown"

FOLDER = Path(__file__).parent
"""The folder of the package."""
