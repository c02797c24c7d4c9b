"""Solutions as values: one, and many as one array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np

from cpqueens.answers.check import Check, check_row
from cpqueens.answers.lookup import FlatValues, Lookup, frame_of_set, frame_of_solution
from cpqueens.answers.stated import SoftViolation, StatementThen, soft_violations, widened
from cpqueens.errors import BadIndex, ModelError
from cpqueens.language.labels import texts_of
from cpqueens.language.rows import IntArray, refusing
from cpqueens.language.statement import Statement
from cpqueens.text.foreign import explaining_keywords, no_attribute
from cpqueens.text.parameters import as_switch
from cpqueens.text.plaintext import shown

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 200  # letters of a solution, and values of one variable that are looked at


class SolutionSet(Sequence["Solution"]):
    """Solutions as one array: ``matrix`` of shape (solutions, decision variables), int64.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(1, 2, shape=2, name="x")
    >>> found = m.enumerate(solver="backtracking").solutions
    >>> len(found), found.matrix.shape, found.values(x.sum()).tolist()
    (4, (4, 2), [2, 3, 3, 4])

    Attributes
    ----------
    matrix
        Values, int64, of shape (solutions, decision variables).
    model
        What they are solutions of.
    in_order
        False if the search that found them said that others, which are less, may follow the last of them.
    stated
        What the model stated then: objectives and constraints that come later do not count.
    """

    __slots__ = ("_lookup", "in_order", "known", "matrix", "model", "stated")

    def __init__(
        self, model: Statement, known: IntArray, matrix: IntArray, in_order: bool = True,
        stated: StatementThen | None = None,
    ) -> None:  # fmt: skip
        self.model = model
        posted = model._posted
        now = model.goals, model.soft, len(model.soft), posted, len(posted), model._names
        self.stated = StatementThen(*now) if stated is None else stated
        self.known = known
        self.matrix = matrix
        self.in_order = in_order
        self._lookup: Lookup | None = None

    @property
    def lookup(self) -> Lookup:
        """Where values are looked up, made for the first of them."""
        if self._lookup is None:
            self._lookup = Lookup(self.model, self.known, self.matrix)
        return self._lookup

    def __reduce__(self) -> tuple[Any, ...]:
        given = self.model, self.known, self.matrix, self.in_order, self.stated
        return SolutionSet, given  # without what is kept by place in memory

    def __len__(self) -> int:
        return len(self.matrix)

    @overload
    def __getitem__(self, key: int) -> Solution: ...
    @overload
    def __getitem__(self, key: slice) -> SolutionSet: ...
    def __getitem__(self, key: int | slice) -> Solution | SolutionSet:
        if isinstance(key, slice):
            with refusing("solutions"):
                return SolutionSet(self.model, self.known, self.matrix[key], self.in_order, self.stated)
        if not isinstance(key, int | np.integer) or not -len(self) <= key < len(self):
            raise BadIndex(f"no solution {shown(key)}: there are {len(self)}, counted from 0")
        return Solution(self, int(key) % len(self))

    def __iter__(self) -> Iterator[Solution]:
        return (Solution(self, row) for row in range(len(self.matrix)))

    @explaining_keywords
    def values(self, expression: Any) -> IntArray:
        """Return an expression's values in all solutions, of shape ``(solutions, *shape)``.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m += x[0] < x[1]
        >>> m.enumerate(solver="backtracking").solutions.values(x[1] - x[0]).tolist()
        [1, 2, 1]

        Raises
        ------
        Undefined
            If a partial function in it has no value in one of them.
        """
        values = self.lookup.values(expression)
        named: IntArray = self.lookup.named(expression, values) if self.model.labels else values
        return named

    @explaining_keywords
    def to_frame(self, expression: Any = None) -> pd.DataFrame:
        """Return a frame of pandas with a row for each solution and a column for each element.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 2, shape=(["ann", "bob"],), name="x")
        >>> m += x.sum() == 3
        >>> print(m.enumerate(solver="backtracking").solutions.to_frame(x))  # doctest: +NORMALIZE_WHITESPACE
                  ann  bob
        solution
        0           1    2
        1           2    1

        Parameters
        ----------
        expression
            Terms, Booleans or the name of a variable; its labels name the columns. By default all variables.

        Raises
        ------
        MissingLibrary
            Without pandas.
        """
        return frame_of_set(self.model, self.known, len(self), self.values, expression)

    def _repr_html_(self) -> str:
        return self.model.drawn(self, "sheet") or ""

    def __repr__(self) -> str:
        return f"<{len(self)} solutions of {self.model.name}>"


def solutions_of(model: Statement, found: SolutionSet) -> SolutionSet:
    """Return solutions as those of a model with the same variables."""
    return SolutionSet(model, found.known, found.matrix, in_order=found.in_order)


class Solution(Mapping[str, Any]):
    """One assignment of the decision variables; ``s[expression]`` gives any expression's value.

    It is a mapping from the names of the variables to their values: ``dict(s)``, ``s.items()``.

    >>> from cpqueens import Model
    >>> m = Model()
    >>> x = m.intvar(0, 9, shape=2, name="x")
    >>> m += [x[0] == 3, x.sum() == 7]
    >>> s = m.solve().solution
    >>> s[x].tolist(), s[x[0] * x[1]], s.as_dict()
    ([3, 4], 12, {'x': [3, 4]})

    Attributes
    ----------
    model
        What it is a solution of.
    violated, penalty
        Which soft constraints it violates, and what that costs.
    """

    __slots__ = ("_row", "_set")

    def __init__(self, solutions: SolutionSet, row: int) -> None:
        self._set = solutions
        self._row = row

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._parts())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return True  # also where a model has no variables

    def __contains__(self, name: object) -> bool:
        return any(name is known or name == known for known in self) if isinstance(name, str) else False

    def get(self, name: Any, default: Any = None) -> Any:
        """Return the value(s) of the variable of this name, or ``default`` where there is none.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(4, 4, name="x")
        >>> m.solve().solution.get("x"), m.solve().solution.get("y", 0)
        (4, 0)
        """
        return self[name] if name in self or not isinstance(name, str) else default

    def __getitem__(self, expression: Any) -> Any:
        """Return the value(s) of an expression, or of the variable of this name.

        That is an int for a single term, else an int64 array; of variables whose values are names (see
        `Model.var`) a name, else an array of names.

        Raises
        ------
        Undefined
            If a partial function in it has no value here, such as a quotient by 0.
        """
        value = self._set.lookup.value(expression, self._row)
        return self._set.lookup.named(expression, value) if self._set.model.labels else value

    @property
    def model(self) -> Statement:
        """The model it belongs to.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m.solve().solution.model is m
        True
        """
        return self._set.model

    @property
    def values(self) -> FlatValues:
        """Values of the decision variables in the order of their creation; called, those of a mapping.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x, y = m.intvar(3, 3, shape=2, name="x"), m.intvar(5, 5, name="y")
        >>> s = m.solve().solution
        >>> s.values.tolist(), list(s.values())
        ([3, 3, 5], [array([3, 3]), 5])
        """
        values = self._set.matrix[self._row].view(FlatValues)
        values._of = self
        return values

    def as_dict(self) -> dict[str, Any]:
        """Return ``{name: value or nested lists}`` for every user variable, as plain data.

        Members of an enumeration are written by their names.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m += x.sum() == 6
        >>> m.solve().solution.as_dict()
        {'x': [3, 3]}

        ``dict(s)`` has arrays instead of lists, and members of an enumeration themselves.
        """
        of_array = self._set.model.labels.of_array
        return {name: texts_of(of_array.get(name, {}), part.tolist()) for name, part in self._parts()}

    @explaining_keywords
    def to_frame(self, *expressions: Any, long: bool = False) -> pd.DataFrame:
        """Return values as a pandas DataFrame, with the labels of the variables.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> works = m.boolvar(shape=(["ann", "bob"], ["mon", "tue"]), name="works")
        >>> m += [works.sum(axis=0) == 1, works.sum(axis=1) == 1, works[0, 1] == 0]
        >>> s = m.solve().solution
        >>> print(s.to_frame(works))
             mon  tue
        ann    1    0
        bob    0    1
        >>> print(s.to_frame({"days": works.sum(axis=1)}))
             days
        ann     1
        bob     1

        Parameters
        ----------
        expressions
            Terms, Booleans, or names of variables. Of two axes, the first becomes the index, the second the
            columns; of more, all but the last become the index. Several expressions of one shape become
            columns, with a row for each element; a dict ``{column: expression}`` names them. Without
            expressions there is a row for each variable.
        long
            A row for each element, also for an array with several axes.

        Raises
        ------
        MissingLibrary
            Without pandas.
        ModelError
            For columns of different shapes, or a name that is used twice.
        """
        known = self._set.known
        return frame_of_solution(self.model, known, self.__getitem__, expressions, as_switch(long, "long"))

    def _parts(self) -> Iterator[tuple[str, IntArray]]:
        """Yield name and values of every variable of the user that the run knew."""
        known, row = self._set.known, self.values
        for block in self._set.model.blocks:
            start = int(known.searchsorted(block.first))
            if block.size and (start == len(known) or known[start] != block.first):
                continue
            yield block.name, row[start : start + block.size].reshape(block.shape)

    @property
    def violated(self) -> tuple[SoftViolation, ...]:
        """The soft constraints that it violates: ``name``, ``constraint``, ``where`` and ``penalty`` of each.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 5, name="x")
        >>> m.add_soft(x == 3, weight=2, name="three")
        >>> m += x > 3
        >>> outcome = m.solve(time_limit=10)
        >>> print(outcome.solution.violated[0].label)
        three: x == 3
        """
        row = widened(self.model, self._set.known, self.values)
        return soft_violations(self.model, row, self._set.stated.soft)

    @property
    def penalty(self) -> int:
        """The total cost of the violated soft constraints.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(0, 5, name="x")
        >>> m.add_soft(x == 3, weight=2, name="three")
        >>> m += x > 3
        >>> outcome = m.solve(time_limit=10)
        >>> outcome.solution.penalty
        2
        """
        return sum(violation.penalty for violation in self.violated)

    def check(self) -> Check:
        """Check it again against its model, as it was when it was solved; see `Model.check`.

        >>> from cpqueens import Model
        >>> m = Model()
        >>> x = m.intvar(1, 3, shape=2, name="x")
        >>> m += x.sum() == 6
        >>> m.solve().solution.check().ok
        True
        """
        found = check_row(
            self._set.stated.restored(self.model), widened(self.model, self._set.known, self.values)
        )
        return found if len(self.values) == len(self.model.decisions) else replace(found, model=None)

    def write_back(self) -> dict[str, int]:
        """Write its values into the variables of the library that the model came from; return these by name.

        >>> import constraint
        >>> from cpqueens import from_python_constraint
        >>> theirs = constraint.Problem()
        >>> theirs.addVariables("ab", [1, 2])
        >>> theirs.addConstraint(lambda a, b: a < b, "ab")
        >>> from_python_constraint(theirs).model.solve().solution.write_back()
        {'a': 1, 'b': 2}

        Raises
        ------
        ModelError
            If the model was made here, or that library's own evaluation does not accept the values.
        """
        giver = self.model._giver
        if giver is None:
            raise ModelError("the model was not imported from another library: no variables to write to")
        return giver(self)

    if not TYPE_CHECKING:  # to a type checker a class with this has every attribute

        def __getattr__(self, name: str) -> NoReturn:
            raise no_attribute(self, name, () if name.startswith("_") else self._set.model.blocks.by_name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Solution) and bool(np.array_equal(self.values, other.values))

    def __hash__(self) -> int:
        return hash(self.values.tobytes())

    def __repr__(self) -> str:
        text = ""
        for name, part in self._parts():
            few = part if part.size <= _SHOWN else part.reshape(-1)[:_SHOWN]  # of which the end is cut
            values = texts_of(self._set.model.labels.of_array.get(name, {}), few.tolist())
            text += f"{', ' if text else ''}{name}={values}"
            if len(text) > _SHOWN:
                return f"Solution({text[: _SHOWN - 3]}...)"
        return f"Solution({text})"

    def __str__(self) -> str:
        return self.model.drawn(self, "text") or repr(self)

    def _repr_html_(self) -> str:
        return self.model.drawn(self, "html") or ""

    def _repr_svg_(self) -> str | None:
        return self.model.drawn(self, "svg")
