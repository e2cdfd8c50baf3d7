"""Gradient descent at the size of Appendix A.2, beside NumPy in the weights, and PyTorch where it is installed."""

import importlib.util
from functools import partial

import numpy as np

from tests.benchmarks.table import Run, Table
from tests.benchmarks.test_programs import measured
from verify.experiments.descent import descend
from verify.experiments.student import TIME
from verify.experiments.teacher import draw
from verify.network import Network
from verify.notation import FloatArray

COUNT = 300


def own(grown: Network) -> FloatArray:
    return descend(draw(0)[0], grown, TIME, COUNT).after(COUNT).a


def in_weights(grown: Network) -> FloatArray:
    data, a, w = draw(0)[0], grown.a, grown.w
    for _ in range(COUNT):
        p = w @ data.x.T
        hidden = np.maximum(p, 0)
        pull = TIME / data.n * (p > 0) * (data.y - a @ hidden)
        a, w = a + (pull * hidden).sum(axis=1), w + a[:, None] * (pull @ data.x)
    return a


def in_torch(grown: Network) -> FloatArray:
    import torch

    torch.set_num_threads(1)
    data = draw(0)[0]
    x, y = torch.from_numpy(data.x), torch.from_numpy(data.y)
    a, w = (torch.tensor(part, requires_grad=True) for part in (grown.a, grown.w))
    optimiser = torch.optim.SGD([a, w], lr=TIME)
    for _ in range(COUNT):
        optimiser.zero_grad()
        (((torch.relu(x @ w.T) @ a - y) ** 2).sum() / (2 * data.n)).backward()
        optimiser.step()
    return a.detach().numpy()


def test_no_slower_than_the_alternatives(timed: None, table: Table) -> None:
    """From a start of size 0.1, where outputs move: the same weights, in less time."""
    start = draw(0)[1]
    size = 0.1 / np.abs(start.a).max()
    grown = Network(size * start.a, size * start.w)
    programs = {"verify": own, "NumPy": in_weights} | (
        {"PyTorch": in_torch} if importlib.util.find_spec("torch") else {}
    )
    own(grown)
    seconds, answers = measured({name: partial(program, grown) for name, program in programs.items()}, 3)
    for name, answer in answers.items():
        error = float(np.abs(answer / answers["NumPy"] - 1).max())
        table.add(
            Run(f"Appendix A.2, {COUNT} iterations of descent", name, seconds[name], error, "difference from NumPy")
        )
        assert error < 1e-9 and seconds["verify"] <= seconds[name]
