"""From the plain values of a model file to a model, everything checked; nothing is ever executed.

Reading the terms of a model file; the forms are those of `cpqueens.files.modelfile`.
"""

import dataclasses
import math
import re
import typing
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import msgspec
import numpy as np

from cpqueens.errors import ModelError
from cpqueens.files import schema
from cpqueens.files.schema import Misplaced, at, converted
from cpqueens.language.arrays import of_rows, of_variables
from cpqueens.language.constraining import MAX_TITLE
from cpqueens.language.constraints.base import Constraint
from cpqueens.language.constraints.connective import Connective
from cpqueens.language.constraints.kinds import KINDS, kind_class
from cpqueens.language.constraints.linear import OPPOSITE, Linear
from cpqueens.language.constraints.table_rows import ANY
from cpqueens.language.defined_functions import DEFINITION_KINDS
from cpqueens.language.definitions import Definition, Truth
from cpqueens.language.expressions import LinearArray
from cpqueens.language.objectives import as_weights
from cpqueens.language.rows import IntArray
from cpqueens.language.truths import as_truth
from cpqueens.language.views import VIEWS
from cpqueens.model import Model
from cpqueens.text.plaintext import checked_name, counted, did_you_mean

MAX_TERMS = 20_000_000
_LARGEST = 2**63 - 1
_Row = tuple[list[int], list[int], int]


class TermReader:
    """Turns values of a file into terms of ``model``; ``arrays`` are the defined variables by name."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.arrays: dict[str, LinearArray] = {}
        self.spent = 0
        self._indices: dict[str, int] = {}

    def array(self, value: Any) -> LinearArray:
        """Return an array of terms; a single term has shape ().

        Raises
        ------
        ModelError
            With the place within ``value`` and what is wrong there.
        """
        if isinstance(value, str):
            return self._spend(self._named(value))
        if isinstance(value, dict):
            if "of" in value:
                return self._spend(self._scaled(value))
            return self._spend(self._listed(value))
        return self._spend(self._build((), [self._row(value)]))

    def _spend(self, array: LinearArray) -> LinearArray:
        self.spent += array.size * max(1, array.width)
        if self.spent > MAX_TERMS:
            raise ModelError(f"more than {MAX_TERMS} terms in all")
        return array

    # ---- names ----------------------------------------------------------------------------------

    def _named(self, name: str) -> LinearArray:
        found = self._find(name)
        if found is None:
            known = [*self.model.blocks.by_name, *self.arrays]
            raise ModelError(f"no variable {name!r:.60}{did_you_mean(name, known)}")
        return found

    def _find(self, name: str) -> LinearArray | None:
        if name in self.arrays:
            return self.arrays[name]
        match = re.fullmatch(r"(.+)\[(\d{1,9})\]", name, re.ASCII)
        if match is not None and match[1] in self.arrays:
            array, position = self.arrays[match[1]], int(match[2])
            return array[position] if position < array.size else None
        if name in self.model.blocks.by_name or self.model.blocks.element(name) is not None:
            return self.model[name]
        return None

    def _index(self, name: str) -> int:
        """Return the number of one variable."""
        index = self._indices.get(name)
        if index is None:
            array = self._named(name)
            if array.shape:
                raise ModelError(f"{name!r:.60} is an array of shape {array.shape}, a single term is needed")
            index = self._indices[name] = int(array.variables[0, 0])
        return index

    # ---- forms ----------------------------------------------------------------------------------

    def _scaled(self, value: dict[str, Any]) -> LinearArray:
        _only(value, {"of", "times", "plus"})
        if not isinstance(value["of"], str):
            raise Misplaced("of", f"the name of an array is needed, got {value['of']!r:.40}")
        base = self._named(value["of"])
        times = at("times", self._numbers, value.get("times", 1), base)
        plus = at("plus", self._numbers, value.get("plus", 0), base)
        return base * times + plus

    def _numbers(self, value: Any, base: LinearArray) -> IntArray:
        try:
            numbers = np.array(msgspec.convert(value, int | list[int], strict=True), dtype=np.int64)
        except (msgspec.ValidationError, OverflowError):
            raise ModelError(f"64-bit integers are needed, got {value!r:.40}") from None
        if numbers.ndim and numbers.size != base.size:
            raise ModelError(f"takes {counted(base.size, 'value')}, got {numbers.size}")
        return numbers.reshape(base.shape) if numbers.ndim else numbers

    def _listed(self, value: dict[str, Any]) -> LinearArray:
        _only(value, {"shape", "terms"})
        terms = value.get("terms")
        if not isinstance(terms, list):
            raise Misplaced("terms", "a list of terms is needed")
        try:
            shape = msgspec.convert(value.get("shape", [len(terms)]), tuple[int, ...], strict=True)
        except msgspec.ValidationError:
            raise Misplaced("shape", "a list of integers is needed") from None
        if not shape or min(shape) < 0 or math.prod(shape) != len(terms) or len(shape) > 8:
            raise Misplaced("shape", f"{shape} does not fit {len(terms)} term(s)")
        return self._build(shape, [at(f"terms[{k}]", self._row, t) for k, t in enumerate(terms)])

    def _row(self, value: Any) -> _Row:
        """Return one term as (variables ascending, coefficients, constant)."""
        if isinstance(value, str):
            return [self._index(value)], [1], 0
        parts = value if isinstance(value, list) else [value]
        total: dict[int, int] = {}
        constant = 0
        for part in parts:
            if type(part) is int:
                constant += part
            elif isinstance(part, list) and len(part) == 2 and type(part[0]) is int and type(part[1]) is str:
                index = self._index(part[1])
                total[index] = total.get(index, 0) + part[0]
            else:
                shown = f"{part!r:.40}"
                raise ModelError(f"an integer, a name, or [coefficient, name] is needed, got {shown}")
        kept = sorted((v, a) for v, a in total.items() if a)
        if max((abs(a) for _, a in kept), default=0) > _LARGEST or abs(constant) > _LARGEST:
            raise ModelError("a coefficient or constant does not fit 64 bits")
        return [v for v, _ in kept], [a for _, a in kept], constant

    def _build(self, shape: tuple[int, ...], rows: list[_Row]) -> LinearArray:
        width = max((len(v) for v, _, _ in rows), default=0)
        if width * len(rows) > MAX_TERMS:
            raise ModelError(f"more than {MAX_TERMS} terms in all")
        return of_rows(self.model, rows, shape)


def _only(value: dict[str, Any], known: set[str]) -> None:
    for key in value:
        if key not in known:
            raise ModelError(f"no key {key!r:.40}{did_you_mean(key, known)}")


MAX_ROWS = 1_000_000

Condition = tuple[Constraint, str | None, set[Any]]
"""One of a partial function, its name, and what it says."""


class ModelReader:
    """Builds one model from its document; ``where`` names the file in the constraints' sources."""

    def __init__(self, document: schema.Document, where: str) -> None:
        self.document = document
        self.where = where
        self.model = Model(_harmless(document.name, "name"))
        self.terms = TermReader(self.model)
        self.rows = 0

    def read(self) -> Model:
        """Return the model."""
        self._variables()
        for k, definition in enumerate(self.document.definitions):
            at(f"definitions[{k}]", self._define, definition)
        with self._unguarded():
            self._constraints()
            self._soft()
            self._objectives()
        if self.model.has_partial:
            self._guard()
        if self.document.view is not None:
            self.model.view = at("view", self._view, self.document.view)
        return self.model

    # ---- variables and definitions --------------------------------------------------------------

    def _variables(self) -> None:
        total = 0
        for k, entry in enumerate(self.document.variables):
            total += math.prod(entry.shape)
            if total > schema.MAX_VARIABLES:
                raise Misplaced(f"variables[{k}].shape", f"more than {schema.MAX_VARIABLES} variables in all")
            at(f"variables[{k}]", self._create, entry)

    def _create(self, entry: schema.VariableEntry) -> None:
        shape = at("labels", _labelled, entry)
        if entry.domain is not msgspec.UNSET:
            if entry.lower is not msgspec.UNSET or entry.upper is not msgspec.UNSET:
                raise ModelError("bounds and domain are both given; one of them is needed")
            if entry.names is msgspec.UNSET:
                self.model.intvar(shape=shape, name=entry.name, domain=entry.domain)
                return
            if len(entry.names) != len(entry.domain):
                raise ModelError(f"{len(entry.names)} names for {len(entry.domain)} values")
            names = at("names", self.model.labels.restored, entry.names, entry.domain)
            self.model._named_variables(names, shape, entry.name)
            return
        if entry.names is not msgspec.UNSET:
            raise ModelError("names are given without a domain")
        size = math.prod(entry.shape)
        lower = at("lower", _bounds, entry.lower, size, entry.shape)
        upper = at("upper", _bounds, entry.upper, size, entry.shape)
        self.model.intvar(lower, upper, shape, entry.name)

    def _define(self, entry: schema.DefinitionEntry) -> None:
        if entry.name in self.terms.arrays or entry.name in self.model.blocks.by_name:
            raise Misplaced("name", f"{entry.name!r} is in use; names must be unique")
        definition = self._truth(entry) if entry.kind == "truth" else self._function(entry)
        results = self.model._register(definition)
        since = schema.RELATIONAL
        if self.document.version < since and self.model.has_partial:
            raise ModelError(
                f"a {definition.kind} that may be undefined has another meaning since version {since}: "
                f"see the documentation, and write {since} as the version if you mean that"
            )
        self.terms.arrays[entry.name] = of_variables(self.model, results, (len(results),))

    def _truth(self, entry: schema.DefinitionEntry) -> Definition:
        if entry.constraint is None or entry.args is not None:
            raise ModelError("a reified Boolean has a constraint and no args")
        constraint = at("constraint", self.constraint, entry.constraint).flattened()
        if not constraint.size:
            raise Misplaced("constraint", "no element")
        constraint.require_range()
        return Truth(constraint)

    def _function(self, entry: schema.DefinitionEntry) -> Definition:
        kind = DEFINITION_KINDS.get(entry.kind)
        if kind is None:
            known = [*DEFINITION_KINDS, "truth"]
            raise Misplaced("kind", f"no definition {entry.kind!r:.60}{did_you_mean(entry.kind, known)}")
        if entry.args is None or entry.constraint is not None:
            raise ModelError(f"{entry.kind} has args and no constraint")
        arrays = [at(f"args[{k}]", self.terms.array, a).reshape(-1) for k, a in enumerate(entry.args)]
        least, most = kind.arity
        if not least <= len(arrays) <= most:
            raise Misplaced("args", f"{entry.kind} takes {least}{' or more' if most > least else ''}")
        sizes = {a.size for a in arrays[: len(arrays) - kind.tables]}
        if len(sizes) > 1 or 0 in sizes or not arrays[-1].size:
            raise Misplaced("args", "arrays of one length of at least 1 are needed")
        return kind(tuple(arrays))

    # ---- constraints ----------------------------------------------------------------------------

    def _constraints(self) -> None:
        for k, entry in enumerate(self.document.constraints):
            constraint = at(f"constraints[{k}]", self.constraint, entry)
            name = None if entry.name is None else _harmless(entry.name, f"constraints[{k}].name")
            self.model._post(constraint, name, (f"{self.where}: constraint", k))

    @contextmanager
    def _unguarded(self) -> Iterator[None]:
        """Let the model post no conditions of partial functions within the block."""
        self.model._guarded.update(np.flatnonzero(self.model.may_be_undefined).tolist())
        try:
            yield
        finally:
            self.model._guarded.clear()

    def _guard(self) -> None:
        """Post the range conditions of partial functions that the file lacks; it brings those it has.

        These are the model's own, not the user's; what only objectives need goes with them.
        """
        model = self.model
        written = [set(c.flattened().element_keys()) for c in model._constraints]
        ranges = {k for k, name in model._names.items() if name.startswith("range of ")}
        posted = [(k in ranges, c.arguments) for k, c in enumerate(model._constraints)]
        of_constraints = self._conditions(a for of_range, arrays in posted if not of_range for a in arrays)
        of_goals = self._conditions(goal.term for goal in model.goals)
        of_ranges = self._conditions(a for of_range, arrays in posted if of_range for a in arrays)
        for k in ranges:
            for conditions in (of_constraints, of_goals):
                if written[k].issubset(key for *_, keys in conditions for key in keys):
                    model._constraints.set_source(k, None)
                    model._ranges.update([k] if conditions is of_goals else [])
                    break
        present = set().union(*written)
        for conditions in (of_constraints, of_goals, of_ranges):
            for condition, name, keys in conditions:
                if not keys <= present:
                    model._ranges.update([model.constraint_count] if conditions is of_goals else [])
                    model._post(condition, name, None)

    def _conditions(self, arguments: Iterable[LinearArray]) -> list[Condition]:
        """Return the conditions that the model would post of terms, with their names, and by their keys."""
        model, many = self.model, len(self.model._constraints)
        model._guard(arguments)
        added = model._constraints[many:]
        names = [model._names.pop(many + k, None) for k in range(len(added))]
        model._constraints.truncate(many)
        return [(c, name, set(c.flattened().element_keys())) for c, name in zip(added, names, strict=True)]

    def constraint(self, entry: schema.ConstraintEntry) -> Constraint:
        """Return one constraint, built and checked as its class does for a user."""
        if entry.kind not in KINDS or entry.kind == "Predicate":
            known = set(KINDS) - {"Predicate"}
            raise Misplaced("kind", f"no constraint {entry.kind!r:.60}{did_you_mean(entry.kind, known)}")
        kind = kind_class(entry.kind)
        numbers = range(len(kind.fields) - len(kind.options), len(kind.fields) + 1)
        if len(entry.args) not in numbers:
            wanted = f"{' or '.join(map(str, numbers))} needed ({', '.join(kind.fields)})"
            raise Misplaced("args", f"{wanted}, got {len(entry.args)}")
        hints = typing.get_type_hints(kind)
        values = [
            at(f"args[{k}]", self._field, hints[name], name, value)
            for k, (name, value) in enumerate(zip(kind.fields, entry.args, strict=False))
        ]
        build = next((f for base, f in _BUILD.items() if issubclass(kind, base)), lambda kind, *v: kind(*v))
        return build(kind, *values)

    def _field(self, hint: Any, name: str, value: Any) -> Any:
        if hint is LinearArray:
            return self.terms.array(value)
        if hint == IntArray:
            return self._table(value, stars=name == "rows")
        return converted(value, hint)

    def _table(self, value: Any, stars: bool) -> IntArray | list[list[Any]]:
        if not isinstance(value, list) or any(not isinstance(row, list) for row in value):
            raise ModelError("a list of rows of integers is needed")
        self.rows += len(value)
        if self.rows > MAX_ROWS:
            raise ModelError(f"more than {MAX_ROWS} table rows in all")
        if len({len(row) for row in value}) > 1:
            raise ModelError("rows of one length are needed")
        if stars and any(ANY in row for row in value):
            return converted(value, list[list[int | Literal["*"]]])
        rows = converted(value, list[list[int]])
        try:
            return np.array(rows, dtype=np.int64).reshape(len(rows), len(rows[0]) if rows else 0)
        except OverflowError:
            raise ModelError("an integer does not fit 64 bits") from None

    # ---- objective and view ---------------------------------------------------------------------

    def _objectives(self) -> None:
        first, later = self.document.objective, self.document.then
        if first is not None:
            at("objective", self._objective, first)
        elif later:
            raise Misplaced("then", "further objectives without a first one, which is called objective")
        for k, entry in enumerate(later):
            at(f"then[{k}]", self._objective, entry)

    def _soft(self) -> None:
        for k, entry in enumerate(self.document.soft):
            constraint = at(f"soft[{k}]", self.constraint, entry)
            name = None if entry.name is None else _harmless(entry.name, f"soft[{k}].name")
            weights = at(f"soft[{k}].weight", as_weights, entry.weight)
            at(f"soft[{k}]", self.model._soften, constraint, weights, name, (f"{self.where}: soft", k))

    def _objective(self, entry: schema.ObjectiveEntry) -> None:
        if entry.penalties is True:
            if entry.term is not None or entry.sense == "maximize":
                raise ModelError("penalties are minimized, and have no term")
            self.model.then_minimize(self.model.penalties)
            return
        term = at("term", self.terms.array, entry.term)
        goal = self.model._goal(term, entry.sense == "maximize")
        self.model._then(
            goal if entry.penalties is False else dataclasses.replace(goal, penalties=entry.penalties)
        )

    def _view(self, value: dict[str, Any]) -> Any:
        kind = value.get("kind")
        if not isinstance(kind, str) or kind not in VIEWS:
            raise Misplaced("kind", f"no view {kind!r:.60}{did_you_mean(str(kind), VIEWS)}")
        fields = {k: v for k, v in value.items() if k != "kind"}
        _only(fields, {field.name for field in dataclasses.fields(VIEWS[kind])})
        view = converted(fields, VIEWS[kind])
        for name in ("variable", "opponent", "present", "durations", "lanes"):
            if fields.get(name) and isinstance(fields[name], str):
                at(name, self.model.__getitem__, fields[name])  # refuses an unknown name
        return view


def _build_linear(kind: Any, expression: LinearArray, relation: str) -> Constraint:
    if relation not in OPPOSITE:
        raise Misplaced("args[1]", f"relation {relation!r:.20}: allowed are {' '.join(OPPOSITE)}")
    return Linear(expression, relation)


def _build_connective(kind: Any, literals: LinearArray) -> Constraint:
    wanted = {"Negation": 1, "Implication": 2}.get(kind.__name__)
    if not literals.shape or (wanted is not None and literals.shape[-1] != wanted):
        raise Misplaced("args[0]", f"{wanted or 'any number of'} literal(s) along the last axis are needed")
    truths = as_truth(literals.registry, literals).truth()  # refuses terms that are not 0 or 1
    found: Constraint = kind.over(truths)
    return found


_BUILD: dict[type[Constraint], Callable[..., Constraint]] = {
    Linear: _build_linear,
    Connective: _build_connective,
}


def _labelled(entry: schema.VariableEntry) -> tuple[int | list[str | int], ...]:
    """Return a shape as a user gives it: the labels of an axis where there are any, else its size."""
    if entry.labels is msgspec.UNSET:
        return entry.shape
    sizes = [None if one is None else len(one) for one in entry.labels]
    if len(sizes) != len(entry.shape) or any(
        s not in (None, n) for s, n in zip(sizes, entry.shape, strict=True)
    ):
        raise ModelError(f"null or as many labels as places are needed for each axis of shape {entry.shape}")
    return tuple(size if one is None else one for one, size in zip(entry.labels, entry.shape, strict=True))


def _bounds(value: int | list[int] | msgspec.UnsetType, size: int, shape: tuple[int, ...]) -> Any:
    if value is msgspec.UNSET:
        raise ModelError("missing; give lower and upper, or domain")
    if not isinstance(value, list):
        return value
    if len(value) != size:
        raise ModelError(f"takes {counted(size, 'value')}, got {len(value)}")
    return np.array(value, dtype=object if any(abs(v) >= 2**63 for v in value) else np.int64).reshape(shape)


def _harmless(text: str, path: str) -> str:
    return at(path, checked_name, text, "text", MAX_TITLE, 0)
