"""python-constraint's problems here: the same solutions as its own plain solver finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import constraint
import pytest

from cpqueens import ModelError, from_python_constraint


def problem(*constraints: Any, domain: Any = range(-1, 4), names: str = "abc") -> constraint.Problem:
    p = constraint.Problem(constraint.BacktrackingSolver())
    p.addVariables(list(names), list(domain))
    for c in constraints:
        p.addConstraint(*c) if isinstance(c, tuple) else p.addConstraint(c)
    return p


PROBLEMS: dict[str, Callable[[], constraint.Problem]] = {
    "all different": lambda: problem(constraint.AllDifferentConstraint()),
    "all equal": lambda: problem((constraint.AllEqualConstraint(), ["a", "c"])),
    "sums": lambda: problem(constraint.MaxSumConstraint(4), constraint.MinSumConstraint(2)),
    "weighted sum": lambda: problem((constraint.ExactSumConstraint(5, [1, 2]), ["a", "b"])),
    "weights with fractions": lambda: problem((constraint.MaxSumConstraint(2.5, [0.5, 1]), ["a", "b"])),
    "products": lambda: problem(constraint.MaxProdConstraint(4), domain=range(1, 4)),
    "exact product": lambda: problem((constraint.ExactProdConstraint(6), ["a", "b"]), domain=range(1, 4)),
    "in set": lambda: problem((constraint.InSetConstraint([1, 3]), ["a"])),
    "not in set": lambda: problem((constraint.NotInSetConstraint([1, 3]), ["a", "b"])),
    "some in set": lambda: problem(constraint.SomeInSetConstraint([1, 2], 2, True)),
    "a function": lambda: problem((lambda a, b: a * b == 2, ["a", "b"])),
    "texts": lambda: problem("a + b <= 2", "a != c"),
    "words": lambda: problem(
        (lambda a, b: a[0] == b[0], ["a", "b"]),
        constraint.AllDifferentConstraint(),
        domain=["red", "rose", "blue"],
    ),
    "mixed values": lambda: problem((lambda a, b: a == b, ["a", "b"]), domain=[None, 2.5, "x", (1, 2)]),
    "no solution": lambda: problem(constraint.MinSumConstraint(100)),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_same_solutions(name: str) -> None:
    theirs = PROBLEMS[name]()
    expected = {tuple(map(str, s.values())) for s in (dict(sorted(s.items())) for s in theirs.getSolutions())}
    theirs = PROBLEMS[name]()
    domains = {n: list(dict.fromkeys(d)) for n, d in theirs._variables.items()}
    imported = from_python_constraint(theirs)
    found = set()
    for solution in imported.model.enumerate(solver="backtracking").solutions:
        values = imported.write_back(solution)
        plain = all(type(v) is int for d in domains.values() for v in d)
        found.add(tuple(str(values[n] if plain else domains[n][values[n]]) for n in sorted(domains)))
    assert found == expected


def test_refused() -> None:
    with pytest.raises(ModelError, match=r"a constraint\.Problem is needed"):
        from_python_constraint(3)
    with pytest.raises(ModelError, match="Predicate"):
        from_python_constraint(problem(lambda *x: True, names="abcdefghijk"))
