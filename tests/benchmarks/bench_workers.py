"""How CP-SAT does with one worker, with several and interleaved: what the default rests on.

Run as ``python tests/benchmarks/bench_workers.py [--limit S] [--seeds N] [--processors K] [--cpmpy FOLDER]
[--out FILE]``. Models: each of the collection and of ``models/`` that is solved or optimised, large ones, a
roster, and the CPMpy programs of ``FOLDER``, as far as they import. Each setting gets ``--limit`` seconds by
the clock, all of ``solve`` included, once for each seed, in turns; a quiet machine is needed.
``--processors`` restricts the process to so many (Linux).

A row of the result is one setting: models that it ended (proved, or found where one solution is asked for),
models where nothing else was better, the mean time (twice the limit where it did not end), and the geometric
mean of its times over those of one worker. *Better* is to end where another does not, to have a better
objective where neither ends, or to end earlier by 20 % and 20 ms.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import runpy
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import large_models

sys.path.append(str(Path(__file__).parents[1]))

from collection.registry import INSTANCES

from cpqueens import CpqueensError, Model, Regular
from cpqueens.problems.catalog import load, names

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {"random_seed": None},
    "1 worker": {"num_workers": 1},
    "2 workers": {"num_workers": 2},
    "8 workers": {"num_workers": 8},
    "1, interleaved": {"num_workers": 1, "interleave_search": True},
    "2, interleaved": {"num_workers": 2, "interleave_search": True},
}
FACTOR, SLACK = 1.2, 0.02
"""What one must be earlier by to count as better: a factor and seconds."""


@dataclass(frozen=True)
class Row:
    """How one setting did on one model with one seed."""

    model: str
    setting: str
    seed: int
    seconds: float
    ended: bool
    value: int | None  # smaller is better
    bound: int | None


def roster() -> Model:
    """Five people, seven days, blocks of at most five days by an automaton, as few shifts as possible."""
    m = Model("roster")
    x = m.boolvar(shape=(5, 7), name="x")
    transitions = [(k, 1, k + 1) for k in range(5)] + [(k, 0, 0) for k in range(6)]
    m += [Regular(x[p], transitions, 0, list(range(6))) for p in range(5)]
    m.add(x.sum(axis=0) >= [2, 2, 3, 3, 3, 2, 2])
    m.minimize(x.sum())
    return m


def models() -> Iterator[tuple[str, Callable[[], Model]]]:
    """Yield what is measured, by name."""
    for name, instance in INSTANCES.items():
        if {"solve", "optimise"} & set(instance.questions):
            yield name, instance.build
    for name in names():
        yield f"models/{name}", lambda name=name: load(name).model  # type: ignore[misc]
    for shop in ("la16", "la20", "ft10"):
        yield shop, lambda shop=shop: large_models.shop(shop)  # type: ignore[misc]
    yield "queen graph 8", lambda: large_models.colouring(large_models.queen_graph(8), 12)
    yield "assignment 12", lambda: large_models.assignment(12)
    yield "tour of 30", lambda: large_models.tour(30)
    yield "cars 60", lambda: large_models.cars(60, 0)
    yield "roster", roster


def captured(path: Path) -> Model | None:
    """Return the first model that a CPMpy program solves, None if it cannot be imported."""
    import cpmpy

    class Captured(Exception):  # noqa: N818
        pass

    kept: list[Any] = []

    def keep(model: Any, *_: Any, **__: Any) -> None:
        kept.append(model)
        raise Captured

    before, folder = cpmpy.Model.solve, Path.cwd()
    cpmpy.Model.solve = cpmpy.Model.solveAll = keep
    try:
        os.chdir(path.parent)
        with redirect_stdout(StringIO()):
            runpy.run_path(str(path))
    except Captured:
        pass
    except Exception:
        return None
    finally:
        cpmpy.Model.solve = before
        os.chdir(folder)
    from cpqueens import from_cpmpy

    try:
        return from_cpmpy(kept[0]).model
    except (CpqueensError, IndexError):
        return None


def measured(name: str, model: Model, setting: str, seed: int, limit: float) -> Row:
    """Return how one setting does."""
    gc.collect()
    began = time.perf_counter()
    outcome = model.solve(solver="cpsat", time_limit=limit, **{"random_seed": seed, **SETTINGS[setting]})
    seconds = time.perf_counter() - began
    found = outcome.solution is not None
    ended = outcome.complete or (found and model.objective is None)
    sign = -1 if model.maximizing else 1
    value = None if outcome.objective is None else sign * outcome.objective
    bound = None if outcome.bound is None else sign * outcome.bound
    return Row(name, setting, seed, seconds, ended, value if found else None, bound)


def better(a: Row, b: Row, limit: float) -> bool:
    """Say whether one row is clearly better than another of the same model and seed."""
    if a.ended != b.ended:
        return a.ended
    if a.ended:
        return FACTOR * a.seconds + SLACK < b.seconds
    return a.value is not None and (b.value is None or a.value < b.value)


def summary(rows: list[Row], limit: float) -> None:
    """Print the table."""
    jobs: dict[tuple[str, int], dict[str, Row]] = {}
    for row in rows:
        jobs.setdefault((row.model, row.seed), {})[row.setting] = row
    jobs = {job: by for job, by in jobs.items() if len(by) == len(SETTINGS)}
    first = "1 worker"
    print(f"{len({model for model, _ in jobs})} models, {len(jobs)} jobs, {limit:g} s each")
    print(f"{'':16}{'ended':>8}{'unbeaten':>10}{'mean s':>9}{'over 1 worker':>15}{'better':>8}{'worse':>7}")
    for setting in SETTINGS:
        own = [by[setting] for by in jobs.values()]
        unbeaten = sum(
            not any(better(other, by[setting], limit) for other in by.values()) for by in jobs.values()
        )
        cost = statistics.fmean(row.seconds if row.ended else 2 * limit for row in own)
        ratio = statistics.geometric_mean(
            (row.seconds if row.ended else 2 * limit) / (by[first].seconds if by[first].ended else 2 * limit)
            for row, by in zip(own, jobs.values(), strict=True)
        )
        wins = sum(better(by[setting], by[first], limit) for by in jobs.values())
        losses = sum(better(by[first], by[setting], limit) for by in jobs.values())
        ended = sum(row.ended for row in own)
        print(f"{setting:<16}{ended:8}{unbeaten:10}{cost:9.3f}{ratio:15.2f}{wins:8}{losses:7}")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=float, default=5.0)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--processors", type=int, default=None)
    parser.add_argument("--cpmpy", type=Path, default=None)
    parser.add_argument("--only", default="")
    parser.add_argument("--out", type=Path, default=None)
    parser.add_argument("--read", type=Path, default=None)
    options = parser.parse_args()
    if options.read:
        lines = options.read.read_text(encoding="utf-8").splitlines()
        summary([Row(**json.loads(line)) for line in lines], options.limit)
        return 0
    if options.processors:
        os.sched_setaffinity(0, set(list(os.sched_getaffinity(0))[: options.processors]))
    found: list[tuple[str, Callable[[], Model | None]]] = list(models())
    if options.cpmpy:
        found += [(p.name, lambda p=p: captured(p)) for p in sorted(options.cpmpy.rglob("*.py"))]  # type: ignore[misc]
    for setting in SETTINGS:  # the library is loaded, and threads have been started
        measured("", roster(), setting, 0, 0.1)
    rows: list[Row] = []
    for name, build in found:
        model = build() if options.only in name else None
        if model is None:
            continue
        for seed in range(options.seeds):
            for setting in SETTINGS:
                row = measured(name, model, setting, seed, options.limit)
                rows.append(row)
                print(
                    f"{name:<44}{setting:<16}{seed:3}{row.seconds:9.3f} {row.ended} {row.value} {row.bound}",
                    flush=True,
                )
                if options.out:
                    with options.out.open("a", encoding="utf-8") as file:
                        print(json.dumps(asdict(row)), file=file)
    summary(rows, options.limit)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
