"""The exceptions: each is a VerifyError and also the built-in that a caller would catch."""

import pytest

from verify import errors


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.InvalidArgument, ValueError),
        (errors.InvalidDataset, ValueError),
        (errors.InvalidInitialisation, ValueError),
        (errors.InvalidProblem, ValueError),
        (errors.SimulationFailed, RuntimeError),
        (errors.PrecisionExhausted, ArithmeticError),
        (errors.UnknownClaim, LookupError),
        (errors.MissingExtra, ImportError),
    ],
)
def test_each_error_is_also_its_builtin(error, builtin):
    with pytest.raises(builtin, match="why"):
        raise error("why")
    assert issubclass(error, errors.VerifyError)


def test_the_hint_names_the_nearest_known_name_or_none():
    assert errors.did_you_mean("L2.aling+", ["L2.align+", "L3.time"]).startswith("did you mean 'L2.align+'?")
    assert errors.did_you_mean("zzz", ["y", "g"]) == "Known: y, g"
