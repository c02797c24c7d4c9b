"""Random partial expressions of CPMpy mean what CPMpy says of them, by its own values at every assignment."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from random import Random
from typing import Any

import oracle
import pytest

from cpqueens import Model, div_trunc, from_cpmpy
from cpqueens.answers.check import Checker

cp = pytest.importorskip("cpmpy")

SECOND: list[int] = []
"""Models for which CPMpy's solver was asked, too."""

DOMAINS = {"a": (-2, 2), "b": (-1, 1), "c": (0, 2)}
_RELATIONS: tuple[Callable[[Any, Any], Any], ...] = (
    lambda x, y: x == y,
    lambda x, y: x != y,
    lambda x, y: x <= y,
    lambda x, y: x < y,
)


class Drawn:
    """Draws expressions over three variables; parts come again, so that some cancel."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.variables = [cp.intvar(*ends, name=name) for name, ends in DOMAINS.items()]
        self.parts = list(self.variables)

    def number(self, depth: int = 0) -> Any:
        r = self.random
        choice = r.randint(0, 16)
        if choice < 4 or depth > 2:
            return r.choice(self.parts)
        one, other = self.number(depth + 1), self.number(depth + 1)
        found = {
            4: lambda: one // other,
            5: lambda: one % other,
            6: lambda: cp.Element([2, -1, 0], one),
            7: lambda: one - other,
            8: lambda: one - one + other,
            9: lambda: 0 * one,
            10: lambda: cp.Maximum([0 * one, other]),
            11: lambda: self.truth(depth + 1) * one,
            12: lambda: (self.variables[0] > 5) * one,
            13: lambda: cp.sum([one, 2 * other, -one]),
            14: lambda: abs(one) + r.randint(-1, 1),
            15: lambda: cp.Count([one, other], r.choice(self.parts)),
            16: lambda: cp.cpm_array([[0, 1], [one, -1]])[one, other],
        }[choice]()
        self.parts.append(found)
        return found

    def truth(self, depth: int = 0) -> Any:
        r = self.random
        choice = r.randint(0, 10)
        if choice < 5 or depth > 2:
            return r.choice(_RELATIONS)(self.number(depth + 1), self.number(depth + 1))
        if choice == 5:
            return ~self.truth(depth + 1)
        if choice == 6:
            return self.truth(depth + 1) | self.truth(depth + 1)
        if choice == 7:
            return self.truth(depth + 1).implies(self.truth(depth + 1))
        if choice == 10:
            return cp.IfThenElse(*[self.truth(depth + 1) for _ in range(3)])
        terms = [self.number(depth + 1) for _ in range(3)]
        return cp.AllDifferentExceptN(terms, [0]) if choice == 8 else cp.Xor([t == terms[0] for t in terms])


def by_values(variables: list[Any], constraints: list[Any]) -> set[tuple[int, ...]]:
    """Return where CPMpy says that all constraints hold."""
    found = set()
    for values in itertools.product(*(range(low, high + 1) for low, high in DOMAINS.values())):
        for variable, value in zip(variables, values, strict=True):
            variable._value = value
        if all(bool(cp.expressions.utils.argval(c)) for c in constraints):
            found.add(values)
    return found


def ours(model: Model) -> set[tuple[int, ...]]:
    columns = [[model.name_of(v) for v in model.decisions.tolist()].index(name) for name in DOMAINS]
    grid = oracle.assignments(model)
    return {tuple(row) for row in grid[Checker(model).accepts(grid)][:, columns].tolist()}


def listed(variables: list[Any], model: Any) -> set[tuple[int, ...]]:
    """Return the solutions that CPMpy's default solver lists."""
    found: set[tuple[int, ...]] = set()
    model.solveAll(display=lambda: found.add(tuple(int(v.value()) for v in variables)))
    return found


def compared(seed: int) -> bool:
    """Compare one model; say whether anything in it can be undefined.

    Where its own values say something else than what its solver lists, what is listed counts.
    """
    drawn = Drawn(seed)
    constraints = [drawn.truth() for _ in range(drawn.random.randint(1, 2))]
    all_there = cp.sum(drawn.variables) >= -9  # a variable that is nowhere is not read
    theirs = cp.Model([*constraints, all_there])
    model = from_cpmpy(theirs).model
    found = ours(model)
    if found != by_values(drawn.variables, constraints):
        assert found == listed(drawn.variables, theirs), (seed, [str(c) for c in constraints])
        SECOND.append(seed)
    return model.has_partial


def test_random_expressions() -> None:
    SECOND.clear()
    assert sum(compared(seed) for seed in range(150)) > 60
    assert len(SECOND) <= 3


@pytest.mark.parametrize(
    "says",
    [
        lambda a, b, c: a // b + 1 > a // b,
        lambda a, b, c: a // b - a // b == 0,
        lambda a, b, c: 0 * (a % b) == 0,
        lambda a, b, c: (a // b) ** 0 == 1,
        lambda a, b, c: cp.Count([a // b, c], 1) >= 0,
        lambda a, b, c: ~(cp.Count([a, c], c // b) >= 0),
        lambda a, b, c: cp.Among([a // b, c], [1, 2]) >= 0,
        lambda a, b, c: cp.NValue([a // b, c]) >= 0,
        lambda a, b, c: cp.GlobalCardinalityCount([a // b, c, b], [1, 5], [c, 0]) | (c == 2),
        lambda a, b, c: cp.AllDifferentExcept0(a // b, c, a),
        lambda a, b, c: cp.NoOverlap([a // b, c], [1, 1], [a // b + 1, c + 1]) | (a == 1),
        lambda a, b, c: cp.max([a // b - a // b, c]) >= 0,
        lambda a, b, c: (cp.Element([5, 6, 7], 0 * a + 3) == 5) | (a == 2),
        lambda a, b, c: cp.Element([5, a // b, 7], 0 * a) == 5,
        lambda a, b, c: ((b - b) % (c - c + 0) == 0) | (a == 2),
        lambda a, b, c: cp.Element([5, 6], a) - cp.Element([5, 6], a) == 0,
        lambda a, b, c: cp.AllEqualExceptN([a // b, c], [0]) | (c == 2),
        lambda a, b, c: cp.IfThenElse(a // b == 1, c == 1, c == 0),
        lambda a, b, c: ~cp.IfThenElse(a // b == 1, c == 1, a % b == 0),
        lambda a, b, c: cp.IfThenElse(cp.BoolVal(True), c == 1, a // b == 0),
        lambda a, b, c: ~(cp.cpm_array([[1, 2], [3, 4]])[a // b, c] == 2),
        lambda a, b, c: (cp.cpm_array([[1, 2], [a, 4]])[a // b, c] == 2).implies(c == 1),
    ],
)
def test_nothing_is_lost(says: Callable[[Any, Any, Any], Any]) -> None:
    variables = [cp.intvar(*ends, name=name) for name, ends in DOMAINS.items()]
    said = says(*variables)
    model = cp.Model([said, cp.sum(variables) >= -9])
    found = ours(from_cpmpy(model).model)
    assert found == by_values(variables, [said]) == listed(variables, model)


def test_its_quotient_is_the_truncated_one() -> None:
    """A quotient of CPMpy that cancels means what `div_trunc` means here."""
    x, y = cp.intvar(-3, 3, name="x"), cp.intvar(-1, 1, name="y")
    theirs = from_cpmpy(cp.Model(x // y * 2 - x // y <= 1)).model
    m = Model()
    a, b = m.intvar(-3, 3, name="x"), m.intvar(-1, 1, name="y")
    m.add(div_trunc(a, b) * 2 - div_trunc(a, b) <= 1)
    grid = oracle.assignments(m)
    assert (Checker(m).accepts(grid) == Checker(theirs).accepts(grid)).all()
