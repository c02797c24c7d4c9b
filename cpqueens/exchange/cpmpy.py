"""Models of CPMpy (Guns 2019) as models of cpqueens: expression by expression, globals whole where there are.

Quotients and remainders there round towards zero; both sides take a constraint over an undefined expression
as false. What has no equal here is decomposed by CPMpy itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import combinations, repeat
from typing import Any

import numpy as np

from cpqueens.errors import MissingLibrary, ModelError
from cpqueens.exchange.origin import Imported, declared, weighted
from cpqueens.language.constraints.all_different import AllDifferent, AllDifferentExcept, AllEqual
from cpqueens.language.constraints.circuit import Circuit, Inverse
from cpqueens.language.constraints.connective import Xor
from cpqueens.language.constraints.count import GlobalCardinality
from cpqueens.language.constraints.cumulative import Cumulative, NoOverlap
from cpqueens.language.constraints.linear import COMPARED, Linear
from cpqueens.language.constraints.ordered import (
    Decreasing,
    Increasing,
    LexChainLess,
    LexChainLessEqual,
    LexLess,
    LexLessEqual,
    ValuePrecede,
)
from cpqueens.language.constraints.regular import Regular
from cpqueens.language.constraints.table import NegativeTable, ShortTable, Table
from cpqueens.language.constraints.table_rows import ANY
from cpqueens.language.conversion import as_linear
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.functions import all_, any_, div_trunc, element, maximum, minimum, mod_trunc
from cpqueens.language.term import Term
from cpqueens.language.truths import as_truth
from cpqueens.model import Model
from cpqueens.system.requirements import requirement
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
    try:
        import cpmpy
        from cpmpy.transformations.get_variables import get_variables
    except ImportError:
        raise MissingLibrary(f"from_cpmpy needs CPMpy: {requirement('cpmpy').remedy}") from None
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
            elif name in _SCHEDULES and (parts := _scheduled(self, constraint)) is not None:
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
        if not _always(stated):
            self.model.add(stated)

    def truth(self, expression: Any) -> Any:
        """Return an expression as a truth."""
        found = self.condition(expression)
        return _decided(found) if isinstance(found, bool) else found

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
        return self._strict(e, _SPECIAL[e.name](self, e)) if e.name in _SPECIAL else NotImplemented

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
        return _all([found, nothing == 0]) if isinstance(found, bool | BoolArray) else nothing + found

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
    return _all([*map(reader.condition, args)])


def _all(conditions: Iterable[Any]) -> Any:
    """Return that truths hold, of which some may be decided; so is what is returned then."""
    left = [c for c in conditions if c is not True]
    if not left or any(c is False for c in left):
        return not left
    return all_(left) if len(left) > 1 else left[0]


def _some(reader: _ExpressionReader, args: Iterable[Any]) -> Any:
    left = [c for c in map(reader.condition, args) if c is not False]
    if not left or any(c is True for c in left):
        return bool(left)
    return any_(left) if len(left) > 1 else left[0]


def _opposite(condition: Any) -> Any:
    return not condition if isinstance(condition, bool) else ~condition


def _where(present: Any, condition: Any) -> Any:
    """Return that one truth implies another; each may be decided."""
    if isinstance(present, bool) or condition is True:
        return condition if present is True else True
    return ~present if condition is False else present.implies(condition)


def _chosen(condition: Any, then: Any, otherwise: Any) -> Any:
    """Return one truth where a condition holds, and another one elsewhere."""
    return _all([_where(condition, then), _where(_opposite(condition), otherwise)])


@cache
def _decided(value: bool) -> BoolArray:
    return all_([]) if value else any_([])


def _odd(reader: _ExpressionReader, args: Iterable[Any]) -> Any:
    found = [*map(reader.condition, args)]
    left = [c for c in found if not isinstance(c, bool)]
    turned = sum(c is True for c in found) % 2 == 1
    if not left:
        return turned
    return ~Xor(left) if turned else Xor(left)


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
    wanted = reader.number(value)
    return sum(_is(reader.number(t), wanted) for t in _flat(terms))


def _among(reader: _ExpressionReader, args: Any) -> Any:
    terms, values = args
    return sum(any_([_is_truth(t, int(v)) for v in values]) * 1 for t in reader.numbers(terms))


def _nvalue(reader: _ExpressionReader, args: Any) -> Any:
    terms = reader.numbers(args)
    values = sorted({v for t in terms for v in _possible(t)})
    return sum(any_([_is_truth(t, v) for t in terms]) * 1 for v in values)


def _possible(term: Any) -> Iterable[int]:
    if isinstance(term, int):
        return (term,)
    low, high = term.bounds()
    return range(int(np.min(low)), int(np.max(high)) + 1)


def _least(term: Any) -> int:
    return term if isinstance(term, int) else int(np.min(term.bounds()[0]))


def _is(term: Any, value: Any) -> Any:
    return int(term == value) if isinstance(term, int) and isinstance(value, int) else (term == value) * 1


def _is_truth(term: Any, value: int) -> Any:
    if isinstance(term, int):
        return _decided(term == value)
    return term == value


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
    "->": lambda r, a: _where(r.condition(a[0]), r.condition(a[1])),
    "ite": lambda r, a: _chosen(*map(r.condition, a)),
    "nd_element": _element_of_axes,
}
"""Operators and functions by their names in CPMpy."""

_BY_TRUTHS = ("among", "count", "nvalue", "pow")
"""Functions that are read as sums of truths, or as nothing."""


# ---- global constraints -----------------------------------------------------------------------------------


def _terms(reader: _ExpressionReader, expressions: Any) -> Any:
    """Return several terms, of which one at least is no constant; else a constraint has no model."""
    listed = isinstance(expressions, list | tuple | np.ndarray)
    found = reader.numbers(expressions if listed else [expressions])
    return found if any(not isinstance(t, int) for t in found) else NotImplemented


def _on_terms(make: Callable[[Any], Any]) -> Callable[[_ExpressionReader, Any], Any]:
    def read(reader: _ExpressionReader, e: Any) -> Any:
        terms = _terms(reader, e.args)
        return NotImplemented if terms is NotImplemented else make(terms)

    return read


def _on_first(make: Callable[..., Any]) -> Callable[[_ExpressionReader, Any], Any]:
    """Read a global whose first argument are terms, the others constants."""

    def read(reader: _ExpressionReader, e: Any) -> Any:
        terms = _terms(reader, e.args[0])
        return NotImplemented if terms is NotImplemented else make(terms, *e.args[1:])

    return read


def _on_two(make: Callable[[list[Any], list[Any]], Any]) -> Callable[[_ExpressionReader, Any], Any]:
    def read(reader: _ExpressionReader, e: Any) -> Any:
        left, right = reader.numbers(e.args[0]), reader.numbers(e.args[1])
        some = any(not isinstance(t, int) for t in (*left, *right))
        return make(left, right) if some and len(left) == len(right) else NotImplemented

    return read


def _cardinality(reader: _ExpressionReader, e: Any) -> Any:
    terms, values, counts = reader.numbers(e.args[0]), [int(v) for v in e.args[1]], reader.numbers(e.args[2])
    if all(isinstance(t, int) for t in terms) or len(set(values)) != len(values):
        return NotImplemented
    return GlobalCardinality(terms, values, counts, closed=bool(getattr(e, "closed", False)))


def _schedule(reader: _ExpressionReader, e: Any) -> Any:
    parts = _scheduled(reader, e)
    if parts is None:
        return NotImplemented
    return _all(parts)


def _always(relation: Any) -> bool:
    """Say whether a relation has no variable, and holds."""
    if not isinstance(relation, Linear) or any(
        len(variables) for variables, _, _ in relation.expression.rows()
    ):
        return False
    return bool(relation.satisfied(np.zeros((1, 1), dtype=np.int64)).all())


_SCHEDULES = ("cumulative", "cumulative_optional", "no_overlap", "no_overlap_optional")


def _scheduled(reader: _ExpressionReader, e: Any) -> list[Any] | None:
    """Read no_overlap and cumulative, with or without ends and presence; None where it has no equal here."""
    args = list(e.args)
    present = [reader.condition(p) for p in args.pop()] if e.name.endswith("_optional") else None
    rest = [reader.number(args.pop()), reader.numbers(args.pop())] if e.name.startswith("cumulative") else []
    start, duration = reader.numbers(args[0]), reader.numbers(args[1])
    if not start or all(isinstance(t, int) for t in (*start, *duration)) or (rest and _least(rest[0]) < 0):
        return None
    conditions: list[Any] = []
    if len(args) == 3:
        ends = reader.numbers(args[2])
        conditions = [s + d == end for s, d, end in zip(start, duration, ends, strict=True)]
    here = repeat(True) if present is None else present
    conditions = [_where(p, c) for p, c in zip(here, conditions, strict=False) if not _always(c)]
    if rest:
        return [Cumulative(start, duration, rest[1], rest[0], present), *conditions]
    main, signs = _disjoint(start, duration, present)
    return [main, *conditions, *signs]


def _disjoint(start: list[Any], duration: list[Any], present: list[Any] | None) -> tuple[Any, list[Any]]:
    """Return that no two tasks overlap; those without duration are in nobody's way, as absent ones.

    So it is from CPMpy 1.1 on; before, such a task may not lie within another one.
    """
    if all(_least(d) > 0 for d in duration):
        return NoOverlap(start, duration, present), []
    here = [True] * len(start) if present is None else present
    signs = [_where(p, _not_negative(d)) for p, d in zip(here, duration, strict=True) if _least(d) < 0]
    if _empty_ones_are_in_the_way():
        tasks = [(s, d, _holding(p)) for s, d, p in zip(start, duration, here, strict=True)]
        apart = [
            ~(p & q) | _holding(s + d <= t) | _holding(t + e <= s)
            for (s, d, p), (t, e, q) in combinations(tasks, 2)
        ]
        return all_(apart), signs
    taking = [_taking_time(p, d) for p, d in zip(here, duration, strict=True)]
    return NoOverlap(start, duration, taking), signs


@cache
def _empty_ones_are_in_the_way() -> bool:
    """Ask the CPMpy that is installed what it means by a task without duration within another one."""
    import cpmpy

    return not cpmpy.NoOverlap([0, 1], [2, 0]).value()


def _holding(truth: Any) -> Any:
    return truth if isinstance(truth, BoolArray) else _decided(bool(truth))


def _taking_time(present: Any, duration: Any) -> Any:
    """Return that a task is there, and has a duration."""
    if _least(duration) > 0 or present is False:
        return present
    if isinstance(duration, int):
        return False
    return duration > 0 if present is True else present & (duration > 0)


def _not_negative(duration: Any) -> Any:
    return False if isinstance(duration, int) else duration >= 0


def _starred(terms: list[Any], rows: Any) -> Any:
    return ShortTable(terms, [[ANY if value == "*" else int(value) for value in row] for row in rows])


_SPECIAL: dict[str, Callable[[_ExpressionReader, Any], Any]] = {
    "alldifferent": _on_terms(AllDifferent),
    "alldifferent_except_0": _on_first(AllDifferentExcept),
    "alldifferent_except_n": _on_first(AllDifferentExcept),
    "allequal": _on_terms(AllEqual),
    "circuit": _on_terms(Circuit),
    "cumulative": _schedule,
    "cumulative_optional": _schedule,
    "decreasing": _on_terms(Decreasing),
    "gcc": _cardinality,
    "increasing": _on_terms(Increasing),
    "indomain": _on_first(lambda terms, values: Table(terms, [[int(v)] for v in values])),
    "inverse": _on_two(Inverse),
    "lex_chain_less": lambda r, e: _chain(r, e, LexChainLess),
    "lex_chain_lesseq": lambda r, e: _chain(r, e, LexChainLessEqual),
    "lex_less": _on_two(LexLess),
    "lex_lesseq": _on_two(LexLessEqual),
    "mdd": lambda r, e: _diagram(r, e),
    "negative_table": _on_first(lambda terms, rows: NegativeTable(terms, np.asarray(rows).tolist())),
    "no_overlap": _schedule,
    "no_overlap_optional": _schedule,
    "precedence": _on_first(lambda terms, values: ValuePrecede(terms, [int(v) for v in values])),
    "regular": _on_first(Regular),
    "short_table": _on_first(_starred),
    "strictly_decreasing": _on_terms(lambda terms: Decreasing(terms, strict=True)),
    "strictly_increasing": _on_terms(lambda terms: Increasing(terms, strict=True)),
    "table": _on_first(lambda terms, rows: Table(terms, np.asarray(rows).tolist())),
    "xor": lambda r, e: _odd(r, e.args),
}
"""Global constraints by their names in CPMpy; NotImplemented where an instance has no equal here."""


def _diagram(reader: _ExpressionReader, e: Any) -> Any:
    """Read a decision diagram: an automaton whose states are its nodes."""
    terms = _terms(reader, e.args[0])
    if terms is NotImplemented:
        return NotImplemented
    arcs = [(node, int(v), to) for node, leaving in e.mapping.items() for v, to in leaving.items()]
    return Regular(terms, arcs, e.root_node, [e.sink_node])


def _chain(reader: _ExpressionReader, e: Any, make: Callable[[Any], Any]) -> Any:
    rows = [reader.numbers(row) for row in e.args]
    if any(isinstance(t, int) for row in rows for t in row):
        return NotImplemented
    return make(rows)
