"""Linear relations and clauses of FlatZinc over variables alone: long files consist of these.

Each becomes what `flatzinc_constraints` would make of it, sooner; others, and broken ones, are left to that.

Bounds of integers that FlatZinc declares without any: those that constraints imply, else assumed ones.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.exchange import flatzinc_text as text
from cpqueens.exchange.flatzinc_symbols import ASSUMED, Symbols, ends_of
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


_ROUNDS = 30
"""After so many looks at all constraints, bounds that still creep are left as they are."""
_ROWS = {"int_lin_eq": True, "int_lin_le": False}
_PAIRS = {"int_eq": (0, True), "int_le": (0, False), "int_lt": (-1, False)}
"""Of relations of two: what the first less the other is at most, and whether at least, too."""

Number = float  # an integer, or an infinite one
Ends = tuple[Number, Number]
BoundRow = tuple[list[tuple[int, str]], int]
"""Coefficients and variables of a sum, and what it is at most."""


def give_bounds(symbols: Symbols, names: Iterable[str], stated: Iterable[text.Stated]) -> None:
    """Give bounds to variables without any, and note those whose bounds are assumed.

    ``stated`` are the constraints that are to be looked at: linear ones, products, extremes, absolute values
    and elements of constants.
    """
    bounds = _Bounds(symbols)
    for one in stated:
        bounds.read(one)
    bounds.propagate()
    for name in names:
        low, high = bounds.of(name)
        ends = _finite(low, high)
        if (low, high) != ends:
            symbols.assumed[name] = ends
        symbols.declared[name] = symbols.declared[name]._replace(domain=range(ends[0], ends[1] + 1))


def _finite(low: Number, high: Number) -> tuple[int, int]:
    """Return bounds with assumed ones in the place of infinite ones."""
    if math.isinf(low):
        low = -ASSUMED if high >= -ASSUMED else high - ASSUMED
    if math.isinf(high):
        high = ASSUMED if low <= ASSUMED else low + ASSUMED
    return int(low), int(high)


class _Bounds:
    """Intervals of variables, made smaller by rows and functions until nothing changes."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._ends: dict[str, Ends] = {}
        self._rows: list[BoundRow] = []
        self._functions: list[tuple[str, Callable[[], Ends]]] = []
        self._changed = False

    def of(self, name: str) -> Ends:
        """Return the bounds of a variable, infinite ones included."""
        if name not in self._ends:
            declared = ends_of(self._symbols.declared[name])
            self._ends[name] = (-math.inf, math.inf) if declared is None else declared
        return self._ends[name]

    def read(self, stated: text.Stated) -> None:
        """Note what a constraint says of bounds, if anything."""
        given = stated.arguments
        if stated.name in _ROWS and len(given) == 3:
            weights, side = self._symbols.constants(given[0], "k"), self._symbols.constant(given[2])
            self._row(
                list(zip(weights, self._symbols.listed(given[1]), strict=False)), side, _ROWS[stated.name]
            )
        elif stated.name in _PAIRS and len(given) == 2:
            most, both = _PAIRS[stated.name]
            self._row([(1, given[0]), (-1, given[1])], most, both)
        elif stated.name in _FUNCTIONS and isinstance(given[-1], text.Name):
            function, arguments = _FUNCTIONS[stated.name], given[:-1]
            self._functions.append((given[-1], lambda: function([self._value(a) for a in arguments])))
        elif stated.name == "array_int_element" and isinstance(given[-1], text.Name):
            entries = self._symbols.constants(given[1], "k")
            self._functions.append((given[-1], lambda: (min(entries), max(entries))))

    def _value(self, value: Any) -> Ends:
        value = self._symbols.constant(value)
        return self.of(value) if isinstance(value, text.Name) else (value, value)

    def _row(self, terms: list[tuple[int, Any]], side: int, both: bool) -> None:
        row = []
        for weight, value in terms:
            plain = self._symbols.constant(value)
            if isinstance(plain, text.Name):
                row.append((weight, str(plain)))
            else:
                side -= weight * plain
        self._rows.append((row, side))
        if both:
            self._rows.append(([(-w, name) for w, name in row], -side))

    def propagate(self) -> None:
        """Make the intervals smaller."""
        for _ in range(_ROUNDS):
            self._changed = False
            for name, function in self._functions:
                self._narrow(name, *function())
            for row, side in self._rows:
                self._look(row, side)
            if not self._changed:
                break

    def _look(self, row: list[tuple[int, str]], side: int) -> None:
        """Let each variable of a row be within what the least of the others leaves."""
        least = [w * self.of(name)[w < 0] for w, name in row if w]
        endless = sum(map(math.isinf, least))
        if endless > 1:
            return
        whole = sum(v for v in least if not math.isinf(v))
        for (w, name), mine in zip([(w, n) for w, n in row if w], least, strict=True):
            if endless and not math.isinf(mine):
                continue
            room = side - (whole if math.isinf(mine) else whole - mine)
            if w > 0:
                self._narrow(name, -math.inf, room // w)
            else:
                self._narrow(name, -(room // -w), math.inf)

    def _narrow(self, name: str, low: Number, high: Number) -> None:
        before = self.of(name)
        after = max(before[0], low), min(before[1], high)
        if after != before and after[0] <= after[1]:
            self._ends[name], self._changed = after, True


def _product(given: list[Ends]) -> Ends:
    corners = [0 if 0 in (a, b) else a * b for a in given[0] for b in given[1]]
    return min(corners), max(corners)


def _absolute(given: list[Ends]) -> Ends:
    ((low, high),) = given
    return (0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))


_FUNCTIONS: Mapping[str, Callable[[list[Ends]], Ends]] = {
    "int_abs": _absolute,
    "int_max": lambda given: (max(a for a, _ in given), max(b for _, b in given)),
    "int_min": lambda given: (min(a for a, _ in given), min(b for _, b in given)),
    "int_plus": lambda given: (sum(a for a, _ in given), sum(b for _, b in given)),
    "int_times": _product,
}
"""From the bounds of arguments to those of the result."""
READ = frozenset({*_ROWS, *_PAIRS, *_FUNCTIONS, "array_int_element"})
"""The constraints that say something of bounds."""
