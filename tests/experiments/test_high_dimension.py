"""Appendix A.2 around its two computations, which are replaced: seeds go on after a kill, verdicts can be false."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from verify.claim import Verdict
from verify.experiments import high_dimension
from verify.experiments.kept import Record
from verify.experiments.outcome import Outcome
from verify.experiments.student import EVERY, ITERATIONS
from verify.experiments.teacher import draw

TIMES = np.arange(0.0, ITERATIONS + 1, EVERY) / 1000


def quiet(_: str) -> None:
    return None


def two_drops(t: np.ndarray) -> np.ndarray:
    return 0.6 / (1 + np.exp(t - 60)) + 0.4 / (1 + np.exp(t - 140))


def record(seed: int, length: float) -> Record:
    """Neurons along two inputs, four times as many along the first."""
    data, _ = draw(seed)
    w = length * data.x[np.array([0, 0, 0, 0, 1] * 40)]
    return {"p": np.tile(w @ data.x.T, (5, 1, 1)), "a": np.ones((5, 200))}


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What has been made, in order; descent is off the flow by its step."""
    found: list[tuple[str, int]] = []

    def by_descent(seed: int, tell: Callable[[str], object], finer: int = 1) -> Record:
        found.append(("descent", seed))
        return {"losses": two_drops(TIMES)} | record(seed, 1 + 1e-3 / finer)

    def by_flow(seed: int, tell: Callable[[str], object], rtol: float = 1e-8) -> Record:
        if seed == 1 and len(found) == 3:
            found.append(("killed", seed))
            raise KeyboardInterrupt
        found.append(("flow", seed))
        return record(seed, 1.0) | {"events": np.array(7), "slides": np.array(2)}

    monkeypatch.setattr(high_dimension, "by_descent", by_descent)
    monkeypatch.setattr(high_dimension, "by_flow", by_flow)
    return found


def test_seeds_made_before_a_kill_are_not_made_again(made: list[tuple[str, int]], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        high_dimension.run(2, quiet, tmp_path)
    assert made == [("descent", 0), ("descent", 1), ("flow", 0), ("killed", 1)]
    result = high_dimension.run(2, quiet, tmp_path)
    assert made[4] == ("flow", 1)
    assert [kind for kind, _ in made[5:]] == ["descent", "flow"], "a finer step, and a larger tolerance"
    assert {f.claim.id: f.verdict for f in result.findings}["X.high-dimension.flow"] is Verdict.HOLDS


@pytest.mark.parametrize(("losses", "held"), [(two_drops, True), (lambda t: np.exp(-t / 20), False)])
def test_a_loss_without_a_saddle_fails(
    losses: Callable[[np.ndarray], np.ndarray], held: bool, made: object, monkeypatch: pytest.MonkeyPatch
) -> None:

    def by_descent(seed: int, tell: object, finer: int = 1) -> Record:
        return {"losses": losses(TIMES)} | record(seed, 1 + 1e-3 / finer)

    monkeypatch.setattr(high_dimension, "by_descent", by_descent)
    monkeypatch.setattr(high_dimension, "PAPER_SHARE", 1.0)
    found = {f.claim.id: f.verdict for f in high_dimension.run(2, quiet).findings}
    assert found["X.high-dimension"] is (Verdict.HOLDS if held else Verdict.FAILS)


def test_a_saddle_that_is_not_left() -> None:
    outcome = Outcome(0, {"losses": 0.3 + 0.7 / (1 + np.exp(TIMES - 60))})
    assert outcome.stuck and outcome.saddle[1] == pytest.approx(0.3, rel=1e-3) and outcome.saddle[2] < 1e-3
    assert not Outcome(0, {"losses": two_drops(TIMES)}).stuck


def test_a_saddle_that_is_just_being_left() -> None:
    """The second fall is under way at the last iteration, and faster than the first."""
    outcome = Outcome(0, {"losses": 0.76 / (1 + np.exp(TIMES - 60)) + 0.24 / (1 + np.exp(2 * (TIMES - 199)))})
    assert not outcome.stuck and outcome.saddle[2] < 1e-3 and 80_000 < outcome.saddle[0] < 180_000


def test_no_saddle_on_an_exponential() -> None:
    assert not Outcome(0, {"losses": np.exp(-TIMES / 20)}).stuck
