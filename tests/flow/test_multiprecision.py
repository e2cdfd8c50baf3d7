"""Simulation in any number of digits: references, a naive integrator, twice the digits, and what users see."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from tests.flow.agreement import problem, random_problem
from tests.naive_digits import naive_digits
from tests.problems import REFERENCES, decoupled, reference, rotated, small
from verify.dataset import Dataset
from verify.errors import InvalidArgument, PrecisionExhausted, SimulationFailed
from verify.families import draw_problem
from verify.flow.multiprecision import MPMATH, default_engine, multiprecision
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.problem import Problem

DIGITS = 30


def exact(array):
    return [mpmath.mpf(str(value)) for value in array.decimals().ravel()]


def furthest(found, right, floor=0):
    """Largest error, relative where the right value is above the floor."""
    pairs = zip(np.ravel(found), np.ravel(np.array(right, dtype=object)), strict=True)
    return max((abs(a - b) / max(abs(b), mpmath.mpf(floor)) for a, b in pairs if a != b), default=mpmath.mpf(0))


@pytest.mark.parametrize("scale", [1e13, 1e20, 1e40])
def test_a_plateau_longer_than_floats_can_tell_ends_in_time(scale):
    """One neuron on one label 1: its output 1/(1 + e^{2(Λ − t)}) is half the label at t = Λ, up to λ²."""
    trajectory = simulate(Problem(Dataset.standard([1.0]), Initialisation([[1.0]], [1], scale)), digits=DIGITS)
    with mpmath.workdps(60):
        now = trajectory.at(mpmath.mpf(str(scale)))
        assert abs(now.residual[0] - mpmath.mpf(1) / 2) < 1e-29
        late = trajectory.at(mpmath.mpf(str(scale)) + 20)
        assert abs(late.residual[0] * (1 + mpmath.exp(40)) - 1) < 1e-29


@pytest.mark.parametrize("name", REFERENCES)
def test_references_to_all_their_digits(name):
    task, states, events = reference(name)
    trajectory = simulate(task, digits=36)
    with mpmath.workdps(60):
        for expected in states:
            state = trajectory.at(mpmath.mpf(str(expected.exact_t)))
            assert furthest(state.log_norms, exact(expected.exact_log_norms), 1) < 1e-33
            assert furthest(state.directions, exact(expected.exact_directions), 1) < 1e-33
            assert furthest(state.residual, exact(expected.exact_residual), mpmath.mpf(10) ** -80) < 1e-33
        found = trajectory.deactivations
        assert [*zip(found["neuron"], found["label"], strict=True)] == [(e.neuron, e.label) for e in events]
        assert furthest(found["t"], [mpmath.mpf(str(event.exact_t)) for event in events]) < 1e-33


@pytest.mark.parametrize("seed", range(3))
def test_agrees_with_a_naive_integrator(seed):
    task = random_problem(seed, 4.0, n=2, m=3)
    times = [1.0, 5.0, 12.0]
    states, events = naive_digits(task, times, DIGITS)
    trajectory = simulate(task, digits=DIGITS)
    with mpmath.workdps(50):
        for t, expected in zip(times, states, strict=True):
            state = trajectory.at(t)
            assert furthest(state.log_norms, expected.log_norms, 1) < 1e-28
            moving = np.where(state.active, state.directions, 0)
            assert furthest(moving, [v for row in expected.directions for v in row], 1) < 1e-28
            assert furthest(state.residual, expected.residual, 1) < 1e-28
        found = [event for event in trajectory.deactivations.itertuples(index=False) if event.t <= times[-1]]
        assert [(e.neuron, e.label) for e in found] == [(j, k) for _, j, k in events]
        assert furthest([e.t for e in found], [t for t, _, _ in events]) < 1e-28


def drawn(seed):
    rng = np.random.default_rng(seed)
    scale = float(rng.choice([-0.5, 0.3, 3.0, 14.0, 40.0, 300.0, 1e4, 1e6]))
    n = 3 if seed % 10 == 0 else int(rng.integers(1, 3))
    m = int(rng.integers(2, 5))
    return draw_problem(rng, inputs="rational", n=n, m=m, d=n + seed % 2, minus_log_lambda=scale)


@pytest.mark.parametrize("seed", range(50))
def test_twice_the_digits_agree(seed):
    """N and 2N digits agree to N − 5, and float64 lies within its error estimate."""
    task = drawn(seed)
    digits = 20 + seed % 3 * 5
    few, many, floats = simulate(task, digits=digits), simulate(task, digits=2 * digits), simulate(task)
    end = 0.999 * min(float(few.t_end), float(floats.t_end))
    nodes = few.nodes[few.nodes <= end]
    bound = mpmath.mpf(10) ** (5 - digits)
    y = np.abs(task.dataset.y)
    with mpmath.workdps(80):
        for t in [*np.linspace(0.0, end, 5), *nodes[:: max(1, len(nodes) // 6)]]:
            one, two, plain = few.at(t), many.at(t), floats.at(t)
            assert furthest(one.log_norms, two.log_norms, 1) < bound
            assert furthest(one.directions, two.directions, 1) < bound
            assert furthest(one.residual, two.residual) < bound
            np.testing.assert_allclose(plain.log_norms, two.log_norms.astype(float), rtol=0, atol=floats.error)
            assert (np.abs(plain.residual - two.residual.astype(float)) <= floats.error * y).all()
            assert (np.abs(plain.directions - two.directions.astype(float)).max()) <= floats.error
        assert few.deactivations.drop(columns="t").equals(many.deactivations.drop(columns="t"))
        assert furthest(few.deactivations["t"], many.deactivations["t"]) < bound
        assert few.error < bound


def test_global_precision_is_neither_used_nor_changed():
    task = reference("R1")[0]
    results = []
    for digits in (15, 200):
        with mpmath.workdps(digits):
            trajectory = simulate(task, digits=DIGITS)
            state = trajectory.at(20.0)
            assert mpmath.mp.dps == digits
            results.append((*state.log_norms, *state.residual, state.loss, trajectory.t_end, trajectory.error))
            results[-1] += (*trajectory.deactivations["t"], *state.log_misalignment(1), *state.log_norms)
    assert mpmath.mp.dps == 15
    assert results[0] == results[1]
    assert all(type(value) is mpmath.mpf for value in results[0])


def test_mpmath_alone_gives_the_same(monkeypatch):
    task = random_problem(0, 14.0, n=2, m=3)
    fast = simulate(task, digits=DIGITS)
    monkeypatch.setattr("verify.flow.multiprecision.default_engine", lambda: MPMATH)
    plain = simulate(task, digits=DIGITS)
    assert (fast.arithmetic.name, plain.arithmetic.name) == ("gmpy2", "mpmath")
    with mpmath.workdps(50):
        for t in (3.0, 30.0):
            assert furthest(fast.at(t).log_norms, plain.at(t).log_norms, 1) < 1e-29
            assert furthest(fast.at(t).residual, plain.at(t).residual) < 1e-29


def test_falls_back_on_mpmath_without_gmpy2(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gmpy2", None)
    assert default_engine() is MPMATH


@pytest.mark.parametrize("engine", [MPMATH, default_engine()], ids=lambda engine: engine.name)
def test_numbers(engine):
    arithmetic = multiprecision(40, engine=engine)
    with arithmetic.context():
        for value in (Decimal("0.1"), Fraction(1, 10)):
            tenth = arithmetic.export(arithmetic.number(value))
            assert abs(tenth * 10 - 1) < mpmath.mpf(10) ** -45
        assert arithmetic.export(arithmetic.number(mpmath.mpf("-2.5e-300000"))) == mpmath.mpf("-2.5e-300000")
        values = arithmetic.array(np.array([0.0, -2.0, 3.0]))
        assert arithmetic.sign(values).tolist() == [0, -1, 1]
        assert arithmetic.magnitude(values)[0] == -np.inf
        tiny = arithmetic.exp(arithmetic.number(-(10**7)))
        assert arithmetic.magnitude(tiny) == pytest.approx(-1e7, rel=1e-15)
        assert float(arithmetic.log(tiny)) == -1e7
        assert arithmetic.zeros((2, 1)).tolist() == [[0], [0]]


def test_decimals_are_not_rounded_to_floats_on_the_way():
    """u' = 2u(y − u)/n in closed form, with labels, directions and Λ that no float64 holds."""
    y, g, scale = "1.00000000000000000000000000000000001", "1.0000000000000000000000003", "0.1000000000000000000000007"
    task = Problem(Dataset.standard([y]), Initialisation([[g]], [1], scale))
    state = simulate(task, digits=40).at(0.5)
    with mpmath.workdps(60):
        u = (mpmath.mpf(g) * mpmath.exp(-mpmath.mpf(str(scale)))) ** 2
        grown = u * mpmath.exp(mpmath.mpf(y))
        right = mpmath.log(grown / (1 + (grown - u) / mpmath.mpf(y))) / 2
        assert abs(state.log_norms[0] - right) < mpmath.mpf(10) ** -40


def test_rotated_inputs_are_as_good_as_straight_ones():
    """The small problem in a rotated basis, exact in decimals: a² − ‖p‖² comes from exact fractions."""
    task = rotated(20.0)
    state, later = simulate(task, digits=DIGITS).at(0.0), simulate(task, digits=60).at(0.0)
    with mpmath.workdps(50):
        assert furthest(state.directions, later.directions, 1) < 1e-29
        norm = sum(v * v for v in state.directions[0]) + mpmath.exp(2 * state.log_rest[0])
        beyond = 1 - sum(v * v for v in np.where(state.active, state.directions, 0)[0])
        assert abs(beyond - mpmath.exp(2 * state.log_rest[0])) < 1e-29
        assert norm >= 1 - mpmath.mpf(10) ** -29


def test_parameters_have_the_digits():
    task = small(3.0)
    network = simulate(task, digits=DIGITS).at(2.0).parameters()
    plain = simulate(task).at(2.0).parameters()
    assert isinstance(network.a[0], mpmath.mpf)
    np.testing.assert_allclose(network.w.astype(float), plain.w, rtol=1e-12)
    with mpmath.workdps(50):
        state = simulate(task, digits=DIGITS).at(2.0)
        outputs = [
            sum(a * max(row[k], mpmath.mpf(0)) for a, row in zip(network.a, network.w, strict=True)) for k in (0, 1)
        ]
        assert furthest(task.dataset.y - np.array(outputs), state.residual, 1) < 1e-28


def test_time_scale_and_cost_do_not_grow_with_lambda():
    counts = [len(simulate(decoupled(scale), digits=DIGITS).segments) for scale in (1e2, 1e4, 1e6)]
    assert max(counts) <= 1.5 * min(counts)


def test_times_may_have_digits():
    trajectory = simulate(small(30.0), digits=DIGITS, until=mpmath.mpf("70.1"))
    assert trajectory.t_end == trajectory.at(trajectory.t_end).t
    for wrong in (mpmath.mpf("70.2"), -1, float("nan"), None):
        with pytest.raises(InvalidArgument, match=r"must lie in \[0, t_end\]"):
            trajectory.at(wrong)


def test_a_tolerance_finer_than_the_digits_is_refused():
    with pytest.raises(PrecisionExhausted, match=r"rtol = 1e-60 is finer than digits = 30"):
        simulate(small(), digits=DIGITS, rtol=1e-60)
    coarse = simulate(small(30.0), digits=DIGITS, rtol=1e-12)
    assert len(coarse.segments) < len(simulate(small(30.0), digits=DIGITS).segments)


def test_more_memory_than_a_step_may_take_is_refused_before_work_starts():
    task = random_problem(0, 5.0, n=8, m=2000)
    with pytest.raises(PrecisionExhausted, match=r"digits = 2000 with m = 2000 neurons and n = 8 labels needs about"):
        simulate(task, digits=2000)


def test_coefficients_that_are_not_kept_are_computed_again(monkeypatch):
    task = random_problem(0, 14.0, n=2, m=3)
    kept = simulate(task, digits=DIGITS)
    monkeypatch.setattr("verify.flow.step.KEPT_BYTES", 0)
    bare = simulate(task, digits=DIGITS)
    assert not any("known" in vars(segment) for segment in bare.segments)
    for t in (3.0, 8.0, 12.0):
        assert (kept.at(t).residual == bare.at(t).residual).all()


def test_nearly_aligned_neurons_are_projected_in_exact_arithmetic():
    """w₀ on its target to forty digits: 1 − cos comes out to relative accuracy all the same."""
    task = problem([3.0, 4.0], [[3.0, 4.0]], [1], 50.0)
    start = Initialisation([["3", "4.0000000000000000000000000000000000000001"]], [1], 50.0)
    state = simulate(Problem(task.dataset, start), digits=20).at(0.0)
    with mpmath.workdps(120):
        p = mpmath.matrix([3, mpmath.mpf("4.0000000000000000000000000000000000000001")])
        right = mpmath.log(1 - (3 * p[0] + 4 * p[1]) / (5 * mpmath.norm(p)))
        assert abs(state.log_misalignment(1)[0] - right) < 1e-18


def test_more_steps_than_there_is_time_for_fail_loudly(monkeypatch):
    monkeypatch.setattr("verify.flow.simulate.MOST_STEPS_IN_DIGITS", 3)
    monkeypatch.setattr("verify.flow.simulate.find_fit", lambda *_: None)
    with pytest.raises(SimulationFailed, match="4 Taylor steps so far"):
        simulate(small(), digits=20)
