"""How many processes are worth starting."""

from __future__ import annotations

import os

PROBLEMS_WORTH_A_PROCESS = 4


def default_jobs(problems: int) -> int:
    """One process a processor, but none that would start for fewer than four problems."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(processors, problems // PROBLEMS_WORTH_A_PROCESS))
