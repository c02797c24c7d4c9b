"""Linear relations and clauses of FlatZinc over variables alone: long files consist of these.

Each becomes what `flatzinc_constraints` would make of it, sooner; others, and broken ones, are left to that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.exchange.flatzinc_symbols import Symbols
from cpqueens.language.arrays import of_literals
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import And, Connective, Or
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.term import Term, join_terms
from cpqueens.model import Model

Known = TypeVar("Known")
Builder = Callable[..., Constraint | None]

_NAME = r"[A-Za-z_][A-Za-z0-9_]*+"
_NAMES = rf"(\[[A-Za-z0-9_,]++\]|{_NAME})"
_WEIGHTS = rf"(\[[-0-9,]++\]|{_NAME})"
_NUMBER = r"(-?[0-9]{1,18}+)"
_EITHER = rf"({_NAME}|-?[0-9]{{1,18}}+)"
_TRUTH = rf"({_NAME})"
_END = rf"\)(?:\s*+::\s*+{_NAME}(?:\({_NAME}\))?+)*+\s*+;"
_INTEGER = re.compile(_NUMBER)


class Row(NamedTuple):
    """How the arguments of a constraint read, and what is made of those in front of its truth."""

    pattern: re.Pattern[str]
    build: Builder
    is_truth: bool


def row_of(statement: str, symbols: Symbols) -> tuple[Constraint, str | None] | None:
    """Return a constraint, and which variable is its truth; None for a statement that is more than that."""
    at = statement.find("(")
    row = ROWS.get(statement[:at])
    found = None if row is None else row.pattern.fullmatch(statement, at + 1)
    if row is None or found is None:
        return None
    arguments = list(found.groups())
    truth = arguments.pop() if row.is_truth else None
    try:
        made = row.build(symbols, *arguments)
    except (KeyError, ModelError):  # no variable, or none that is known yet
        return None
    return None if made is None else (made, truth)


def truths(symbols: Symbols, made: Sequence[Constraint]) -> list[Term]:
    """Return the truths of what `row_of` returned; of many they are defined by form, not one by one."""
    if len(made) == 1:
        return [cast(Term, symbols.model.truth(made[0]))]
    places: dict[tuple[Any, int], list[int]] = {}
    for k, one in enumerate(made):
        form: tuple[Any, int]
        if isinstance(one, Linear):
            form = one.relation, one.expression.width
        else:
            form = type(one), len(one.operands)  # type: ignore[attr-defined]
        places.setdefault(form, []).append(k)
    found: list[Term] = [Term(symbols.model, (), (), 0)] * len(made)
    for (form, _), mine in places.items():
        together = _together(symbols.model, form, [made[k] for k in mine])
        for k, term in zip(mine, together.truth(), strict=True):
            found[k] = cast(Term, term)
    return found


def _together(model: Model, form: Any, made: Sequence[Any]) -> Constraint:
    """Return constraints of one form and width as an array."""
    if isinstance(form, str):
        return Linear(join_terms(model, [one.expression for one in made]), form)
    literals = np.array([[term.known_literal for term in one.operands] for one in made], dtype=np.int64)
    whole: Constraint = form.over(of_literals(model, literals))
    return whole


def _entries(symbols: Symbols, known: Mapping[str, Known], kind: str, names: str) -> list[Known]:
    """Return what the entries of an array are."""
    if names[0] == "[":
        return [known[name] for name in names[1:-1].split(",")]
    array = symbols.declared[names]
    return [known[name] for name in (array.value if array.size and array.kind == kind else [names])]


def _weights(symbols: Symbols, given: str) -> tuple[int, ...]:
    """Return the weights of a sum; what a text says is looked at once."""
    found = symbols.weights.get(given)
    if found is None:
        if given[0] != "[":
            found = tuple(symbols.constants(given, "k"))
        else:
            words = given[1:-1].split(",")
            found = tuple(map(int, words)) if all(map(_INTEGER.fullmatch, words)) else ()
        symbols.weights[given] = found
    return found


def _sum(relation: str, symbols: Symbols, weights: str, names: str, side: str) -> Constraint | None:
    factors = _weights(symbols, weights)
    variables = tuple(_entries(symbols, symbols.integers, "int", names))
    if len(factors) != len(variables) or len({*variables}) != len(variables) or 0 in factors:
        return None
    return Linear(Term(symbols.model, variables, factors, -int(side)), relation)


def _pair(relation: str, symbols: Symbols, left: str, right: str) -> Constraint | None:
    first = symbols.integers[left]
    if right[0] in "-0123456789":
        return Linear(Term(symbols.model, (first,), (1,), -int(right)), relation)
    second = symbols.integers[right]
    return None if first == second else Linear(Term(symbols.model, (first, second), (1, -1), 0), relation)


def _clause(symbols: Symbols, positive: str, negative: str) -> Constraint | None:
    literals = _entries(symbols, symbols.truths, "bool", positive)
    literals += [term.opposite() for term in _entries(symbols, symbols.truths, "bool", negative)]
    return Or.of(tuple(literals))


def _joined(kind: type[Connective], symbols: Symbols, names: str) -> Constraint | None:
    return kind.of(tuple(_entries(symbols, symbols.truths, "bool", names)))


def _rows(build: Builder, *arguments: str) -> tuple[Row, Row]:
    """Return how a relation is read, and its truth."""
    given = ",".join(arguments)
    return Row(re.compile(given + _END), build, False), Row(
        re.compile(f"{given},{_TRUTH}{_END}"), build, True
    )


def _table() -> dict[str, Row]:
    relations = {"eq": "==", "ge": ">=", "gt": ">", "le": "<=", "lt": "<", "ne": "!="}
    both = {
        **{f"int_{name}": _rows(partial(_pair, r), _TRUTH, _EITHER) for name, r in relations.items()},
        **{f"int_lin_{n}": _rows(partial(_sum, r), _WEIGHTS, _NAMES, _NUMBER) for n, r in relations.items()},
        "bool_clause": _rows(_clause, _NAMES, _NAMES),
    }
    named = {f"{name}{'_reif' * row.is_truth}": row for name, rows in both.items() for row in rows}
    named["array_bool_and"] = _rows(partial(_joined, And), _NAMES)[1]
    named["array_bool_or"] = _rows(partial(_joined, Or), _NAMES)[1]
    return {f"constraint {name}": row for name, row in named.items()}


ROWS = _table()
"""By what stands in front of the arguments."""
