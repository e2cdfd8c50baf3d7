"""Draw the problems of the baseline anew: python reports/baseline/draw.py, then verify guard --accept REASON.

Every combination of families at a small κ and where the lemmas should hold; the problems of the reference report,
the reference trajectories and the examples; and hard cases by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from verify import Dataset, Initialisation, Problem
from verify.baseline import Case, write_cases
from verify.families import DIRECTIONS, INPUTS, LABELS, draw_problem
from verify.regime import in_regime

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SMALL_KAPPA = (2.0, 60.0)


def families() -> Iterator[Case]:
    """Each combination of families twice; sizes go round."""
    for number, (inputs, labels, directions) in enumerate(product(INPUTS, LABELS, DIRECTIONS)):
        rng = np.random.default_rng([20220601, number])
        n, m = 2 + number % 3, 2 if directions == "heavy" else 2 + number % 7
        n = max(n, 3) if labels == "equal" else n
        names = {"inputs": inputs, "labels": labels, "directions": directions}
        problem = draw_problem(rng, **names, n=n, m=m, d=n + number % 2, kappa=SMALL_KAPPA)
        yield Case(problem, f"{inputs} / {labels} / {directions}, small κ")
        yield Case(in_regime(problem), f"{inputs} / {labels} / {directions}, in the regime")


def stored() -> Iterator[Case]:
    """Problems that are kept elsewhere, each for a reason."""
    for path in sorted((ROOT / "reports/reference/problems").glob("*.json")):
        yield Case(Problem.from_json(path), "reference report")
    for name in ("R1", "R2", "R3"):
        values = json.loads((ROOT / f"tests/data/{name}.json").read_text(encoding="utf-8"))
        yield Case(Problem.from_json(values["problem"]), f"reference trajectory {name}")
    yield Case(Problem.from_json(ROOT / "tests/data/wide-labels.json"), "a plateau of slow labels")
    for path in sorted((ROOT / "examples").glob("*.json")):
        yield Case(Problem.from_json(path), f"example {path.stem}")


def by_hand() -> Iterator[Case]:
    """One label, one sign, the other orientation, zeros, unbalanced starts, a huge Λ, an empty key set."""
    plane = [[1.25, -0.5], [0.5, 1.0], [-0.75, 0.5], [-1.0, -0.75]]
    signs = [1, -1, 1, -1]

    def start(scale: float, directions: list[list[float]] = plane, **others: list[float]) -> Initialisation:
        return Initialisation(directions, signs, scale, **others)

    two = Dataset.standard([1.0, -0.5])
    yield Case(Problem(Dataset.standard([1.5], d=2), start(2000)), "one label")
    yield Case(Problem(Dataset.standard([1.5, 0.5]), start(2000)), "labels of one sign")
    yield Case(Problem(Dataset.standard([0.5, -1.0]), start(20_000)), "the negative side is heavier")
    yield Case(Problem(two, start(1_000_000)), "Λ = 10^6")
    yield Case(Problem(two, start(5)), "Λ = 5, outside every regime")
    yield Case(Problem(two, start(20_000, output_scale=[2.0, 1.5, 1.0, 3.0])), "unbalanced start")
    yield Case(Problem(two, start(20_000, [[1.25, 0.0], *plane[1:]])), "a coordinate that is exactly zero")
    yield Case(Problem(two, start(20_000, [[-1.25, -0.5], [0.5, 1.0], [-0.75, 0.5], [-1.0, -0.75]])), "S₊₁ is empty")
    yield Case(Problem(Dataset.standard([1.0, -1.0 + 1e-9]), start(20_000)), "a near tie, by 10^-9")


def main() -> None:
    """Write problems.jsonl, each problem once."""
    cases = {case.problem.key: case for case in [*by_hand(), *stored(), *families()]}
    write_cases(HERE, list(cases.values()))
    print(f"{len(cases)} problems in {HERE}")


if __name__ == "__main__":
    main()
