"""Timelines: extrema between samples, first passages to rounding, and refused stretches."""

import math

import numpy as np
import pytest

from tests.problems import decoupled, decoupled_time, small
from verify.batches import Batched
from verify.dataset import Dataset
from verify.errors import InvalidArgument
from verify.flow.simulate import simulate
from verify.initialisation import Initialisation
from verify.problem import Problem
from verify.windows import Extreme, Timeline


@pytest.fixture(scope="module")
def problem():
    return decoupled(1000.0)


@pytest.fixture(scope="module")
def timeline(problem):
    return Timeline(simulate(problem))


def shares(state):
    """(2,): u_k/|y_k|, logistic in time."""
    return np.exp(2 * state.log_norms) / np.abs(state.problem.dataset.y)


def speed(state):
    """(2,): s(1 − s), which peaks at 1/4 where s = 1/2, inside a Taylor step."""
    s = shares(state)
    return s * (1 - s)


def test_samples_hold_both_ends_all_nodes_and_the_middles_between(timeline):
    end = float(timeline.trajectory.t_end)
    times = timeline.samples(0.0, end)
    nodes = timeline.trajectory.nodes
    assert set(nodes) <= set(times)
    assert set((nodes[1:] + nodes[:-1]) / 2) <= set(times)
    assert (np.diff(times) > 0).all() and (times[0], times[-1]) == (0.0, end)
    np.testing.assert_array_equal(timeline.samples(3.0, 3.0), [3.0])
    np.testing.assert_array_equal(timeline.samples(3.0, 5.0), [3.0, 4.0, 5.0])


@pytest.mark.parametrize(("start", "end"), [(-1.0, 5.0), (5.0, 4.0), (0.0, 1e9), (0.0, math.nan), (math.nan, 1.0)])
def test_stretches_outside_the_trajectory_are_refused(timeline, start, end):
    with pytest.raises(InvalidArgument, match="stretch from"):
        timeline.samples(start, end)


def test_states_are_computed_once(timeline):
    assert timeline.state(12.5) is timeline.state(12.5)


def test_peak_between_samples_is_found(problem, timeline):
    found = timeline.largest(speed, 0.0, float(timeline.trajectory.t_end))
    sampled = max(speed(timeline.state(t)).max() for t in timeline.samples(0.0, float(timeline.trajectory.t_end)))
    assert sampled < 0.25 - 1e-9
    assert found.value == pytest.approx(0.25, abs=1e-10)
    expected = decoupled_time(problem, found.member, math.log(0.5))
    assert found.t == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("member", [0, 1])
def test_peak_of_either_member_is_found(problem, timeline, member):
    only = np.where(np.arange(2) == member, 0.0, -np.inf)
    found = timeline.largest(lambda state: speed(state) + only, 0.0, float(timeline.trajectory.t_end))
    assert found.member == member
    assert found.value == pytest.approx(0.25, abs=1e-10)
    assert found.t == pytest.approx(decoupled_time(problem, member, math.log(0.5)), abs=1e-3)


@pytest.mark.parametrize("unit", [1e-6, 1e4])
def test_peak_is_found_as_well_on_other_scales_of_labels(unit):
    """Labels in other units only rescale time."""
    problem = decoupled(100.0, y=(2.0 * unit, -1.0 * unit))
    timeline = Timeline(simulate(problem))
    found = timeline.largest(speed, 0.0, float(timeline.trajectory.t_end))
    assert found.value == pytest.approx(0.25, abs=1e-10)


def test_a_stretch_is_kept_to(problem, timeline):
    half = decoupled_time(problem, 0, math.log(0.5))
    growing = timeline.largest(lambda state: shares(state)[:1], 0.0, half)
    assert growing == Extreme(pytest.approx(0.5, abs=1e-9), half, 0)
    before = timeline.largest(lambda state: speed(state)[:1], half - 6.0, half - 2.0)
    assert before.t == half - 2.0
    assert before.value == pytest.approx(speed(timeline.state(half - 2.0))[0])


def test_peak_on_a_plateau_between_the_first_two_samples_is_found():
    """A neuron that first shrinks: |a| = cosh x + b sinh x has its minimum sqrt(1 − b²) at tanh x = −b.

    Its first event is much later than that, so −ln|a| only falls along the samples at both ends and the middle.
    """
    b = -0.05
    unit = np.array([2.0, -1.0]) / math.sqrt(5.0)
    across = np.array([1.0, 2.0]) / math.sqrt(5.0)
    g = b * unit + math.sqrt(1 - b * b) * across
    start = Initialisation([g, [1.0, 0.0], [0.0, 1.0]], [1, 1, -1], 200.0)
    timeline = Timeline(simulate(Problem(Dataset.standard([2.0, -1.0]), start)))
    first = timeline.trajectory.deactivations["t"][0]
    dip = 2 * math.atanh(-b) / math.sqrt(5.0)
    assert dip < first / 8
    found = timeline.largest(lambda state: -np.asarray(state.log_growth)[:1], 0.0, first)
    assert found.value == pytest.approx(-math.log(1 - b * b) / 2, abs=1e-9)


def test_rises_below_the_noise_are_left_alone(timeline):
    calls = []

    def counted(state):
        calls.append(state.t)
        return speed(state)

    end = float(timeline.trajectory.t_end)
    timeline.largest(counted, 0.0, end, noise=1.0)
    samples = timeline.samples(0.0, end)
    beside = {1e-3 * samples[1], end - 1e-3 * (end - samples[-2])}
    assert set(calls) == set(samples.tolist()) | beside


def test_an_empty_family_has_no_extreme(timeline):
    found = timeline.largest(lambda state: np.zeros(0), 1.0, 2.0)
    assert (found.value, found.member) == (-math.inf, -1)


def test_members_that_do_not_apply_never_win(timeline):
    found = timeline.largest(lambda state: np.array([-np.inf, -5.0]), 0.0, 10.0)
    assert (found.value, found.member) == (-5.0, 1)


@pytest.mark.parametrize("log_gap", [-1e-6, -0.5, -3.0, -20.0, -60.0])
def test_first_passage_is_found_to_rounding(problem, timeline, log_gap):
    t = timeline.first_passage(lambda state: log_gap - float(state.log_residual[0]) + math.log(2), 0.0, 1100.0)
    assert t == pytest.approx(decoupled_time(problem, 0, log_gap), rel=1e-11)


@pytest.mark.parametrize("minus_log_lambda", [10.0, 1e3, 1e6])
def test_first_passage_at_any_scale(minus_log_lambda):
    problem = decoupled(minus_log_lambda)
    timeline = Timeline(simulate(problem))
    t = timeline.first_passage(lambda state: float(shares(state)[0]) - 0.25, 0.0, float(timeline.trajectory.t_end))
    assert t == pytest.approx(decoupled_time(problem, 0, math.log(0.75)), rel=1e-12)


def test_first_passage_takes_the_first_of_two(problem, timeline):
    end = float(timeline.trajectory.t_end)
    t = timeline.first_passage(lambda state: float(speed(state)[0]) - 0.2, 0.0, end)
    low = (1 - math.sqrt(1 - 0.8)) / 2
    assert t == pytest.approx(decoupled_time(problem, 0, math.log1p(-low)), rel=1e-12)


def test_first_passage_through_an_infinite_level(timeline):
    t = timeline.first_passage(lambda state: math.inf if state.t >= 123.456 else -math.inf, 0.0, 500.0)
    assert t == pytest.approx(123.456, rel=1e-15)


def test_first_passage_at_the_start_or_never(timeline):
    assert timeline.first_passage(lambda state: 0.0, 7.0, 9.0) == 7.0
    assert timeline.first_passage(lambda state: -1e-300, 7.0, 9.0) is None
    assert timeline.first_passage(lambda state: state.t - 9.0, 7.0, 9.0) == 9.0


def test_first_passage_is_that_of_the_growing_neuron_on_a_plateau():
    """ln|a| = −Λ + ln 5 + … passes −900 in the middle of a plateau, in closed form."""
    timeline = Timeline(simulate(small(1000.0)))
    t = timeline.first_passage(lambda state: float(state.log_norms[2]) + 900.0, 0.0, 500.0)
    state = timeline.trajectory.at(t)
    assert state.log_norms[2] == pytest.approx(-900.0, abs=1e-12 * 900)
    assert 150 < t < 220


@Batched
def speeds(states):
    """As :func:`speed`, at many times."""
    s = np.exp(2 * states.log_norms) / np.abs(states.problem.dataset.y)
    return s * (1 - s)


def test_largest_of_a_batched_measure_is_that_of_each_time(timeline):
    end = float(timeline.trajectory.t_end)
    for start, stop in ((0.0, end), (900.0, 1100.0), (12.5, 12.5)):
        one, many = (timeline.largest(measure, start, stop) for measure in (speed, speeds))
        assert many.value == pytest.approx(one.value, rel=1e-12)
        assert (many.member, many.t) == (one.member, pytest.approx(one.t, rel=1e-9))


def test_values_are_in_the_order_of_the_times(timeline):
    """At samples, beside them, and both; few or not."""
    samples = timeline.samples(0.0, 1100.0)
    for times in (samples[2:5], samples[1:4] + 0.1, np.sort(np.append(samples[::3], [1.0, 2.0, 900.1]))):
        expected = np.array([speed(timeline.state(t)) for t in times])
        for few in (False, True):
            np.testing.assert_allclose(timeline.values(speeds, times, few), expected, rtol=1e-12)
            np.testing.assert_allclose(Timeline(timeline.trajectory).values(speeds, times, few), expected, rtol=1e-12)


@pytest.mark.parametrize("log_gap", [-1e-6, -3.0, -60.0])
def test_passages_of_a_batched_level(problem, timeline, log_gap):
    level = Batched(lambda states: log_gap - states.log_residual[:, 0] + math.log(2))
    expected = decoupled_time(problem, 0, log_gap)
    assert timeline.first_passage(level, 0.0, 1100.0) == pytest.approx(expected, rel=1e-11)
    assert timeline.monotone_passage(level, 0.0, 1100.0) == pytest.approx(expected, rel=1e-11)
    single = timeline.monotone_passage(lambda s: log_gap - float(s.log_residual[0]) + math.log(2), 0.0, 1100.0)
    assert single == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("passage", ["first_passage", "monotone_passage"])
def test_batched_passages_at_the_start_or_never(timeline, passage):
    find = getattr(timeline, passage)
    assert find(Batched(lambda states: 0 * states.t), 7.0, 9.0) == 7.0
    assert find(Batched(lambda states: 0 * states.t - 1e-300), 7.0, 9.0) is None
    assert find(Batched(lambda states: states.t - 9.0), 7.0, 9.0) == 9.0


def test_monotone_passages_look_at_few_states(timeline):
    looked = []

    def level(states):
        looked.extend(states.t.tolist())
        return states.t - 1234.5

    end = float(timeline.trajectory.t_end)
    assert Timeline(timeline.trajectory).monotone_passage(Batched(level), 0.0, end) == pytest.approx(1234.5, rel=1e-14)
    assert len(looked) < len(timeline.samples(0.0, end)) / 3


def test_a_measure_of_single_states_marked_as_batched_is_refused(timeline):
    with pytest.raises(InvalidArgument, match="leave the mark Batched away"):
        timeline.largest(Batched(lambda state: speed(state)[:1]), 0.0, 1100.0)
    with pytest.raises(InvalidArgument, match=r"must be \(members,\)"):
        timeline.largest(Batched(lambda states: states.loss), 0.0, 1100.0)
    with pytest.raises(InvalidArgument, match=r"must be \(members,\)"):
        timeline.largest(lambda state: state.loss, 0.0, 1100.0)


def test_what_is_not_a_number_anywhere_has_no_largest_value(problem, timeline):
    """At a sample, and in between where a maximum is refined."""
    end = float(timeline.trajectory.t_end)
    half = decoupled_time(problem, 0, math.log(0.5))
    for low, high in ((500.0, end), (half - 1e-3, half + 1e-3)):
        hidden = Batched(
            lambda states, low=low, high=high: np.where(
                (states.t > low) & (states.t < high), math.nan, speeds(states)[:, 0]
            )[:, None]
        )
        assert math.isnan(timeline.largest(hidden, 0.0, end).value)
