"""Models of CPMpy (Guns 2019) as models of cpqueens: expression by expression, globals whole where there are.

Quotients and remainders there round towards zero; both sides take a constraint over an undefined expression
as false. What has no equal here is decomposed by CPMpy itself.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import repeat
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.exchange.cpmpy_globals import (
    GLOBALS,
    SCHEDULES,
    always_holds,
    conjunction,
    constant_truth,
    implication,
    schedule_parts,
)
from cpqueens.exchange.origin import Imported, declared, weighted
from cpqueens.language.constraints.linear import COMPARED
from cpqueens.language.conversion import as_linear
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.functions import any_, div_trunc, element, maximum, minimum, mod_trunc
from cpqueens.language.term import Term
from cpqueens.language.truths import as_truth
from cpqueens.model import Model
from cpqueens.system.requirements import need
from cpqueens.text.foreign import explaining_keywords
from cpqueens.text.plaintext import shown


@explaining_keywords
def from_cpmpy(model: Any) -> Imported:
    """Import a CPMpy model, with the names of its variables.

    >>> import cpmpy
    >>> from cpqueens import from_cpmpy
    >>> x = cpmpy.intvar(1, 9, shape=3, name="x")
    >>> theirs = cpmpy.Model(cpmpy.AllDifferent(x), x[0] + x[1] == 4, maximize=x.sum())
    >>> ours = from_cpmpy(theirs)
    >>> answer = ours.model.solve(solver="cpsat")
    >>> _ = ours.write_back(answer)
    >>> answer.objective, int(x.value().sum())
    (13, 13)

    Parameters
    ----------
    model
        A ``cpmpy.Model``. It is not changed.

    Raises
    ------
    MissingLibrary
        If CPMpy is not installed.
    ModelError
        If it is not such a model, or has an unsupported expression.

    Examples
    --------
    """
    cpmpy = need("cpmpy", "cpmpy")
    from cpmpy.transformations.get_variables import get_variables

    if not isinstance(model, cpmpy.Model):
        raise ModelError(f"from_cpmpy: a cpmpy.Model is needed, got {type(model).__name__}")
    objective = model.objective_
    roots = [*model.constraints] + ([] if objective is None else [objective])
    reader = _ExpressionReader(Model("from CPMpy"), get_variables(roots))
    reader.post(model.constraints)
    if objective is not None:
        (reader.model.minimize if model.objective_is_min else reader.model.maximize)(reader.number(objective))
    return Imported(reader.model, dict(reader.terms), _writer(model, reader.variables))


def _writer(model: Any, variables: Mapping[str, Any]) -> Callable[[Mapping[str, int]], list[str]]:
    """Return what writes values into CPMpy's variables and asks its constraints."""

    def write(values: Mapping[str, int]) -> list[str]:
        for name, value in values.items():
            variable = variables[name]
            variable._value = bool(value) if variable.is_bool() else value
        return [shown(str(c)) for c in _flat(model.constraints) if not _holds(c)]

    return write


def _holds(constraint: Any) -> bool:
    from cpmpy.expressions.utils import argval

    return bool(argval(constraint))


def _flat(items: Any) -> Iterable[Any]:
    for item in items:
        if isinstance(item, list | tuple | np.ndarray):
            yield from _flat(item)
        else:
            yield item


class _ExpressionReader:
    """Turns expressions into terms and truths, each once."""

    def __init__(self, model: Model, variables: Iterable[Any]) -> None:
        self.model = model
        self.variables = {v.name: v for v in variables}
        bounds = {name: variable.get_bounds() for name, variable in self.variables.items()}
        self.terms = declared(model, {name: (int(low), int(high)) for name, (low, high) in bounds.items()})
        # by identity, with the expression, which must live on
        self._tables: dict[tuple[int, ...], tuple[Any, LinearArray]] = {}
        self._known = {id(v): (v, self.terms[name]) for name, v in self.variables.items()}

    # ---- constraints -------------------------------------------------------------------------------

    def post(self, constraints: Any) -> None:
        """Post constraints, nested lists of them included."""
        for constraint in _flat(constraints):
            name = getattr(constraint, "name", None)
            if name == "and":  # its parts are posted one by one: none of them needs a truth of its own
                self.post(constraint.args)
            elif name in SCHEDULES and (parts := schedule_parts(self, constraint)) is not None:
                self.model.add(*[part for part in parts if part is not True])
                self._post(self._strict(constraint, True))
            elif (found := self._found(constraint)) is NotImplemented:  # so are those of a decomposition
                self.post(self._parts(constraint))
                self._post(self._strict(constraint, True))
            else:
                self._post(found)

    def _post(self, found: Any) -> None:
        if isinstance(found, int):
            if not found:
                self.model.add(any_([]))
            return
        stated = found if isinstance(found, BoolArray) else found == 1
        if not always_holds(stated):
            self.model.add(stated)

    def truth(self, expression: Any) -> Any:
        """Return an expression as a truth."""
        found = self.condition(expression)
        return constant_truth(found) if isinstance(found, bool) else found

    def condition(self, expression: Any) -> Any:
        """Return an expression as a truth, a bool if it is decided."""
        found = self.read(expression)
        if isinstance(found, BoolArray):
            return found
        if isinstance(found, int):
            return bool(found)
        if type(found) is Term and found.single() is not None:  # it is a truth as it is
            return as_truth(self.model, found)
        return found == 1

    def number(self, expression: Any) -> Any:
        """Return an expression as a term or an integer."""
        found = self.read(expression)
        if isinstance(found, bool):
            return int(found)
        return found.truth() if isinstance(found, BoolArray) else found

    def numbers(self, expressions: Any) -> list[Any]:
        """Return several."""
        return [self.number(e) for e in _flat(expressions)]

    def table(self, array: Any) -> LinearArray:
        """Return an array of expressions, which many may look into."""
        parts = tuple(_flat(array))
        known = self._tables.get(tuple(map(id, parts)))
        if known is None:
            known = parts, as_linear(self.model, self.numbers(parts))
            self._tables[tuple(map(id, parts))] = known
        return known[1]

    def read(self, expression: Any) -> Any:
        """Return what an expression is here: a term, a truth, an integer or a bool."""
        found = self._found(expression)
        if found is NotImplemented:
            found = self._decomposed(expression)
            self._known[id(expression)] = expression, found
        return found

    def _found(self, expression: Any) -> Any:
        """Return what `read` does, NotImplemented for what CPMpy has to decompose."""
        known = self._known.get(id(expression))
        if known is not None:
            return known[1]
        if isinstance(expression, bool | np.bool_):
            return bool(expression)
        if isinstance(expression, int | np.integer):
            return int(expression)
        if not hasattr(expression, "name"):
            raise ModelError(f"from_cpmpy: {type(expression).__name__} {shown(expression)} is no expression")
        found = self._read(expression)
        if found is not NotImplemented:
            self._known[id(expression)] = expression, found
        return found

    def _read(self, e: Any) -> Any:
        kind = type(e).__name__
        if kind == "NegBoolView":
            return 1 - self.terms[e._bv.name]
        if kind in ("_BoolVarImpl", "_IntVarImpl"):
            return self.terms[e.name] if e.name in self.terms else self._added(e)
        if kind == "BoolVal":
            return bool(e.args[0])
        if e.name in COMPARED and kind == "Comparison":
            left, right = map(self.number, e.args)
            return COMPARED[e.name](left, right)
        if e.name in _READERS:
            found = _READERS[e.name](self, e.args)
            return self._strict(e, found) if e.name in _BY_TRUTHS else found
        return self._strict(e, GLOBALS[e.name](self, e)) if e.name in GLOBALS else NotImplemented

    def _decomposed(self, e: Any) -> Any:
        value = self._parts(e)
        return self._strict(e, _every(self, _flat([value])) if e.is_bool() else self.number(value))

    def _strict(self, e: Any, found: Any) -> Any:
        """Return what an expression is, undefined (false, as a truth) where an argument of it is undefined.

        Simpler words for it may have that within truths, or not at all.
        """
        if not self.model.has_partial or found is NotImplemented:
            return found
        terms = [self.number(part) for part in _flat(e.args) if hasattr(part, "name")]
        nothing = weighted(self.model, repeat(0, len(terms)), terms)
        if isinstance(nothing, int):
            return found
        return conjunction([found, nothing == 0]) if isinstance(found, bool | BoolArray) else nothing + found

    def _parts(self, e: Any) -> Any:
        """Let CPMpy say it in simpler words; what these define is posted."""
        if not hasattr(e, "decompose"):
            raise ModelError(
                f"from_cpmpy: {e.name} ({type(e).__name__}) is not known, and CPMpy has no decomposition"
            )
        value, defining = e.decompose()
        self.post(defining)
        return value

    def _added(self, variable: Any) -> Any:
        """Return a variable that a decomposition has made, created now; it is not given back."""
        low, high = variable.get_bounds()
        plain = f"cpmpy {len(self.model.blocks.by_name)}"
        term = self.terms[variable.name] = declared(self.model, {plain: (int(low), int(high))})[plain]
        self.variables[variable.name] = variable
        return term


# ---- operators and global functions ------------------------------------------------------------------------


def _every(reader: _ExpressionReader, args: Iterable[Any]) -> Any:
    return conjunction([*map(reader.condition, args)])


def _some(reader: _ExpressionReader, args: Iterable[Any]) -> Any:
    left = [c for c in map(reader.condition, args) if c is not False]
    if not left or any(c is True for c in left):
        return bool(left)
    return any_(left) if len(left) > 1 else left[0]


def _opposite(condition: Any) -> Any:
    return not condition if isinstance(condition, bool) else ~condition


def _chosen(condition: Any, then: Any, otherwise: Any) -> Any:
    """Return one truth where a condition holds, and another one elsewhere."""
    return conjunction([implication(condition, then), implication(_opposite(condition), otherwise)])


def _sum(reader: _ExpressionReader, args: Any) -> Any:
    return weighted(reader.model, repeat(1, len(args)), reader.numbers(args))


def _weighted(reader: _ExpressionReader, args: Any) -> Any:
    weights, terms = args
    return weighted(reader.model, map(int, weights), reader.numbers(terms))


def _product(reader: _ExpressionReader, args: Any) -> Any:
    left, right = map(reader.number, args)
    return left * right


def _power(reader: _ExpressionReader, args: Any) -> Any:
    base, exponent = map(reader.number, args)
    if exponent == 0 and isinstance(exponent, int):
        return 1
    return base**exponent


def _element(reader: _ExpressionReader, args: Any) -> Any:
    array, index = args[0], args[1]
    at = reader.number(index)
    if isinstance(at, int) and not reader.model.has_partial:
        values = reader.numbers(array)
        if 0 <= at < len(values):
            return values[at]
    return element(reader.table(array), at)


def _element_of_axes(reader: _ExpressionReader, args: Any) -> Any:
    array, places = args[0], [as_linear(reader.model, reader.number(place)) for place in args[1:]]
    ends = zip(places, array.shape, strict=True)
    if any(not at.width and not 0 <= at.constants[0] < many for at, many in ends):
        return element(reader.table(array), array.size)  # undefined, whatever is chosen
    return element(reader.table(array).reshape(array.shape), *places)


def _both(function: Callable[[Any, Any], Any]) -> Callable[[_ExpressionReader, Any], Any]:
    def read(reader: _ExpressionReader, args: Any) -> Any:
        left, right = map(reader.number, args)
        if isinstance(left, int) and isinstance(right, int) and right:
            return int(_constant(function, left, right))
        return function(as_linear(reader.model, left), right)  # by 0 it is undefined, whatever is chosen

    return read


def _constant(function: Callable[[Any, Any], Any], left: int, right: int) -> int:
    quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
    return quotient if function is div_trunc else left - quotient * right


def _extreme(
    function: Callable[..., Any], plain: Callable[..., int]
) -> Callable[[_ExpressionReader, Any], Any]:
    def read(reader: _ExpressionReader, args: Any) -> Any:
        terms = reader.numbers(args)
        return plain(terms) if all(isinstance(t, int) for t in terms) else function(terms)

    return read


def _count(reader: _ExpressionReader, args: Any) -> Any:
    terms, value = args
    return (reader.table(terms) == reader.number(value)).sum()


def _among(reader: _ExpressionReader, args: Any) -> Any:
    terms, values = args
    return sum((reader.table(terms) == v).sum() for v in {*map(int, values)})


def _nvalue(reader: _ExpressionReader, args: Any) -> Any:
    terms = reader.table(args)
    ends = zip(*(end.tolist() for end in terms.bounds()), strict=True)
    values = sorted({v for low, high in ends for v in range(low, high + 1)})
    return sum((terms == v).any() * 1 for v in values)


_READERS: dict[str, Callable[[_ExpressionReader, Any], Any]] = {
    "sum": _sum,
    "wsum": _weighted,
    "sub": lambda r, a: r.number(a[0]) - r.number(a[1]),
    "-": lambda r, a: -r.number(a[0]),
    "mul": _product,
    "pow": _power,
    "div": _both(div_trunc),
    "mod": _both(mod_trunc),
    "abs": lambda r, a: abs(r.number(a[0])),
    "min": _extreme(minimum, min),
    "max": _extreme(maximum, max),
    "element": _element,
    "count": _count,
    "among": _among,
    "nvalue": _nvalue,
    "and": lambda r, a: _every(r, a),
    "or": lambda r, a: _some(r, a),
    "not": lambda r, a: _opposite(r.condition(a[0])),
    "->": lambda r, a: implication(r.condition(a[0]), r.condition(a[1])),
    "ite": lambda r, a: _chosen(*map(r.condition, a)),
    "nd_element": _element_of_axes,
}
"""Operators and functions by their names in CPMpy."""

_BY_TRUTHS = ("among", "count", "nvalue", "pow")
"""Functions that are read as sums of truths, or as nothing."""
