"""The flow on general data: against the orthonormal engine, gradient descent, closed forms, and its own definition."""

import itertools

import numpy as np
import pytest

from verify import simulate
from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.experiments.alone import time_alone
from verify.experiments.descent import descend
from verify.experiments.flow import general_flow
from verify.experiments.path import Path
from verify.experiments.regression import Regression
from verify.experiments.starts import gaussian_start
from verify.initialisation import Initialisation
from verify.network import Network
from verify.problem import Problem

APPENDIX = Regression.on_a_line(np.array([-1.5, -1.0, 0.0, 0.25, 2.0]), np.array([0.7, -0.3, -0.3, 0.4, 0.2]))


def appendix_start(seed: int, balanced: bool = True) -> Network:
    return gaussian_start(np.random.default_rng(seed), 20, 2, 1e-3, balanced=balanced)


@pytest.mark.parametrize(("seed", "extra"), [(0, 0), (1, 2)])
def test_agrees_with_the_orthonormal_engine_on_rotated_data(seed: int, extra: int) -> None:
    rng = np.random.default_rng(seed)
    n, m, scale = 3, 8, 12.0
    x = np.linalg.qr(rng.normal(size=(n + extra, n + extra))).Q[:n]
    g, signs = rng.normal(size=(m, n + extra)), rng.choice([-1.0, 1.0], m)
    problem = Problem(Dataset(x, [1.5, -1.0, 0.7]), Initialisation(g, signs, scale))
    exact = simulate(problem)
    until = min(float(exact.t_end), 90.0)
    w = np.exp(-scale) * g
    start = Network(signs * np.linalg.norm(w, axis=1), w)
    path = general_flow(Regression(x, problem.dataset.y), start, until, rtol=1e-11)
    for t in np.linspace(0, until, 12):
        state, other = path.at(t), exact.at(t)
        assert np.abs(state.log_norms - other.log_norms).max() < 1e-7
        assert np.abs(state.directions - other.directions).max() < 1e-7
        assert np.abs(state.residual - other.residual).max() < 1e-7
        ours, theirs = state.parameters().w, other.parameters().w
        assert (np.abs(ours - theirs).max(axis=1) < 1e-7 * np.abs(theirs).max(axis=1)).all()
    ours, theirs = path.deactivations, exact.deactivations[exact.deactivations["t"] <= until]
    assert ours[["neuron", "label"]].values.tolist() == theirs[["neuron", "label"]].values.tolist()
    assert np.allclose(ours["t"], theirs["t"], rtol=1e-8, atol=0)


@pytest.mark.parametrize("leak", [0.0, 0.2])
def test_descent_comes_near_at_first_order(leak: float) -> None:
    """Through sliding and back-and-forth switching, |descent − flow| halves with the step."""
    data = Regression(APPENDIX.x, APPENDIX.y, leak)
    start, until = appendix_start(3), 120.0
    path = general_flow(data, start, until)
    assert set(path.events["after"]) == {"off", "on", "slide"}
    distances = []
    for step in (4e-3, 2e-3, 1e-3):
        n = round(until / step)
        record = descend(data, start, step, n, keep=[n // 3, n // 2])
        apart = [np.abs(record.after(i).p - path.at(i * step).p).max() for i in (n // 3, n // 2)]
        distances.append(max(apart))
    order = np.log2(np.array(distances[:-1]) / distances[1:])
    assert distances[-1] < 1e-3 and (np.abs(order - 1) < 0.25).all()


@pytest.mark.parametrize("balanced", [True, False])
def test_conserves_and_dissipates(balanced: bool) -> None:
    """a² − ‖w‖² is constant (Lemma 1) and the loss never grows, whatever pairs do."""
    start = appendix_start(5, balanced)
    path = general_flow(APPENDIX, start, 150.0)
    before = start.a**2 - (start.w**2).sum(axis=1)
    for t in (50.0, 150.0):
        net = path.at(t).parameters()
        assert np.abs(net.a**2 - (net.w**2).sum(axis=1) - before).max() < 1e-8 * np.abs(net.a).max() ** 2
    losses = path.losses(path.nodes)
    assert (np.diff(losses) <= 1e-12 * losses[0]).all()


def test_every_pair_is_on_the_side_its_mode_says() -> None:
    """Between events pairs that are on stay positive, those off negative, those sliding at exactly 0."""
    path = general_flow(APPENDIX, appendix_start(7), 150.0)
    modes = np.where(path.at(0.0).p > 0, "on", "off").astype(object)
    events = path.events
    times = np.unique(np.concatenate([[0.0], events["t"], [path.t_end]]))
    for begin, end in itertools.pairwise(times):
        for row in events[events["t"] == begin].itertuples():
            assert modes[row.neuron, row.label] == row.before
            modes[row.neuron, row.label] = row.after
        for t in np.linspace(begin, end, 7)[1:-1] if end - begin > 1e-9 else ():
            p = path.at(t).p
            slack = 1e-8 * np.abs(p).max(axis=1, keepdims=True) + np.zeros_like(p)
            assert (p[modes == "on"] > -slack[modes == "on"]).all()
            assert (p[modes == "off"] < slack[modes == "off"]).all()
            assert (p[modes == "slide"] == 0).all()


def test_slides_by_hand() -> None:
    """x₁ = (1, 0), x₂ = (c, s), y = (1, −3), a > 0: the neuron is pushed to ⟨w, x₂⟩ = 0 and grows along it.

    While outputs are negligible w' = a Π x₁/n with Π the projection orthogonal to x₂, of length s; so ln a grows at
    s y₁/n, less than the rate y₁/n with which it would grow if x₂ were not there.
    """
    sine = 0.6
    data = Regression(np.array([[1.0, 0.0], [0.8, sine]]), np.array([1.0, -3.0]))
    start = Network(np.array([1.5e-9]), np.array([[0.9e-9, -1.1e-9]]))
    path = general_flow(data, start, 20.0)
    assert path.events["after"].tolist()[0] == "slide"
    a = [path.at(t).a[0] for t in (16.0, 20.0)]
    assert np.log(a[1] / a[0]) / 4 == pytest.approx(sine / 2, rel=1e-4)
    assert path.at(20.0).p[0, 1] == 0


def test_neurons_alone_and_together_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    start = gaussian_start(np.random.default_rng(2), 6, 2, 1e-12)
    together = general_flow(APPENDIX, start, 260.0, rtol=1e-11)
    monkeypatch.setattr("verify.experiments.flow.MANY", 1)
    alone = general_flow(APPENDIX, start, 260.0, rtol=1e-11)
    assert len(alone.singles) == 6 and time_alone(APPENDIX, start) > 5
    assert together.events.iloc[:, 1:].values.tolist() == alone.events.iloc[:, 1:].values.tolist()
    for t in (3.0, 100.0, 260.0):
        assert np.abs(alone.at(t).log_norms - together.at(t).log_norms).max() < 1e-7
    assert together.at(260.0).loss < 0.9 * together.at(0.0).loss


def test_keeps_only_the_times_asked_for_and_stops_at_rest() -> None:
    start = appendix_start(1)
    path, whole = general_flow(APPENDIX, start, 50.0, times=[0.0, 20.0]), general_flow(APPENDIX, start, 50.0)
    assert np.array_equal(path.at(20.0).p, whole.at(20.0).p) and np.array_equal(path.at(50.0).p, whole.at(50.0).p)
    with pytest.raises(InvalidArgument, match="kept"):
        path.at(19.0)
    early: Path = general_flow(APPENDIX, start, 1e4, rest=0.9)
    assert early.t_end < 100 and early.at(early.t_end).loss < 0.9 * early.at(0.0).loss
    assert list(early.to_frame([0.0, 1.0]).columns[:3]) == ["t", "loss", "residual_0"]


@pytest.mark.parametrize("wrong", [{"until": 0.0}, {"until": 1.0, "rtol": 0.1}, {"until": 1.0, "times": [2.0]}])
def test_says_what_is_wrong(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument):
        general_flow(APPENDIX, appendix_start(0), **wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="d = 3"):
        general_flow(APPENDIX, Network(np.ones(1), np.ones((1, 3))), 1.0)


def test_noise_is_no_event() -> None:
    """A stiff, wide network whose neurons hardly move: noise of a coordinate at 0 must not cut steps without end."""
    start = gaussian_start(np.random.default_rng(4), 960, 2, 10 / np.sqrt(960))
    path = general_flow(APPENDIX, start, 50.0, rest=1e-9)
    assert path.t_end < 50 and len(path.nodes) < 800
