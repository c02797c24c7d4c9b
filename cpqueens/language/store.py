"""Variables and definitions as they accumulate: what a model and its throw-away extensions share."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.arrays import NumberTable, constant_array, of_variables
from cpqueens.language.constraints.base import CODES, Constraint
from cpqueens.language.constraints.connective import Connective, parts_key
from cpqueens.language.constraints.linear import COMPARED, Linear, decided
from cpqueens.language.defined_functions import DEFINITION_KINDS, Zero
from cpqueens.language.definedness import Defined, evaluate
from cpqueens.language.definitions import FEW, Definition, Truth, together
from cpqueens.language.expressions import BoolArray, LinearArray, Operand
from cpqueens.language.ranges import LIMIT, Mask, reach
from cpqueens.language.rows import IntArray, Rows, checked_multiply, distinct, greatest, least, normalise
from cpqueens.language.term import Term

MAX_VARIABLES = 50_000_000

_AFFINE = 2.0**20
"""Truths are written as affine terms only below this reach: sums of many truths must not leave the range."""


class VariableStore:
    """Bounds, explicit domains and definitions of numbered variables; implements `Registry`."""

    unbound = False
    most = LIMIT

    def __init__(self) -> None:
        self._lower = np.zeros(16, dtype=np.int64)
        self._upper = np.zeros(16, dtype=np.int64)
        self._is_defined = np.zeros(16, dtype=bool)
        self._may_be_undefined = np.zeros(16, dtype=bool)
        self._count = 0
        self.span = 1  # no bound is larger in size
        self.domains: dict[int, IntArray] = {}
        self._definitions: list[Definition] = []
        self._shared: dict[Any, int] | None = {}  # None: to be made again of the definitions
        self._tables: dict[bytes, NumberTable] = {}
        self._together: dict[int, list[Definition]] = {}  # so many definitions as few blocks
        self._firsts: list[int] = []  # the first result of each definition; the others follow it
        self.has_partial = False  # whether any variable may be undefined

    def _copy_store(self, other: VariableStore) -> None:
        other.settle()
        other._sharing()  # made now, once for both
        mine, theirs = vars(self), vars(other)
        for name in _STORED:
            value = theirs[name]
            mine[name] = value if type(value) in (int, bool) else value.copy()

    def settle(self) -> None:
        """Define what waits to be defined; here nothing does."""

    # ---- variables ------------------------------------------------------------------------------

    @property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Lower and upper bounds of the variables that terms have so far, and room for more."""
        return self._lower, self._upper

    @property
    def lower(self) -> IntArray:
        """Lower bounds of all variables.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m.lower.tolist()
        [1, 1]
        """
        self.settle()
        return self._lower[: self._count]

    @property
    def upper(self) -> IntArray:
        """Upper bounds of all variables.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m.upper.tolist()
        [3, 3]
        """
        self.settle()
        return self._upper[: self._count]

    @property
    def variable_count(self) -> int:
        """Number of variables, defined ones included.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> y = abs(x[0] - x[1])  # a variable that these define
        >>> m.variable_count
        3
        """
        self.settle()
        return self._count

    @property
    def is_defined(self) -> Mask:
        """Which variables are defined."""
        self.settle()
        return self._is_defined[: self._count]

    @property
    def may_be_undefined(self) -> Mask:
        """Which variables are, or rest on, partial functions that may be undefined; Booleans never are."""
        self.settle()
        return self._may_be_undefined[: self._count]

    def partial_terms(self, array: LinearArray) -> Mask:
        """Return which terms may be undefined, of shape (size,)."""
        if not self.has_partial or not array.width:
            return np.zeros(array.size, dtype=bool)
        reached = self._may_be_undefined[array.variables] & (array.coefficients != 0)
        found: Mask = reached.any(axis=1)
        return found

    def remaining(self, total: dict[int, int]) -> dict[int, int]:
        """Return the variables of a sum and their coefficients; of what cancels the condition stays.

        A variable that may be undefined leaves its `Zero`, which is that of all its multiples.
        """
        found = {v: a for v, a in total.items() if a}
        if self.has_partial and len(found) < len(total):
            for v in total:
                if v not in found and self._may_be_undefined[v]:
                    found.setdefault(self._zero(v), 1)
        return found

    def _zero(self, variable: int) -> int:
        definition, _ = self.producer(variable)  # type: ignore[misc]
        if isinstance(definition, Zero):
            return variable
        (found,) = self._register(Zero((of_variables(self, np.array([variable]), (1,)),))).tolist()
        return int(found)

    def merged(self, variables: IntArray, coefficients: IntArray, factors: IntArray | None = None) -> Rows:
        """Return rows, perhaps scaled by factors (size,), with equal variables merged: see `remaining`."""
        scaled = coefficients if factors is None else checked_multiply(coefficients, factors[:, None])
        found = normalise(variables, scaled)
        if not self.has_partial:
            return found
        lost = self._partial_pairs(variables, coefficients)
        lost = lost[~np.isin(lost, self._partial_pairs(*found))]
        return self._with_zeros(*found, lost) if lost.size else found

    def _partial_pairs(self, variables: IntArray, coefficients: IntArray) -> IntArray:
        """Return the variables that may be undefined, with their rows: a number for each pair."""
        rows, columns = np.nonzero(self._may_be_undefined[variables] & (coefficients != 0))
        return distinct(rows * MAX_VARIABLES + variables[rows, columns])

    def _with_zeros(self, variables: IntArray, coefficients: IntArray, lost: IntArray) -> Rows:
        """Return rows to which the zeros of variables (`_partial_pairs`) are added that they do not have."""
        zeros = {v: self._zero(v) for v in distinct(lost % MAX_VARIABLES).tolist()}
        own = [row * MAX_VARIABLES + zeros[v] for row, v in zip(*np.divmod(lost, MAX_VARIABLES), strict=True)]
        added = distinct(np.array(own))
        rows, names = np.divmod(
            added[~np.isin(added, self._partial_pairs(variables, coefficients))], MAX_VARIABLES
        )
        place = np.arange(len(rows)) - np.searchsorted(rows, rows)  # among those of its row
        more = np.zeros((2, len(variables), int(place.max(initial=-1)) + 1), dtype=np.int64)
        more[0, rows, place], more[1, rows, place] = names, 1
        return np.concatenate([variables, more[0]], axis=1), np.concatenate([coefficients, more[1]], axis=1)

    @property
    def decisions(self) -> IntArray:
        """Indices of the decision variables, ascending.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> y = abs(x[0] - x[1])  # which nobody decides
        >>> m.decisions.tolist()
        [0, 1]
        """
        return (~self.is_defined).nonzero()[0]

    def are_decisions(self, terms: LinearArray) -> bool:
        """Say whether terms are decision variables, with nothing around them."""
        return terms.are_variables and not self.is_defined[terms.variables].any()

    @property
    def definitions(self) -> list[Definition]:
        """What defined variables stand for, in an order of evaluation."""
        self.settle()
        return self._definitions

    @property
    def firsts(self) -> list[int]:
        """The first result of each of the definitions; the others follow it."""
        self.settle()
        return self._firsts

    def producer(self, variable: int) -> tuple[Definition, int] | None:
        """Return the definition of a defined variable and its row there, else None."""
        at = bisect_right(self._firsts, variable) - 1
        if at < 0:
            return None
        definition, row = self._definitions[at], variable - self._firsts[at]
        return (definition, row) if row < len(definition.results) else None

    def domain_values(self, variable: int, cap: int) -> IntArray:
        """Return the variable's values in ascending order.

        Raises
        ------
        ModelError
            If there are more than ``cap`` of them.
        """
        if variable in self.domains:
            return self.domains[variable]
        low, high = int(self._lower[variable]), int(self._upper[variable])
        if high - low + 1 > cap:
            raise ModelError(
                f"variable {variable}: the interval {low}..{high} has {high - low + 1} values, "
                f"allowed are at most {cap} where values are listed; narrow it"
            )
        return np.arange(low, high + 1, dtype=np.int64)

    def _append(self, lower: IntArray, upper: IntArray, defined: bool) -> int:
        first, size = self._count, len(lower)
        if first + size > MAX_VARIABLES:
            raise ModelError(f"{first + size} variables, allowed are at most {MAX_VARIABLES}")
        if first + size > len(self._lower):
            capacity = max(first + size, min(2 * len(self._lower), MAX_VARIABLES))
            for name in ("_lower", "_upper", "_is_defined", "_may_be_undefined"):
                old = getattr(self, name)
                new = np.zeros(capacity, dtype=old.dtype)
                new[:first] = old[:first]
                setattr(self, name, new)
        self._lower[first : first + size] = lower
        self._upper[first : first + size] = upper
        self._is_defined[first : first + size] = defined
        self._count = first + size
        self.span = max(self.span, -int(least(lower, initial=0)), int(greatest(upper, initial=0)))
        return first

    def _append_one(self, low: int, high: int, defined: bool = True) -> int:
        """Append one variable."""
        place = self._count
        if place == len(self._lower):
            return self._append(np.array([low]), np.array([high]), defined)
        self._lower[place], self._upper[place] = low, high
        if defined:  # what no variable has had yet is False
            self._is_defined[place] = True
        if high > self.span or -low > self.span:
            self.span = max(high, -low)
        self._count = place + 1
        return place

    # ---- the registry protocol ------------------------------------------------------------------

    def define(self, kind: str, shape: tuple[int, ...], *arguments: LinearArray) -> LinearArray:
        """Return terms over defined variables; equal definitions are shared."""
        definition = DEFINITION_KINDS[kind](arguments)
        if not any(a.width for a in arguments) and not definition.partial().any():
            none = np.zeros((1, self._count), dtype=np.int64)
            return constant_array(self, definition.evaluate(none)[0].reshape(shape))
        return of_variables(self, self._register(definition), shape)

    def shared(self, numbers: IntArray) -> NumberTable:
        """Return numbers, at least one, which nobody changes, as a table; of equal ones the first."""
        content = numbers.tobytes()
        if content not in self._tables:
            self._tables[content] = NumberTable(self, numbers, content)
        return self._tables[content]

    def define_single(self, kind: str, *arguments: LinearArray) -> LinearArray:
        """Return the term of a function of single terms, over a table if the kind has one."""
        if not sum([argument.width for argument in arguments]):
            return self.define(kind, (), *(a.reshape(-1) for a in arguments))
        definition = DEFINITION_KINDS[kind](arguments)
        shared = self._sharing()
        key = definition.key()
        variable = shared.get(key)
        if variable is None:
            low, high, partial = definition.ends()
            variable = shared[key] = self._append_one(low, high)
            definition.results = np.array([variable])
            self._admit(definition, partial)
        return Term(self, (variable,), (1,), 0)

    def truth(self, constraint: Constraint) -> LinearArray:
        """Return 0/1 terms in the constraint's shape; constants and affine terms where bounds allow.

        The Boolean of a relation over a term that may be undefined is a variable, unless it is false anyway.
        """
        single = self._single_truth(constraint)
        if single is not None:
            return single
        shape = constraint.shape
        flat = constraint.flattened()
        if not isinstance(flat, Linear):
            if not any(a.width for a in flat.arguments):  # decided: no variable has a say
                held = flat.satisfied(np.zeros((1, self._count), dtype=np.int64))[0]
                return constant_array(self, held.astype(np.int64).reshape(shape))
            if not isinstance(flat, Connective):  # truths are 0 or 1
                flat.require_range()
            return of_variables(self, self._register(Truth(flat)), shape)
        e = flat.expression
        low, high = e.bounds(flat.most)
        holds = COMPARED[flat.relation]
        constant, value = decided(flat.relation, low, high)
        constants = value.astype(np.int64)
        partial = self.partial_terms(e)
        constant &= ~(partial & value)
        narrow = ~constant & ~partial & (high - low <= 1)
        if narrow.any():
            columns = (e.variables, e.coefficients, e.constants)
            narrow &= reach(columns, *e.registry.ends) < _AFFINE
        defined = np.flatnonzero(~constant & ~narrow)
        variables, coefficients = np.zeros((2, flat.size, max(1, e.width)), dtype=np.int64)
        if narrow.any():  # e is low or low + 1, so its truth is affine in e
            at_low = holds(low, 0).astype(np.int64)
            slope = holds(low + 1, 0).astype(np.int64) - at_low
            variables[narrow, : e.width] = e.variables[narrow]
            coefficients[narrow, : e.width] = (e.coefficients * slope[:, None])[narrow]
            constants[narrow] = (at_low + slope * (e.constants - low))[narrow]
        if defined.size:
            variables[defined, 0] = self._register(Truth(flat.take(defined)))
            coefficients[defined, 0] = 1
            constants[defined] = 0
        return LinearArray(self, (flat.size,), variables, coefficients, constants).reshape(shape)

    def _single_truth(self, constraint: Constraint) -> Term | None:
        """Return the truth of one relation or connective as `truth` does, quicker; None for all others."""
        if isinstance(constraint, Connective):
            parts = constraint.parts
            if parts is None or not any(part.variable_list for part in parts):
                return None
            return self._single(parts_key(constraint.kind, parts), constraint.of(parts))
        if type(constraint) is not Linear or type(constraint.expression) is not Term:
            return None
        e, relation = constraint.expression, constraint.relation
        low, high, reach = e.ends(constraint.most)
        partial = self.has_partial and bool(self.partial_terms(e).any())
        constant, value = decided(relation, low, high)
        if constant and not (partial and value):
            return Term(self, (), (), int(value))
        if not partial and high - low <= 1 and reach < _AFFINE:
            slope = 1 - 2 * int(value)  # from low to low + 1
            coefficients = tuple([a * slope for a in e.coefficient_list])
            return Term(self, e.variable_list, coefficients, int(value) + slope * (e.constant - low))
        return self._single(e.key(CODES[relation]), constraint)

    def _single(self, key: Any, constraint: Constraint) -> Term:
        """Return the variable that is one truth, created if it does not exist yet."""
        shared = self._sharing()
        variable = shared.get(key)
        if variable is None:
            variable = shared[key] = self._append_one(0, 1)
            self._admit(Truth(constraint, np.array([variable])), False)
        return Term(self, (variable,), (1,), 0)

    def _register(self, definition: Definition) -> IntArray:
        """Return the result variables of ``definition``, creating those that do not exist yet."""
        keys = definition.keys()
        shared = self._sharing()
        new = dict(zip(keys, range(self._count, self._count + len(keys)), strict=True))
        if keys and len(new) == len(keys) and shared.keys().isdisjoint(new):
            results = self._create(definition)
            shared.update(new)
            return results
        results = np.array([shared.get(key, -1) for key in keys], dtype=np.int64)
        missing: dict[Any, int] = {}
        for row in np.flatnonzero(results < 0).tolist():
            missing.setdefault(keys[row], row)
        if missing:
            rows = np.array(list(missing.values()), dtype=np.intp)
            created = self._create(definition.take(rows, np.zeros(0, dtype=np.int64)))
            shared.update(zip(missing, created.tolist(), strict=True))
            results = np.array([shared[key] for key in keys], dtype=np.int64)
        return results

    def _create(self, new: Definition) -> IntArray:
        """Return the result variables of a block that has none yet."""
        first = self._append(*new.bounds(), defined=True)
        new.results = np.arange(first, self._count, dtype=np.int64)
        self._admit(new, bool(new.partial().any()))
        return new.results

    def _sharing(self) -> dict[Any, int]:
        """Return the result variable of each definition by its key."""
        if self._shared is None:
            self._shared = {}
            for definition in self._definitions:
                for key, variable in zip(definition.keys(), definition.results.tolist(), strict=True):
                    self._shared.setdefault(key, variable)
        return self._shared

    def _admit(self, definition: Definition, partial: bool) -> None:
        """Take in a definition, of whose results one may be undefined even where its arguments are not."""
        self._definitions.append(definition)
        self._firsts.append(definition.results.item(0))
        if not (partial or self.has_partial) or isinstance(definition, Truth):
            return
        undefined = definition.partial()
        if self.has_partial:
            for k, array in enumerate(definition.arguments):
                undefined = undefined | ~definition.whole(k, ~self.partial_terms(array)[None, :])[0]
        if undefined.any():
            self.has_partial = True
            self._may_be_undefined[definition.results] = undefined

    def text_of(self, item: LinearArray | BoolArray) -> str:
        """Return "": there are no names."""
        return ""

    def numbered(self, value: Any, of: LinearArray | None = None) -> Any:
        """Return ``value``: no variable has names for its values."""
        return value

    def positions(self, terms: LinearArray, what: str) -> LinearArray:
        """Return the terms: no variable has names for its values."""
        return terms

    def labels_along(self, terms: Operand) -> list[list[Any] | None]:
        """Return None for each axis: none has labels."""
        return [None] * terms.ndim

    def names_at(self, terms: Operand) -> list[Any] | None:
        """Return None: no variable has names for its values."""

    # ---- evaluation -----------------------------------------------------------------------------

    def complete(self, decisions: IntArray, known: IntArray) -> IntArray:
        """Return the values of all variables, (batch, variables).

        Parameters
        ----------
        decisions
            Values of the decision variables, (batch, len(known)).
        known
            The indices of these variables; decision variables outside it get 0.
        """
        return self._extend(decisions, known, self.has_partial)[0]

    def complete_where_defined(self, decisions: IntArray, known: IntArray) -> tuple[IntArray, Defined]:
        """Return as `complete` the values of all variables, and where they are defined."""
        values, defined = self._extend(decisions, known, True)
        assert defined is not None
        return values, defined

    def _extend(self, decisions: IntArray, known: IntArray, partial: bool) -> tuple[IntArray, Defined | None]:
        """Return the same, with None for everywhere if no function is ``partial``."""
        blocks = self.definitions
        if len(decisions) <= FEW < len(blocks):
            if len(blocks) not in self._together:
                self._together = {len(blocks): together(blocks, self._count)}
            blocks = self._together[len(blocks)]
        values = np.zeros((len(decisions), self._count), dtype=np.int64, order="F")  # as it is read
        values[:, known] = decisions
        defined = np.ones(values.shape, dtype=bool) if partial else None
        for definition in blocks:
            results = definition.results
            if defined is None:
                values[:, results] = definition.evaluate(values)
            else:
                values[:, results], defined[:, results] = evaluate(definition, values, defined)
        return values, defined


_STORED = tuple(vars(VariableStore()))
"""What a copy has copies of."""


class Unbound(VariableStore):
    """The registry of constraints without a variable, such as ``AllDifferent([])``; a model adopts them."""

    unbound = True

    def _register(self, definition: Definition) -> IntArray:
        raise ModelError(f"{definition.kind} of constants: undefined for the values given")

    def __reduce__(self) -> str:
        return "UNBOUND"  # there is only one, in copies and pickles too


UNBOUND = Unbound()
