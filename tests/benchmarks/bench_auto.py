"""What ``auto`` costs beside the best single strategy, on every model and question of the collection.

Run as ``python tests/benchmarks/bench_auto.py [--only TEXT] [--rounds N]``; processor time of the process,
all threads included, of solving a fresh model; kernels are loaded before. A strategy is ended by a limit
beyond which it cannot be the best. ``auto`` misses where it takes more than 2.5 times the best plus 0.1 s, or
does not answer; then the exit code is 1. Of rows longer than 0.1 s the least of several runs counts.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import kept
from race import arguments, used

sys.path.append(str(Path(__file__).parents[1]))

from collection.instance import Answer, Instance, Question, ask
from collection.registry import INSTANCES

from cpqueens import CpqueensError

FACTOR, SLACK = 2.5, 0.1
STRATEGIES = (
    "backtracking:forward", "backtracking:bitmask", "backtracking:sums", "backtracking:halves", "cpsat",
    "python-constraint", "local-search",
)  # fmt: skip
"""Of the patterns' strategies those that can be the best: the others visit the same tree, more slowly."""
HOT = (
    "queens 8, one in the corner",
    "Costas arrays of order 8",
    "Langford 7",
    "knapsack P02",
    "QG5 of order 7",
)
PROVING = ("enumerate", "count", "optimise")


@dataclass(frozen=True)
class Run:
    """How one solver did: the least processor seconds, and the answer (None: a limit ended it)."""

    seconds: float
    answer: Answer


def measured(instance: Instance, question: Question, solver: str, limit: float, rounds: int) -> Run | None:
    """Return how a solver did, None if it does not take the model or the question."""
    best = None
    for _ in range(rounds):
        model = instance.build()
        began = used()
        try:
            answer = ask(model, question, solver, time_limit=limit)
        except CpqueensError:
            return None
        run = Run(used() - began, answer)
        if answer is not None and answer != instance.answer(question):
            raise SystemExit(f"{instance.name}: {solver} answers {answer}, not {instance.answer(question)}")
        best = run if best is None or run.seconds < best.seconds else best
        if run.seconds < SLACK or answer is None:
            break
    return best


def best_single(instance: Instance, question: Question, limit: float, rounds: int) -> tuple[str, Run | None]:
    """Return the fastest strategy that answers."""
    best: tuple[str, Run | None] = ("", None)
    for solver in STRATEGIES:
        if solver == "local-search" and question in PROVING:
            continue
        run = measured(instance, question, solver, limit, rounds)
        if run is not None and run.answer is not None and (best[1] is None or run.seconds < best[1].seconds):
            best = solver, run
    return best


def show_row(instance: Instance, question: Question, patience: float, rounds: int) -> bool:
    """Measure and print one row; say whether ``auto`` is within its bound."""
    began = time.monotonic()
    auto = measured(instance, question, "auto", patience, rounds)
    wall = (time.monotonic() - began) / rounds
    assert auto is not None, "auto takes every model"
    name, best = best_single(instance, question, min(patience, max(0.2, 2 * wall)), rounds)
    bound = FACTOR * best.seconds + SLACK if best is not None else patience
    within = auto.answer is not None and auto.seconds <= bound
    against = f"{name:<22}{best.seconds:9.3f}" if best is not None else f"{'none as fast':<22}{'':9}"
    ratio = f"{auto.seconds / max(best.seconds, 1e-9):8.2f}" if best is not None else f"{'':8}"
    print(
        f"{instance.name:<44}{question:<10}{against}{auto.seconds:9.3f}{ratio}{'' if within else '  MISSED'}",
        flush=True,
    )
    entries = {"cpqueens, auto": (auto.seconds, auto.answer is None)}
    if best is not None:
        entries["the best single strategy"] = (best.seconds, False)
    kept.keep_race(f"{instance.name}, {question}", entries)
    return within


def main() -> int:
    """Print the table."""
    parser = arguments(__doc__, 3)
    parser.add_argument("--only", default="", help="text in a model's name")
    options = parser.parse_args()
    chosen = [instance for name, instance in INSTANCES.items() if options.only in name]
    for name in HOT:
        for question in INSTANCES[name].questions:
            for solver in ("auto", *STRATEGIES):
                measured(INSTANCES[name], question, solver, 1.0, 1)
    print(f"{'model':<44}{'question':<10}{'best single':<22}{'s':>9}{'auto, s':>9}{'ratio':>8}")
    rows = [
        show_row(instance, question, options.patience, options.rounds)
        for instance in chosen
        for question in instance.questions
    ]
    print(f"\n{len(chosen)} models, {len(rows)} rows, {rows.count(False)} missed")
    return int(not all(rows))


if __name__ == "__main__":
    sys.exit(main())
