"""How long certification takes: claims of one trajectory, claims that sweep scales, and checking a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.problems import reference
from verify import Dataset, Initialisation, Problem, certify
from verify.certify.certificate import save
from verify.certify.replay import replay
from verify.claims import CLAIMS


def wide() -> Problem:
    """Four labels, twelve neurons, Λ = 1000."""
    rng = np.random.default_rng(4)
    g = np.round(rng.normal(size=(12, 5)), 3)
    s = np.where(np.arange(12) % 2 == 0, 1, -1)
    y = ["1.1", "-0.6", "0.9", "-0.7"]
    g[0, [0, 2]], g[1, [1, 3]] = [0.5, 1.25], [0.75, 0.5]
    return Problem(Dataset.standard(y, d=5), Initialisation(g, s, 1000))


PROBLEMS = {"n=3 m=6 14": reference("R1")[0], "n=3 m=6 1500": reference("R3")[0], "n=4 m=12 1000": wide()}
SWEEPS = ["C1.exponent", "T1.bias"]
"""Claims that certify a trajectory at each of several scales."""

ONE = [claim.id for claim in CLAIMS if claim.id not in SWEEPS]

LIMITS = {"n=3 m=6 14": 20.0, "n=3 m=6 1500": 60.0, "n=4 m=12 1000": 300.0}


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.usefixtures("timed")
def test_certify(name: str, benchmark: Any) -> None:
    benchmark.pedantic(certify, args=(PROBLEMS[name], ONE), rounds=1)
    assert benchmark.stats.stats.min < LIMITS[name]


@pytest.mark.usefixtures("timed")
def test_sweeps(benchmark: Any) -> None:
    benchmark.pedantic(certify, args=(PROBLEMS["n=3 m=6 14"], SWEEPS), rounds=1)


@pytest.mark.usefixtures("timed")
def test_replay(benchmark: Any, tmp_path: Path) -> None:
    save(certify(PROBLEMS["n=3 m=6 1500"], ONE), tmp_path / "c.json")
    benchmark.pedantic(replay, args=(tmp_path / "c.json",), rounds=3)
