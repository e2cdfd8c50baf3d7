"""The folder of a campaign, and what survives."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tests.campaign.cheap import config, finished, open_store
from verify.campaign import files
from verify.campaign.config import Config
from verify.campaign.executors import Here
from verify.campaign.load import load
from verify.campaign.run import run
from verify.campaign.store import BROKEN, PROBLEMS, ROWS, Store, read_config
from verify.catalogue import Selection
from verify.errors import BrokenPart, InvalidCampaign, NotStored


def work(store: Store, which: Config, most: int = 10**9) -> None:
    done = 0
    steps = run(which, Selection.parse(which.claims), store, Here())
    for step in steps:
        done += step
        if done >= most:
            steps.close()  # type: ignore[attr-defined]
            return


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.campaign.run.PROBLEMS_PER_PART", 4)


@pytest.fixture
def done(tmp_path: Path, small_parts: None) -> Path:
    which = config(tmp_path)
    with open_store(tmp_path / "c", which) as store:
        work(store, which)
    return tmp_path / "c"


def test_a_campaign_is_resumed_where_it_was(tmp_path: Path, small_parts: None) -> None:
    which = config(tmp_path)
    with open_store(tmp_path / "c", which) as store:
        work(store, which, most=8)
    with open_store(tmp_path / "c", which) as store:
        assert store.finished == set(range(8))
        work(store, which)
        assert sum(store.tally.verdicts.values()) == 36
    assert sorted(finished(tmp_path / "c")["index"]) == list(range(12))


def test_more_problems_of_the_same_sample_are_added(done: Path, tmp_path: Path) -> None:
    which = config(tmp_path, problems=16)
    with open_store(done, which) as store:
        assert len(store.finished) == 12
        work(store, which)
    assert finished(done)["problem"].nunique() == 16
    assert read_config(done).problems == 16


def test_another_sample_is_refused(done: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidCampaign, match="seed = 0 there, 7 here"):
        open_store(done, config(tmp_path, seed=7))


def test_one_process_writes_at_a_time(done: Path, tmp_path: Path) -> None:
    which = config(tmp_path)
    with open_store(done, which), pytest.raises(InvalidCampaign, match="another campaign is writing there"):
        open_store(done, which)
    open_store(done, which).close()


def damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 0xFF
    path.write_bytes(content)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])


@pytest.mark.parametrize("spoil", [damage, truncate])
@pytest.mark.parametrize("kind", [ROWS, PROBLEMS])
def test_a_spoilt_part_is_named_set_aside_and_run_again(done: Path, tmp_path: Path, spoil: object, kind: str) -> None:
    [spoilt] = (done / kind).glob("code=*/part-000001-*.parquet")
    spoil(spoilt)  # type: ignore[operator]
    if kind == ROWS:
        with pytest.raises(BrokenPart, match=r"part-000001-\w+\.parquet: truncated or damaged"):
            load(done)
    which = config(tmp_path)
    with open_store(done, which) as store:
        [message] = store.set_aside
        assert str(spoilt) in message and "run again" in message
        assert len(store.finished) == 8
        work(store, which)
    assert sorted(finished(done)["index"]) == list(range(12))
    assert len(list((done / BROKEN).rglob("part-000001-*.parquet"))) == 2


def test_a_full_disk_loses_nothing_stored(tmp_path: Path, small_parts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    which, calls, right = config(tmp_path), [0], os.fsync

    def full(handle: int) -> None:
        calls[0] += 1
        if calls[0] > 8:
            raise OSError(errno.ENOSPC, "No space left on device")
        right(handle)

    monkeypatch.setattr(files.os, "fsync", full)
    with open_store(tmp_path / "c", which) as store, pytest.raises(NotStored, match="No space left on device"):
        work(store, which)
    monkeypatch.setattr(files.os, "fsync", right)
    kept = len(finished(tmp_path / "c"))
    assert 0 < kept < 12
    assert not list((tmp_path / "c").rglob("*.tmp"))
    with open_store(tmp_path / "c", which) as store:
        work(store, which)
    assert sorted(finished(tmp_path / "c")["index"]) == list(range(12))


def test_what_was_not_committed_is_removed(done: Path, tmp_path: Path) -> None:
    [rows] = (done / ROWS).glob("code=*/part-000002-*.parquet")
    rows.with_name("part-000009.parquet.tmp").write_bytes(b"half")
    rows.unlink()
    with open_store(done, config(tmp_path)) as store:
        assert len(store.finished) == 8
    assert not list((done / PROBLEMS).rglob("part-000002-*.parquet")) and not list(done.rglob("*.tmp"))


def test_a_folder_without_a_campaign_says_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidCampaign, match="holds no campaign"):
        read_config(tmp_path)
