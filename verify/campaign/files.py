"""Files that are either complete, also after a power cut, or not there."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, BinaryIO

from verify.errors import InvalidCampaign, NotStored

TEMPORARY = ".tmp"


def write_durably(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Let ``write`` fill a file beside ``path``, force it to the disk, and give it its name.

    Raises NotStored, naming the file, when the disk is full or the folder cannot be written; nothing is left behind.
    """
    temporary = path.with_name(f"{path.name}{TEMPORARY}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        why = error.strerror or str(error)
        raise NotStored(f"{path}: not written ({why}); everything stored before is complete and stays") from error


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk, where the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def held(path: Path, why: str) -> IO[str]:
    """A lock file that this process alone holds, until it is closed or the process ends, however it ends.

    Raises InvalidCampaign, with ``why``, when another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    file = open(path, "w", encoding="utf-8")  # noqa: SIM115
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass
    except OSError as error:
        file.close()
        raise InvalidCampaign(f"{path.parent}: {why}") from error
    return file
