"""What a model means does not depend on how wide a domain was declared, nor on what cancels in its rows."""

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.backends.base import Want
from cpqueens.crosscheck import oracle
from cpqueens.crosscheck.as_written import AsWritten
from cpqueens.crosscheck.findings import Code, Disagreement
from cpqueens.errors import ModelError
from cpqueens.fuzzing.subject import ORACLE, Subject
from cpqueens.fuzzing.written import Script, declared
from cpqueens.language.constraints.table import Table
from cpqueens.model import Model

_BOOLEAN_EVERY = 6
"""Most 0/1 variables keep their domain: wider ones are refused where they stand for truths."""
_FILLED = 40
"""Values up to which gaps of a domain are filled."""


def widened(script: Script, random: Random) -> Model:
    """Return the model to which the same was said, over wider domains; the old ones are constraints.

    Raises
    ------
    ModelError
        If that leaves the range, or if a wider 0/1 variable is no truth any more.
    """
    model, terms, bounds = Model("wider"), [], []
    for node, values in script.variables:
        wide = _wider(values, random)
        terms.append(declared(model, wide, node.name))
        bounds.append(_bound(terms[-1], values))
    first = random.randint(0, 1)
    if first:
        model.add(bounds)
    script.anew(model, terms)
    if not first:
        model.add(bounds)
    return model


def _wider(values: list[int], random: Random) -> list[int]:
    if values == [0, 1] and random.randint(1, _BOOLEAN_EVERY) > 1:
        return values
    low, high = values[0] - random.randint(0, 3), values[-1] + random.randint(0, 7)
    if high - low < _FILLED and random.randint(0, 1):
        return list(range(low, high + 1))
    return sorted({low, *values, high})


def _bound(term: Any, values: list[int]) -> Any:
    if len(values) == values[-1] - values[0] + 1:
        return [term >= values[0], term <= values[-1]]
    return Table([term], [[v] for v in values])


def wider_domains(s: Subject) -> Iterator[Disagreement]:
    """Over wider domains, with the lost bounds as constraints, the solutions are the same."""
    if s.script is None:
        return
    try:
        model = widened(s.script, Random(s.seed))
        accepted = s.grid[Checker(model).accepts(s.grid)]
    except ModelError:  # for size or range
        s.asked["wider domains refused", "checker"] += 1
        return
    s.asked["wider domains", "checker"] += 1
    if not np.array_equal(accepted, s.truth.solutions):
        message = f"{len(accepted)} solutions over wider domains, {s.truth.count} before"
        yield Disagreement(Code.RELATION_BROKEN, "model", message, (ORACLE,))
    for p in s.turn("wider domains", s.proving):
        seen = p.observe(model, s.about(model).plan(Want.COUNT))
        if s.book("wider domains", seen) and seen.claims_all and seen.count != s.truth.count:
            message = f"counts {seen.count} over wider domains, there are {s.truth.count}"
            yield Disagreement(Code.COUNT_DIFF, p.name, message, (ORACLE,))


def costs_as_written(s: Subject) -> Iterator[Disagreement]:
    """Each soft constraint costs its weight where it does not hold as it was written."""
    if s.script is None or not s.script.soft:
        return
    table = AsWritten([node for node, _ in s.script.variables], s.grid)
    wanted = []
    for node, weights in s.script.soft:
        failed = ~table.truth(node).reshape(-1, len(s.grid))
        wanted.append(failed.T * np.broadcast_to(weights, len(failed)))
    if not np.array_equal(np.concatenate(wanted, axis=1), oracle.penalties(s.model, s.grid)):
        yield Disagreement(Code.RELATION_BROKEN, "model", "soft constraints do not cost what was written")
    s.asked["costs as written", "checker"] += 1
