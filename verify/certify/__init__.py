"""Certified verdicts: the flow and its claims in balls, intervals that are certain to hold the true numbers."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verify.certify.verdicts import Certification


class _CallablePackage(ModuleType):
    """This package is also the function of its name, so that ``verify.certify`` works whichever was imported first."""

    def __call__(self, *arguments: Any, **options: Any) -> Certification:
        from verify.certify.verdicts import certify

        return certify(*arguments, **options)


certify = sys.modules[__name__]
"""The package itself: the name in ``verify`` never stands for anything else."""

certify.__class__ = _CallablePackage
