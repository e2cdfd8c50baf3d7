"""Lemma 3 on drawn problems: phase 2 ends in time, by fitting, with the key neurons aligned."""

from hypothesis import given

from properties.drawn import in_their_regime
from verify import check
from verify.strategies import problems


@given(problem=problems(kappa=(1, 2000)))
def test_phase_two(problem, margins):
    margins.assert_held(check(problem, ["L3.time", "L3.exit", "L3.align"]), problem)


@given(problem=in_their_regime())
def test_idle_neurons_and_loss(problem, margins):
    margins.assert_held(
        check(problem, ["L3.time", "L3.exit", "L3.align", "L3.idle", "L3.loss", "L3.loss.appendix"]), problem
    )
