"""Processes and clusters: workers that are killed, parents that are killed, clusters that are not there."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.campaign.cheap import config, finished, open_store
from verify.campaign.executors import Cluster, Here, Processes, executor
from verify.campaign.run import run
from verify.catalogue import Selection
from verify.errors import InvalidArgument, MissingExtra


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(condition: Any, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def test_one_job_is_done_here() -> None:
    pool = executor(1, None)
    assert isinstance(pool, Here)
    assert pool.submit(os.getpid).result() == os.getpid()
    assert isinstance(pool.submit(int, "x").exception(), ValueError)


def test_a_missing_extra_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"pip install 'relu-flow-verify\[distributed\]'"):
        Cluster("tcp://127.0.0.1:1")


@pytest.mark.slow
def test_a_killed_worker_costs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECONDS_A_CLAIM", "0.05")
    which, pool = config(tmp_path, problems=60), Processes(2)
    try:
        with open_store(tmp_path / "c", which) as store:
            for number, _ in enumerate(run(which, Selection.parse(which.claims), store, pool)):
                if number == 2:
                    os.kill(next(iter(pool._pool._processes)), signal.SIGKILL)
            assert store.tally.verdicts["UNRESOLVED"] == 0
    finally:
        pool.close()
    assert sorted(finished(tmp_path / "c")["index"]) == list(range(60))


@pytest.mark.slow
def test_a_cluster_gives_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("SECONDS_A_CLAIM", "0.05")
    which = config(tmp_path, problems=60)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        pool = Cluster(cluster.scheduler_address)
        try:
            with open_store(tmp_path / "c", which) as store:
                for number, _ in enumerate(run(which, Selection.parse(which.claims), store, pool)):
                    if number == 2:
                        os.kill(cluster.workers[0].pid, signal.SIGKILL)
                assert store.tally.verdicts["UNRESOLVED"] == 0
        finally:
            pool.close()
    rows = finished(tmp_path / "c")
    assert sorted(rows["index"]) == list(range(60)) and rows["problem"].nunique() == 60


@pytest.mark.slow
def test_no_cluster_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("verify.campaign.executors.SECONDS_TO_CONNECT", 1)
    with pytest.raises(InvalidArgument, match="no Dask scheduler answers there"):
        Cluster("tcp://127.0.0.1:1")
