"""A heuristic proposes, CP-SAT proves: Golomb rulers, peaceable armies of queens, and a large board.

python examples/14_hand_over.py [marks of the ruler, 7 by default]
"""

from __future__ import annotations

import sys
import time

from cpqueens.models.golomb_ruler import golomb_ruler
from cpqueens.models.peaceable_queens import peaceable_queens
from cpqueens.models.queens import queens

from cpqueens import Model


def show(title: str, model: Model, solver: str, **options: float) -> None:
    """Solve once and print which solver found and which proved the answer."""
    start = time.monotonic()
    outcome = model.solve(solver=solver, time_limit=60, random_seed=1, **options)
    compiling = outcome.statistics["compile_time"]
    seconds = time.monotonic() - start - compiling
    value = "" if outcome.objective is None else f" {outcome.objective}"
    print(
        f"{title:28} {solver:24} {outcome.status}{value} in {seconds:.2f} s (compilation {compiling:.1f} s)"
    )
    for message in outcome.messages:
        print(f"{'':28} {message}")


def main(marks: int = 7) -> None:
    """Compare CP-SAT alone with the hand-over."""
    for title, model in (
        (f"Golomb ruler, {marks} marks", golomb_ruler(marks)),
        ("peaceable armies on 5 x 5", peaceable_queens(5)),
    ):
        show(title, model, "cpsat")
        show(title, model, "local-search:tabu+cpsat")
    show("1000 queens", queens(1000), "local-search+cpsat")
    show("3 queens", queens(3), "local-search+cpsat", step_limit=1000)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
