"""Which solver likes which viewpoint: the same problem in other variables, solved and counted.

Run as ``python tests/benchmarks/bench_viewpoints.py [--seconds 10] [--out docs/files/viewpoints.txt]``. Each
job is done once unmeasured, so that kernels are loaded, and then three times in turns with its other
viewpoints; the table has the median of the processor seconds, children included, and of a run that its limit
ended what it had taken. Counts must agree.
"""

from __future__ import annotations

import argparse
import datetime
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from cpqueens.models.langford import langford
from cpqueens.models.latin_square import latin_square
from cpqueens.models.queens import queens
from race import used

from cpqueens import IncompleteCount, Model, UnsupportedConstraint, UnsupportedRequest

Verb = Literal["count", "solve"]

JOBS: tuple[tuple[str, Verb, dict[str, Any]], ...] = (
    ("langford", "count", {"n": 8}),
    ("langford", "solve", {"n": 16}),
    ("latin_square", "count", {"n": 4}),
    ("latin_square", "solve", {"n": 12}),
    ("queens", "count", {"n": 8}),
    ("queens", "solve", {"n": 24}),
)
PROBLEMS: dict[str, Callable[..., Model]] = {
    "langford": langford,
    "latin_square": latin_square,
    "queens": queens,
}
SOLVERS = ("backtracking", "backtracking:forward", "cpsat", "python-constraint", "local-search")
TURNS = 3


def viewpoints(name: str) -> tuple[str, ...]:
    """Return the viewpoints of a problem, as its parameter lists them."""
    return get_args(get_type_hints(PROBLEMS[name])["viewpoint"])


def done(
    name: str, verb: Verb, solver: str, given: dict[str, Any], seconds: float
) -> tuple[float, int | None]:
    """Return processor seconds and what was counted, or 1 for a solution; None if the limit ended it."""
    start = used()
    model = PROBLEMS[name](**given)
    try:
        if verb == "count":
            found = model.count(solver=solver, time_limit=seconds)
        else:
            found = 1 if model.solve(solver=solver, time_limit=seconds, random_seed=1).solution else None
    except IncompleteCount:
        found = None
    except (UnsupportedConstraint, UnsupportedRequest):
        return -1.0, None  # a solver that cannot count, or a strategy that does not fit the model
    return used() - start, found


def cells(name: str, verb: Verb, given: dict[str, Any], solver: str, seconds: float) -> Iterator[str]:
    """Yield for each viewpoint its median, a dash where a solver does not do this, or the limit."""
    chosen = [{**given, "viewpoint": viewpoint} for viewpoint in viewpoints(name)]
    first = [done(name, verb, solver, one, seconds) for one in chosen]
    known = {found for _, found in first if found is not None}
    assert len(known) <= 1, (name, solver, first)
    turns: list[list[float]] = [[] for _ in chosen]
    for _ in range(TURNS):
        for one, (_, found), times in zip(chosen, first, turns, strict=True):
            times += [] if found is None else [done(name, verb, solver, one, seconds)[0]]
    for (spent, found), times in zip(first, turns, strict=True):
        ended = "-" if spent < 0 else f"> {spent:.1f}"
        yield ended if found is None else f"{statistics.median(times):.3f}"


def rows(seconds: float) -> Iterator[list[str]]:
    """Yield a row for each job and solver, and its viewpoints as a heading of their own."""
    for name, verb, given in JOBS:
        what = f"{verb} {name} {' '.join(f'{k}={v}' for k, v in given.items())}"
        yield [f"**{what}**", *(f"*{viewpoint}*" for viewpoint in viewpoints(name))]
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
    options.add_argument("--seconds", type=float, default=10.0, help="wall time of a run")
    options.add_argument("--out", type=Path)
    given = options.parse_args()
    text = table(given.seconds)
    print(text)
    if given.out:
        given.out.write_text(text)


if __name__ == "__main__":
    main()
