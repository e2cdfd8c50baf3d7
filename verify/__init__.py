"""verify: does the theorem hold on this problem, and by what margin?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from verify.release import VERSION

if TYPE_CHECKING:
    from verify.campaign.load import load
    from verify.certify.verdicts import certify
    from verify.check import check
    from verify.claim import Claim, Margin, Verdict
    from verify.claims import CLAIMS
    from verify.dataset import Dataset
    from verify.flow.state import State
    from verify.flow.trajectory import Trajectory
    from verify.initialisation import Initialisation
    from verify.network import Network
    from verify.problem import Problem
    from verify.simulation import simulate

_HOME = {
    "CLAIMS": "verify.claims",
    "Claim": "verify.claim",
    "Dataset": "verify.dataset",
    "Initialisation": "verify.initialisation",
    "Margin": "verify.claim",
    "Network": "verify.network",
    "Problem": "verify.problem",
    "State": "verify.flow.state",
    "Trajectory": "verify.flow.trajectory",
    "Verdict": "verify.claim",
    "certify": "verify.certify",
    "check": "verify.check",
    "load": "verify.campaign.load",
    "simulate": "verify.simulation",
}

__all__ = [
    "CLAIMS",
    "Claim",
    "Dataset",
    "Initialisation",
    "Margin",
    "Network",
    "Problem",
    "State",
    "Trajectory",
    "Verdict",
    "certify",
    "check",
    "load",
    "simulate",
]

__version__ = VERSION


def __getattr__(name: str) -> Any:
    """Public names are imported when first asked for, so that ``import verify`` stays fast."""
    if name not in _HOME:
        raise AttributeError(f"module 'verify' has no attribute {name!r}")
    home = import_module(_HOME[name])
    value = home if hasattr(home, "__path__") else getattr(home, name)  # a package is called itself
    globals()[name] = value
    return value
