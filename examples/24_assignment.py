"""An assignment with preferences: students rank projects, and each project has a limited number of places.

python examples/24_assignment.py [students, 8 by default]

The preferences are a pandas DataFrame if pandas is installed, otherwise lists; the model is the same.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any

import numpy as np

from cpqueens import Groups, Model, cross_check, element

STUDENTS = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hana"]
PROJECTS = ["bridge", "app", "robot", "garden"]
RANKS = [
    *([1, 2, 3, 4], [1, 3, 2, 4], [1, 2, 4, 3], [2, 1, 3, 4]),
    *([1, 2, 3, 4], [3, 1, 2, 4], [1, 4, 2, 3], [2, 1, 4, 3]),
]
"""The rank that each student gives to each project: 1 is the first choice."""
PLACES = [2, 2, 2, 3]


def preferences(students: int) -> Any:
    """Return the ranks, with a row for each student and a column for each project."""
    if not find_spec("pandas"):
        return RANKS[:students]
    import pandas as pd

    return pd.DataFrame(RANKS[:students], index=STUDENTS[:students], columns=PROJECTS)


def assignment(students: int = 8) -> Model:
    """Return the assignment: the worst rank is as good as possible, then the sum of all ranks."""
    ranks = np.asarray(preferences(students))
    m = Model("projects", view=Groups("project"))
    project = m.intvar(0, len(PROJECTS) - 1, shape=students, name="project")
    for k, places in enumerate(PLACES):
        m.add((project == k).sum() <= places, name=f"places in {PROJECTS[k]}")
    rank = [element(ranks[k], project[k]) for k in range(students)]
    worst = m.intvar(1, len(PROJECTS), name="worst")
    m.add(worst >= rank)
    m.minimize(worst, sum(rank))
    return m


def main(students: int = 8) -> int:
    """Solve it, print the assignment, and compare three solvers."""
    outcome = assignment(students).solve(solver="cpsat", time_limit=20)
    worst, total = outcome.objectives
    print(f"{outcome.status}: nobody gets a choice worse than number {worst}, the ranks add up to {total}\n")
    for name, k in zip(STUDENTS, outcome["project"], strict=False):
        print(f"{name:5} {PROJECTS[k]}")

    report = cross_check(assignment(min(students, 6)), ["cpsat", "backtracking"], time_limit=5)
    print(f"\n{report}")
    return report.exit_code


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
