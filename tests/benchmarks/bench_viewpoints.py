"""Which solver likes which viewpoint: the same problem in other variables, solved and counted.

Run as ``python tests/benchmarks/bench_viewpoints.py [--seconds 2] [--out docs/files/viewpoints.txt]``. Each
job is done once unmeasured, so that kernels are loaded, and then three times in turns with its other
viewpoints; the table has the median of the processor seconds, children included, of a run that its limit
ended what it had taken, and of a heuristic that ended by itself that it proves no optimum. Counts must agree.
"""

from __future__ import annotations

import argparse
import datetime
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from cpqueens.models.sudoku import ROYLE
from race import used

from cpqueens import IncompleteCount, UnsupportedConstraint, UnsupportedRequest
from cpqueens.problems import catalog

Verb = Literal["count", "solve"]

JOBS: tuple[tuple[str, Verb, dict[str, Any]], ...] = (
    ("all_interval", "count", {"n": 8}),
    ("all_interval", "solve", {"n": 12}),
    ("bin_packing", "solve", {}),
    ("car_sequencing", "count", {}),
    ("costas_array", "count", {"n": 7}),
    ("costas_array", "solve", {"n": 10}),
    ("golomb_ruler", "solve", {"marks": 6}),
    ("graph_colouring", "count", {}),
    ("graph_colouring", "solve", {"graph": "queens", "size": 5, "colours": 5}),
    ("job_shop", "solve", {}),
    ("knights_tour", "count", {"rows": 3, "columns": 4, "closed": False}),
    ("knights_tour", "solve", {"rows": 6, "columns": 6}),
    ("langford", "count", {"n": 8}),
    ("langford", "solve", {"n": 16}),
    ("latin_queens", "solve", {"n": 7}),
    ("latin_square", "count", {"n": 4}),
    ("latin_square", "solve", {"n": 12}),
    ("magic_square", "count", {"n": 3}),
    ("magic_square", "solve", {"n": 4}),
    ("nonogram", "count", {}),
    ("project_scheduling", "solve", {}),
    ("quasigroup_completion", "solve", {"n": 12, "holes": 60}),
    ("queens", "count", {"n": 8}),
    ("queens", "solve", {"n": 24}),
    ("social_golfers", "solve", {"groups": 3, "size": 3, "weeks": 3}),
    ("star_battle", "count", {}),
    ("sudoku", "count", {}),
    ("sudoku", "solve", {"clues": ROYLE[0]}),
    ("travelling_salesman", "solve", {"cities": 8}),
)
SOLVERS = ("backtracking", "backtracking:forward", "cpsat", "python-constraint", "local-search")
TURNS = 3


def viewpoints(name: str) -> tuple[str, ...]:
    """Return the viewpoints of a problem, as its parameter lists them."""
    return tuple(catalog.find(name).parameters[catalog.VIEWPOINT].choices)


def done(
    name: str, verb: Verb, solver: str, given: dict[str, Any], seconds: float
) -> tuple[float, int | None]:
    """Return processor seconds and the count, the proved optimum, or 1 for a solution; None if ended."""
    start = used()
    model = catalog.find(name).instance(**given).model
    try:
        if verb == "count":
            found = model.count(solver=solver, time_limit=seconds)
        else:
            outcome = model.solve(solver=solver, time_limit=seconds, random_seed=1)
            found = int(outcome.solution is not None) or None
            if model.objective is not None:
                found = outcome.objective if outcome.complete else None
    except IncompleteCount:
        found = None
    except (UnsupportedConstraint, UnsupportedRequest):
        return -1.0, None  # a solver that cannot count, or a strategy that does not fit the model
    return used() - start, found


def cells(name: str, verb: Verb, given: dict[str, Any], solver: str, seconds: float) -> Iterator[str]:
    """Yield for each viewpoint its median, a dash where a solver does not do this, or the limit."""
    chosen = [{**given, catalog.VIEWPOINT: viewpoint} for viewpoint in viewpoints(name)]
    first = [done(name, verb, solver, one, seconds) for one in chosen]
    known = {found for _, found in first if found is not None}
    assert len(known) <= 1, (name, solver, first)
    turns: list[list[float]] = [[] for _ in chosen]
    for _ in range(TURNS):
        for one, (_, found), times in zip(chosen, first, turns, strict=True):
            times += [] if found is None else [done(name, verb, solver, one, seconds)[0]]
    for (spent, found), times in zip(first, turns, strict=True):
        ended = "-" if spent < 0 else "no proof" if spent < seconds / 2 else f"> {spent:.1f}"
        yield ended if found is None else f"{statistics.median(times):.3f}"


def rows(seconds: float) -> Iterator[list[str]]:
    """Yield a row for each job and solver, and its viewpoints as a heading of their own."""
    assert {name for name, _, _ in JOBS} == {
        name for name in catalog.names() if catalog.VIEWPOINT in catalog.find(name).parameters
    }
    for name, verb, given in JOBS:
        what = " ".join([verb, name, *(f"{k}={v}" for k, v in given.items())])
        yield [f"**{what[:60].strip()}**", *(f"*{viewpoint}*" for viewpoint in viewpoints(name))]
        for solver in SOLVERS:
            row = list(cells(name, verb, given, solver, seconds))
            if set(row) != {"-"}:
                yield [f"`{solver}`", *row]


def table(seconds: float) -> str:
    """Return the table in Markdown, with its date."""
    lines = [[*row, *[""] * (4 - len(row))] for row in rows(seconds)]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    return f"| {day}, processor seconds | | | |\n|---|---|---|---|\n{body}\n"


def main() -> None:
    """Print the table, or write it."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=2.0, help="wall time of a run")
    options.add_argument("--out", type=Path)
    given = options.parse_args()
    text = table(given.seconds)
    print(text)
    if given.out:
        given.out.write_text(text)


if __name__ == "__main__":
    main()
