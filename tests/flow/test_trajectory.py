"""Dense output, ends, extension, and whether the error estimate can be believed."""

import math

import numpy as np
import pytest

from tests.flow.agreement import assert_same_state, random_problem
from tests.problems import REFERENCES, decoupled, reference, small
from verify.errors import InvalidArgument
from verify.flow.simulate import simulate

SCALES = [0.5, 3.0, 12.0, 60.0, 1e4]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("seed", range(2))
def test_dense_output_is_continuous_across_nodes(seed, scale):
    task = random_problem(seed, scale, n=4, m=7, extra=1)
    trajectory = simulate(task)
    nodes = trajectory.nodes
    assert nodes[0] == 0
    assert nodes[-1] == trajectory.t_end
    assert (np.diff(nodes) > 0).all()
    rate = np.abs(task.dataset.y).sum() * 10
    for node in nodes[1:-1:3]:
        gap = 4 * np.spacing(node)
        before, after = trajectory.at(node - gap), trajectory.at(node + gap)
        assert_same_state(before, after, 20 * trajectory.error + 2 * gap * rate)


@pytest.mark.parametrize("scale", SCALES)
def test_dense_output_equals_a_simulation_stopped_there(scale):
    task = random_problem(4, scale, n=3, m=6)
    trajectory = simulate(task)
    for t in np.linspace(0, float(trajectory.t_end), 9)[1:]:
        stopped = simulate(task, until=float(t))
        assert stopped.t_end == t
        assert_same_state(stopped.at(t), trajectory.at(t), 10 * trajectory.error)
        found = stopped.deactivations
        expected = trajectory.deactivations[trajectory.deactivations["t"] <= t]
        assert found[["neuron", "label"]].to_numpy().tolist() == expected[["neuron", "label"]].to_numpy().tolist()


def test_times_between_close_nodes_are_in_order():
    trajectory = simulate(random_problem(2, 3.0, n=4, m=8))
    growth = [trajectory.at(t).log_growth for t in trajectory.nodes]
    assert np.isfinite(growth).all()


@pytest.mark.parametrize("t", [-1e-9, -1.0, math.nan, math.inf, 1e9])
def test_refuses_times_outside(t):
    trajectory = simulate(small(20.0), until=30.0)
    with pytest.raises(InvalidArgument, match=r"t = .* must lie in \[0, t_end\] = \[0, 30"):
        trajectory.at(t)


def test_the_end_can_be_asked_for():
    for until in (None, 0.0, 1e-9, 7, 33.25, 1e5):
        trajectory = simulate(small(20.0), until=until)
        if until is not None:
            assert trajectory.t_end == until
        state = trajectory.at(trajectory.t_end)
        assert np.isfinite(state.log_norms).all()
        assert np.isfinite(state.residual).all()


@pytest.mark.parametrize("scale", [1.0, 30.0, 1e4])
def test_without_an_end_it_runs_until_every_label_is_fitted(scale):
    trajectory = simulate(small(scale))
    assert (np.abs(trajectory.at(trajectory.t_end).log_residual) > 68).all()
    assert trajectory.at(trajectory.t_end).loss < 1e-58


def test_time_zero_is_the_initialisation():
    task = small(50.0)
    state = simulate(task).at(0.0)
    np.testing.assert_allclose(state.log_norms, np.log(task.initialisation.norms) - 50.0, rtol=1e-15)
    np.testing.assert_allclose(state.directions, task.projections / task.initialisation.norms[:, None], rtol=1e-14)
    np.testing.assert_allclose(state.residual, task.dataset.y, rtol=1e-15)


CLOSE = {"log_growth": 1e-13, "log_norms": 1e-13, "directions": 1e-13, "residual": 1e-13, "loss": 1e-12, "signs": 0.0}
"""Arrays of a state, and by how much, relative to 1 + their size, they may differ by rounding."""
CLOSE |= dict.fromkeys(("log_residual", "log_loss", "log_rest", "log_residual_axis"), 1e-9)
CLOSE |= dict.fromkeys(("active", "residual_sign", "residual_axis"), 0.0)


def assert_along_is_at(trajectory, times):
    """Every array at every time, and misalignments of neurons of which no coordinate is about to die."""
    many = trajectory.along(times)
    assert many.t.tolist() == list(times)
    for i, t in enumerate(times):
        one, part = trajectory.at(float(t)), many[i]
        for name, error in CLOSE.items():
            np.testing.assert_allclose(getattr(part, name), getattr(one, name), error, error, err_msg=f"{name} at {t}")
        living = one.active & (one.directions > 1e-12)
        for side, labels in ((1, one.problem.dataset.positive), (-1, one.problem.dataset.negative)):
            sure = living[:, labels].all(axis=1)
            found, expected = (state.log_misalignment(side)[sure] for state in (part, one))
            np.testing.assert_allclose(found, expected, 1e-9, 1e-8, err_msg=f"misalignment at {t}")


def times_of(trajectory, rng):
    """Nodes and times between them, in disorder and with one of them twice."""
    nodes = trajectory.nodes[:: max(1, len(trajectory.nodes) // 12)]
    times = np.concatenate([nodes, rng.uniform(0, trajectory.t_end, 5), (nodes[1:] + nodes[:-1]) / 2, [nodes[-1]]])
    return rng.permutation(times)


@pytest.mark.parametrize("name", REFERENCES)
def test_along_is_at_on_the_references(name):
    task, states, _ = reference(name)
    trajectory = simulate(task, until=states[-1].t)
    assert_along_is_at(trajectory, times_of(trajectory, np.random.default_rng(0)))


@pytest.mark.parametrize("spread", [0.0, 1.0])
@pytest.mark.parametrize("scale", [0.5, 12.0, 1e4, 1e6])
def test_along_is_at_on_drawn_problems(scale, spread):
    """Balanced neurons, and unbalanced ones whose output weights may change sign."""
    trajectory = simulate(random_problem(3, scale, n=4, m=7, extra=1, spread=spread))
    assert_along_is_at(trajectory, times_of(trajectory, np.random.default_rng(1)))
    stopped = simulate(trajectory.problem, until=float(trajectory.t_end) / 3)
    assert_along_is_at(stopped, times_of(stopped, np.random.default_rng(2)))


def test_many_times_are_worked_on_in_blocks(monkeypatch):
    """The same states when a block holds seven times."""
    trajectory = simulate(small(20.0))
    times = np.linspace(0, float(trajectory.t_end), 50)
    whole = trajectory.along(times)
    monkeypatch.setattr("verify.flow.trajectory.PAIRS", 7 * 8 + 1)
    parts = trajectory.along(times)
    for name, error in CLOSE.items():
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), error, error)
    np.testing.assert_allclose(parts.log_off_axis, whole.log_off_axis, 1e-9, 1e-9)


def test_no_times_and_one():
    trajectory = simulate(small(20.0))
    assert trajectory.along([]).directions.shape == (0, 4, 2)
    assert trajectory.along([5.0]).directions.shape == (1, 4, 2)


@pytest.mark.parametrize("t", [-1e-9, math.nan, math.inf, 31.0])
def test_along_refuses_times_outside(t):
    trajectory = simulate(small(20.0), until=30.0)
    with pytest.raises(InvalidArgument, match=r"t = .* must lie in \[0, t_end\] = \[0, 30"):
        trajectory.along([1.0, t, 2.0])


@pytest.mark.parametrize("times", [3.0, [[1.0, 2.0]]])
def test_along_takes_a_list_of_times(times):
    with pytest.raises(InvalidArgument, match="list of times"):
        simulate(small(20.0)).along(times)


def test_extension_is_a_longer_simulation():
    trajectory = simulate(small(50.0))
    later = 2 * float(trajectory.t_end)
    assert_same_state(trajectory.extended(later).at(later), simulate(small(50.0), until=later).at(later), 1e-13)
    with pytest.raises(InvalidArgument, match="still moving"):
        simulate(small(50.0), until=100.0).extended(1000.0)


def test_frame_has_one_row_a_time():
    trajectory = simulate(small(20.0))
    frame = trajectory.to_frame([0.0, 5.0, 50.0])
    assert list(frame.columns) == ["t", "loss", "residual_0", "residual_1", *(f"log_norm_{j}" for j in range(4))]
    state = trajectory.at(5.0)
    assert frame.iloc[1].tolist() == [5.0, state.loss, *state.residual, *state.log_norms]


def test_deactivations_are_a_typed_table():
    table = simulate(small(20.0)).deactivations
    assert list(table.columns) == ["t", "neuron", "label"]
    assert [kind.kind for kind in table.dtypes] == ["f", "i", "i"]
    empty = simulate(decoupled(20.0)).deactivations
    assert (len(empty), [kind.kind for kind in empty.dtypes][1:]) == (0, ["i", "i"])


def worst_difference(one, two, times):
    """Over times: log-norms and directions absolutely, residuals relative to the labels."""
    y = np.abs(one.problem.dataset.y)
    worst = 0.0
    for t in times:
        a, b = one.at(t), two.at(t)
        apart = [a.log_norms - b.log_norms, a.directions - b.directions, (a.residual - b.residual) / y]
        worst = max(worst, *(float(np.abs(x).max()) for x in apart))
    return worst


@pytest.mark.parametrize("scale", [2.0, 15.0, 200.0])
@pytest.mark.parametrize("seed", range(20))
def test_error_estimate_of_coarse_runs(seed, scale):
    """A run at rtol = 1e-9 differs from the default by no more than a small multiple of its own estimate."""
    task = random_problem(1000 + seed, scale, n=3, m=5)
    fine = simulate(task)
    coarse = simulate(task, until=float(fine.t_end), rtol=1e-9)
    assert fine.error < 1e-12
    assert coarse.error > fine.error
    difference = worst_difference(fine, coarse, np.linspace(0, float(fine.t_end), 25))
    assert difference <= 50 * coarse.error


@pytest.mark.parametrize("name", REFERENCES)
def test_error_estimate_on_references(name):
    task, states, _ = reference(name)
    trajectory = simulate(task, until=states[-1].t)
    for expected in states:
        difference = np.abs(trajectory.at(expected.t).log_norms - expected.log_norms).max()
        assert difference <= trajectory.error


def test_finer_tolerances_take_more_steps():
    counts = [len(simulate(small(3.0), rtol=rtol).segments) for rtol in (1e-4, 1e-8, 1e-12, None)]
    assert counts == sorted(counts)
