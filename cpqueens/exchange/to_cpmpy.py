"""Models of cpqueens as models of CPMpy: globals whole where CPMpy has an equal, functions as expressions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cpqueens.errors import MissingLibrary, UnsupportedRequest
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.table_rows import written
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.linear_rows import Row
from cpqueens.lowered.lowering import lower
from cpqueens.model import Model
from cpqueens.system.requirements import requirement
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.needed import needed


@dataclass(frozen=True)
class CpmpyExport:
    """A CPMpy model, and each decision variable of ours in it by the name that it has in ours.

    >>> from cpqueens import Model, to_cpmpy
    >>> m = Model()
    >>> x = m.intvar(1, 3, name="x")
    >>> m.maximize(x)
    >>> there = to_cpmpy(m)
    >>> there.model.solve(), there.assignment()
    (True, {'x': 3})

    Attributes
    ----------
    model
        Of CPMpy.
    variables
        Of CPMpy, by the names here.
    """

    model: Any
    variables: Mapping[str, Any]

    def assignment(self) -> dict[str, int]:
        """Return ``{name: value}`` of CPMpy's solution, for ``Model.check``."""
        return {name: int(variable.value()) for name, variable in self.variables.items()}


@explaining_keywords
def to_cpmpy(model: Model) -> CpmpyExport:
    """Return a model as one of CPMpy, and its variables there by name.

    Variables with the values 0 and 1 are Boolean there. Nothing is defined by further variables: who lists
    all solutions there gets each once.

    >>> from cpqueens import AllDifferent, Model, to_cpmpy
    >>> m = Model()
    >>> x = m.intvar(0, 3, shape=3, name="x")
    >>> m += [AllDifferent(x), x.sum() == 4]
    >>> there = to_cpmpy(m)
    >>> there.model.solveAll(), m.count()
    (6, 6)

    Parameters
    ----------
    model
        Any model without several objectives.

    Raises
    ------
    MissingLibrary
        If CPMpy is not installed.
    UnsupportedRequest
        Of several objectives.

    Examples
    --------
    """
    try:
        import cpmpy
    except ImportError:
        raise MissingLibrary(f"to_cpmpy needs CPMpy: {requirement('cpmpy').remedy}") from None
    needed(model, Model, "a model")
    if len(model.goals) > 1:
        raise UnsupportedRequest("a model of CPMpy has one objective; this one has several, in their order")
    lowered = lower(model, _supports, "cpmpy")
    writer = _ExpressionWriter(cpmpy, model)
    for block in lowered.definitions:
        for definition in block.split():
            writer.define(definition)
    native = cpmpy.Model(writer.domains)
    for constraint in lowered.constraints:
        for truth in _TRUTHS[constraint.kind](writer, constraint):
            native += cpmpy.BoolVal(truth) if isinstance(truth, bool) else truth
    if lowered.objective is not None:
        (goal,) = writer.terms(lowered.objective)
        if isinstance(goal, int):
            goal = cpmpy.expressions.core.Operator("sum", [goal, 0])
        (native.maximize if model.maximizing else native.minimize)(goal)
    names = {model.name_of(v): writer.values[v] for v in model.decisions.tolist()}
    return CpmpyExport(native, names)


class _ExpressionWriter:
    """Turns terms and truths into expressions; what a variable is defined as is one expression, shared."""

    def __init__(self, cpmpy: Any, model: Model) -> None:
        self.cpmpy = cpmpy
        self.values: dict[int, Any] = {}
        self.domains: list[Any] = []
        for v in model.decisions.tolist():
            low, high = int(model.lower[v]), int(model.upper[v])
            if (low, high) == (0, 1):
                self.values[v] = cpmpy.boolvar(name=model.name_of(v))
                continue
            self.values[v] = cpmpy.intvar(low, high, name=model.name_of(v))
            if v in model.domains:
                self.domains.append(cpmpy.InDomain(self.values[v], model.domains[v].tolist()))

    def define(self, definition: Definition) -> None:
        """Note what the variables of a block stand for."""
        if isinstance(definition, Truth):
            constraint = definition.constraint
            found: Iterator[Any] = iter(_TRUTHS[constraint.kind](self, constraint))
        elif definition.kind == "element":
            table = self.terms(definition.arguments[1])
            found = (self._entry(table, at) for at in self.terms(definition.arguments[0]))
        else:
            make = _FUNCTIONS[definition.kind]
            arguments = [self.terms(a) for a in definition.arguments]
            found = (make(self.cpmpy, *row) for row in zip(*arguments, strict=True))
        self.values.update(zip(definition.results.tolist(), found, strict=True))

    def _entry(self, table: list[Any], at: Any) -> Any:
        if not isinstance(at, int):
            return self.cpmpy.Element(table, at)
        return table[at] if 0 <= at < len(table) else 0

    def sum(self, row: Row) -> tuple[Any, int]:
        """Return a term without its constant, None if that is nothing, and the constant."""
        variables, coefficients, constant = row
        values = [self.values[v] for v in variables]
        constant += sum(int(a) * e for a, e in zip(coefficients, values, strict=True) if isinstance(e, int))
        parts = [(int(a), e) for a, e in zip(coefficients, values, strict=True) if not isinstance(e, int)]
        if not parts:
            return None, int(constant)
        if len(parts) == 1 and parts[0][0] == 1:
            return parts[0][1], int(constant)
        return self.cpmpy.sum([e if a == 1 else a * e for a, e in parts]), int(constant)

    def terms(self, array: LinearArray) -> list[Any]:
        """Return terms as expressions, or as integers."""
        found = []
        for row in array.rows():
            expression, constant = self.sum(row)
            whole = expression if constant == 0 or expression is None else expression + constant
            found.append(constant if whole is None else whole)
        return found

    def truths(self, array: LinearArray) -> list[Any]:
        """Return 0/1 terms as Boolean expressions, or as bools."""
        found: list[Any] = []
        for row in array.rows():
            expression, constant = self.sum(row)
            if expression is None:
                found.append(constant == 1)
            elif constant == 0 and expression.is_bool():
                found.append(expression)
            elif constant == 1 and list(row[1]) == [-1]:
                inner = self.values[row[0][0]]
                found.append(~inner if inner.is_bool() else inner == 0)
            else:
                found.append(expression == 1 - constant)
        return found


# ---- functions -------------------------------------------------------------------------------------------


def _floored(cpmpy: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Return quotient and remainder as CPMpy has them, and whether rounding down makes one less."""
    if isinstance(x, int) and isinstance(y, int):
        return (x // y if y else 0), False
    rest = x % y
    return x // y, ((rest < 0) & (y > 0)) | ((rest > 0) & (y < 0))


def _quotient(cpmpy: Any, x: Any, y: Any) -> Any:
    towards_zero, less = _floored(cpmpy, x, y)
    return towards_zero - less if less is not False else towards_zero


def _remainder(cpmpy: Any, x: Any, y: Any) -> Any:
    if isinstance(x, int) and isinstance(y, int):
        return x % y if y else 0
    _, less = _floored(cpmpy, x, y)
    return x % y + y * less


def _truncated(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    def write(cpmpy: Any, x: Any, y: Any) -> Any:
        if not (isinstance(x, int) and isinstance(y, int)):
            return function(x, y)
        size = function(abs(x), abs(y)) if y else 0
        return size if (x < 0) == (function is operator.floordiv and y < 0) else -size

    return write


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": lambda cpmpy, x: abs(x),
    "maximum": lambda cpmpy, *x: cpmpy.max(list(x)) if len(x) > 1 else x[0],
    "minimum": lambda cpmpy, *x: cpmpy.min(list(x)) if len(x) > 1 else x[0],
    "product": lambda cpmpy, x, y: x * y,
    "quotient": _quotient,
    "quotient_truncated": _truncated(operator.floordiv),
    "remainder": _remainder,
    "remainder_truncated": _truncated(operator.mod),
}
"""Functions of single terms by their kinds; CPMpy's own quotients and remainders round towards 0."""


# ---- constraints -----------------------------------------------------------------------------------------

Written = Sequence[Any]

_RELATIONS: dict[str, Callable[[Any, int], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
}


def _linear(writer: _ExpressionWriter, c: Any) -> Written:
    relation, found = _RELATIONS[c.relation], []
    for row in c.expression.rows():
        expression, constant = writer.sum(row)
        found.append(relation(0 if expression is None else expression, -constant))
    return found


def _connective(make: Callable[[Any, list[Any]], Any]) -> Callable[[_ExpressionWriter, Any], Written]:
    def write(writer: _ExpressionWriter, c: Any) -> Written:
        width = c.literals.shape[-1]
        literals = writer.truths(c.literals.reshape(-1))
        return [make(writer.cpmpy, literals[k * width : (k + 1) * width]) for k in range(c.size)]

    return write


def _parity(cpmpy: Any, literals: list[Any]) -> Any:
    plain = sum(k for k in literals if isinstance(k, bool)) % 2 == 1
    others = [k for k in literals if not isinstance(k, bool)]
    if not others:
        return plain
    odd = cpmpy.Xor(others) if len(others) > 1 else others[0]
    return ~odd if plain else odd


def _regular(writer: _ExpressionWriter, c: Any) -> Written:
    arcs, start, accepting, _ = c.numbered()
    steps = [tuple(arc) for arc in arcs.tolist()]
    return [writer.cpmpy.Regular(writer.terms(c.terms), steps, start, sorted(set(accepting.tolist())))]


_TRUTHS: dict[str, Callable[[_ExpressionWriter, Any], Written]] = {
    "AllDifferent": lambda w, c: [w.cpmpy.AllDifferent(w.terms(c.terms))],
    "And": _connective(lambda cpmpy, literals: cpmpy.all(literals) if literals else True),
    "Circuit": lambda w, c: [w.cpmpy.Circuit(w.terms(c.successor))],
    "Inverse": lambda w, c: [w.cpmpy.Inverse(w.terms(c.first), w.terms(c.second))],
    "Linear": _linear,
    "NegativeTable": lambda w, c: [w.cpmpy.NegativeTable(w.terms(c.terms), c.rows.tolist())],
    "Or": _connective(lambda cpmpy, literals: cpmpy.any(literals) if literals else False),
    "Regular": _regular,
    "ShortTable": lambda w, c: [w.cpmpy.ShortTable(w.terms(c.terms), written(c.rows))],
    "Table": lambda w, c: [w.cpmpy.Table(w.terms(c.terms), c.rows.tolist())],
    "Xor": _connective(_parity),
}
"""What a constraint is in CPMpy, for each of its elements; all others are decomposed."""

_ALSO_AS_TRUTHS = {"And", "Linear", "Or", "Xor"}


def _supports(constraint: Constraint, context: str) -> bool:
    """Say whether CPMpy takes a constraint as it is: a global one if posted, and over some variables."""
    kind: str = constraint.kind
    if kind in _ALSO_AS_TRUTHS:
        return True
    if context != "plain" or kind not in _TRUTHS:
        return False
    stated: Any = constraint
    if kind == "NegativeTable" and written(stated.rows) != stated.rows.tolist():
        return False
    if kind in ("NegativeTable", "ShortTable", "Table") and not len(stated.rows):
        return False
    if (kind == "Regular" and not stated.deterministic) or (kind == "Circuit" and stated.depots):
        return False
    sizes = [array.size for array in constraint.arguments]
    return min(sizes) > 1 and all(array.coefficients.any() for array in constraint.arguments)
