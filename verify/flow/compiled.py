"""How bodies are compiled for machine floats: nothing is built that only callers from C or Python would need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.extending import register_jitable

Body = TypeVar("Body", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"no_cfunc_wrapper": True}
"""For every function; without it a tenth more is compiled."""


def compilable(body: Body) -> Body:
    """A body that runs as it stands and is compiled where compiled code calls it."""
    made: Body = register_jitable(**OPTIONS)(body)
    return made


def compiled(body: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """The body, compiled at its first call and kept on the disk."""
    made: Callable[..., Any] = numba.njit(cache=True, **OPTIONS, **options)(body)
    return made
