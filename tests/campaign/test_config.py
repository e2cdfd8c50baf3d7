"""The TOML file of a campaign, and what is said of a wrong one."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from verify.campaign.config import Config
from verify.campaign.laws import Span
from verify.catalogue import Selection
from verify.claims import CLAIMS
from verify.errors import InvalidCampaign

ROOT = Path(__file__).parents[2]


def test_the_example_is_read() -> None:
    found = Config.from_toml(ROOT / "examples" / "campaign.toml")
    assert (found.problems, found.seed, found.digits, found.claims) == (200, 0, "auto", ())
    assert found.sample.m == Span(2, 12) and found.sample.scales == "regime"


def test_the_quick_example_leaves_out_only_what_sweeps_over_scales() -> None:
    found = Config.from_toml(ROOT / "examples" / "two-thousand.toml")
    chosen = {claim.id for claim in Selection.parse(found.claims).claims() or []}
    assert {claim.id for claim in CLAIMS} - chosen == {"C1.exponent", "T1.bias"}
    assert found.problems == 2000


def test_what_is_read_is_written_back() -> None:
    for text in ("", 'digits = "float64"\nclaims = ["L2.*,L3.time"]\n[sample]\nn = [2, 3]\nd = 5\nkappa = [10, 20.5]'):
        found = Config.from_dict(tomllib.loads(text))
        assert Config.from_dict(found.to_dict()) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("problem = 3", "unknown key 'problem'; did you mean 'problems'"),
        ("problems = 0", "problems = 0 must be an integer of at least 1"),
        ("seed = 1.5", "seed = 1.5 must be an integer"),
        ("claims = 3", "claims = 3 must be a text or a list of texts"),
        (
            "digits = 16",
            "digits = 16 must be 'auto', 'float64', 'certified' or an integer of at least 20",
        ),
        ("sample = 3", "sample = 3 must be a table"),
        ("[sample]\nkapa = 3", "unknown key 'sample.kapa'; did you mean 'kappa'"),
        ("[sample]\nkappa = -1", "sample.kappa = -1 must be a number above 0"),
        ("[sample]\nkappa = 1\nminus_log_lambda = 2", "give sample.kappa or sample.minus_log_lambda, not both"),
        ('[sample]\nminus_log_lambda = "regim"', "sample.minus_log_lambda = 'regim' must be 'regime'"),
        ('[sample]\nlabels = "wild"', "sample.labels = 'wild' is no known family; did you mean 'wide'"),
        ("[sample]\nlabels = []", "names no family"),
        ("[sample]\nn = 3\nd = 2", "sample.d = \\[2\\] must be at least the largest n = 3"),
        ('[sample]\nn = 1\nlabels = "lone"\nkappa = 9', "must be at least 2 for labels = 'lone'"),
        ('[sample]\nn = 2\nlabels = "equal"', "must be at least 3 for minus_log_lambda = 'regime'"),
        ("[sample]\nepsilon_fraction = 2", "sample.epsilon_fraction = 2 must be a number above 0 and at most 1"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "c.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidCampaign, match=message) as error:
        Config.from_toml(path)
    assert str(error.value).startswith(str(path))


def test_broken_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InvalidCampaign, match="cannot be read: No such file"):
        Config.from_toml(tmp_path / "none.toml")
    (tmp_path / "c.toml").write_text("problems = = 3")
    with pytest.raises(InvalidCampaign, match=r"not valid TOML: .*line 1"):
        Config.from_toml(tmp_path / "c.toml")
