"""The exceptions of the package: all are VerifyError, and each is also the built-in a caller would expect."""

from collections.abc import Iterable
from difflib import get_close_matches


class VerifyError(Exception):
    """Base of every error raised on purpose by this package."""


class InvalidArgument(VerifyError, ValueError):
    """An argument of a function is outside what the function accepts."""


class InvalidDataset(VerifyError, ValueError):
    """Inputs or labels break Assumption 1 or 2 of the paper, or are malformed."""


class InvalidInitialisation(VerifyError, ValueError):
    """Directions, signs or the scale of the initialisation are malformed."""


class InvalidProblem(VerifyError, ValueError):
    """The parts of a problem do not fit together, its JSON is malformed, or epsilon is out of range."""


class InvalidCampaign(VerifyError, ValueError):
    """The configuration of a campaign is malformed, or does not fit the folder it should write to."""


class BrokenPart(VerifyError, OSError):
    """A file of stored results is truncated or damaged."""


class NotStored(VerifyError, OSError):
    """Results could not be written; what was stored before is complete and stays."""


class SimulationFailed(VerifyError, RuntimeError):
    """A trajectory could not be carried to the time asked for."""


class PrecisionExhausted(VerifyError, ArithmeticError):
    """The digits available cannot resolve the number asked for."""


class UnknownClaim(VerifyError, LookupError):
    """No claim has this id."""


class InvalidCertificate(VerifyError, ValueError):
    """A certificate is malformed, or what it says does not follow from what it says before."""


class MissingExtra(VerifyError, ImportError):
    """An optional dependency is needed and not installed."""


def was_interrupted(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: pressed inside a compiled loop it comes out as the cause of a SystemError."""
    return error is not None and (isinstance(error, KeyboardInterrupt) or was_interrupted(error.__cause__))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the hint that ends an "unknown name" message: the nearest known name, then all of them.

    >>> did_you_mean("epsilom", ["y", "epsilon"])
    "did you mean 'epsilon'? Known: y, epsilon"
    """
    names = list(known)
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{hint}Known: {', '.join(names)}"
