"""Many problems checked one by one, in this process or in several."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from verify.cli.options import claims_of
from verify.errors import PrecisionExhausted, SimulationFailed

if TYPE_CHECKING:
    import pandas as pd

    from verify.claim import Claim
    from verify.problem import Problem

PROBLEMS_WORTH_A_PROCESS = 4


def default_jobs(problems: int) -> int:
    """One process a processor, but none that would start for fewer than four problems."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(processors, problems // PROBLEMS_WORTH_A_PROCESS))


def check_all(
    problems: Sequence[Problem], claims: str | None, digits: int | str, jobs: int
) -> Iterator[tuple[int, pd.DataFrame]]:
    """Index and rows of every problem, as they are finished; `claims` is the text of --claims.

    Raises SimulationFailed when a process dies. Closing the iterator ends the processes.
    """
    if jobs > 1:
        yield from _in_processes(problems, claims, digits, jobs)
        return
    chosen = claims_of(claims)
    for index, problem in enumerate(problems):
        yield index, check_or_say_why(problem, chosen, digits)


def _in_processes(
    problems: Sequence[Problem], claims: str | None, digits: int | str, jobs: int
) -> Iterator[tuple[int, pd.DataFrame]]:
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_leave_interrupts_to_the_parent)
    try:
        tasks = {pool.submit(_check_json, p.to_json(), claims, digits): index for index, p in enumerate(problems)}
        for task in as_completed(tasks):
            yield tasks[task], task.result()
    except BrokenProcessPool as error:
        raise SimulationFailed(f"a worker process died: {error}") from error
    finally:
        processes = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _check_json(values: dict[str, Any], claims: str | None, digits: int | str) -> pd.DataFrame:
    from verify.problem import Problem

    return check_or_say_why(Problem.from_json(values), claims_of(claims), digits)


def check_or_say_why(problem: Problem, claims: list[Claim] | None, digits: int | str) -> pd.DataFrame:
    """The rows of a check; when the simulation cannot finish, every claim is UNRESOLVED and the reason says why.

    Raises PrecisionExhausted when digits were asked for that are not there.
    """
    from verify.check import check, select

    try:
        return check(problem, claims, digits)
    except (SimulationFailed, PrecisionExhausted) as error:
        if isinstance(error, PrecisionExhausted) and digits != "auto":
            raise
        return unresolved_rows(problem.key, select(claims), f"{type(error).__name__}: {error}")


def unresolved_rows(key: str, claims: Sequence[Claim], reason: str) -> pd.DataFrame:
    """One UNRESOLVED row a claim, without a margin."""
    import pandas as pd

    from verify.report.tables import ROW_COLUMNS

    rows: list[dict[str, Any]] = [
        dict.fromkeys(ROW_COLUMNS, float("nan"))
        | {"problem": key, "claim": claim.id, "source": claim.source, "tag": claim.tag, "verdict": "UNRESOLVED"}
        | {"scale": "", "neuron": pd.NA, "label": pd.NA, "digits": 16, "reason": reason}
        for claim in claims
    ]
    return pd.DataFrame(rows, columns=list(ROW_COLUMNS)).astype({"neuron": "Int64", "label": "Int64"})
