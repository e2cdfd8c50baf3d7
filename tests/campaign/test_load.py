"""Reading a campaign back."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import verify
from tests.campaign.cheap import config, open_store
from verify.campaign.executors import Here
from verify.campaign.load import REPORTED, Rows, codes, features, holds_campaign, load, problems, provenance
from verify.campaign.run import run
from verify.campaign.sample import draw
from verify.campaign.schema import ROW_COLUMNS
from verify.catalogue import Selection
from verify.check import COLUMNS
from verify.errors import InvalidArgument, InvalidCampaign


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("load")
    which = config(place)
    with open_store(place / "c", which) as store:
        assert sum(run(which, Selection.parse(which.claims), store, Here())) == 12
    return place / "c"


def test_the_frame_is_tidy_and_in_order(folder: Path) -> None:
    frame = verify.load(folder)
    assert tuple(frame.columns) == ROW_COLUMNS and set(COLUMNS) <= set(ROW_COLUMNS)
    assert len(frame) == 36 and frame["index"].is_monotonic_increasing
    assert not frame.duplicated(["problem", "claim"]).any()
    assert (str(frame["neuron"].dtype), str(frame["margin"].dtype)) == ("Int64", "float64")
    sized = frame[frame["claim"] == "My.size"]
    assert (sized["margin"] == sized["kappa"] - 50).all()
    assert frame.loc[frame["claim"] == "My.never", "margin"].isna().all()


def test_columns_are_chosen_and_checked(folder: Path) -> None:
    assert list(load(folder, ["claim", "margin"]).columns) == ["claim", "margin"]
    with pytest.raises(InvalidArgument, match="'margn' is none; did you mean 'margin'"):
        load(folder, ["margn"])


def test_a_code_is_chosen_and_checked(folder: Path) -> None:
    [code] = codes(folder)
    assert len(load(folder, ["claim"], code)) == 36
    with pytest.raises(InvalidArgument, match=code):
        load(folder, code="0.0-none")


def test_problems_come_back_by_key(folder: Path, tmp_path: Path) -> None:
    wanted = draw(config(tmp_path), 5).problem
    assert [problem.to_json() for problem in problems(folder, [wanted.key[:9]])] == [wanted.to_json()]
    assert provenance(folder)["seed"] == "0"


def test_the_rows_of_a_report_are_the_same(folder: Path) -> None:
    rows, everything = Rows(folder), load(folder)
    assert rows.claims == ["My.size", "My.few", "My.never"]
    for claim in rows.claims:
        ours, theirs = rows.of(claim), everything[everything["claim"] == claim].reset_index(drop=True)
        assert tuple(ours.columns) == COLUMNS
        for name in REPORTED:
            pd.testing.assert_series_equal(ours[name].astype(object), theirs[name].astype(object))
    assert rows.of("nothing").empty
    assert features(folder)["kappa"].tolist() == everything.drop_duplicates("problem")["kappa"].tolist()


def test_what_holds_a_campaign(folder: Path, tmp_path: Path) -> None:
    assert holds_campaign(folder) and not holds_campaign(tmp_path)
    with pytest.raises(InvalidCampaign, match="holds no campaign"):
        load(tmp_path)
