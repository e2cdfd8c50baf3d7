"""How numba compiles functions that only compiled code calls: as parts of their callers, once.

As it stands numba makes machine code of each of them, and again wherever it is called: with helpers that call helpers
more than half of all work is thrown away. Here parts are only linked, and optimised with the whole. This reaches
into numba's internals, so it holds only while functions of this package are compiled; where numba has changed, they
are compiled as numba does it, which takes longer.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.cpu import CPUContext
from numba.core.targetconfig import ConfigStack

NEEDED = "_linking_libraries", "_final_module", "_reload_init", "_finalized"
"""What a library must have."""

_executable, _finalize = CPUContext.get_executable, JITCodeLibrary.finalize


def as_a_whole(compile: Callable[..., Any]) -> Callable[..., Any]:
    """The method ``compile`` of a function that Python calls, which makes parts of all that it calls."""

    @wraps(compile)
    def made(*arguments: Any) -> Any:
        with global_compiler_lock, _parts(), _uncollected():
            return compile(*arguments)

    return made


@contextmanager
def _parts() -> Iterator[None]:
    before = CPUContext.get_executable, JITCodeLibrary.finalize
    CPUContext.get_executable, JITCodeLibrary.finalize = _get_executable, _link
    try:
        yield
    finally:
        CPUContext.get_executable, JITCodeLibrary.finalize = before


@contextmanager
def _uncollected() -> Iterator[None]:
    """A compiler makes many objects and hardly any garbage, which Python looks for all the same."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _get_executable(self: Any, library: Any, description: Any, environment: Any) -> Any:
    """In the place of numba's: nothing to be called from Python where there is no wrapper for that."""
    flags = ConfigStack.top_or_none()
    if flags is None or not flags.no_cpython_wrapper or not all(hasattr(library, name) for name in NEEDED):
        return _executable(self, library, description, environment)
    library.part_of_a_whole = True
    return [].append  # numba tells functions apart by what is to be called, which must be a builtin.


def _link(self: Any) -> None:
    """In the place of numba's ``finalize``: the parts of a part, and no machine code."""
    if not getattr(self, "part_of_a_whole", False):
        _finalize(self)
        return
    for library in dict.fromkeys(self._linking_libraries):
        self._reload_init.update(library._reload_init)
        self._final_module.link_in(library._get_module_for_linking(), preserve=True)
    self._finalized = True
