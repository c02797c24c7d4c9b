"""Models of cpqueens as models of CPMpy: globals whole where CPMpy has an equal, functions as expressions."""

import operator
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cpqueens.backends.cpmpy.cpmpy_constraints import TRUTHS, posted, supports
from cpqueens.errors import ONE_BY_ONE, MissingLibrary, UnsupportedRequest
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.in_range import constraints_in_range
from cpqueens.language.linear_rows import Row
from cpqueens.language.statement import Statement
from cpqueens.lowered.lowering import lower
from cpqueens.system.requirements import requirement
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.parameters import needed

_KEPT = ("IV", "BV")
"""What names begin with that CPMpy gives to variables without names, its own included."""


@dataclass(frozen=True)
class CpmpyExport:
    """A CPMpy model, and each of its decision variables by name.

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
def to_cpmpy(model: Statement, *, objective: bool = True) -> CpmpyExport:
    """Export a model to CPMpy, with the variables of CPMpy by name.

    Variables with the values 0 and 1 become Boolean, and every variable is in some constraint. No variables
    are added, so CPMpy lists each solution once. Names that begin with ``IV`` or ``BV``, which CPMpy
    reserves, get the prefix ``_``.

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
        Any model; several objectives are not supported, see ``objective``.
    objective
        Whether to export the objective.

    Raises
    ------
    MissingLibrary
        If CPMpy is not installed.
    UnsupportedRequest
        For several objectives, unless ``objective`` is false.
    OutOfRange
        If a term may be larger than the solvers allow.

    Examples
    --------
    """
    try:
        import cpmpy
        from cpmpy.transformations.get_variables import get_variables
    except ImportError:
        raise MissingLibrary(f"to_cpmpy needs CPMpy: {requirement('cpmpy').remedy}") from None
    needed(model, Statement, "a model")
    if objective and len(model.goals) > 1:
        raise UnsupportedRequest(
            f"a model of CPMpy has one objective, this one {len(model.goals)}; write objective=False for the "
            f"constraints alone, or {ONE_BY_ONE}"
        )
    constraints_in_range(model)
    lowered = lower(model, supports, "cpmpy", objective=objective)
    writer = _ExpressionWriter(cpmpy, model)
    for block in lowered.definitions:
        for definition in block.split():
            writer.define(definition)
    native = cpmpy.Model(writer.domains)
    for constraint in lowered.constraints:
        for truth in posted(writer, constraint):
            native += cpmpy.BoolVal(truth) if isinstance(truth, bool) else truth
    if lowered.objective is not None:
        (goal,) = writer.terms(lowered.objective)
        (native.maximize if model.maximizing else native.minimize)(writer.expression(goal))
    names = {model.name_of(v): writer.values[v] for v in model.decisions.tolist()}
    known = {id(variable) for variable in get_variables([*native.constraints, native.objective_])}
    for v, variable in zip(model.decisions.tolist(), names.values(), strict=True):
        if id(variable) not in known:  # a model there has the variables of its constraints and no others
            native += variable >= int(model.lower[v])
    return CpmpyExport(native, names)


def _usable(name: str, taken: Container[str]) -> str:
    """Return a name, behind ``_`` if CPMpy keeps it for variables of its own: those are the same by name."""
    while name.startswith(_KEPT):
        name = f"_{name}"
        while name in taken:
            name = f"_{name}"
    return name


class _ExpressionWriter:
    """Turns terms and truths into expressions; what a variable is defined as is one expression, shared."""

    def __init__(self, cpmpy: Any, model: Statement) -> None:
        self.cpmpy = cpmpy
        self.values: dict[int, Any] = {}
        self.domains: list[Any] = []
        names = {model.name_of(v) for v in model.decisions.tolist()}
        for v in model.decisions.tolist():
            low, high = int(model.lower[v]), int(model.upper[v])
            name = _usable(model.name_of(v), names)
            names.add(name)
            if (low, high) == (0, 1):
                self.values[v] = cpmpy.boolvar(name=name)
                continue
            self.values[v] = cpmpy.intvar(low, high, name=name)
            if v in model.domains:
                self.domains.append(cpmpy.InDomain(self.values[v], model.domains[v].tolist()))

    def define(self, definition: Definition) -> None:
        """Note what the variables of a block stand for."""
        if isinstance(definition, Truth):
            constraint = definition.constraint
            found: Iterator[Any] = iter(TRUTHS[constraint.kind](self, constraint))
        elif definition.kind == "element":
            table = self.terms(definition.arguments[1])
            found = (self._entry(table, at) for at in self.terms(definition.arguments[0]))
        else:
            make = _FUNCTIONS[definition.kind]
            arguments = [self.terms(a) for a in definition.arguments]
            found = (make(self.cpmpy, *row) for row in zip(*arguments, strict=True))
        self.values.update(zip(definition.results.tolist(), map(_decided, found), strict=True))

    def _entry(self, table: list[Any], at: Any) -> Any:
        if not isinstance(at, int):
            return self.cpmpy.Element(table, self._integer(at))
        return table[at] if 0 <= at < len(table) else 0

    def expression(self, value: Any) -> Any:
        """Return an expression that is as it is, or of an integer one that has that value."""
        return self.cpmpy.expressions.core.Operator("sum", [value, 0]) if isinstance(value, int) else value

    def _integer(self, expression: Any) -> Any:
        """Return an expression, or the sum of nothing but a Boolean one."""
        if not expression.is_bool():
            return expression
        return self.cpmpy.expressions.core.Operator("sum", [expression])

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


def _decided(value: Any) -> Any:
    """Return a truth that CPMpy decided while it was written as a bool: its solvers refuse it within sums."""
    return bool(value.args[0]) if type(value).__name__ == "BoolVal" else value


# ---- functions -------------------------------------------------------------------------------------------


def _floored(x: Any, y: Any) -> tuple[Any, Any]:
    """Return quotient and remainder as CPMpy has them, and whether rounding down makes one less."""
    if isinstance(x, int) and isinstance(y, int):
        return (x // y if y else 0), False
    rest = x % y
    if isinstance(y, int):
        return x // y, rest < 0 if y > 0 else rest > 0
    return x // y, ((rest < 0) & (y > 0)) | ((rest > 0) & (y < 0))


def _quotient(cpmpy: Any, x: Any, y: Any) -> Any:
    towards_zero, less = _floored(x, y)
    return towards_zero - less if less is not False else towards_zero


def _remainder(cpmpy: Any, x: Any, y: Any) -> Any:
    if isinstance(x, int) and isinstance(y, int):
        return x % y if y else 0
    _, less = _floored(x, y)
    return x % y + y * cpmpy.expressions.core.Operator("sum", [less])  # a bare truth may be decided there


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
