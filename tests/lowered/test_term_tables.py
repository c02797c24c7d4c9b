"""Definitions as tables of one variable or two: what they say is what they evaluate to, everywhere."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from each import each

from cpqueens import And, Model, Or, element, maximum, minimum
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.evaluation import values_of_all
from cpqueens.lowered.forms import compile_model
from cpqueens.lowered.term_tables import NotSimpleError, Tabulator, of_each, tabulated

STATED: dict[str, Callable[[Any, Any], object]] = {
    "of one variable": lambda x, y: abs(x[0] - 2) + abs(2 * x[1] - 3) >= 1,
    "of two, in either order": lambda x, y: x[0] * x[1] + x[1] * x[0] + y[0] * x[2] >= 1,
    "of one in two arguments": lambda x, y: maximum([x[0], 3 - x[0], 2]) + minimum(y[1], 2 * y[1] - 4) >= 1,
    "of functions": lambda x, y: abs(abs(x[0] - 2) - x[1]) + abs(abs(x[0] - x[1]) - 3) <= 2,
    "of a function of two and one of them": lambda x, y: maximum(abs(x[0] - x[1]), x[1]) + x[0] >= 1,
    "truths of sums": lambda x, y: (x[0] + 2 * x[1] <= 3).truth() + (y[0] - x[2] != 1).truth() >= 1,
    "elements": lambda x, y: element([3, 1, 4, 1, 5], x[0] + 1) + element([y[0], 7, y[0] + 2], x[1]) >= 3,
    "a long table": lambda x, y: element(np.arange(9000) % 7, 1500 * x[0] + 3) >= 2,
    "connectives": lambda x, y: Or([x[0] == 1, And([y[0] == 5, y[0] + x[0] >= 6])]).truth() <= x[0],
    "quotients": lambda x, y: x[0] // (y[1] - 1) + x[1] % (x[2] - 1) >= 0,
    "numbers": lambda x, y: element([3, 1, 4, 1, 5], 0 * x[0] + 2) + abs(x[1] - 1) >= 4,
}


def compiled(stated: Callable[[Any, Any], object]) -> Compiled:
    m = Model()
    x = m.intvar(0, 3, shape=3, name="x")
    y = m.intvar(domain=[1, 2, 5], shape=2, name="y")
    m.add(stated(x, y))
    return compile_model(m)


@each("what", STATED)
def test_tables_are_what_definitions_evaluate_to(what: str) -> None:
    c = compiled(STATED[what])
    assert len(c.definitions)
    tables = Tabulator(c, range(c.decision_count))
    tables.model(frozenset())
    domains = [domain.tolist() for domain in tables.domains.values()]
    results = [r for block in c.definitions.blocks for r in block.results.tolist()]
    for places in product(*map(range, map(len, domains))):
        values = values_of_all(c, np.array([domain[p] for domain, p in zip(domains, places, strict=True)]))
        for result in results:
            scope, table = tables.known[result]
            assert list(scope) == sorted(set(scope))
            assert table[tuple(places[v] for v in scope)] == values[result]


def test_equal_tables_are_one() -> None:
    m = Model()
    x = m.intvar(0, 9, shape=20, name="x")
    m.add(*((x[k] - x[k + 1] == 3).truth() + (x[k] == x[k + 1]).truth() == 1 for k in range(19)))
    model = tabulated(compile_model(m), frozenset())
    assert model is not None
    assert sorted(of_each(model.rows, lambda table: int(table.sum())).values()) == [17]


@pytest.mark.parametrize(
    "stated",
    [
        lambda x, y: abs(x[0] + x[1] - y[0]) <= 2,
        lambda x, y: maximum(abs(x[0] - x[1]), x[2]) <= 2,
        lambda x, y: element([x[0], x[1], 4], y[0] - 1) >= 2,
    ],
)
def test_what_three_variables_say_is_no_table(stated: Callable[[Any, Any], object]) -> None:
    c = compiled(stated)
    with pytest.raises(NotSimpleError):
        Tabulator(c, range(c.decision_count)).model(frozenset())
    assert tabulated(c, frozenset()) is None
