"""Lemma 1 on drawn problems, balanced and not."""

from hypothesis import given
from hypothesis import strategies as st

from verify import Initialisation, Problem, check
from verify.strategies import problems


@given(problem=problems(kappa=(1, 2000)))
def test_balanced(problem, margins):
    margins.assert_held(check(problem, ["L1.conserved", "L1.sign"]), problem)


@given(problem=problems(n=(1, 3), m=(2, 4), kappa=(1, 40), sign_case="any"), data=st.data())
def test_unbalanced(problem, margins, data):
    start = problem.initialisation
    share = st.integers(2, 24).map(lambda k: k / 8)
    shares = data.draw(st.lists(share, min_size=start.m, max_size=start.m), "output scale over norm")
    scale = [round(float(norm) * share, 6) for norm, share in zip(start.norms, shares, strict=True)]
    unbalanced = Initialisation(start.exact_directions, start.exact_signs, start.exact_minus_log_lambda, scale)
    other = Problem(problem.dataset, unbalanced, problem.exact_epsilon)
    margins.assert_held(check(other, ["L1.conserved", "L1.sign"]), other)
