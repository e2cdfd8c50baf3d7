"""Animations: a GIF always, a video where ffmpeg is."""

import shutil
import subprocess
from pathlib import Path

import pytest

from verify.experiments.drawing import animations, panels


def test_a_gif_without_ffmpeg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("matplotlib.animation.FFMpegWriter.isAvailable", lambda: False)
    found = animations("some", [panels(1, 1)[0] for _ in range(2)])
    assert list(found) == ["some.gif"] and found["some.gif"].startswith(b"GIF8")


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="needs ffmpeg")
def test_a_video_with_ffmpeg(tmp_path: Path) -> None:
    """Every frame is in it, and the last one stays."""
    found = animations("some", [panels(1, 1, 2.01, 2.01)[0] for _ in range(5)], milliseconds=100)
    (tmp_path / "some.mp4").write_bytes(found["some.mp4"])
    told = subprocess.run(
        ["ffprobe", "-v", "error", "-count_frames", "-show_entries", "stream=nb_read_frames,width,height,pix_fmt",
         "-of", "csv=p=0", str(tmp_path / "some.mp4")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    width, height, pixels, frames = told.stdout.strip().split(",")
    assert pixels == "yuv420p" and int(frames) == 25 and int(width) % 2 == int(height) % 2 == 0
