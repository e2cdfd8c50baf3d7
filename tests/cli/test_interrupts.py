"""Ctrl-C is Ctrl-C wherever it is pressed."""

from __future__ import annotations

import os
import signal

import pytest

from verify.catalogue import Selection
from verify.cli.interrupts import as_interrupt
from verify.problem import Problem
from verify.search.evaluation import evaluate
from verify.studies.threshold import Study


def pressed(*_: object) -> None:
    """What a compiled loop raises when Ctrl-C is pressed inside it."""
    raise SystemError("returned a result with an exception set") from KeyboardInterrupt()


def test_a_polite_request_to_end_is_an_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt), as_interrupt():
        os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), as_interrupt():
        pressed()
    with pytest.raises(SystemError), as_interrupt():
        raise SystemError("something else")


def test_an_evaluation_does_not_swallow_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verify.search.evaluation.measured", pressed)
    problem: Problem = Study((2,), (2,), 1, 0).problem(2, 2, 0)
    with pytest.raises(KeyboardInterrupt):
        evaluate(problem.to_json(), Selection.parse("L3.time"), "L3.time", None, "draw")
