"""A page in headless Chromium, without any network: the document after its scripts ran, and its console."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update",
    "--disable-background-networking", "--disable-sync", "--enable-logging=stderr", "--virtual-time-budget=4000",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip


def document(page: Path, address: str = "", script: str = "", width: int = 1200) -> str:
    """The document as HTML after ``script`` ran behind the page's own. Fails on any error in the console."""
    assert CHROMIUM is not None
    shown = page.with_name("shown.html")
    text = page.read_text(encoding="utf-8")
    shown.write_text(text.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    place = (f"--user-data-dir={page.parent / 'profile'}", f"--window-size={width},1000")
    command = [CHROMIUM, *OPTIONS, *place, "--dump-dom", f"file://{shown}{address}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90)
    assert re.findall(r"CONSOLE.*", done.stderr) == []
    assert "<html" in done.stdout, done.stderr[-2000:]
    return done.stdout
