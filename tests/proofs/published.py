"""Published counts proved and checked, and what proofs cost: ``python tests/proofs/published.py [N]``.

Queens from 1 to N (by default 12), each with its published count, then other models. Times are the process's
own; "without" is the same search without a log.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from cpqueens import AllDifferent, Model, Regular
from cpqueens.backends.proving.backend import Prover
from cpqueens.problems.catalog import load
from cpqueens.proofs.check import check_proof


def pigeons(many: int) -> Model:
    """Return a model of pigeons in one hole too few, stated pair by pair."""
    m = Model(f"{many} pigeons, pair by pair")
    x = m.intvar(0, many - 2, shape=many, name="x")
    m += [x[i] != x[j] for i in range(many) for j in range(i)]
    return m


def crowded(many: int) -> Model:
    """Return the same as one AllDifferent."""
    m = Model(f"{many} pigeons, AllDifferent")
    m += AllDifferent(m.intvar(0, many - 2, shape=many, name="x"))
    return m


def roster(staff: int, days: int) -> Model:
    """Return who works when: two a day, never three days in a row, as often as each other; least cost."""
    m = Model(f"roster of {staff} for {days} days")
    works = m.boolvar(shape=(staff, days), name="works")
    arcs = [(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 2), (2, 0, 0)]
    m += works.sum(axis=0) == 2
    m += [Regular(row, arcs, 0, [0, 1, 2]) for row in works]
    m += [row.sum() <= -(-2 * days // staff) for row in works]
    m.minimize(sum((3 * k + 5 * d) % 7 * works[k, d] for k in range(staff) for d in range(days)))
    return m


def models() -> Iterator[tuple[str, Model, bool]]:
    """Yield names, models, and whether all solutions are wanted."""
    yield "12 pigeons, AllDifferent", crowded(12), False
    yield "7 pigeons, pair by pair", pigeons(7), False
    yield "Golomb ruler of 7, optimum", load("golomb_ruler", ["marks=7"]).model, False
    yield "Golomb ruler of 8, optimum", load("golomb_ruler", ["marks=8"]).model, False
    yield "magic squares of 3, all", load("magic_square", ["n=3"]).model, True
    yield "magic squares of 4, all", load("magic_square", ["n=4"]).model, True
    yield "Latin squares of 4, all", load("latin_square", ["n=4"]).model, True
    yield "Langford pairs of 7, all", load("langford", ["n=7"]).model, True
    yield "sudoku, unique", load("sudoku").model, True
    yield "quasigroup, 30 holes, all", load("quasigroup_completion").model, True
    yield "job shop ft06, optimum", load("job_shop", ["instance=ft06"]).model, False
    yield "roster of 5 for 7 days", roster(5, 7), False
    mycielski = load("graph_colouring", ["graph=mycielski", "size=4", "colours=3"]).model
    yield "Mycielski, 11 in 3 colours", mycielski, True


def measured(name: str, model: Model, listing: bool, place: Path) -> tuple[str, int]:
    """Prove a model and check the proof; return a line of the table, and how many solutions there are."""
    ask: Callable[..., object] = model.enumerate if listing else model.solve
    start = time.process_time()
    ask(solver=Prover())  # type: ignore[arg-type]
    plain = time.process_time()
    ask(proof=place)
    wrote = time.process_time()
    found = check_proof(model, place)
    done = time.process_time()
    size = place.stat().st_size / 1e6
    without, logged, checked = plain - start, wrote - plain, done - wrote
    line = (
        f"{name:<31}{without:>9.2f}{logged:>9.2f}{logged / without:>7.2f}{checked:>9.2f}"
        f"{checked / logged:>7.2f}{found.steps:>10,}{size:>8.1f}  {str(found).partition(' (')[0]}"
    )
    return line, found.solutions


def main(most: int) -> None:
    """Print both tables."""
    heads = ("without", "logged", "ratio", "checked", "ratio", "steps", "MB")
    widths = (9, 9, 7, 9, 7, 10, 8)
    print(f"{'':<31}" + "".join(f"{head:>{w}}" for head, w in zip(heads, widths, strict=True)))
    with TemporaryDirectory() as folder:
        place = Path(folder) / "run.proof"
        for n in range(1, most + 1):
            instance = load("queens", [f"n={n}"])
            line, count = measured(f"{n} queens", instance.model, True, place)
            published = instance.published("solutions")
            assert published is not None
            assert count == published.value, f"{count} proved, {published.value} published"
            print(f"{line}; published {published.value:,} ({published.source})", flush=True)
        for name, model, listing in models():
            print(measured(name, model, listing, place)[0], flush=True)
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB of memory at most")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
