"""Which solver likes which problem: the default instance of each, solved and counted by every solver.

Run as ``python tests/benchmarks/bench_likes.py [--only NAME ...] [--out docs/files/likes.json]``; with
``--only`` the other problems of the file stay as they are. The questions are one solution, or the best one
and its proof, and, where there is no objective, how many there are. Each run builds its model; what is told
is the median of three turns, in processor seconds with children, of solvers that take turns. What its limit
ended, or what gave up, is not repeated: of it there is the time that it had taken, and the best value that it
had found. Solvers that answer must agree.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import pkgutil
import statistics
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cpqueens.models
from race import WrongResult, used

from cpqueens import IncompleteCount, Model, UnsupportedConstraint, UnsupportedRequest

SOLVERS = ("auto", "backtracking", "cpsat", "python-constraint", "local-search", "las-vegas")
TURNS = 3
LIBRARIES = ("ortools", "python-constraint2")


@dataclass(frozen=True)
class Run:
    """How a solver did: processor seconds, whether it answered, what ended it, and the answer.

    That is a count, the value of an objective, or 1 for a solution and 0 for the proof that there is none.
    """

    seconds: float
    answered: bool
    ended: str
    value: int | None = None


def problems() -> Iterator[tuple[str, Callable[[], Model]]]:
    """Yield every problem of the library, by its name."""
    for module in pkgutil.iter_modules(cpqueens.models.__path__):
        yield module.name, getattr(importlib.import_module(f"cpqueens.models.{module.name}"), module.name)


def solve(build: Callable[[], Model], solver: str, seconds: float) -> Run | None:
    """Find one solution, or the best one and prove it; None if the solver does not take the model."""
    start = used()
    model = build()
    try:
        found = model.solve(solver=solver, time_limit=seconds, random_seed=1)
    except (UnsupportedConstraint, UnsupportedRequest):
        return None
    if model.objective is not None:
        return Run(used() - start, found.complete, found.stop_reason, found.objective)
    some = found.solution is not None
    return Run(used() - start, some or found.complete, found.stop_reason, int(some))


def count(build: Callable[[], Model], solver: str, seconds: float) -> Run | None:
    """Count all solutions; None if the solver does not count, or does not take the model."""
    start = used()
    try:
        found = build().count(solver=solver, time_limit=seconds)
    except IncompleteCount:
        return Run(used() - start, False, "time_limit")
    except (UnsupportedConstraint, UnsupportedRequest):
        return None
    return Run(used() - start, True, "exhausted", found)


ASK = {"solve": solve, "count": count}


def measured(build: Callable[[], Model], question: str, seconds: float) -> dict[str, Run]:
    """Return how every solver did that takes the question, in turns.

    Raises
    ------
    WrongResult
        If two answers differ.
    """
    ask = ASK[question]
    first = {solver: ask(build, solver, seconds) for solver in SOLVERS}  # unmeasured where it is repeated
    runs = {solver: run for solver, run in first.items() if run is not None}
    answers = {run.value for run in runs.values() if run.answered}
    if len(answers) > 1:
        raise WrongResult(f"different answers: {runs}")
    times: dict[str, list[float]] = {solver: [] for solver, run in runs.items() if run.answered}
    for _ in range(TURNS):
        for solver, listed in times.items():
            again = ask(build, solver, seconds)
            assert again is not None
            listed.append(again.seconds)
    return {
        solver: replace(run, seconds=statistics.median(times[solver])) if run.answered else run
        for solver, run in runs.items()
    }


def told(build: Callable[[], Model], seconds: float) -> dict[str, dict[str, Any]]:
    """Return what is told of a problem: by question, by solver."""
    questions = ("solve",) if build().objective is not None else ("solve", "count")
    return {
        question: {
            solver: {**asdict(run), "seconds": round(run.seconds, 4)}
            for solver, run in measured(build, question, seconds).items()
        }
        for question in questions
    }


def main() -> None:
    """Print how everyone did, and write it."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--only", nargs="+", metavar="NAME", help="these problems")
    options.add_argument("--seconds", type=float, default=10.0, help="wall time of a run")
    options.add_argument("--out", type=Path, metavar="FILE.json")
    given = options.parse_args()
    known = dict(problems())
    wrong = set(given.only or ()) - set(known)
    if wrong:
        options.error(f"no problem {', '.join(sorted(wrong))}")
    found: dict[str, Any] = {}
    if given.only and given.out and given.out.exists():
        found = json.loads(given.out.read_text(encoding="utf-8"))["problems"]
    for name in given.only or known:
        found[name] = told(known[name], given.seconds)
        print(name, json.dumps(found[name]), flush=True)
    if given.out:
        head = {
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "versions": {library: version(library) for library in LIBRARIES},
        }
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
        given.out.write_text(f'{json.dumps(head)[:-1]}, "problems": {{\n{rows}\n}}}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
