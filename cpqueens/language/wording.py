"""Terms, truths and constraints as one line of text, as their user would write them.

What a model keeps is a sum and its relation to 0; shown is ``x <= y + 3``, never ``x - y - 3 <= 0``. A line
is cut: of long lists and sums the ends are shown, and no more than `_PIECES` names in all, so that what is
nested, wide or shared does not matter.

Terms, truths and constraints as one line of text, for messages, reports and `repr`.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import partial
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.count import Count
from cpqueens.language.constraints.linear import Linear
from cpqueens.language.constraints.predicate import Predicate
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.table_rows import written
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.labels import Names
from cpqueens.language.linear_rows import Row
from cpqueens.language.pending import signs_in_clause, width_in_clause
from cpqueens.language.rows import IntArray
from cpqueens.language.truths import Literals
from cpqueens.text.plaintext import shown

_PIECES = 80  # names of variables in one line
_HEAD = 5  # so many of a long list are shown, then dots and the last; a list with two more is shown in full
_LONGEST_VALUE = 60
_WIDE = 40  # variables of a term from which only those at its ends are looked at
_DOTS = "..."
_MOST_COLUMNS = 20  # of a table whose values are names

Pair = tuple[int | str, int]
"""A variable, or the text of a truth, and its factor."""


class Named(Protocol):
    """What gives variables their names: a model."""

    @property
    def lower(self) -> IntArray:
        """Lower bounds of all variables."""

    @property
    def upper(self) -> IntArray:
        """Upper bounds of all variables."""

    def label_of(self, variable: int) -> str:
        """Return the name of a variable, with the labels of its axes."""

    def array_from(self, first: int) -> tuple[str, tuple[int, ...]] | None:
        """Return name and shape of the array of decision variables that begins with ``first``, if any."""

    def array_with(self, variable: int) -> tuple[str, tuple[int, ...], tuple[int, ...], list[str]] | None:
        """Return name and shape of the array that a variable is in, its index there, and that as texts."""

    def names_of(self, variable: int) -> Names | None:
        """Return the names of a variable's values by their numbers; None if these are plain integers."""

    def producer(self, variable: int) -> tuple[Definition, int] | None:
        """Return the definition of a defined variable and its row there, else None."""

    def is_penalties(self, variable: int) -> bool:
        """Say whether a variable stands for the penalties of soft constraints."""


class Wording:
    """Writes one line about terms of ``model``; of long lists the first ``head`` elements and the last."""

    def __init__(self, model: Named, head: int = _HEAD) -> None:
        self.model = model
        self.head = head
        self.left = _PIECES

    # ---- terms ----------------------------------------------------------------------------------

    def variable(self, variable: int | str) -> str:
        """Return the name of a variable, or the function that it stands for; a text as it is."""
        self.left -= 1
        if isinstance(variable, str):
            return variable
        produced = self.model.producer(variable)
        if produced is None:
            return self.model.label_of(variable)
        if self.left < 0:
            return _DOTS
        if self.model.is_penalties(variable):
            return "penalties"
        definition, row = produced
        one = definition.take(np.array([row]), definition.results[row : row + 1])
        if isinstance(one, Truth):
            return self.truth(one.constraint)
        wording = _FUNCTIONS.get(one.kind)
        if wording is not None:
            return wording(self, one.arguments)
        return f"{one.kind}({', '.join(self.array(a) for a in one.arguments)})"

    def term(self, row: Row) -> str:
        """Return a sum, such as ``2*x - y + 3``."""
        return self._sum(*self._pairs(row))

    def _pairs(self, row: Row) -> tuple[list[Pair], int]:
        """Return the parts of a sum, and the constant; truths such as ``x == 'red'`` in their own words.

        Of a variable with two names such a truth is the variable itself, less the number of one of them.
        """
        variables, coefficients, constant = row
        pairs: list[Pair] = list(zip(variables, coefficients, strict=True))
        if len(pairs) > _PIECES:
            return pairs, constant
        named = [v for v in variables if self.model.names_of(v) is not None]
        if not constant and len(named) == len(pairs) and list(coefficients) in ([1], [1, -1], [-1, 1]):
            return pairs, constant  # one alone, or two that are compared
        for k, variable in enumerate(variables):
            if variable in named and self._span(variable) == 1:
                factor, low = coefficients[k], int(self.model.lower[variable])
                number, other = (low + 1, low) if factor > 0 else (low, low + 1)
                pairs[k] = f"({self.named(variable, number)})", abs(factor)
                constant += factor * other
        return pairs, constant

    def named(self, variable: int, number: int, relation: str = "==") -> str:
        """Return that a variable has the value with this number, by its name."""
        names = self.model.names_of(variable) or {}
        return f"{self.variable(variable)} {relation} {_value(names.get(number, number))}"

    def _sum(self, pairs: Sequence[Pair], constant: int) -> str:
        if len(pairs) == 1 and pairs[0][1] == 1 and not constant:
            return self.variable(pairs[0][0])
        if len(pairs) == 1 and pairs[0][1] < 0 < constant:
            return f"{constant} - {self._sum([(pairs[0][0], -pairs[0][1])], 0)}"
        if pairs and pairs[0][1] < 0:  # x - y was written, and -y + x is kept
            first = next((k for k, (_, factor) in enumerate(pairs) if factor > 0), 0)
            pairs = [pairs[first], *pairs[:first], *pairs[first + 1 :]]
        text = ""
        for k in _ends(len(pairs), self.head):
            if k is None:
                text += f" + {_DOTS}"
                continue
            variable, factor = pairs[k]
            sign = "-" if factor < 0 else "+"
            times = "" if abs(factor) == 1 else f"{abs(factor)}*"
            part = f"{times}{closed(self.variable(variable))}"
            text += f" {sign} {part}" if text else f"{sign.strip('+')}{part}"
        if not constant and text:
            return text
        return f"{text} {'-' if constant < 0 else '+'} {abs(constant)}" if text else str(constant)

    def array(self, array: LinearArray) -> str:
        """Return an array of terms: the name of a whole one, else its elements."""
        name = self._whole(array)
        return name if name is not None else self.elements(array)

    def elements(self, array: LinearArray) -> str:
        """Return one term, or a (nested) list of terms."""
        return self._nested(array.shape, lambda k: self.term(_row(array, k)))

    def _whole(self, array: LinearArray) -> str | None:
        name, shape = self._array_of(array)
        return name if array.shape and shape == array.shape else None

    def _array_of(self, array: LinearArray) -> tuple[str | None, tuple[int, ...]]:
        """Return name and shape of the array of variables whose elements these are, in order, if any."""
        first = int(array.variables[0, 0]) if array.are_variables else -1
        found = None if first < 0 else self.model.array_from(first)
        if found is None or math.prod(found[1]) != array.size:
            return None, ()
        in_order = np.array_equal(array.variables[:, 0], np.arange(first, first + array.size))
        return found if in_order else (None, ())

    def _nested(
        self, shape: tuple[int, ...], one: Callable[[int], str], start: int = 0, deep: bool = False
    ) -> str:
        if not shape:
            return one(start) if self.left > 0 else _DOTS
        step = math.prod(shape[1:])
        head = min(self.head, 2) if deep or len(shape) > 1 else self.head

        def inner(k: int) -> str:
            return self._nested(shape[1:], one, start + k * step, deep=True)

        return f"[{self._listed(shape[0], inner, head)}]"

    def _listed(self, many: int, one: Callable[[int], str], head: int | None = None) -> str:
        parts: list[str] = []
        for k in _ends(many, self.head if head is None else head):
            parts.append(_DOTS if k is None or self.left <= 0 else one(k))
            if parts[-2:] == [_DOTS, _DOTS]:
                parts.pop()
        return ", ".join(parts)

    # ---- truths ---------------------------------------------------------------------------------

    def truth(self, truth: BoolArray) -> str:
        """Return a constraint: of many elements a list, of one the element alone."""
        if isinstance(truth, Literals):
            return self._elementwise(truth.shape, lambda k: self.literal(_row(truth.terms, k)))
        if isinstance(truth, Linear):
            terms, relation = truth.expression, truth.relation
            return self._elementwise(truth.shape, lambda k: self.relation(_row(terms, k), relation))
        if isinstance(truth, Connective):
            return self._elementwise(truth.shape, lambda k: self._connected(truth, k))
        if isinstance(truth, Count):
            (value,) = self._named(truth.terms, (int(truth.value.constants[0]),))
            wanted = self.array(truth.value) if truth.value.width else _value(value)
            return f"Count({self.array(truth.terms)}, {wanted}) {truth.relation} {self.array(truth.count)}"
        if isinstance(truth, Predicate):
            name = getattr(truth.function, "__name__", "function")
            return f"Predicate({shown(name)[1:-1]}, {self._bare(truth.terms)})"
        assert isinstance(truth, Constraint)
        return f"{truth.kind}({self._fields(truth)})"

    def _elementwise(self, shape: tuple[int, ...], one: Callable[[int], str]) -> str:
        return one(0) if math.prod(shape) == 1 else self._nested(shape, one)

    def _fields(self, constraint: Constraint) -> str:
        """Return the arguments of a kind, terms that are all of them without brackets."""
        values = list(constraint.stated.items())
        if isinstance(values[0][1], LinearArray) and values[0][1].width == 1 and constraint.lists_values:
            values = [(name, self._named(values[0][1], value)) for name, value in values]
        if isinstance(constraint, Regular) and constraint.names:
            return self._automaton(constraint)
        if len(values) == 1 and isinstance(values[0][1], LinearArray) and values[0][1].ndim < 2:
            return self._bare(values[0][1])
        texts = [(name, self._field(name, value)) for name, value in values]
        return ", ".join(f"{n}={text}" if n in constraint.options else text for n, text in texts if text)

    def _automaton(self, regular: Regular) -> str:
        """Return what an automaton is given, with the names of its states and of values."""
        arcs, some = regular.transitions, regular.terms.variables[:1].reshape(-1).tolist()
        arcs = np.concatenate([arcs[:_PIECES], arcs[-1:]]) if len(arcs) > _PIECES else arcs
        read = self.model.names_of(some[0]) or {} if some else {}
        name = regular.names
        named = [(name.get(a, a), read.get(v, v), name.get(b, b)) for a, v, b in arcs.tolist()]
        ends = [name.get(state, state) for state in regular.accepting]
        told = self._field("transitions", named), _value(name.get(regular.start, regular.start))
        return ", ".join([self.array(regular.terms), *told, self._field("accepting", ends)])

    def _named(self, terms: LinearArray, value: Any) -> Any:
        """Return listed values of terms, of a table by its columns, as names where the terms have names."""
        if not isinstance(value, tuple | np.ndarray) or not terms.variables.size:  # of numbers alone
            return value
        columns = [self.model.names_of(v) or {} for v in terms.variables[:_MOST_COLUMNS, 0].tolist()]
        if not any(columns):
            return value
        if isinstance(value, np.ndarray):
            if value.ndim != 2:
                return value
            if len(value) > _PIECES:  # of which the ends are shown
                value = np.concatenate([value[:_PIECES], value[-1:]])
            return [tuple(n.get(v, v) for n, v in zip(columns, row, strict=False)) for row in written(value)]
        if isinstance(value, tuple):
            return [columns[0].get(v, v) for v in value]
        return columns[0].get(int(value), int(value)) if isinstance(value, int | np.integer) else value

    def _bare(self, terms: LinearArray) -> str:
        name = self._whole(terms)
        return name if name is not None else self.elements(terms.reshape(-1))[1:-1]

    def _field(self, name: str, value: Any) -> str:
        """Return one argument; switches that are off and options that are not given are left out."""
        if isinstance(value, LinearArray):
            always = name == "present" and not value.coefficients.any() and (value.constants == 1).all()
            return "" if always else self.array(value)
        if value is None or value is False:
            return ""
        if isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim):
            return f"[{self._listed(len(value), lambda k: _value(value[k]))}]"
        return f"{name}={value}" if value is True or isinstance(value, str) else _value(value)

    def _connected(self, truth: Connective, element: int) -> str:
        """Return one element of a connective: by its operator between two literals, else by its name."""
        many = truth.literals.shape[-1]
        rows = partial(_row, truth.literals)
        if truth.form is not None:
            return self._nested_truth(truth.form, True, rows, element * many)
        return self._joined(truth.kind, many, lambda k: self.literal(rows(element * many + k)))

    def _joined(self, kind: str, many: int, part: Callable[[int], str]) -> str:
        operator = _OPERATORS.get(kind)
        if kind == "Negation":
            return _denied(part(0))
        if many != 2 or operator is None:
            return f"{kind}({self._listed(many, part)})"
        return operator(part(0), part(1))

    def _nested_truth(self, form: Any, positive: bool, rows: Callable[[int], Row], first: int) -> str:
        """Return a part of a clause as its user nested it; its literals are the rows from ``first`` on."""
        signs = signs_in_clause(form, positive)
        if signs is None:
            variables, coefficients, constant = rows(first)
            opposite = variables, [-a for a in coefficients], 1 - constant
            return self.literal(rows(first) if positive else opposite)
        parts = list(zip(form[1:], signs, strict=True))
        starts = list(accumulate((width_in_clause(*part) for part in parts), initial=first))
        return self._joined(
            form[0].__name__, len(parts), lambda k: self._nested_truth(*parts[k], rows, starts[k])
        )

    def literal(self, row: Row) -> str:
        """Return the truth that a 0/1 term is 1."""
        variables, coefficients, constant = row
        if not variables and constant in (0, 1):
            return str(constant == 1)
        sign = coefficients[0] if len(variables) == 1 else 0
        if (sign, constant) in ((1, 0), (-1, 1)) and self._binary(variables[0]):
            if self.model.names_of(variables[0]) is not None:
                return self.named(variables[0], 1 if sign == 1 else 0)
            text = self.variable(variables[0])
            return text if sign == 1 else _denied(text)
        return self.relation((variables, coefficients, constant - 1), "==")

    def relation(self, row: Row, relation: str) -> str:
        """Return ``row relation 0`` with what is added on the left and what is subtracted on the right."""
        variables, coefficients, constant = row
        posted = relation == ">=" and (list(coefficients), constant) in (([1], -1), ([-1], 0))
        if posted and self._binary(variables[0]):  # what posting a truth, or its negation, comes to
            return self.literal((variables, coefficients, constant + 1))
        names = self.model.names_of(variables[0]) if [abs(a) for a in coefficients] == [1] else None
        if names is not None and relation in ("==", "!="):
            return self.named(variables[0], -constant * coefficients[0], relation)
        pairs, constant = self._pairs(row)
        left = [(v, a) for v, a in pairs if a > 0]
        right = [(v, -a) for v, a in pairs if a < 0]
        if right and not left:
            left, right, constant, relation = right, left, -constant, _MIRRORED[relation]
        kept = max(constant, 0) if right or not left else 0
        return f"{self._side(left, kept)} {relation} {self._side(right, kept - constant)}"

    def _side(self, pairs: Sequence[Pair], constant: int) -> str:
        """Return one side of a relation; a truth that stands there alone is a relation itself."""
        text = self._sum(pairs, constant)
        alone = len(pairs) == 1 and not constant
        first = pairs[0][0] if alone else ""
        produced = None if isinstance(first, str) else self.model.producer(first)
        return closed(text) if produced is not None and isinstance(produced[0], Truth) else text

    def _span(self, variable: int) -> int:
        lower, upper = self.model.lower, self.model.upper
        return int(upper[variable] - lower[variable]) if variable < len(lower) else 0

    def _binary(self, variable: int) -> bool:
        lower, upper = self.model.lower, self.model.upper
        return variable < len(lower) and lower[variable] == 0 and upper[variable] == 1

    # ---- functions ------------------------------------------------------------------------------

    def called(self, name: str, arguments: Sequence[LinearArray]) -> str:
        """Return ``name(x, y)`` for one result."""
        return f"{name}({self._listed(len(arguments), lambda k: self.term(_row(arguments[k], 0)))})"

    def between(self, operator: str, arguments: Iterable[LinearArray]) -> str:
        """Return ``x operator y``; in brackets what would else belong to a part of the operands only."""
        one, other = (self.term(_row(a, 0)) for a in arguments)
        return f"{closed(one)}{operator}{closed(other, ' *-')}"

    def element(self, position: LinearArray, table: LinearArray) -> str:
        """Return ``array[position]`` of a whole array, else ``element([...], position)``.

        An element of 0, 1, 2, ... is its position: arrays of several axes keep their indices inside by it.
        """
        (name, shape), row = self._array_of(table), _row(position, 0)
        if name is None:
            counts = not table.width and np.array_equal(table.constants, np.arange(table.size))
            at = self.term(row)
            return at if counts else self._on_axis(table, at) or f"element({self.elements(table)}, {at})"
        strides = [math.prod(shape[k + 1 :]) for k in range(len(shape))]
        if len(shape) > 1 and (list(row[1]), row[2]) == (strides, 0):
            return f"{name}[{', '.join(self.variable(v) for v in row[0])}]"
        return f"{name}{'.flat' if len(shape) > 1 else ''}[{self.term(row)}]"

    def _on_axis(self, table: LinearArray, at: str) -> str | None:
        """Return ``array[0, at]`` of a table that is a whole axis of an array of several, else None."""
        found = self.model.array_with(int(table.variables[0, 0])) if table.are_variables else None
        if found is None:
            return None
        (name, shape, first, texts), variables = found, table.variables[:, 0]
        for axis, length in enumerate(shape):
            step = math.prod(shape[axis + 1 :])
            if (length, first[axis]) == (table.size, 0) and (np.diff(variables) == step).all():
                index = [*texts[:axis], at, *texts[axis + 1 :]]
                return f"{name}[{', '.join(index)}]"
        return None


_FUNCTIONS: dict[str, Callable[[Wording, tuple[LinearArray, ...]], str]] = {
    "abs": lambda w, a: w.called("abs", a),
    "product": lambda w, a: w.between("*", a),
    "quotient": lambda w, a: w.between(" // ", a),
    "quotient_truncated": lambda w, a: w.called("div_trunc", a),
    "remainder": lambda w, a: w.between(" % ", a),
    "remainder_truncated": lambda w, a: w.called("mod_trunc", a),
    "minimum": lambda w, a: w.called("minimum", a),
    "maximum": lambda w, a: w.called("maximum", a),
    "element": lambda w, a: w.element(*a),
    "zero": lambda w, a: f"0*{closed(w.term(_row(a[0], 0)), ' -')}",
}
"""How users write the functions of definitions; others are shown by their kind."""

_OPERATORS: dict[str, Callable[[str, str], str]] = {
    "And": lambda a, b: f"{closed(a)} & {closed(b)}",
    "Or": lambda a, b: f"{closed(a)} | {closed(b)}",
    "Xor": lambda a, b: f"{closed(a)} ^ {closed(b)}",
    "Implication": lambda a, b: f"{closed(a, ' ~')}.implies({b})",
}
"""How users write a connective of two truths."""

_MIRRORED = {"==": "==", "!=": "!=", "<=": ">=", "<": ">", ">=": "<=", ">": "<"}


def _row(array: LinearArray, k: int) -> Row:
    """Return one term; of a very wide one the ends of what is added and of what is subtracted."""
    if array.width <= _WIDE:
        return next(array._pick(np.array([k])).rows())
    variables, coefficients = array.variables[k], array.coefficients[k]
    signs = [np.flatnonzero(coefficients > 0), np.flatnonzero(coefficients < 0)]
    ends = [s if len(s) <= _WIDE else np.append(s[: _WIDE - 1], s[-1]) for s in signs]
    kept = np.sort(np.concatenate(ends))
    return variables[kept].tolist(), coefficients[kept].tolist(), int(array.constants[k])


def _ends(many: int, head: int) -> list[int | None]:
    """Return which of ``many`` things are shown, None for dots."""
    return [*range(many)] if many <= head + 2 else [*range(head), None, many - 1]


def _value(value: Any) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, tuple) and len(value) <= _MOST_COLUMNS:
        return f"({', '.join(map(_value, value))}{',' if len(value) == 1 else ''})"
    plain = tuple(written(value[None])[0]) if isinstance(value, np.ndarray) and value.ndim == 1 else value
    return shown(plain, _LONGEST_VALUE)


def closed(text: str, parting: str = " ") -> str:
    """Return ``text`` in brackets if it consists of several parts, with letters of ``parting`` between."""
    depth = 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter in parting and not depth:
            return f"({text})"
    return text


def _denied(text: str) -> str:
    return f"~{closed(text)}"


_LONGEST = 400  # letters of a line


def describe_term(model: Named, row: Row) -> str:
    """Return one term as text, such as ``q[0] - 2*q[1] + 3``."""
    return _cut(Wording(model).term(row))


def describe_array(model: Named, array: LinearArray) -> str:
    """Return terms as text: one, or a (nested) list, shortened in the middle of long ones."""
    return _cut(Wording(model).array(array))


def describe_elements(model: Named, array: LinearArray) -> str:
    """Return terms as `describe_array` does, the elements also of an array that has a name."""
    return _cut(Wording(model).elements(array))


def describe(model: Named, truth: BoolArray, width: int = _LONGEST) -> str:
    """Return a constraint, or truths, as text, such as ``q[0] != q[1] + 1`` or ``AllDifferent(q)``.

    It has at most ``width`` letters: long lists are shortened, and after that the text is cut.
    """
    for head in (5, 3, 2, 1):
        text = Wording(model, head).truth(truth)
        if len(text) <= width:
            return text
    return _cut(text, width)


def describe_variable(model: Named, variable: int) -> str:
    """Return a defined variable as the function it stands for, such as ``abs(q[0] - q[1])``."""
    return _cut(Wording(model).variable(variable))


def _cut(text: str, width: int = _LONGEST) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
