"""Float64 against many digits: states within the error estimate, and the same verdicts."""

import mpmath
import numpy as np
from hypothesis import given

from properties.drawn import SWEEPS
from verify import check, simulate
from verify.strategies import problems

DIGITS = 25
EXACT = problems(n=(1, 3), m=(2, 4), kappa=(1.0, 300.0), input_families=("standard", "rational"))


@SWEEPS
@given(problem=EXACT)
def test_float64_is_within_its_error_estimate(problem):
    floats, digits = simulate(problem), simulate(problem, digits=DIGITS)
    end = 0.999 * min(float(floats.t_end), float(digits.t_end))
    y = np.abs(problem.dataset.y)
    for t in np.linspace(0.0, end, 7):
        state, exact = floats.at(float(t)), digits.at(float(t))
        apart = np.abs(state.log_norms - exact.log_norms.astype(float))
        assert (apart <= floats.error + 1e-15 * np.abs(state.log_norms)).all()
        assert (np.abs(state.directions - exact.directions.astype(float)) <= floats.error).all()
        assert (np.abs(state.residual - exact.residual.astype(float)) <= floats.error * y).all()
    pairs = [trajectory.deactivations[["neuron", "label"]].to_numpy() for trajectory in (floats, digits)]
    assert sorted(map(tuple, pairs[0])) == sorted(map(tuple, pairs[1]))
    with mpmath.workdps(DIGITS):
        assert digits.error < mpmath.mpf(10) ** (5 - DIGITS)


@SWEEPS
@given(problem=EXACT)
def test_verdicts_do_not_depend_on_the_arithmetic(problem):
    claims = ["L1.conserved", "L6.frozen", "L2.norm", "L3.time", "L3.loss", "P1.sign", "L9.lower+"]
    floats, digits = (check(problem, claims, digits=digits) for digits in (None, DIGITS))
    decided = floats["verdict"] != "UNRESOLVED"
    assert (floats["verdict"] == digits["verdict"])[decided].all()
    bar = floats["uncertainty"] + digits["uncertainty"]
    same = (floats["margin"] - digits["margin"]).abs() <= bar
    assert (same | ~np.isfinite(floats["margin"])).all()
