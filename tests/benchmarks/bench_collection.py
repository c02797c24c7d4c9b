"""What local search finds on other people's models, beside CP-SAT and CP-SAT's own local search.

Run as ``python tests/benchmarks/bench_collection.py [--only TEXT] [--seconds 3] [--seeds 5] [--quick]``. Each
row is a model of the collection that has solutions, or one of the larger ones below: of how many runs each
found a solution within its seconds (wall time, one worker), the median processor seconds to its end, and the
best objective. The last lines say for how many of the models that CP-SAT solves the others found a solution.
With ``--first`` a run ends with its first solution, which is all that these lines need. Where other work
takes the processors, ``--processor`` gives each run about so many processor seconds instead; ``--others N``
gives the others fewer seeds.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kept
import numpy as np
from numpy.typing import NDArray
from race import positive, stretch, used

sys.path.append(str(Path(__file__).parents[1]))

from collection.registry import INSTANCES
from cpqueens.models.golomb_ruler import golomb_ruler

from cpqueens import STOP, Model, UnsupportedConstraint

PARTIES: dict[str, tuple[str, dict[str, Any]]] = {
    "local-search": ("local-search", {}),
    "cpsat": ("cpsat", {}),
    "cpsat, ls only": ("cpsat", {"use_ls_only": True}),
}
WITHOUT = {"local-search, no presolve": ("local-search", {"presolve": False})}
"""Who takes part where ``--parties`` names them."""


@dataclass(frozen=True)
class Done:
    """What one party did on one model: runs that found a solution, all runs, seconds, best value."""

    found: int
    runs: int
    seconds: float
    objective: int | None

    def text(self) -> str:
        """Return it as a cell."""
        best = "" if self.objective is None else str(self.objective)
        return f"{self.found:4}/{self.runs} {self.seconds:6.2f} s {best:>9}"


def products() -> Model:
    """Return the smallest model whose objective is a variable: the best is 2300."""
    m = Model()
    g, c, value = m.intvar(0, 50), m.intvar(0, 50), m.intvar(0, 10_000)
    m.add(g + c <= 50, 3 * g + 4 * c <= 180, value == 40 * g + 50 * c)
    m.maximize(value)
    return m


def knapsack_numbers(size: int) -> tuple[list[int], list[int], int]:
    """Return weights and values that have nothing to do with each other, and how much may be carried."""
    draw = random.Random(size)
    weights = [draw.randint(10, 1000) for _ in range(size)]
    values = [draw.randint(10, 1000) for _ in range(size)]
    return weights, values, sum(weights) // 2


def knapsack(size: int = 200) -> Model:
    """Return a knapsack of such numbers."""
    weights, values, most = knapsack_numbers(size)
    m = Model()
    taken = m.boolvar(size, name="taken")
    m.add(sum(w * t for w, t in zip(weights, taken, strict=True)) <= most)
    m.maximize(sum(v * t for v, t in zip(values, taken, strict=True)))
    return m


def roster_wishes(nurses: int, days: int, shifts: int) -> NDArray[np.int64]:
    """Return how much each nurse likes each shift of each day."""
    draw = random.Random(nurses)
    wishes = [draw.choice((-5, 0, 0, 1, 3)) for _ in range(nurses * days * shifts)]
    return np.array(wishes).reshape(nurses, days, shifts)


def roster(nurses: int = 30, days: int = 14, shifts: int = 3) -> Model:
    """Return a roster: so many a shift, one shift a day, none after a night, 8 to 10 in all; wishes count."""
    m = Model()
    works = m.boolvar((nurses, days, shifts), name="works")
    m.add(works.sum(axis=2) <= 1)
    m.add(works.sum(axis=0) == nurses // 5)
    for day in range(days - 1):
        m.add(works[:, day, shifts - 1] + works[:, day + 1, 0] <= 1)
    m.add(works.sum(axis=(1, 2)) <= 10, works.sum(axis=(1, 2)) >= 7)
    m.maximize((works * roster_wishes(nurses, days, shifts)).sum())
    return m


def ruler(marks: int, length: int) -> Model:
    """Return a Golomb ruler of at most this length, as a question of feasibility."""
    m = golomb_ruler(marks)
    m.add(m.objective <= length)
    m.drop_objectives()
    return m


LARGER: dict[str, Callable[[], Model]] = {
    "a variable as objective": products,
    "knapsack of 200": knapsack,
    "roster of 30 for 14 days": roster,
    "Golomb ruler, 10 marks of 55": lambda: ruler(10, 55),
}
MODELS = LARGER | {name: one.build for name, one in INSTANCES.items() if one.solutions != 0}


def done(
    build: Callable[[], Model], party: str, seconds: float, seeds: int, first: bool, processor: bool
) -> Done:
    """Run one party with every seed."""
    solver, parameters = (PARTIES | WITHOUT)[party]
    times, values, found = [], [], 0
    for seed in range(seeds):
        model = build()
        limit = seconds * (stretch(0.02) if processor else 1.0)
        stop = {"on_improvement": lambda _: STOP} if first else {}
        began = used()
        try:
            outcome = model.solve(solver=solver, time_limit=limit, random_seed=seed, **stop, **parameters)
        except UnsupportedConstraint:
            return Done(0, seeds, 0.0, None)
        times.append(used() - began)
        found += outcome.solution is not None
        if outcome.objective is not None:
            values.append(outcome.objective)
    best = (max if model.maximizing else min)(values, default=None)
    return Done(found, seeds, statistics.median(times), best)


def main() -> None:
    """Print the table, and the sums."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", default="", help="models whose name has one of these, between commas")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--seeds", type=positive, default=5)
    parser.add_argument(
        "--parties", default=",".join(PARTIES).replace(", ", " "),
        help="between commas; more: local-search no presolve",
    )  # fmt: skip
    parser.add_argument("--first", action="store_true", help="end with the first solution")
    parser.add_argument("--processor", action="store_true", help="seconds of the processor, not of the clock")
    parser.add_argument("--others", type=positive, help="seeds of the others, where these are to be fewer")
    parser.add_argument("--quick", action="store_true", help="one seed and one second")
    kept.recording(parser)
    given = parser.parse_args()
    seconds, seeds = (1.0, 1) if given.quick else (given.seconds, given.seeds)
    parties = [p for p in PARTIES | WITHOUT if p.replace(", ", " ") in given.parties.split(",")]
    runs: Counter[str] = Counter()
    models: Counter[str] = Counter()
    with_cpsat: Counter[str] = Counter()
    print(f"{'':40}" + "".join(f"{party:>28}" for party in parties))
    for name, build in MODELS.items():
        if not any(text in name for text in given.only.split(",")):
            continue
        cells = [
            done(
                build, party, seconds, seeds if party == "local-search" else given.others or seeds,
                given.first, given.processor,
            )
            for party in parties
        ]  # fmt: skip
        print(f"{name:40.40}" + "".join(f"{cell.text():>28}" for cell in cells), flush=True)
        solved = {party for party, cell in zip(parties, cells, strict=True) if 2 * cell.found > cell.runs}
        for party, cell in zip(parties, cells, strict=True):
            runs[party] += cell.found
            models[party] += party in solved
            with_cpsat[party] += {party, "cpsat"} <= solved
        told = {party: " ".join(cell.text().split()) for party, cell in zip(parties, cells, strict=True)}
        kept.keep_cells("runs that found a solution, median seconds, best objective", name, told)
    for party in parties:
        text = f"{party}: {runs[party]} runs, {models[party]} models"
        print(f"{text}, {with_cpsat[party]} of those that CP-SAT solves")
        if not given.only:  # else of a part of the models
            sums = {"runs": runs[party], "models": models[party], "of CP-SAT's": with_cpsat[party]}
            kept.keep_cells("solved by whom: runs, and models in most runs", party, sums, "models")


if __name__ == "__main__":
    main()
