"""Gradient descent in PyTorch, on one thread, with the gradient written out: autograd takes ten times as long."""

from __future__ import annotations

import numpy as np
import pytest

from tests.benchmarks.descent import STEP, start_of
from verify.notation import FloatArray
from verify.problem import Problem


def descent(problem: Problem, end: float) -> tuple[FloatArray, FloatArray]:
    """ln|a_j| (m,) and residual (n,) after ``end``/``STEP`` steps on the loss 1/(2n) Σ r², in the weights (a, W)."""
    torch = pytest.importorskip("torch", reason="needs PyTorch: pip install '.[torch]'")
    torch.set_num_threads(1)
    a, w, x, y = (torch.tensor(part) for part in start_of(problem))
    inputs, step = x.T.contiguous(), STEP / len(y)
    with torch.inference_mode():
        for _ in range(round(end / STEP)):
            p = w @ inputs
            hidden = torch.relu(p)
            push = (y - a @ hidden).mul_(step)
            pull = torch.outer(a, push).mul_(p > 0)
            a.addmv_(hidden, push)
            w.addmm_(pull, x)
        residual = y - a @ torch.relu(w @ inputs)
    return np.log(np.abs(a.numpy())), residual.numpy()
