"""Models of the collection held against mutated ones: how many pairs `compare` decides, and how fast.

Run as ``python tests/benchmarks/bench_compare.py [--pairs 1000] [--seconds 5] [--first 0] [--only TEXT]``. A
row is a kind of mutation: pairs, how many were decided, how many of these within the limit by the clock (and
a tenth of a second), how many are equal, and the median and the longest wall time. A verdict that cannot be,
or a witness that the models' own checkers do not confirm, ends the run. Equal sets are counted afterwards
where that is quick: they have equally many solutions.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import kept

sys.path.append(str(Path(__file__).parents[1]))

from collection.mutated import MUTATIONS, constraints_of, dropped
from collection.registry import INSTANCES

from cpqueens import CpqueensError, Model, compare

MODELS = 40
MOST = 3_000  # constraints of a model
EQUAL, UNDECIDED, DIFFERENT = "EQUAL", "NO_DIFFERENCE_FOUND", "DIFFERENT"


def chosen(only: str) -> list[tuple[str, Model]]:
    """Return the first models of the collection that are not too large, without their objectives."""
    found: list[tuple[str, Model]] = []
    for instance in INSTANCES.values() if isinstance(INSTANCES, dict) else INSTANCES:
        model = instance.build() if only in instance.name and len(found) < MODELS else None
        if model is not None and 1 < constraints_of(model) <= MOST:
            model.drop_objectives()
            found.append((instance.name, model))
    return found


def pairs(models: list[tuple[str, Model]], count: int, first: int) -> Iterator[tuple[str, str, Model, Model]]:
    """Yield the name of a model, what was changed, the model and the changed one."""
    for seed in range(first, first + count):
        random = Random(seed)
        name, a = models[seed % len(models)]
        what = random.choice(list(MUTATIONS))
        b = MUTATIONS[what][0](a, random)
        if b is None:  # no linear constraint
            what, b = "dropped", dropped(a, random)
        assert b is not None
        yield name, what, a, b


def verify(what: str, a: Model, b: Model, found: Any) -> None:
    """End the run if a verdict is wrong."""
    possible = MUTATIONS[what][1]
    assert possible is None or found.verdict in (*possible, UNDECIDED), found
    for difference in found.differences:
        accepting, refusing = (a, b) if difference.accepted == "a" else (b, a)
        assert accepting.check(dict(difference.values)).ok, found
        assert not refusing.check(dict(difference.values)).ok, found
    if found.verdict == EQUAL:
        counts = [m.enumerate(solver="backtracking", time_limit=0.3) for m in (a, b)]
        if all(outcome.complete for outcome in counts):
            assert counts[0].count == counts[1].count, found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--only", default="")
    kept.recording(parser)
    given = parser.parse_args()
    models = chosen(given.only)
    verdicts: dict[str, Counter[str]] = defaultdict(Counter)
    times: dict[str, list[float]] = defaultdict(list)
    late: Counter[str] = Counter()
    for name, what, a, b in pairs(models, given.pairs, given.first):
        began = time.monotonic()
        try:
            found = compare(a, b, time_limit=given.seconds)
        except CpqueensError as error:
            print(f"{name}, {what}: {error}")
            verdicts[what][UNDECIDED] += 1
            continue
        times[what].append(time.monotonic() - began)
        verify(what, a, b, found)
        verdicts[what][found.verdict] += 1
        late[what] += found.verdict != UNDECIDED and times[what][-1] > given.seconds + 0.1
        if found.verdict in (UNDECIDED, DIFFERENT) or times[what][-1] > given.seconds + 0.1:
            print(f"{name}, {what}: {found.verdict} after {times[what][-1]:.1f} s", flush=True)
    print(f"{len(models)} models\nmutation              pairs  decided  in time  equal  median s  longest s")
    for what, counted in verdicts.items():
        seconds, total = times[what], sum(counted.values())
        decided = total - counted[UNDECIDED]
        print(
            f"{what:20} {total:6} {decided:8} {decided - late[what]:8} {counted[EQUAL]:6}"
            f" {statistics.median(seconds):9.2f} {max(seconds):10.2f}"
        )
        told: dict[str, float | str | None] = {
            "pairs": total, "decided": decided, "in time": decided - late[what], "equal": counted[EQUAL],
            "median s": statistics.median(seconds), "longest s": max(seconds),
        }  # fmt: skip
        kept.keep_cells("pairs of models, the second a mutation of the first", what, told, "median s")
    total = sum(sum(counted.values()) for counted in verdicts.values())
    decided = total - sum(counted[UNDECIDED] for counted in verdicts.values())
    timely = decided - late.total()
    print(f"decided: {decided} of {total}, in time {timely}, {100 * timely / max(1, total):.1f} %")


if __name__ == "__main__":
    main()
