"""A lowered model as atoms: single truths and functions over rows of terms."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from cpqueens.backends.python_constraint.bounds import TRUTHS
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.definitions import Definition, Element, Truth

Row = tuple[list[int], list[int], int]
"""A term: variables, coefficients, constant."""


@dataclass(frozen=True, slots=True)
class Atom:
    """One truth or one function: its kind, the terms it speaks about, and what else defines it."""

    kind: str
    rows: tuple[Row, ...]
    detail: Any = None


# ---- constraints and definitions as atoms ---------------------------------------------------------------


def _linear(constraint: Any) -> Iterator[Atom]:
    for row in constraint.expression.rows():
        yield Atom("Linear", (row,), constraint.relation)


def _connective(constraint: Any) -> Iterator[Atom]:
    rows, k = list(constraint.literals.rows()), constraint.literals.shape[-1]
    for i in range(constraint.size):
        yield Atom(constraint.kind, tuple(rows[i * k : (i + 1) * k]))


def _whole(*arguments: str, detail: str = "") -> Callable[[Any], Iterator[Atom]]:
    """Return what makes one atom of a constraint, with the terms of these arguments in this order."""

    def atom(constraint: Any) -> Iterator[Atom]:
        rows = tuple(row for name in arguments for row in getattr(constraint, name).rows())
        yield Atom(constraint.kind, rows, getattr(constraint, detail) if detail else None)

    return atom


ATOMS: dict[str, Callable[[Any], Iterator[Atom]]] = {
    "AllDifferent": _whole("terms"),
    "AllEqual": _whole("terms"),
    "Among": _whole("count", "terms", detail="values"),
    "And": _connective,
    "Count": _whole("value", "count", "terms", detail="relation"),
    "Linear": _linear,
    "Or": _connective,
    "Table": _whole("terms", detail="rows"),
}
"""From kind to the elements of a constraint of this kind, in order."""


def functions(definition: Definition) -> Iterator[Atom]:
    """Yield an atom for each result of a block."""
    if isinstance(definition, Truth):
        yield from ATOMS[definition.constraint.kind](definition.constraint)
    elif isinstance(definition, Element):
        table = tuple(definition.table.rows())
        for row in definition.position.rows():
            yield Atom("element", (row, *table))
    else:
        for rows in zip(*(a.rows() for a in definition.arguments), strict=True):
            is_square = definition.kind == "product" and rows[0] == rows[1]
            yield Atom("square", rows[:1]) if is_square else Atom(definition.kind, rows)


# ---- what is supported ----------------------------------------------------------------------------------


def supports(constraint: Constraint, context: str) -> bool:
    """Say whether this backend takes the constraint as it is in this context."""
    kind = constraint.kind
    if kind in TRUTHS:
        return True
    return context == "plain" and kind in ONLY_NATIVE and ONLY_NATIVE[kind](constraint)


def are_variables(rows: Iterable[Row]) -> bool:
    """Say whether the rows are different single variables with nothing around them."""
    seen: set[int] = set()
    for variables, coefficients, constant in rows:
        if coefficients != [1] or constant or variables[0] in seen:
            return False
        seen.add(variables[0])
    return True


def _over_decisions(constraint: Any) -> bool:
    rows = list(constraint.terms.rows())
    defined = constraint.terms.registry.is_defined
    return len(rows) > 1 and are_variables(rows) and not any(defined[row[0][0]] for row in rows)


def _among_constant(constraint: Any) -> bool:
    return _over_decisions(constraint) and not any(row[0] for row in constraint.count.rows())


ONLY_NATIVE: dict[str, Callable[[Any], bool]] = {"AllEqual": _over_decisions, "Among": _among_constant}
"""Kinds that only the library's own constraints take, and when; else they are decomposed."""
