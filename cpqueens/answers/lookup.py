"""Looking values up in solutions: of a variable, of any term, in one solution or in all.

Answers as frames of pandas, which is imported when the first is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, ValuesView
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.errors import ModelError, Undefined
from cpqueens.language.definedness import Defined, defined_terms, evaluate, why_undefined
from cpqueens.language.definitions import Definition
from cpqueens.language.expressions import BoolArray, LinearArray
from cpqueens.language.labels import labelled
from cpqueens.language.named_values import axis_labels
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.language.term import Term
from cpqueens.system.requirements import need
from cpqueens.text.plaintext import shown

if TYPE_CHECKING:
    import pandas as pd

# ---- some solutions with the values of their defined variables -------------------------------------------


class Completed:
    """Rows of values of all variables of a model, completed as far as they were asked for.

    Parameters
    ----------
    known
        The decision variables that have values, ascending; others were added since.
    decisions
        Their values, (rows, len(known)).
    """

    def __init__(self, model: Statement, known: IntArray, decisions: IntArray) -> None:
        self._model, self._known = model, known
        count = model.variable_count
        self._evaluated = np.zeros(count, dtype=bool)  # or known
        self._late = np.zeros(count, dtype=bool)  # decision variables without a value, and what reaches them
        self._evaluated[known] = True
        self._defined: Defined | None = None  # (rows, variables), from the first partial function on
        if len(known) == count:
            self._values = decisions
        else:
            self._values = np.zeros((len(decisions), count), dtype=np.int64)
            self._values[:, known] = decisions

    def evaluate(self, terms: LinearArray, rows: slice) -> IntArray:
        """Return the values of the model's terms in some of the rows, (rows, size).

        Raises
        ------
        ModelError
            If one reaches a decision variable without a value, or leaves the range.
        """
        terms.bounds()  # what leaves the range could wrap around
        reached = terms.scope()
        self._complete(reached)
        late = reached[self._late[reached]]
        if late.size:
            name = self._model.label_of(self._cause(int(late[0])))
            raise ModelError(f"{name} was added after this run; solve again")
        return terms.evaluate(self._values[rows])

    def undefined(self, terms: LinearArray, rows: slice) -> Defined | None:
        """Return in which of the rows some of the terms have no value, (rows,); None for in none.

        For terms that were evaluated.
        """
        if self._defined is None or not self._model.partial_terms(terms).any():
            return None
        without: Defined = np.logical_not(defined_terms(terms, self._defined[rows]).all(axis=1))
        return without if without.any() else None

    def why_undefined(self, terms: LinearArray, row: int) -> str:
        """Return which function that the terms reach has no value in a row, and why."""
        assert self._defined is not None
        return why_undefined(self._model, [terms], self._values[row], self._defined[row])

    def _complete(self, variables: IntArray) -> None:
        """Evaluate the definitions that these variables reach and that were not evaluated before."""
        if self._model.variable_count > len(self._evaluated):
            self._grow()
        waiting: dict[int, Definition] = {}  # by its first result: in the order of their creation
        pending = [variables]
        while pending:
            scope = pending.pop()
            for v in scope[~self._evaluated[scope]].tolist():
                self._evaluated[v] = True
                produced = self._model.producer(v)
                if produced is None:
                    self._late[v] = True
                    continue
                definition = produced[0]
                self._evaluated[definition.results] = True
                waiting[int(definition.results[0])] = definition
                pending += [argument.scope() for argument in definition.arguments]
        for first in sorted(waiting):
            self._evaluate(waiting[first])

    def _evaluate(self, definition: Definition) -> None:
        results = definition.results
        if self._defined is None and self._model.may_be_undefined[results].any():
            self._defined = np.ones(self._values.shape, dtype=bool)
        if self._defined is None:
            self._values[:, results] = definition.evaluate(self._values)
        else:
            values, defined = evaluate(definition, self._values, self._defined)
            self._values[:, results], self._defined[:, results] = values, defined
        for k, argument in enumerate(definition.arguments):
            late = (self._late[argument.variables] & (argument.coefficients != 0)).any(axis=1)
            if late.any():
                self._late[results] |= ~definition.whole(k, ~late[None, :])[0]

    def _grow(self) -> None:
        """Make room for variables that the model got since; in steps, for loops that define one at a time."""
        old, count = len(self._evaluated), max(self._model.variable_count, 2 * len(self._evaluated))
        values = np.zeros((len(self._values), count), dtype=np.int64)
        values[:, :old] = self._values[:, :old]
        self._values = values
        if self._defined is not None:
            defined = np.ones(values.shape, dtype=bool)
            defined[:, :old] = self._defined[:, :old]
            self._defined = defined
        self._evaluated = np.append(self._evaluated, np.zeros(count - old, dtype=bool))
        self._late = np.append(self._late, np.zeros(count - old, dtype=bool))

    def _cause(self, variable: int) -> int:
        """Return a decision variable without a value that ``variable`` reaches."""
        produced = self._model.producer(variable)
        while produced is not None:
            definition, _ = produced
            scopes = np.concatenate([argument.scope() for argument in definition.arguments])
            variable = int(scopes[self._late[scopes]][0])
            produced = self._model.producer(variable)
        return variable


# ---- values looked up -------------------------------------------------------------------------------------

_PART = 1 << 18
"""Values (of 8 bytes) that solutions are completed to at once, and that are kept of what was asked for."""

_EXPRESSIONS = 256
"""Expressions whose values are kept."""

_AT_ONCE = 1 << 20
"""Values completed at once where all solutions are asked for."""


def terms_of(
    model: Statement, expression: Any, needed: str = "a solution is asked for terms of its model"
) -> LinearArray:
    """Return the terms that are asked for, by a name or as they are; ModelError for anything else."""
    if isinstance(expression, str):
        return model[expression]
    terms = expression.truth() if isinstance(expression, BoolArray) else expression
    if not isinstance(terms, LinearArray):
        raise ModelError(f"{needed}, got {shown(expression)}")
    return model.own_terms(terms)


class FlatValues(np.ndarray[Any, np.dtype[np.int64]]):
    """The values of a solution's variables, side by side; called it returns those of a mapping.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(3, 3, shape=2, name="x")
    >>> s = m.solve().solution
    >>> s.values.tolist(), list(s.values())
    ([3, 3], [array([3, 3])])
    """

    _of: Mapping[str, Any] | None = None

    def __call__(self) -> ValuesView[Any]:
        """Return the values of all variables of the user, as `dict.values` does."""
        if self._of is None:
            raise TypeError("an array of values is not callable")
        return ValuesView(self._of)


class Lookup:
    """Values of expressions in solutions, ``matrix`` (solutions, decision variables ``known``).

    Terms of decision variables are read from the matrix. Defined variables are completed for some
    neighbouring solutions at once, when they are first asked for, and of these only the last part is kept.
    """

    __slots__ = ("_kept", "_kept_size", "_part", "_part_rows", "_straight", "known", "matrix", "model")

    def __init__(self, model: Statement, known: IntArray, matrix: IntArray) -> None:
        self.model = model
        self.known = known
        self.matrix = matrix
        self._straight = len(known) == 0 or int(known[-1]) == len(known) - 1  # a variable is its column
        self._part: tuple[int, Completed] | None = None  # its first row
        self._part_rows = _rows_of(_PART, model.variable_count)
        # an expression (so that its id is nobody else's), its first row, its values in rows from there on,
        # and in which of them it has none
        self._kept: dict[int, tuple[Any, int, IntArray, Defined | None]] = {}
        self._kept_size = 0

    def values(self, expression: Any) -> IntArray:
        """Return an expression's values in all solutions, of shape (solutions, *shape).

        Raises
        ------
        ModelError
            For anything but terms of the model, or if it reaches a variable that was added after the run.
        Undefined
            If a partial function in it has no value in one of the solutions.
        """
        terms = terms_of(self.model, expression)
        values = self._columns(terms)
        if values is None:
            step = _rows_of(_AT_ONCE, max(self.model.variable_count, terms.size * terms.width))
            parts = [self._whole(terms, a, a + step) for a in range(0, len(self.matrix), step)]
            values = np.concatenate(parts or [np.zeros((0, terms.size), dtype=np.int64)])
        values = values.reshape(len(self.matrix), *terms.shape)
        values.flags.writeable = False
        return values

    def value(self, expression: Any, row: int) -> Any:
        """Return the value(s) of an expression in one solution: an int for a single term, else an array."""
        if type(expression) is Term and expression.registry is self.model:
            value = self._look_up(expression, row)
            if value is not None:
                return value
        kept = self._kept.get(id(expression))
        if kept is None or not 0 <= row - kept[1] < len(kept[2]):
            kept = self._keep(expression, row)
        if kept[3] is not None and kept[3][row - kept[1]]:
            raise self._undefined(terms_of(self.model, expression), row)
        values = kept[2][row - kept[1]]
        return values if values.ndim else int(values)

    def named(self, expression: Any, values: Any) -> Any:
        """Return the values of an expression as names, if it is variables whose values are names."""
        names = self.model.common_names(terms_of(self.model, expression))
        return values if names is None else labelled(names, np.asarray(values))

    def _look_up(self, term: Term, row: int) -> int | None:
        """Return the value of a term of decision variables, None for any other."""
        total, item = term.constant, self.matrix.item
        for variable, coefficient in zip(term.variable_list, term.coefficient_list, strict=True):
            column = variable if self._straight else int(self.known.searchsorted(variable))
            if column >= len(self.known) or (not self._straight and self.known[column] != variable):
                return None
            total += coefficient * item(row, column)
        return total

    def _columns(self, terms: LinearArray) -> IntArray | None:
        """Return a view of the matrix if the terms are neighbouring decision variables, else None."""
        if not terms.shape or not terms.are_variables:
            return None
        variables = terms.variables[:, 0]
        first = int(self.known.searchsorted(variables[0]))
        found = self.known[first : first + len(variables)]
        return self.matrix[:, first : first + len(variables)] if np.array_equal(found, variables) else None

    def _whole(self, terms: LinearArray, first: int, last: int) -> IntArray:
        """Return the terms' values in some solutions, in all of which they have one."""
        part = self._completed(first, last)
        values = part.evaluate(terms, slice(None))
        undefined = part.undefined(terms, slice(None))
        if undefined is not None:
            raise self._undefined(terms, first + int(undefined.argmax()))
        return values

    def _undefined(self, terms: LinearArray, row: int) -> Undefined:
        part = self._completed(row, row + 1)
        part.evaluate(terms, slice(None))
        return Undefined(f"undefined: {part.why_undefined(terms, 0)}")

    def _keep(self, expression: Any, row: int) -> tuple[Any, int, IntArray, Defined | None]:
        """Evaluate an expression in the solutions around ``row`` and keep its values for a while."""
        terms = terms_of(self.model, expression)
        first, values, undefined = 0, self._columns(terms), None
        if values is None:
            first = row - row % self._part_rows
            if self._part is None or self._part[0] != first:
                self._part = first, self._completed(first, first + self._part_rows)
            within = row - first
            step = min(self._part_rows, _rows_of(_PART, terms.size))
            within -= within % step
            values = self._part[1].evaluate(terms, slice(within, within + step))
            undefined = self._part[1].undefined(terms, slice(within, within + step))
            first += within
            self._kept_size += values.size
        if self._kept_size > _PART or len(self._kept) >= _EXPRESSIONS:
            self._kept.clear()
            self._kept_size = values.size
        values = values.reshape(len(values), *terms.shape)
        values.flags.writeable = False
        kept = self._kept[id(expression)] = expression, first, values, undefined
        return kept

    def _completed(self, first: int, last: int) -> Completed:
        return Completed(self.model, self.known, self.matrix[first:last])


def _rows_of(cells: int, width: int) -> int:
    """Return how many rows of so many values are looked at together: a power of 2, at most 1024."""
    return 1 << min(10, max(1, cells // max(1, width)).bit_length() - 1)


Read = Callable[[Any], Any]
"""Returns the value(s) of terms, or of the variable of this name."""


def frame_of_solution(
    model: Statement, known: IntArray, read: Read, expressions: tuple[Any, ...], long: bool
) -> pd.DataFrame:
    """Return what `Solution.to_frame` does; ``read`` says what values are in the solution."""
    pandas = need("pandas", "pandas")
    if not expressions:
        names = [model.name_of(v) for v in known.tolist()]
        return pandas.DataFrame({"value": [read(name) for name in names]}, index=names)
    columns = _columns(model, expressions)
    first, *others = columns.values()
    if first.ndim > 1 and not others and not long:
        *outer, inner = _indices(model, first)
        values = np.asarray(read(first)).reshape(-1, first.shape[-1])
        return pandas.DataFrame(values, index=_product(outer), columns=inner, copy=True)
    unlike = next((t for t in others if t.shape != first.shape), None)
    if unlike is not None:
        raise ModelError(f"to_frame: columns of one shape are needed, got {first.shape} and {unlike.shape}")
    table = {name: np.asarray(read(terms)).reshape(-1) for name, terms in columns.items()}
    index = _product(_indices(model, first)) if first.ndim else None
    return pandas.DataFrame(table, index=index, copy=True)


def frame_of_set(model: Statement, known: IntArray, many: int, read: Read, expression: Any) -> pd.DataFrame:
    """Return what `SolutionSet.to_frame` does; ``read`` says what values are in so many solutions."""
    pandas = need("pandas", "pandas")
    index = pandas.RangeIndex(many, name="solution")
    if expression is None:
        return pandas.DataFrame(
            {name: read(name) for name in map(model.name_of, known.tolist())}, index=index
        )
    ((name, terms),) = _columns(model, (expression,)).items()
    labels = _product(_indices(model, terms)) if terms.ndim else [name]
    return pandas.DataFrame(read(terms).reshape(many, terms.size), index=index, columns=labels, copy=True)


def _columns(model: Statement, expressions: tuple[Any, ...]) -> dict[Any, LinearArray]:
    """Return terms by their columns: named by a dict, else as the variables, or "value"."""
    columns: dict[Any, LinearArray] = {}
    for given in expressions:
        named = given if isinstance(given, Mapping) else {None: given}
        for name, expression in named.items():
            terms = terms_of(model, expression, "to_frame: terms or the name of a variable are needed")
            label = name or _name(model, terms) or "value"
            if label in columns:
                raise ModelError(
                    f"to_frame: two columns {shown(label)}; name them, as in to_frame({{name: x}})"
                )
            columns[label] = terms
    if not columns:
        raise ModelError("to_frame: a dict without columns")
    return columns


def _name(model: Statement, terms: LinearArray) -> str:
    """Return the name of the array that all these variables are in, "" for any other terms."""
    if not model.are_decisions(terms):
        return "" if terms.shape else model.text_of(terms)
    first, last = (model.blocks.block_of(int(v)) for v in (terms.variables.min(), terms.variables.max()))
    return first.name if first is last else ""


def _indices(model: Statement, terms: LinearArray) -> list[Any]:
    """Return an index of pandas for each axis: of labels, or of positions."""
    import pandas

    found = zip(axis_labels(model, terms), terms.shape, strict=True)
    return [
        pandas.RangeIndex(size) if axis is None else pandas.Index(axis[0])[axis[1]] for axis, size in found
    ]


def _product(indices: list[Any]) -> Any:
    import pandas

    return indices[0] if len(indices) == 1 else pandas.MultiIndex.from_product(indices)
