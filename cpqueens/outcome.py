"""What a run says: solutions as values, and an outcome that never claims more than was proved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NoReturn, overload

import numpy as np

from cpqueens.completed import Completed
from cpqueens.errors import ModelError, NoSolution
from cpqueens.expressions import BoolArray, LinearArray, Term
from cpqueens.rows import IntArray

if TYPE_CHECKING:
    from cpqueens.check import Check
    from cpqueens.model import Model


class Status(StrEnum):
    """What is known about the model, in CP-SAT's words."""

    OPTIMAL = "OPTIMAL"
    FEASIBLE = "FEASIBLE"
    INFEASIBLE = "INFEASIBLE"
    UNKNOWN = "UNKNOWN"


class StopReason(StrEnum):
    """Why a run ended."""

    EXHAUSTED = "exhausted"
    SOLUTION_LIMIT = "solution_limit"
    TIME_LIMIT = "time_limit"
    STEP_LIMIT = "step_limit"
    GAP_LIMIT = "gap_limit"
    LOCAL_OPTIMUM = "local_optimum"
    PLATEAU_LIMIT = "plateau_limit"
    GAVE_UP = "gave_up"  # by a rule of the backend's own, which the statistics name under this word
    INTERRUPTED = "interrupted"
    CALLBACK = "callback"


_PART = 1 << 18
"""Values (of 8 bytes) that solutions are completed to at once, and that are kept of what was asked for."""

_EXPRESSIONS = 256
"""Expressions whose values are kept."""

_AT_ONCE = 1 << 20
"""Values completed at once where all solutions are asked for."""


class SolutionSet(Sequence["Solution"]):
    """Solutions as one array: ``matrix`` of shape (solutions, decision variables), int64.

    Terms of decision variables are looked up. Defined variables are completed for some neighbouring
    solutions at once, when they are first asked for, and of these only the last part is kept.
    """

    __slots__ = ("_kept", "_kept_size", "_part", "_part_rows", "_straight", "known", "matrix", "model")

    def __init__(self, model: Model, known: IntArray, matrix: IntArray) -> None:
        self.model = model
        self.known = known
        self.matrix = matrix
        self._straight = len(known) == 0 or int(known[-1]) == len(known) - 1  # a variable is its column
        self._part: tuple[int, Completed] | None = None  # its first row
        self._part_rows = _rows_of(_PART, model.variable_count)
        # an expression (so that its id is nobody else's), its first row, and its values in rows from there on
        self._kept: dict[int, tuple[Any, int, IntArray]] = {}
        self._kept_size = 0

    def __len__(self) -> int:
        return len(self.matrix)

    @overload
    def __getitem__(self, key: int) -> Solution: ...
    @overload
    def __getitem__(self, key: slice) -> SolutionSet: ...
    def __getitem__(self, key: int | slice) -> Solution | SolutionSet:
        if isinstance(key, slice):
            return SolutionSet(self.model, self.known, self.matrix[key])
        if not -len(self) <= key < len(self):
            raise IndexError(key)
        return Solution(self, key % len(self))

    def __iter__(self) -> Iterator[Solution]:
        return (Solution(self, row) for row in range(len(self.matrix)))

    def values(self, expression: Any) -> IntArray:
        """Return an expression's values in all solutions, of shape (solutions, *shape).

        Raises
        ------
        ModelError
            For anything but terms of the model, or if it reaches a variable that was added after the run.
        """
        terms = self._terms(expression)
        values = self._columns(terms)
        if values is None:
            step = _rows_of(_AT_ONCE, max(self.model.variable_count, terms.size * terms.width))
            parts = [
                self._completed(a, a + step).evaluate(terms, slice(None)) for a in range(0, len(self), step)
            ]
            values = np.concatenate(parts or [np.zeros((0, terms.size), dtype=np.int64)])
        values = values.reshape(len(self), *terms.shape)
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
        values = kept[2][row - kept[1]]
        return values if values.ndim else int(values)

    def _look_up(self, term: Term, row: int) -> int | None:
        """Return the value of a term of decision variables, None for any other."""
        total, item = term.constant, self.matrix.item
        for variable, coefficient in zip(term.variable_list, term.coefficient_list, strict=True):
            column = variable if self._straight else int(self.known.searchsorted(variable))
            if column >= len(self.known) or (not self._straight and self.known[column] != variable):
                return None
            total += coefficient * item(row, column)
        return total

    def _terms(self, expression: Any) -> LinearArray:
        terms = expression.truth() if isinstance(expression, BoolArray) else expression
        if not isinstance(terms, LinearArray):
            raise ModelError(f"a solution is asked for terms of its model, got {expression!r:.40}")
        return self.model.own_terms(terms)

    def _columns(self, terms: LinearArray) -> IntArray | None:
        """Return a view of the matrix if the terms are neighbouring decision variables, else None."""
        if not terms.shape or not terms.size or terms.width != 1:
            return None
        if (terms.coefficients != 1).any() or terms.constants.any():
            return None
        variables = terms.variables[:, 0]
        first = int(self.known.searchsorted(variables[0]))
        found = self.known[first : first + len(variables)]
        return self.matrix[:, first : first + len(variables)] if np.array_equal(found, variables) else None

    def _keep(self, expression: Any, row: int) -> tuple[Any, int, IntArray]:
        """Evaluate an expression in the solutions around ``row`` and keep its values for a while."""
        terms = self._terms(expression)
        first, values = 0, self._columns(terms)
        if values is None:
            first = row - row % self._part_rows
            if self._part is None or self._part[0] != first:
                self._part = first, self._completed(first, first + self._part_rows)
            within = row - first
            step = min(self._part_rows, _rows_of(_PART, terms.size))
            within -= within % step
            values = self._part[1].evaluate(terms, slice(within, within + step))
            first += within
            self._kept_size += values.size
        if self._kept_size > _PART or len(self._kept) >= _EXPRESSIONS:
            self._kept.clear()
            self._kept_size = values.size
        values = values.reshape(len(values), *terms.shape)
        values.flags.writeable = False
        kept = self._kept[id(expression)] = expression, first, values
        return kept

    def _completed(self, first: int, last: int) -> Completed:
        return Completed(self.model, self.known, self.matrix[first:last])

    def __repr__(self) -> str:
        return f"<{len(self)} solutions of {self.model.name}>"


def _rows_of(cells: int, width: int) -> int:
    """Return how many rows of so many values are looked at together: a power of 2, at most 1024."""
    return 1 << min(10, max(1, cells // max(1, width)).bit_length() - 1)


class Solution:
    """One assignment of the decision variables; ``s[expression]`` gives any expression's value."""

    __slots__ = ("_row", "_set")

    def __init__(self, solutions: SolutionSet, row: int) -> None:
        self._set = solutions
        self._row = row

    def __getitem__(self, expression: Any) -> Any:
        """Return the value(s) of an expression: an int for a single term, else an int64 array."""
        return self._set.value(expression, self._row)

    @property
    def model(self) -> Model:
        """The model it belongs to."""
        return self._set.model

    @property
    def values(self) -> IntArray:
        """Values of the decision variables in the order of their creation."""
        return self._set.matrix[self._row]

    def as_dict(self) -> dict[str, Any]:
        """Return ``{name: value or nested lists}`` for every variable of the user."""
        model, row = self._set.model, self.values
        position = {int(v): k for k, v in enumerate(self._set.known)}
        named: dict[str, Any] = {}
        for block in model.blocks:
            if block.first not in position and block.size:
                continue
            start = position.get(block.first, 0)
            part = row[start : start + block.size].reshape(block.shape)
            named[block.name] = part.tolist()
        return named

    def check(self) -> Check:
        """Check it against its model once more."""
        from cpqueens.check import check

        return check(self._set.model, self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Solution) and bool(np.array_equal(self.values, other.values))

    def __hash__(self) -> int:
        return hash(self.values.tobytes())

    def __repr__(self) -> str:
        text = ", ".join(f"{k}={v}" for k, v in self.as_dict().items())
        return f"Solution({text if len(text) <= 200 else text[:197] + '...'})"

    def __str__(self) -> str:
        from cpqueens.report.draw import draw_text

        return draw_text(self)

    def _repr_html_(self) -> str:
        from cpqueens.report.draw import draw_html

        return draw_html(self)

    def _repr_svg_(self) -> str | None:
        from cpqueens.report.draw import draw_svg

        return draw_svg(self)


@dataclass(frozen=True)
class Fault:
    """A breach of a backend's contract that the pipeline found."""

    code: str  # INVALID_SOLUTION, DUPLICATE, UNORDERED, OBJ_MISMATCH, BAD_ASSIGNMENT
    message: str
    values: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What one run of one backend said, with what the pipeline concluded.

    ``complete`` says that nothing was left out: infeasibility, the optimum or the full set was proved.
    ``count`` is the number of distinct, checked solutions delivered (or counted).
    """

    model: Model
    solver: str
    status: Status
    complete: bool
    stop_reason: StopReason
    solutions: SolutionSet
    count: int
    objective: int | None = None
    bound: int | None = None
    closest: Solution | None = None
    statistics: Mapping[str, Any] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    messages: tuple[str, ...] = ()

    @property
    def solution(self) -> Solution | None:
        """The best solution, or the last one delivered; None if there is none."""
        return self.solutions[-1] if len(self.solutions) else None

    def __getitem__(self, expression: Any) -> Any:
        """Return the value(s) of an expression in the solution.

        Raises
        ------
        NoSolution
            If the run found none.
        """
        solution = self.solution
        if solution is None:
            raise NoSolution(
                f"{self.solver} found no solution: status {self.status}, stopped by {self.stop_reason}"
            )
        return solution[expression]

    def __bool__(self) -> NoReturn:
        raise TypeError("an outcome is neither true nor false; look at .status or .solution")

    def __str__(self) -> str:
        parts = [f"{self.status}", "complete" if self.complete else "incomplete", f"{self.count} solution(s)"]
        if self.objective is not None:
            parts.append(f"objective {self.objective}")
        return f"{self.solver}: " + ", ".join(parts) + f", stopped by {self.stop_reason}"

    def _repr_html_(self) -> str:
        from cpqueens.report.draw import outcome_html

        return outcome_html(self)
