"""Local maxima between samples: smooth ones, jumps, ends of the stretch, and what is not a number."""

import math

import numpy as np
import pytest

from verify.humps import Humps, highest, humps_of

TIMES = np.linspace(0.0, 10.0, 21)


def found(functions, noise=0.0, times=TIMES):
    """Value, time and member of the largest maximum of some functions of time, and how often they were looked at."""
    looks = []

    def look(t):
        looks.append(len(t))
        return np.stack([np.vectorize(f, otypes=[float])(t) for f in functions], axis=1)

    values = look(times)
    best = float(values.max())
    humps = humps_of(values, times, best, noise)
    return (highest(look, humps, best, noise), looks[1:]) if len(humps.member) else ((best, None, None), [])


def test_the_top_of_a_parabola_is_found_in_one_look():
    (value, t, member), looks = found([lambda t: -((t - math.pi) ** 2)])
    assert (value, t, member) == (pytest.approx(0.0, abs=1e-12), pytest.approx(math.pi, abs=1e-6), 0)
    assert len(looks) <= 2


@pytest.mark.parametrize("top", [0.3, 3.3333, 9.99])
def test_smooth_tops_are_found_to_rounding(top):
    """Asymmetric about the top: t e^−t in other units."""
    (value, t, member), looks = found([lambda t: -1.0, lambda t: t / top * math.exp(1 - t / top)])
    assert value == pytest.approx(1.0, abs=1e-13)
    assert (t, member) == (pytest.approx(top, rel=1e-5), 1)
    assert len(looks) <= 6


def test_the_highest_of_many_is_found_though_it_is_not_the_highest_sample():
    """A narrow top between samples beside a broad one at a sample."""
    narrow, broad = (lambda t: 1 - abs(t - 5.2) ** 1.5), (lambda t: 0.9 - 0.01 * (t - 2.0) ** 2)
    (value, t, member), _ = found([broad, narrow])
    assert (member, t) == (1, pytest.approx(5.2, abs=1e-5))
    assert value == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("rising", [True, False])
def test_the_limit_at_a_jump_is_found_to_rounding(rising):
    """exp up to the sample 5, and nothing (or less) from there on; or the other way about."""
    for rest in (-np.inf, -1.0):
        after = lambda t, rest=rest: math.exp(t / 5 - 1) if t < 5 else rest  # noqa: E731
        before = lambda t, rest=rest: math.exp(1 - t / 5) if t > 5 else rest  # noqa: E731
        (value, t, _), looks = found([after if rising else before])
        assert value == pytest.approx(1.0, abs=1e-14)
        assert t == pytest.approx(5.0, abs=1e-13)
        assert len(looks) < 10


def test_a_jump_between_samples_is_located_as_finely_as_asked():
    (value, _, _), _ = found([lambda t: t if t < 5.7 else 0.0])
    assert 5.7 - 2e-6 <= value < 5.7


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_end_towards_which_the_values_rise_is_not_looked_at(sign):
    times = np.unique([*TIMES, 5e-4, 10 - 5e-4])
    for shape in (lambda t: sign * t, lambda t: math.exp(sign * t), lambda t: sign * t - 0.01 * t * t):
        values = np.vectorize(shape)(times)[:, None]
        assert not len(humps_of(values, times, float(values.max()), 0.0).member)


@pytest.mark.parametrize("beside", [1e-3, 0.1, 0.5])
@pytest.mark.parametrize("share", [0.02, 0.2, 0.45])
def test_a_top_between_the_end_and_its_neighbour_is_found(beside, share):
    """However near the sample beside the end is, and however near the top is to the end; at either end."""
    times = np.unique([*TIMES, beside, 10 - beside])
    for top in (share * beside, 10 - share * beside):
        (value, t, _), _ = found([lambda t, top=top: -((t - top) ** 2) - 0.01 * (t - top) ** 3], times=times)
        assert value == pytest.approx(0.0, abs=1e-10)
        assert t == pytest.approx(top, abs=1e-5)


def test_what_is_not_a_number_is_no_maximum():
    (value, t, member), _ = found([lambda t: math.nan if 4.9 < t < 5.0 else 1 - abs(t - 5.0)])
    assert math.isnan(value) and 4.9 < t < 5.0 and member == 0


def test_rises_below_the_noise_are_left_alone():
    wave = [lambda t: 1e-3 * math.cos(20 * t)]
    assert found(wave, noise=1e-2)[1] == []
    assert found(wave, noise=1e-5)[1] != []


def test_noise_says_how_finely_a_top_is_located():
    top = [lambda t: -((t - 3.21) ** 2) - (t - 3.21) ** 3 / 4]
    coarse, fine = (found(top, noise=noise)[0] for noise in (1e-4, 0.0))
    assert -1e-4 <= coarse[0] <= 0
    assert fine[0] == pytest.approx(0.0, abs=1e-12)


def test_humps_that_cannot_come_up_to_the_best_are_no_candidates():
    values = np.array([[0.0, 10.0], [1.0, 9.0], [0.5, 0.0], [0.0, 0.0]])
    humps = humps_of(values, np.arange(4.0), 10.0, 0.0)
    assert humps.member.tolist() == [1]
    assert humps.times.tolist() == [[0.0, 0.0, 1.0]]
    assert humps.limit.tolist() == [11.0]


def test_vertex_and_limit_of_a_parabola():
    """−(t − 0.4)² + 2 through −1, 0, 2: the vertex as it is, the limit four times as far above the sample."""
    times = np.array([[-1.0, 0.0, 2.0]])
    values = 2 - (times - 0.4) ** 2
    humps = Humps(times, values, np.zeros(1, dtype=np.int64), np.ones(1))
    assert humps.vertex.tolist() == pytest.approx([0.4])
    assert humps.limit.tolist() == pytest.approx([values[0, 1] + 4 * 0.16])
    assert np.isnan(Humps(times, -values, humps.member, humps.resolution).vertex).all()


@pytest.mark.parametrize("side", [1, -1])
def test_rounding_beside_a_sample_does_not_hide_the_maximum_on_its_other_side(side):
    """The sample is the highest of three; a few units in its last place away from the top the value is a little higher.

    The parabola through the samples has its vertex far from the top, so that no other point is near enough to see it.
    """
    centre = side * -44.25

    def look(times):
        values = -1 - np.log1p(((times - 5e4 - centre) / 50) ** 2)
        return (values + np.where(side * (times - 5e4) > 0, 1e-11, 0.0))[:, None]

    times = np.sort(5e4 + side * np.array([-20405.0, 0.0, 66.0]))
    values = look(times)
    best = float(values.max())
    value, t, member = highest(look, humps_of(values, times, best, 0.0), best, 0.0)
    assert (value, member) == (pytest.approx(-1.0, abs=1e-6), 0)
    assert t == pytest.approx(5e4 + centre, abs=0.1)
