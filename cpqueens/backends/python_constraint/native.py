"""Atoms that the library's own constraints take, with what they need to be safe."""

from collections.abc import Callable, Sequence
from typing import Any

import constraint as library

from cpqueens.backends.python_constraint.atoms import Atom, are_variables

LARGEST_SCOPE = 64
"""Variables of a native AllDifferent or count, at most: their work at the root and in each node is quadratic
in the number of variables and cannot be stopped; ours is not."""

LARGEST_DOMAIN = 1000
"""Values of a variable of a native constraint, at most: each hidden value costs them the domain's length."""

Native = tuple[Any, list[int]]
"""The library's constraint object and its variables in order."""


def _linear(atom: Atom) -> Native | None:
    """Take two plain variables compared with each other; the library's sums prune at one end only."""
    ((variables, coefficients, constant),) = atom.rows
    make = _PAIRS.get(atom.detail)
    if make is not None and sorted(coefficients) == [-1, 1] and not constant:
        return make(), list(variables)
    return None


_PAIRS: dict[str, Callable[..., Any]] = {
    "!=": library.AllDifferentConstraint,
    "==": library.AllEqualConstraint,
}


def _variables(rows: Sequence[Any]) -> list[int]:
    return [row[0][0] for row in rows]


def _all_different(atom: Atom) -> Native | None:
    if not are_variables(atom.rows):
        return None
    return library.AllDifferentConstraint(), _variables(atom.rows)


def _all_equal(atom: Atom) -> Native | None:
    return library.AllEqualConstraint(), _variables(atom.rows)


def _count(atom: Atom) -> Native | None:
    """Take the number of plain variables that have a constant value, against a constant."""
    (chosen, _, value), (counted, _, number), *terms = atom.rows
    if chosen or counted or not are_variables(terms) or atom.detail not in _COUNTS:
        return None
    return _COUNTS[atom.detail]({value}, number, len(terms)), _variables(terms)


_COUNTS: dict[str, Callable[[set[int], int, int], Any]] = {
    "==": lambda values, n, size: library.SomeInSetConstraint(values, n, True),
    ">=": lambda values, n, size: library.SomeInSetConstraint(values, n),
    ">": lambda values, n, size: library.SomeInSetConstraint(values, n + 1),
    "<=": lambda values, n, size: library.SomeNotInSetConstraint(values, size - n),
    "<": lambda values, n, size: library.SomeNotInSetConstraint(values, size - n + 1),
}


def _among(atom: Atom) -> Native | None:
    (_, _, number), *terms = atom.rows
    return library.SomeInSetConstraint(set(atom.detail), number, True), _variables(terms)


NATIVE: dict[str, Callable[[Atom], Native | None]] = {
    "AllDifferent": _all_different,
    "AllEqual": _all_equal,
    "Among": _among,
    "Count": _count,
    "Linear": _linear,
}
"""From kind to the library's constraint for a plain atom over several variables, or None."""

UNLIMITED = ("AllEqual", "Among")
"""Kinds that have no own form here, so that the size does not matter."""


def native(atom: Atom, size: Callable[[int], int]) -> Native | None:
    """Return the library's own constraint for a plain atom, None where ours is to be used.

    ``size`` gives the number of values of a variable.
    """
    found = NATIVE[atom.kind](atom) if atom.kind in NATIVE else None
    if found is None or atom.kind in UNLIMITED:
        return found
    variables = found[1]
    if len(variables) > LARGEST_SCOPE or max(map(size, variables)) > LARGEST_DOMAIN:
        return None
    return found
