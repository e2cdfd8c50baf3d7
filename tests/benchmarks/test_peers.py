"""This package beside scipy's DOP853 restarted at every deactivation: time and accuracy on problems with an answer."""

import numpy as np
import pytest

from tests.benchmarks.peers import PEERS, largest_error, states
from tests.benchmarks.table import Run, Table, median_seconds
from tests.problems import decoupled, decoupled_state, reference

ACCURACY = {"verify": 1e-11, "DOP853": 1e-9}
ROUNDS = {"R1": 7, "R2": 5, "decoupled": 7, "decoupled, smaller": 3}


def closed_form(minus_log_lambda):
    problem = decoupled(minus_log_lambda)
    times = np.linspace(0.0, 2.5 * minus_log_lambda, 16).tolist()
    return problem, times, [decoupled_state(problem, t) for t in times]


def with_reference(name):
    problem, expected, _ = reference(name)
    return problem, [state.t for state in expected], [(state.log_norms, state.residual) for state in expected]


TASKS = {
    "R1": lambda: with_reference("R1"),
    "R2": lambda: with_reference("R2"),
    "decoupled": lambda: closed_form(18.4),
    "decoupled, smaller": lambda: closed_form(230.0),
}


@pytest.mark.parametrize("peer", PEERS)
@pytest.mark.parametrize("name", TASKS)
def test_accuracy(name, peer):
    """Either is as accurate as it says; the answers have 35 digits or are closed forms."""
    problem, times, expected = TASKS[name]()
    assert largest_error(problem, states(peer, problem, times), expected) < ACCURACY[peer]


@pytest.mark.parametrize("name", TASKS)
def test_time_beside_the_peer(timed, table: Table, name):
    problem, times, expected = TASKS[name]()
    seconds = median_seconds({peer: lambda p=peer: states(p, problem, times) for peer in PEERS}, ROUNDS[name])
    answer = "35 digits" if name in ("R1", "R2") else "closed form"
    for peer in PEERS:
        error = largest_error(problem, states(peer, problem, times), expected)
        table.add(Run(f"{name}, Λ = {problem.initialisation.minus_log_lambda:g}", peer, seconds[peer], error, answer))
