"""What a state says, against the 35 digits of the reference trajectories and against the network itself."""

import mpmath
import numpy as np
import pytest

from tests.flow.agreement import BoostedNeuron, problem, random_problem
from tests.problems import REFERENCES, decoupled, decoupled_time, reference, small
from verify.dataset import Dataset
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.problem import Problem


def exact(values):
    """An object array of mpf from an exact array of decimals."""
    return np.vectorize(lambda v: mpmath.mpf(str(v)), otypes=[object])(values.decimals())


def states_of(name):
    """Pairs (state, reference state), with the problem."""
    task, states, _ = reference(name)
    trajectory = simulate(task, until=states[-1].t)
    return task, [(trajectory.at(state.t), state) for state in states]


def sides(task):
    """(side, column, mask) for each sign of label that occurs."""
    return [(s, c, m) for s, c, m in ((1, 0, task.dataset.positive), (-1, 1, task.dataset.negative)) if m.any()]


@pytest.mark.parametrize("name", REFERENCES)
def test_logarithms_of_residuals(name):
    """Relative accuracy of the residual itself, wherever the reference has digits left."""
    _, pairs = states_of(name)
    with mpmath.workdps(40):
        for state, expected in pairs:
            for k, r in enumerate(exact(expected.exact_residual)):
                if abs(r) > 1e-20:
                    assert state.log_residual[k] == pytest.approx(float(mpmath.log(abs(r))), abs=1e-8)
                    assert np.sign(state.residual[k]) == mpmath.sign(r)


@pytest.mark.parametrize("name", REFERENCES)
def test_residual_along_the_targets(name):
    task, pairs = states_of(name)
    with mpmath.workdps(40):
        y = exact(task.dataset.exact_y)
        for state, expected in pairs:
            r = exact(expected.exact_residual)
            for side, column, inside in sides(task):
                size = mpmath.sqrt(sum(v * v for v in y[inside]))
                along = sum(side * abs(v) * w for v, w in zip(y[inside], side * r[inside], strict=True)) / size
                if abs(along) > 1e-20:
                    assert abs(state.log_residual_axis[column] - float(mpmath.log(abs(along)))) < 1e-8
                    assert state.residual_axis[column] in (-1.0, 1.0)


@pytest.mark.parametrize("everyone", [False, True])
@pytest.mark.parametrize("name", REFERENCES)
def test_misalignments(name, everyone):
    """1 − cos∠(w_j, ±D±) far below the rounding of cos: neurons active on all labels of the side, then all neurons."""
    task, pairs = states_of(name)
    smallest = 1.0
    with mpmath.workdps(40):
        y = exact(task.dataset.exact_y)
        for state, expected in pairs:
            directions = exact(expected.exact_directions)
            for side, _, inside in sides(task):
                size = mpmath.sqrt(sum(v * v for v in y[inside]))
                for j in range(task.initialisation.m):
                    gap = 1 - sum(directions[j][inside] * abs(y[inside])) / size
                    if gap > 1e-22 and (everyone or state.active[j][inside].all()):
                        smallest = min(smallest, float(gap))
                        assert state.log_misalignment(side)[j] == pytest.approx(float(mpmath.log(gap)), abs=1e-8)
    assert smallest < (1e-4 if name == "R1" else 1e-12)


@pytest.mark.parametrize("name", REFERENCES)
def test_off_axis_parts(name):
    """The part of the active coordinates of one sign of label that is orthogonal to those labels."""
    task, pairs = states_of(name)
    smallest = 1.0
    with mpmath.workdps(40):
        y = exact(task.dataset.exact_y)
        for state, expected in pairs:
            directions = exact(expected.exact_directions)
            for _, column, inside in sides(task):
                unit = abs(y[inside]) / mpmath.sqrt(sum(v * v for v in y[inside]))
                for j in np.flatnonzero(state.active[:, inside].all(axis=1)) if inside.sum() > 1 else []:
                    p = directions[j][inside]
                    off = p - unit * sum(p * unit)
                    square = sum(off * off)
                    if square > 1e-44:
                        smallest = min(smallest, float(square))
                        assert state.log_off_axis[j, column] == pytest.approx(float(mpmath.log(square)) / 2, abs=1e-8)
    assert smallest < (1e-4 if name == "R1" else 1e-12)


@pytest.mark.parametrize("everyone", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_misalignment_on_a_long_plateau(seed, everyone):
    """1 − cos down to e^-300, against boosts at 800 digits."""
    task = random_problem(400 + seed, 1e4, n=3, m=4, extra=1)
    trajectory = simulate(task)
    compared = 0
    with mpmath.workdps(800):
        for t in (0.0, 1.0, 50.0, 500.0):
            state = trajectory.at(t)
            for j in range(4):
                neuron = BoostedNeuron(task, j).go_to(t)
                for side, _, inside in sides(task):
                    if not (everyone or state.active[j][inside].all()):
                        continue
                    size = mpmath.sqrt(sum(v * v for v, i in zip(neuron.y, inside, strict=True) if i))
                    along = sum(v * abs(w) for v, w, i in zip(neuron.p, neuron.y, inside, strict=True) if i) / size
                    gap = float(mpmath.log(1 - along / neuron.alpha))
                    assert state.log_misalignment(side)[j] == pytest.approx(gap, rel=1e-9, abs=1e-9)
                    compared += 1
    assert compared


def test_the_part_that_never_moves():
    task = small(3.0)
    state = simulate(task).at(2.0)
    frozen = np.minimum(task.projections, 0.0)
    beyond = task.initialisation.directions[:, 2:]
    square = (frozen**2).sum(axis=1) + (beyond**2).sum(axis=1)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(state.log_rest, np.log(square) / 2 - state.log_growth)


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_parameters_are_the_network_of_the_state(rotate, spread):
    task = random_problem(6, 2.0, n=3, m=6, extra=2, rotate=rotate, spread=spread)
    trajectory = simulate(task)
    first = trajectory.at(0.0).parameters()
    np.testing.assert_allclose(first.w, np.exp(-2.0) * task.initialisation.directions, atol=1e-15)
    for t in np.linspace(0, float(trajectory.t_end), 6):
        state = trajectory.at(t)
        network = state.parameters()
        np.testing.assert_allclose(network.residual(task.dataset), state.residual, atol=1e-13)
        assert network.loss(task.dataset) == pytest.approx(state.loss, rel=1e-8, abs=1e-26)
        kept = network.a**2 - (network.w**2).sum(axis=1)
        np.testing.assert_allclose(kept, first.a**2 - (first.w**2).sum(axis=1), atol=1e-12)


def test_parameters_below_every_machine_float_are_zero():
    network = simulate(small(1e5)).at(0.0).parameters()
    assert (network.a == 0).all()
    assert (network.w == 0).all()


def test_loss_and_residual_where_they_underflow():
    """|r| = e^-500·|y| in the closed form: the residual survives, its square only as a logarithm."""
    task = decoupled(50.0)
    late = decoupled_time(task, 1, -500.0)
    trajectory = simulate(task, until=late)
    state = trajectory.at(late)
    assert state.log_residual[1] == pytest.approx(-500.0, rel=1e-12)
    assert state.loss == 0.0
    assert state.log_loss == pytest.approx(-1000.0 - np.log(4.0), rel=1e-11)


def test_signs_follow_an_output_weight_through_zero():
    """|a| < ‖w‖ against its label: a crosses zero and the neuron changes sides."""
    task = problem([1.0], [[2.0]], [-1], 8.0, output_scale=[1.0])
    trajectory = simulate(task)
    assert trajectory.at(0.0).signs.tolist() == [-1.0]
    assert trajectory.at(trajectory.t_end).signs.tolist() == [1.0]
    assert abs(trajectory.at(trajectory.t_end).residual[0]) < 1e-28


def test_one_of_many_times_is_a_view():
    trajectory = simulate(small(20.0))
    states = trajectory.along([0.0, 3.0, 25.0, 60.0])
    tilt = states.log_misalignment(1)
    one, some = states[2], states[1:3]
    assert (one.t, some.t.tolist()) == (25.0, [3.0, 25.0])
    assert one.directions.shape == (4, 2) and some.directions.shape == (2, 4, 2)
    assert np.shares_memory(one.directions, states.directions) and np.shares_memory(some.active, states.active)
    assert np.shares_memory(some.log_misalignment(1), tilt)
    np.testing.assert_array_equal(states[[3, 0]].residual, states.residual[[3, 0]])
    np.testing.assert_allclose(one.parameters().w, trajectory.at(25.0).parameters().w, rtol=1e-12)


def test_a_state_of_one_time_has_no_others():
    with pytest.raises(TypeError, match=r"one time t = 3\.0"):
        simulate(small(20.0)).at(3.0)[0]


@pytest.mark.parametrize("digits", [None, 25])
def test_a_neuron_that_has_come_to_zero_counts_as_orthogonal(digits):
    """With one input and one dimension w_j is 0 once the only pair has died."""
    start = Initialisation([[1.0], [1.0]], [1, -1], "16.6667", [0.25, 1.125])
    trajectory = simulate(Problem(Dataset.standard([1.0]), start, "0.06"), digits=digits)
    last = trajectory.at(trajectory.t_end)
    assert len(trajectory.deactivations) == 1
    dead = int(trajectory.deactivations.neuron[0])
    assert last.directions[dead].tolist() == [0]
    assert float(last.log_misalignment(1)[dead]) == 0.0
