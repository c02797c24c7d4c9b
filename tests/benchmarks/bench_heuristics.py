"""Local search on large and on hard models, beside CP-SAT, CP-SAT's own local search, and a greedy.

Run as ``python tests/benchmarks/bench_heuristics.py [--only TEXT] [--seconds 5] [--seeds 20]``. The parties
take turns, each run on a model built anew, with one worker and the seconds of the clock that it is given. A
cell says how many runs found a solution, the median and the best objective, and the median processor seconds.
The last column says what is asked of local search, and in how many of its runs it was reached. Before each
row stands what a greedy brings in one pass, where there is one (`greedies.py`). Where
other work takes the processors, ``--processor`` gives each run about so many processor seconds instead.
``--curves FILE.html`` draws the objectives over time (of the clock, or with ``--processor`` of that); with
another name each run is a line of JSON there, which ``curves.py`` draws.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import curves
import greedies
import kept
from bench_collection import LARGER, MODELS, PARTIES, knapsack, roster
from large_models import assignment, cars, colouring, flat_graph, queen_graph, shop, tour
from race import positive, stretch, used

from cpqueens import Model, Solution, UnsupportedConstraint

SHOPS = {"ft10": 1000, "la16": 992, "la17": 823, "la18": 890, "la19": 884, "la20": 947}
"""What is asked for: at most 1,000, and 5 % above the optimum."""


@dataclass(frozen=True)
class Row:
    """A model, and what is asked of local search: an objective, or one within a part of the best."""

    build: Callable[[], Model]
    wanted: int | None = None
    within: float | None = None
    array: str = ""
    greedy: Callable[[], greedies.Values | None] | None = None
    """What one pass says of the values of the model's array of that name."""

    def reached(self, value: int, best: int) -> bool:
        """Say whether an objective is as good as is asked for, given the best of all runs."""
        if self.wanted is not None:
            return value <= self.wanted
        return self.within is None or abs(value - best) <= self.within * abs(best)


ROWS: dict[str, Row] = {
    "knapsack of 200": Row(knapsack, None, 0.003, "taken", partial(greedies.knapsack, 200)),
    "roster of 30 for 14 days": Row(roster, None, 0.02, "works", partial(greedies.roster, 30, 14, 3)),
    "Golomb ruler, 10 marks of 55": Row(LARGER["Golomb ruler, 10 marks of 55"]),
    **{
        f"job shop {name}": Row(partial(shop, name), most, None, "start", partial(greedies.shop, name))
        for name, most in SHOPS.items()
    },
    **{
        name: Row(MODELS[name])
        for name in (
            "zebra", "sudoku, Inkala 2006", "sudoku, Inkala 2010", "sudoku, Inkala 2012", "sudoku, killer",
            "nonogram, hen", "BIBD (7, 7, 3, 3, 1)", "magic hexagon",
        )
    },
    **{
        f"cars 100, {k}": Row(partial(cars, 100, k), array="kind", greedy=partial(greedies.cars, 100, k))
        for k in range(10)
    },
    **{
        f"colours of {name}": Row(
            partial(colouring, graph, most), wanted, None, "colour", partial(greedies.colouring, graph, most)
        )
        for name, graph, most, wanted in (
            ("queen13_13", queen_graph(13), 20, 14),
            ("flat 300, 20", flat_graph(300, 20), 40, 22),
            ("flat 300, 28", flat_graph(300, 28), 45, 32),
        )
    },
    **{
        f"assignment of {n}": Row(
            partial(assignment, n), None, 0.01, "place", partial(greedies.assignment, n)
        )
        for n in (15, 20, 30)
    },
    "tour of 100": Row(partial(tour, 100), None, 0.04, "following", partial(greedies.tour, 100)),
}  # fmt: skip


@dataclass
class Runs:
    """What one party did on one model."""

    values: list[int | None] = field(default_factory=list)  # None: a solution without objective
    seconds: list[float] = field(default_factory=list)
    curves: list[tuple[int, float, list[tuple[float, int]]]] = field(default_factory=list)
    """Seed, seconds of the clock, incumbents."""

    def text(self, better: Callable[[list[int]], int]) -> str:
        """Return it as a cell; ``better`` says which objective is the best."""
        known = [v for v in self.values if v is not None]
        value = f"{statistics.median(known):10.0f}{better(known):9}" if known else " " * 19
        seconds = statistics.median(self.seconds) if self.seconds else 0.0
        return f"{len(self.values):4}/{len(self.seconds)}{value} {seconds:6.2f}"


def turn(
    build: Callable[[], Model], party: str, seconds: float, seed: int, runs: Runs, processor: bool
) -> None:
    """Run one party once."""
    solver, parameters = PARTIES[party]
    model, began = build(), used()
    clock = used if processor else time.monotonic
    objective, started, incumbents = model.objective, clock(), []

    def improved(solution: Solution) -> None:
        if objective is not None:
            incumbents.append((round(clock() - started, 3), int(solution[objective])))

    limit = seconds * (stretch(0.05) if processor else 1.0)
    try:
        outcome = model.solve(
            solver=solver, time_limit=limit, random_seed=seed, on_improvement=improved, **parameters
        )
    except UnsupportedConstraint:
        return
    runs.seconds.append(used() - began)
    runs.curves.append((seed, round(clock() - started, 3), incumbents))
    if outcome.solution is not None:
        runs.values.append(outcome.objective)


def greedy_of(row: Row) -> str:
    """Return what one pass brings: an objective, a solution or none; nothing where there is no rule."""
    if row.greedy is None:
        return ""
    found = greedies.objective_of(row.build, row.array, row.greedy())
    return str(found) if not isinstance(found, bool) else "solved" if found else "none"


def lines_of(row: str, maximizing: bool, runs: dict[str, Runs]) -> Iterator[dict[str, Any]]:
    """Yield the incumbents of all runs on a model, a line each."""
    for party, of in runs.items():
        for seed, seconds, incumbents in of.curves:
            yield {
                "row": row, "party": party, "seed": seed, "maximizing": maximizing, "seconds": seconds,
                "incumbents": incumbents,
            }  # fmt: skip


def measured(
    name: str, row: Row, parties: list[str], given: argparse.Namespace, drawn: list[curves.Line]
) -> None:
    """Run the parties in turns on a model, and print and keep its row of the table."""
    runs = {party: Runs() for party in parties}
    for seed in range(given.seeds):
        for party in parties:
            if party == "local-search" or seed < (given.others or given.seeds):
                turn(row.build, party, given.seconds, seed, runs[party], given.processor)
    maximizing = row.build().maximizing
    if given.curves is not None:
        curves.keep(given.curves, drawn, lines_of(name, maximizing, runs))
    better: Callable[[list[int]], int] = max if maximizing else min
    cells = "".join(f"{runs[party].text(better):>36}" for party in parties)
    known = [v for party in parties for v in runs[party].values if v is not None]
    best = better(known or [0])
    ours = runs[parties[0]]
    reached = sum(v is None or row.reached(v, best) for v in ours.values)
    asked = row.wanted if row.within is None else f"{row.within:.1%} of {best}"
    print(f"{name:30.30}{cells}  {asked}: {reached}/{len(ours.seconds)}", flush=True)
    told = {party: " ".join(runs[party].text(better).split()) for party in parties}
    asks: dict[str, float | str | None] = {
        "asked for": str(asked or "a solution"),
        "reached, %": 100 * reached / max(1, len(ours.seconds)),
    }
    table = "runs with a solution, median and best objective, median seconds"
    kept.keep_cells(table, name, {**told, **asks}, "reached, %")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", default="", help="models whose name has one of these, between commas")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--seeds", type=positive, default=20)
    parser.add_argument("--others", type=positive, help="seeds of the others, where these are to be fewer")
    parser.add_argument("--processor", action="store_true", help="seconds of the processor, not of the clock")
    parser.add_argument(
        "--parties", default=",".join(PARTIES).replace(", ", " "),
        help="all by default; none: the greedies alone",
    )  # fmt: skip
    parser.add_argument(
        "--curves", type=Path, metavar="FILE",
        help="incumbents over time: a page of pictures if it ends in .html, else lines of JSON are added",
    )  # fmt: skip
    kept.recording(parser)
    given = parser.parse_args()
    drawn: list[curves.Line] = []
    parties = [p for p in PARTIES if p.replace(", ", " ") in given.parties.split(",")]
    print(f"{'':30}" + "".join(f"{party:>36}" for party in parties))
    texts = [] if given.only in ROWS else given.only.split(",")
    for name, row in ROWS.items():
        if name != given.only and not any(text in name for text in texts):
            continue
        one_pass = greedy_of(row)
        if one_pass:
            print(f"{name:30.30} greedy: {one_pass}", flush=True)
            kept.keep_cells("what a greedy brings in one pass", name, {"greedy": one_pass})
        if parties:
            measured(name, row, parties, given, drawn)


if __name__ == "__main__":
    main()
