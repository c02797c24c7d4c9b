"""Models of the collection held against mutated ones: how many pairs `compare` decides, and how fast.

Run as ``python tests/benchmarks/bench_compare.py [--pairs 1000] [--seconds 5] [--first 0] [--only TEXT]``. A
row is a kind of mutation: pairs, how many were decided, how many of these are equal, and the median and the
longest wall time. A verdict that cannot be, or a witness that the models' own checkers do not confirm, ends
the run. Equal sets are counted afterwards where that is quick: they have equally many solutions.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))

from collection.registry import INSTANCES

from cpqueens import AllDifferent, CpqueensError, Model, compare
from cpqueens.crosscheck.two_models import ModelComparison, ModelRelation
from cpqueens.language.constraints.linear import OPPOSITE, Linear
from cpqueens.language.rebuild import own_constraints, rebuilt

MODELS = 40
MOST = 3_000  # constraints of a model
EQUAL, A_IN_B, UNDECIDED = ModelRelation.EQUAL, ModelRelation.A_IN_B, ModelRelation.NO_DIFFERENCE_FOUND


def dropped(model: Model, random: Random) -> Model | None:
    """One constraint less."""
    kept = own_constraints(model)
    del kept[random.randrange(len(kept))]
    return rebuilt(model, constraints=kept, objective=False)


def _on_linear(change: Callable[[Linear, Random], Any]) -> Callable[[Model, Random], Model | None]:
    """Change one element of a linear constraint."""

    def mutate(model: Model, random: Random) -> Model | None:
        places = [k for k, p in enumerate(own_constraints(model)) if isinstance(p.constraint, Linear)]
        if not places:
            return None
        place = random.choice(places)

        def edit(at: int, constraint: Any) -> Any:
            if at != place:
                return constraint
            flat = constraint.reshape(-1)
            k = random.randrange(flat.size)
            return [flat[:k], change(flat.take(np.array([k])), random), flat[k + 1 :]]

        return rebuilt(model, edit=edit, objective=False)

    return mutate


def _strictness(c: Linear, random: Random) -> Any:
    other = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "<=", "!=": "<="}
    return Linear(c.expression, other[c.relation])


def _neighbour(c: Linear, random: Random) -> Any:
    """Take the next variable for one of a relation's: an index off by one."""
    variables = c.expression.variables
    decisions = c.registry.decisions  # type: ignore[attr-defined]
    column = random.randrange(variables.shape[1])
    place = int(np.searchsorted(decisions, variables[0, column]))
    if place + 1 >= len(decisions) or decisions[place] != variables[0, column]:
        return Linear(c.expression + 1, c.relation)
    step, old = _variable(c, int(decisions[place + 1])), _variable(c, int(variables[0, column]))
    factor = int(c.expression.coefficients[0, column])
    return Linear(c.expression + factor * (step - old), c.relation)


def _variable(c: Linear, variable: int) -> Any:
    return c.registry[c.registry.name_of(variable)]  # type: ignore[attr-defined]


def implied(model: Model, random: Random) -> Model | None:
    """One constraint more, which another one implies."""
    own = own_constraints(model)
    place, beside = random.randrange(len(own)), random.randrange(len(own))
    made: list[Any] = []

    def edit(at: int, constraint: Any) -> Any:
        if at in (place, beside):
            made.append(_one(constraint, random))
        if at == max(place, beside):
            return [constraint, made[0] | made[-1] if place != beside else ~~made[0]]
        return constraint

    return rebuilt(model, edit=edit, objective=False)


def _one(constraint: Any, random: Random) -> Any:
    return constraint.reshape(-1)[random.randrange(constraint.size)] if constraint.shape else constraint


def rewritten(model: Model, random: Random) -> Model | None:
    """One constraint in other words."""
    place = random.randrange(len(own_constraints(model)))

    def edit(at: int, constraint: Any) -> Any:
        if at != place:
            return constraint
        if isinstance(constraint, AllDifferent):
            terms = constraint.terms
            return [terms[i] != terms[j] for i in range(terms.size) for j in range(i)]
        if isinstance(constraint, Linear) and constraint.relation not in ("==", "!="):
            return ~Linear(-1 * constraint.expression, _turned(OPPOSITE[constraint.relation]))
        return ~~(constraint & constraint)

    return rebuilt(model, edit=edit, objective=False)


def _turned(relation: str) -> str:
    return relation.translate(str.maketrans("<>", "><"))


MUTATIONS: dict[str, tuple[Callable[[Model, Random], Model | None], tuple[ModelRelation, ...] | None]] = {
    "dropped": (dropped, (EQUAL, A_IN_B)),
    "< for <=": (_on_linear(_strictness), None),
    "index off by one": (_on_linear(_neighbour), None),
    "implied added": (implied, (EQUAL,)),
    "rewritten": (rewritten, (EQUAL,)),
}
"""What is changed, and the verdicts that are possible; None for any."""


def chosen(only: str) -> list[tuple[str, Model]]:
    """Return the first models of the collection that are not too large, without their objectives."""
    found: list[tuple[str, Model]] = []
    for instance in INSTANCES.values() if isinstance(INSTANCES, dict) else INSTANCES:
        model = instance.build() if only in instance.name and len(found) < MODELS else None
        if model is not None and 1 < len(own_constraints(model)) <= MOST:
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


def verify(what: str, a: Model, b: Model, found: ModelComparison) -> None:
    """End the run if a verdict is wrong."""
    possible = MUTATIONS[what][1]
    assert possible is None or found.verdict in (*possible, UNDECIDED), found
    for difference in found.differences:
        accepting, refusing = (a, b) if difference.accepted == "a" else (b, a)
        assert accepting.check(dict(difference.values)).ok, found
        assert not refusing.check(dict(difference.values)).ok, found
    if found.verdict is EQUAL:
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
    given = parser.parse_args()
    models = chosen(given.only)
    verdicts: dict[str, Counter[ModelRelation]] = defaultdict(Counter)
    times: dict[str, list[float]] = defaultdict(list)
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
        if found.verdict in (UNDECIDED, ModelRelation.DIFFERENT):
            print(f"{name}, {what}: {found.verdict} after {times[what][-1]:.1f} s", flush=True)
    print(f"{len(models)} models\nmutation              pairs  decided  equal  median s  longest s")
    for what, counted in verdicts.items():
        seconds, total = times[what], sum(counted.values())
        print(
            f"{what:20} {total:6} {total - counted[UNDECIDED]:8} {counted[EQUAL]:6}"
            f" {statistics.median(seconds):9.2f} {max(seconds):10.2f}"
        )
    total = sum(sum(counted.values()) for counted in verdicts.values())
    decided = total - sum(counted[UNDECIDED] for counted in verdicts.values())
    print(f"decided: {decided} of {total}, {100 * decided / max(1, total):.1f} %")


if __name__ == "__main__":
    main()
