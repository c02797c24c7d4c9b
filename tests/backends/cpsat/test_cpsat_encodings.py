"""Where each value of a variable has a literal, CP-SAT is told that exactly one of them is true."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import oracle
from each import each
from seeds import seeds

from cpqueens import LinearArray, Model


def groups(m: Model) -> list[int]:
    """Return how many literals each of these constraints has."""
    there = m.to_cpsat().model
    return [len(c.exactly_one.literals) for c in there.proto.constraints if c.has_exactly_one()]


def counted(truths: Callable[[LinearArray], list[Any]], **domain: Any) -> Model:
    """Return a model of a variable that counts truths over it, each with a factor of its own."""
    m = Model()
    x = m.intvar(**(domain or {"lower": 1, "upper": 4}), name="x")
    m.add(sum((k + 2) * truth for k, truth in enumerate(truths(x))) <= 4)
    return m


GROUPS: dict[str, tuple[Callable[[], Model], list[int]]] = {
    "all values": (lambda: counted(lambda x: [x == v for v in (1, 2, 3, 4)]), [4]),
    "what it is not": (lambda: counted(lambda x: [x != 1, x == 2, x != 3, x != 4]), [4]),
    "turned round": (lambda: counted(lambda x: [3 - x == v for v in (-1, 0, 1, 2)]), [4]),
    "twice": (lambda: counted(lambda x: [x == 1, x != 1, x == 2, x == 3, 4 - x == 0, x == 4]), [4]),
    "one is missing": (lambda: counted(lambda x: [x == 1, x == 2, x == 4]), []),
    "bounds": (lambda: counted(lambda x: [x == 1, x <= 2, x >= 3, x == 4]), []),
    "two values": (lambda: counted(lambda x: [x == 1, x == 7], domain=[1, 7]), []),
    "gaps": (lambda: counted(lambda x: [x == v for v in (1, 5, 9)], domain=[1, 5, 9]), [3]),
    "gaps, one missing": (lambda: counted(lambda x: [x == 1, x == 9, x == 4], domain=[1, 4, 5, 9]), []),
}


@each("name", GROUPS)
def test_which_variables_have_a_group(name: str) -> None:
    make, expected = GROUPS[name]
    m = make()
    assert groups(m) == expected
    assert m.count(solver="cpsat") == oracle.solve(m).count


def test_a_model_that_grows_stays_right() -> None:
    m = Model()
    x = m.intvar(0, 2, shape=400, name="x")
    m.add((x == 0).sum() >= 399, (x == 1).sum() <= 1)
    assert m.count(solver="cpsat", time_limit=60) == 1 + 2 * 400
    m.add((x == 2).sum() == 1)
    assert m.count(solver="cpsat", time_limit=60) == 400


@seeds(range(20))
def test_random_sums_of_values_have_all_solutions(seed: int) -> None:
    random = Random(seed)
    m = Model()
    x = m.intvar(0, 3, shape=4, name="x")
    terms = [
        random.choice([-2, -1, 1, 3]) * (term == v if random.randint(0, 2) else term != v)
        for term in x
        for v in range(4)
        if random.randint(0, 9)
    ]
    m.add(sum(terms) <= random.randint(-2, 6))
    if random.randint(0, 1):
        m.maximize((x == 1).sum() - (x == 2).sum() * x[0])
        assert m.solve(solver="cpsat").objective == oracle.solve(m).optimum
    else:
        assert m.count(solver="cpsat") == oracle.solve(m).count
