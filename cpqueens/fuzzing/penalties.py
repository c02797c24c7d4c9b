"""Soft constraints in the fuzzer: what they cost and what is said of them, against the oracle."""

from collections.abc import Iterator
from random import Random

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.soft import soft_violations
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.codes import Code
from cpqueens.crosscheck.findings import Disagreement
from cpqueens.fuzzing.subject import ORACLE, Subject
from cpqueens.language.rows import IntArray

_EXPLAINED = 5


def penalties(s: Subject) -> Iterator[Disagreement]:
    """Each soft constraint costs its weight where the oracle says it does not hold, and is named there."""
    if not s.model.soft:
        return
    yield from _named(s)
    yield from _optimised(s)
    s.asked["penalties", "checker"] += 1


def _doubt(message: str) -> Disagreement:
    return Disagreement(Code.CHECKER_DOUBT, "checker", message, (ORACLE,))


def _named(s: Subject) -> Iterator[Disagreement]:
    """What is reported of some assignments, solutions or not: names and penalties, in their order."""
    rows = s.grid[Random(s.seed).sample(range(len(s.grid)), min(_EXPLAINED, len(s.grid)))]
    costs = oracle.penalties(s.model, rows)
    names = [soft.name for soft in s.model.soft for _ in soft.weights.tolist()]
    for row, cost in zip(rows, costs.tolist(), strict=True):
        wanted = [(name, penalty) for name, penalty in zip(names, cost, strict=True) if penalty]
        found = [(v.name, v.penalty) for v in soft_violations(s.model, row)]
        if found != wanted:
            yield _doubt(f"reports {found} violated by {row.tolist()}, it is {wanted}")


def _optimised(s: Subject) -> Iterator[Disagreement]:
    """What is optimised: penalties in their place, or else beside the first objective, in its unit."""
    rows = s.truth.solutions
    if not len(rows):
        return  # only of solutions it is certain that objectives have values
    total = oracle.penalties(s.model, rows).sum(axis=1)
    table = oracle.TruthTable(s.model, rows)
    stated: list[IntArray] = [
        table.columns(goal.term)[0][:, 0] + (goal.penalties or 0) * total for goal in s.model.stated
    ]
    if all(goal.penalties is None for goal in s.model.stated):
        stated[:1] = [stated[0] + (-total if s.model.maximizing else total)] if stated else [total]
    if not np.array_equal(Checker(s.model).objectives(rows), np.stack(stated, axis=1)):
        yield _doubt("optimises something else than what is stated, with the penalties")
