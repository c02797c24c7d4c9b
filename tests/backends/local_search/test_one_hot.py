"""Models whose rows count values, over a column for each: what the form means, and that it is searched."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from searched import compiled, run

from cpqueens import AllDifferent, Count, GlobalCardinality, Model, element
from cpqueens.backends.local_search import linear
from cpqueens.backends.local_search.search import Limits, Search
from cpqueens.backends.local_search.specials import DEFAULTS, Task, kernel_of
from cpqueens.kernels.local import info as at
from cpqueens.kernels.local.plain import EQUAL
from cpqueens.language.rows import IntArray
from cpqueens.lowered.structures import one_hot
from cpqueens.lowered.structures.linear import LinearForm, find as find_linear
from cpqueens.lowered.term_tables import tabulated


def roster(seed: int, nurses: int = 4, days: int = 5) -> Model:
    """Return shifts of nurses: so many of each a day, none early after a late one; wishes count."""
    random = np.random.default_rng(seed)
    m = Model("roster")
    shift = m.intvar(0, 2, shape=(nurses, days), name="shift")
    for day in range(days):
        m.add(GlobalCardinality(shift[:, day], [1, 2], [1, 1]))
    for nurse in range(nurses):
        m.add(~((shift[nurse, :-1] == 2) & (shift[nurse, 1:] == 1)), (shift[nurse] > 0).sum() <= 3)
    m.minimize(((shift > 0) * random.integers(0, 9, (nurses, days))).sum())
    return m


def small(kind: int, seed: int) -> Model:
    """Return a model of four variables, of which the last has two values, and one kind of constraint."""
    random = np.random.default_rng(seed)
    m = Model("small")
    x = [
        m.intvar(-1, 2, name="a"), m.intvar(0, 3, name="b"), m.intvar(domain=[0, 1, 4], name="c"),
        m.intvar(domain=[2, 5], name="d"),
    ]  # fmt: skip
    a, b, c, d = x
    if kind == 0:
        m.add(sum((v == k) * int(random.integers(-3, 4)) for v in x for k in (0, 1, 2)) <= 2)
    elif kind == 1:
        m.add(AllDifferent([a, b + 1, c, d, 3]), a + 2 * b <= 5)
    elif kind == 2:
        m.add(abs(a - b) >= 2, c * a != 4, b != d - 2, c != 1)
    elif kind == 3:
        m.add(Count([a, b, c], 1) == d - 2, (a == 1) | (b == 2) | (c == 4))
    else:
        m.add(element([3, 1, 4, 1], b) + (c > 0) == d - 1, a != c)
    m.minimize((a == 0) * 3 - (b == 2) * 2 + 2 * d + element([5, 0, 2, 2], b))
    return m


def rows_hold(form: LinearForm, columns: IntArray) -> tuple[bool, int]:
    """Return whether all rows but the first hold for columns, and what the first amounts to."""
    activity = form.constant.copy()
    np.add.at(activity, form.row, form.coefficient * columns[form.variable])
    return bool(np.where(form.kind == EQUAL, activity == 0, activity <= 0)[1:].all()), int(activity[0])


@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in range(5) for seed in range(2)])
def test_rows_say_what_the_model_says(kind: int, seed: int) -> None:
    m = small(kind, seed)
    search = Search(compiled(m))
    form = one_hot.find(search.compiled)
    assert form is not None
    assert find_linear(search.compiled) is None
    seen = set()
    for values in product(range(-1, 3), range(4), (0, 1, 4), (2, 5)):
        x = np.array(values, dtype=np.int64)
        columns = form.into(x)
        assert ((form.lower <= columns) & (columns <= form.upper)).all()
        assert form.back(columns).tolist() == x.tolist()
        holds, objective = rows_hold(form, columns)
        assert holds == m.check(dict(zip("abcd", values, strict=True))).ok, values
        assert objective == search.value_of(x)
        seen.add(holds)
    assert seen == {True, False}


def test_columns_that_stand_for_no_assignment_are_read_as_one() -> None:
    form = one_hot.find(compiled(small(0, 0)))
    assert form is not None
    random = np.random.default_rng(0)
    for _ in range(50):
        x = form.back(random.integers(form.lower, form.upper + 1))
        assert x[0] in range(-1, 3)
        assert x[1] in range(4)
        assert x[2] in (0, 1, 4)
        assert x[3] in (2, 5)
    hot = len(form.lower) - 1  # d is one column
    assert (hot, form.upper[-1]) == (11, 1)


def test_a_variable_that_is_only_added_stays_one_column() -> None:
    m = Model("amounts")
    x, kind = m.intvar(3, 40, shape=3), m.intvar(0, 4, shape=3)
    m.add(x.sum() >= 50, (kind == 2).sum() == 1, x[0] + (kind[0] == 3) * 5 <= 20)
    m.minimize(x.sum() + (kind == 1).sum())
    form = one_hot.find(compiled(m))
    assert form is not None
    assert form.upper.tolist() == [37, 37, 37] + [1] * 15


def test_what_is_no_such_sum() -> None:
    m = roster(0)
    task = Task("auto", 0, Limits(), {}, DEFAULTS)
    assert kernel_of(compiled(m), task) is not None
    assert kernel_of(compiled(m), replace(task, common=DEFAULTS | {"audit": "full"})) is None
    m.drop_objectives()
    assert one_hot.find(compiled(m)) is None
    m = roster(0)
    y = m.intvar(0, 5, shape=3)
    m.add(y[0] * y[1] + y[2] == 7)
    assert one_hot.find(compiled(m)) is None
    m = roster(0)
    y = m.intvar(0, 5, shape=2)
    m.drop_objectives()
    m.minimize(y[0] * y[1] + (y[0] == 2))
    assert one_hot.find(compiled(m)) is None
    m = roster(0)
    m.add(sum(m.intvar(0, 5, shape=3) * [1, 2, 3]) != 7)
    assert one_hot.find(compiled(m)) is None


def test_large_models_are_left_to_the_general_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("MOST_COLUMNS", "MOST_ENTRIES", "MOST_TERMS"):
        with monkeypatch.context() as context:
            context.setattr(one_hot, limit, 10)
            assert one_hot.find(compiled(roster(0))) is None, limit


@pytest.mark.parametrize("seed", range(2))
def test_rosters_end_at_the_optimum(seed: int) -> None:
    best = roster(seed).solve(solver="cpsat").objective
    outcome = run(roster(seed), seed=seed, steps=3_000, presolve=False)
    assert outcome.statistics["special"] == "one-hot"
    assert outcome.objective == best


def test_the_general_engine_has_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where this kernel finds nothing at all, the other does."""

    def idle(walk: linear.LinearWalk, search: Search, steps: int) -> int:
        search.info[at.STEPS] += steps
        return at.BUDGET

    monkeypatch.setattr(linear, "TURN", 40)
    monkeypatch.setattr(linear.LinearWalk, "advance", idle)
    outcome = run(roster(1), steps=3_000, presolve=False)
    assert outcome.objective is not None
    assert roster(1).check(outcome.solution)
    assert outcome.statistics["improvements"] > 0


def test_long_tables_are_tabulated_without_a_copy_for_each_value() -> None:
    """A table of 4,000 entries at 4,000 places would be 16,000,000 numbers for each element."""
    model = Model()
    x = model.intvar(0, 3_999, shape=3, name="x")
    model.minimize(sum(element([(7 * k + i) % 4_001 for k in range(4_000)], x[i]) for i in range(3)))
    c = compiled(model)
    tracemalloc.start()
    found = tabulated(c, frozenset())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    assert found.objective is not None
    tables = {v: values.tolist() for (v,), values in found.objective.tables.items()}
    assert tables == {i: [(7 * k + i) % 4_001 for k in range(4_000)] for i in range(3)}
    assert peak < 8_000_000
