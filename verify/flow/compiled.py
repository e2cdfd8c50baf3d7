"""How bodies are compiled for machine floats: nothing is built that only callers from C or Python would need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
from numba.extending import register_jitable

Body = TypeVar("Body", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"no_cfunc_wrapper": True}
"""For every function; without it a tenth more is compiled."""

SUMS: dict[str, Any] = {"fastmath": {"reassoc", "contract", "nsz"}, "error_model": "numpy"}
"""For loops of nothing but sums of products: their order is free."""


def compilable(body: Body, **options: Any) -> Body:
    """A body that runs as it stands and is compiled where compiled code calls it."""
    made: Body = register_jitable(**OPTIONS, **options)(body)
    return made


def compilable_sums(body: Body) -> Body:
    """The same for a body of sums of products."""
    return compilable(body, **SUMS)


def compiled(body: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """The body, compiled at its first call from Python and kept on the disk.

    What Python never calls should not be: handing over tuples of arrays takes longer to compile than most bodies.
    """
    made: Callable[..., Any] = numba.njit(cache=True, **OPTIONS, **options)(body)
    return made
