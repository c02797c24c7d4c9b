"""Solutions drawn uniformly: by their numbers in an order that is never listed, since its parts are counted.

A draw is a number below the count of all solutions. Which solution has it follows from counts of the
solutions with each value of the first variable, then of the second one, until what is left is few enough to
be listed (Jerrum, Valiant and Vazirani 1986 sample from counts in this way). All draws descend together, so
that nothing is counted twice. Counts are exact integers, by the exact engine and its counters for boards, or,
where few states tell what may follow, by a decision diagram: `cpqueens.solving.diagram`.
"""

from __future__ import annotations

import math
import random
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.answers.check import Checker
from cpqueens.answers.solution import Solution, SolutionSet
from cpqueens.backends.base import Want
from cpqueens.backends.clock import limited, now
from cpqueens.errors import BackendFault, CpqueensError, NoSolution
from cpqueens.language.arrays import of_variables
from cpqueens.language.labels import numbers_among
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.solving.diagram import Diagram
from cpqueens.solving.nearness import plain_variables_of
from cpqueens.solving.request import LARGEST_SEED, as_integer, choose, positive_seconds
from cpqueens.solving.solve import IncompleteCount, count, enumerate_solutions, run, solve, trusted
from cpqueens.solving.stages import Range, ranges_of, within
from cpqueens.system.requirements import need
from cpqueens.text.parameters import as_switch, needed
from cpqueens.text.plaintext import counted

if TYPE_CHECKING:
    import pandas as pd

LISTED, CELLS = 300_000, 10_000_000
"""Solutions, and values in them, up to which a part of the space is listed rather than counted by values."""

SHARE = 0.25
"""Of the time that is left what the diagram may take."""

STREAMED = 10_000_000
"""Solutions up to which shares of values are read off one listing; of more each value is counted."""

SECONDS = 60.0
"""Processor seconds that counting may take by default."""

COMPLETIONS = 5_000
"""Solutions that agree on some variables up to which a walk lists them; of more it frees fewer variables."""

PARTS = 1000
"""Values of a variable up to which a space is split by each of them; else by as many ranges."""


class NotSampled(CpqueensError):  # noqa: N818
    """The solutions could not be counted within the limit, so that no draw would be uniform."""

    exit_code = 3


@dataclass(frozen=True)
class Sample:
    """Solutions that were drawn, one may be there several times.

    >>> from cpqueens.models.queens import queens
    >>> drawn = queens(8).sample(5, random_seed=0)
    >>> len(drawn.solutions), drawn.count, drawn.exact
    (5, 92, True)

    Attributes
    ----------
    solutions
        Them, in the order in which they were drawn.
    count
        How many solutions there are; None if they were not counted.
    exact
        Whether each draw is uniform over all solutions, and independent of the others.
    guarantee
        What is guaranteed, and what is not.
    seconds
        What it took.
    """

    solutions: SolutionSet
    count: int | None
    exact: bool
    guarantee: str
    seconds: float

    def __getitem__(self, expression: Any) -> Any:
        """Return an expression's values in all draws, of shape ``(draws, *shape)``."""
        return self.solutions.values(expression)

    def __len__(self) -> int:
        return len(self.solutions)

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def __str__(self) -> str:
        of = "" if self.count is None else f" of {self.count:,}"
        return f"{counted(len(self), 'solution')}{of}: {self.guarantee}"


EXACT = "each is drawn uniformly from all solutions, independently of the others"
WALKED = (
    "each is a solution; the walk that drew them leaves the uniform distribution as it is, but draws depend "
    "on each other, how near to uniform they are is not known, and some solutions may be out of its reach"
)


def sample(
    model: Statement,
    k: int,
    solver: str,
    *,
    random_seed: int = 0,
    time_limit: float | None = None,
    approximate: bool = False,
) -> Sample:
    """Draw k solutions, see `cpqueens.Model.sample`."""
    many, began = as_integer(k, "k", most=10_000_000), time.monotonic()
    draws = random.Random(as_integer(random_seed, "random_seed", 0, LARGEST_SEED))
    walks, total = as_switch(approximate, "approximate"), None
    with limited(_seconds(time_limit), SECONDS) as seconds:
        space = _Space(model, solver, seconds)
        if walks:
            rows, said = space.walk(many, draws), WALKED
        else:
            (rows, total), said = space.draw(many, draws), EXACT
    solutions = SolutionSet(model, model.decisions, rows, in_order=False)
    return Sample(solutions, total, total is not None, said, time.monotonic() - began)


def marginals(model: Statement, solver: str, *, time_limit: float | None = None) -> Marginals:
    """Return how many solutions have each value of each variable, see `cpqueens.Model.marginals`."""
    with limited(_seconds(time_limit), SECONDS) as seconds:
        return _Space(model, solver, seconds).marginals(model)


def _seconds(time_limit: Any) -> float | None:
    """Return the seconds of the user's limit, endless ones of one that is none; None where none was given."""
    return None if time_limit is None else positive_seconds(time_limit, "time_limit") or math.inf


_LINES = 20  # variables, and values of each, that a text of shares has


@dataclass(frozen=True)
class Marginals:
    """In how many of all solutions each variable has each of its values.

    >>> from cpqueens.models.queens import queens
    >>> m = queens(6)
    >>> found = m.marginals()
    >>> found.count, found.share(m["q"], 0).tolist()
    (4, [0.0, 0.25, 0.25, 0.25, 0.25, 0.0])

    Attributes
    ----------
    model
        What they are of.
    count
        How many solutions there are.
    numbers
        By each decision variable (its index) how many solutions have each value.
    """

    model: Statement
    count: int
    numbers: Mapping[int, Mapping[int, int]]

    def __repr__(self) -> str:
        return f"<Marginals {self._head}>"

    @property
    def _head(self) -> str:
        return f"of {counted(len(self.numbers), 'variable')} in {counted(self.count, 'solution')}"

    def __str__(self) -> str:
        lines = [self._head]
        for variable, of in islice(self.numbers.items(), _LINES):
            names = self.model.names_of(variable) or {}
            shares = [f"{names.get(v, v)}: {n / self.count:.3g}" for v, n in sorted(of.items())[:_LINES]]
            lines.append(f"  {self.model.label_of(variable)}  {', '.join(shares)}")
        left_out = len(self.numbers) - _LINES
        return "\n".join(lines + ([f"  ... {left_out} more"] if left_out > 0 else []))

    def share(self, x: Any, value: Any) -> Any:
        """Return the share of the solutions in which variables have a value: a number, or an array.

        Raises
        ------
        ModelError
            For anything but decision variables.
        """
        variables = plain_variables_of(self.model, x)
        names = self.model.names_of(int(variables.reshape(-1)[0])) if variables.size else None
        number = (
            needed(value, (int, np.integer), "share: an integer")
            if names is None
            else numbers_among(names, value, "share")
        )
        found = [self.numbers[v].get(number, 0) / self.count for v in variables.reshape(-1).tolist()]
        return np.array(found).reshape(variables.shape) if variables.shape else found[0]

    def to_frame(self) -> pd.DataFrame:
        """Return the shares as a frame of pandas: a row for each variable, a column for each value.

        Raises
        ------
        MissingLibrary
            Without pandas.
        """
        pandas = need("pandas", "pandas")
        rows = {
            self.model.name_of(v): {value: n / self.count for value, n in of.items()}
            for v, of in self.numbers.items()
        }
        shares: pd.DataFrame = pandas.DataFrame.from_dict(rows, orient="index")
        return shares.sort_index(axis=1).fillna(0.0)


class _Space:
    """All solutions of a model, in parts that are counted or listed when they are asked for."""

    def __init__(self, model: Statement, solver: str, limit: float) -> None:
        choose(model, solver, Want.COUNT)  # no other solver is named, also where a diagram answers
        self._model, self._solver = model.copy(), solver
        self._model._clear_objectives()
        self._seconds = limit
        self._end = now() + limit
        self._few = min(LISTED, CELLS // max(1, len(model.decisions)))

    def draw(self, k: int, draws: random.Random) -> tuple[IntArray, int]:
        """Return k uniform draws, (k, decision variables), and the number of all solutions."""
        root, diagram = self._begun()
        parts = self._counts(()) if root is None and diagram is None else {}
        total = diagram.count if diagram else sum(parts.values()) if root is None else len(root)
        if not total:
            raise NoSolution("the model has no solution to be drawn")
        numbers = [draws.randrange(total) for _ in range(k)]
        if diagram is not None:
            drawn = diagram.rows(numbers)
            if not Checker(self._model).accepts(drawn).all():
                raise BackendFault("what the diagram says is no solution", "INVALID_SOLUTION")
            return drawn, total
        if root is not None:
            return root[numbers], total
        found = np.zeros((k, len(self._model.decisions)), dtype=np.int64)
        waiting = [(parts, list(enumerate(numbers)))]
        while waiting:
            parts, asked = waiting.pop()
            ends, inside = list(accumulate(parts.values())), list(parts.items())
            shares: dict[int, list[tuple[int, int]]] = {}
            for at, number in asked:
                part = bisect_right(ends, number)
                shares.setdefault(part, []).append((at, number - ends[part] + inside[part][1]))
            for part, mine in shares.items():
                ranges, many = inside[part]
                if many > self._few:
                    waiting.append((self._counts(ranges, many), mine))
                    continue
                rows = self._listed(ranges)
                _agree(self._few + 1 if rows is None else len(rows), many)
                for at, number in mine:
                    found[at] = rows[number]  # type: ignore[index]  # they agree
        return found, total

    def _begun(self) -> tuple[IntArray | None, Diagram | None]:
        """Return a diagram of all solutions, or, if it would be too wide, all of them, if these are few."""
        began = now()

        def look() -> None:
            if now() - began > SHARE * (self._end - began):
                raise OverflowError

        diagram = Diagram.of(self._model, look)
        return (self._listed(()) if diagram is None else None), diagram

    def marginals(self, model: Statement) -> Marginals:
        """Return the numbers of solutions with each value: of few by one listing, of many by counts."""
        (root, diagram), known = self._begun(), self._model.decisions.tolist()
        if diagram is not None and diagram.count:
            return Marginals(model, diagram.count, diagram.numbers())
        total = self._count(()) if root is None else len(root)
        if not total:
            raise NoSolution("the model has no solution that values could be counted in")
        if root is not None:
            return Marginals(model, total, {v: _tally(root[:, k]) for k, v in enumerate(known)})
        if total <= STREAMED:
            return Marginals(model, total, self._seen_once(total))
        numbers: dict[int, dict[int, int]] = {}
        for v in known:
            low, high = int(self._model.lower[v]), int(self._model.upper[v])
            if high - low >= PARTS:
                raise self._refused(f"{self._model.label_of(v)} has {high - low + 1} values")
            parts = {a: self._count(((v, a, a),)) for a, _ in ranges_of(self._model, v, low, high, PARTS)}
            numbers[v] = {value: n for value, n in parts.items() if n}
            _agree(sum(parts.values()), total)
        return Marginals(model, total, numbers)

    def _seen_once(self, total: int) -> dict[int, dict[int, int]]:
        """Return by variable how often each value is seen in a listing, of which nothing is kept."""
        known = self._model.decisions.tolist()
        tallies: list[Counter[int]] = [Counter() for _ in known]

        def take(_interrupt: Any, found: SolutionSet) -> None:
            for tally, column in zip(tallies, found.matrix.T, strict=True):
                tally.update(_tally(column))

        outcome = run(self._model, self._solver, Want.ALL, take, self._limits())
        if not trusted(outcome).complete:
            raise self._refused(f"{outcome.count:,} of {total:,} were listed", outcome.stop_reason)
        _agree(outcome.count, total)
        return {v: dict(sorted(tally.items())) for v, tally in zip(known, tallies, strict=True)}

    def walk(self, k: int, draws: random.Random) -> IntArray:
        """Return k states of a walk: blocks of variables are drawn anew, uniformly given all others."""
        begun = solve(self._model, self._solver, **self._limits())
        if begun.solution is None:
            if begun.complete:
                raise NoSolution("the model has no solution to be drawn")
            raise self._refused("no solution was found to begin with", begun.stop_reason)
        row = np.array(begun.solution.values)
        found: list[IntArray] = []
        open_ = [
            c for c, v in enumerate(self._model.decisions) if self._model.lower[v] < self._model.upper[v]
        ]
        try:
            while len(found) < k:
                row = self._moved(row, open_, draws)
                found.append(row)
        except NotSampled:  # the time is over
            if not found:
                raise
        return np.stack(found)

    def _moved(self, row: IntArray, columns: list[int], draws: random.Random) -> IntArray:
        """Return the state after one turn of the walk, in which each column was drawn anew."""
        order = draws.sample(columns, len(columns))
        waiting = [order[::2], order[1::2]]
        while waiting:
            block = waiting.pop()
            rows = self._completions(row, block)
            if rows is not None:
                row = rows[draws.randrange(len(rows))]
            elif len(block) > 1:
                waiting += [block[::2], block[1::2]]
        return row

    def _completions(self, row: IntArray, block: list[int]) -> IntArray | None:
        """Return the solutions that agree with one outside of a block of columns; None of too many."""
        kept = np.delete(np.arange(len(row)), block)
        known = self._model.decisions
        other = self._model.copy()
        other.fix(of_variables(other, known[kept], (len(kept),)), row[kept])
        return self._all_of(other, COMPLETIONS, self._limits())

    def _listed(self, ranges: tuple[Range, ...]) -> IntArray | None:
        """Return all solutions of a part in lexicographic order; None of too many."""
        return self._all_of(within(self._model, ranges), self._few, self._limits())

    def _all_of(self, model: Statement, most: int, limits: Mapping[str, Any]) -> IntArray | None:
        outcome = enumerate_solutions(model, solver=self._solver, solution_limit=most + 1, **limits)
        rows = outcome.solutions.matrix
        if len(rows) > most:
            return None
        if not outcome.complete:
            raise self._refused(f"{len(rows):,} were found", outcome.stop_reason)
        return rows[np.lexsort(rows.T[::-1])] if rows.shape[1] else rows

    def _counts(self, ranges: tuple[Range, ...], total: int | None = None) -> dict[tuple[Range, ...], int]:
        """Return the parts of a part by the values of one more variable, and how many solutions each has."""
        inside = {v: (low, high) for v, low, high in ranges}
        for v in self._model.decisions.tolist():
            low, high = inside.get(v, (int(self._model.lower[v]), int(self._model.upper[v])))
            if low < high:
                break
        else:
            _agree(1, total)  # nothing is open
        others = tuple(r for r in ranges if r[0] != v)
        parts = [(*others, (v, *ends)) for ends in ranges_of(self._model, v, low, high, PARTS)]
        counted = {part: self._count(part) for part in parts}
        _agree(sum(counted.values()), total)
        return {part: many for part, many in counted.items() if many}

    def _count(self, ranges: tuple[Range, ...]) -> int:
        try:
            return count(within(self._model, ranges), self._solver, **self._limits())
        except IncompleteCount as stopped:
            raise self._refused("they are not counted", stopped.outcome.stop_reason) from None

    def _limits(self) -> dict[str, float]:
        left = self._end - now()
        if left <= 0:
            raise self._refused("they are not counted")
        return {"time_limit": left}

    def _refused(self, so_far: str, stopped: str = "") -> NotSampled:
        """Return the error for what was not counted, or not reached by a walk, in the time."""
        if stopped == "interrupted":
            return NotSampled(f"interrupted before the solutions could be counted ({so_far})")
        within = "before the end" if self._seconds == math.inf else f"within {self._seconds:g} s"
        return NotSampled(
            f"the solutions could not be counted {within} ({so_far}), so that no draw would be uniform; give "
            "a longer time_limit, or approximate=True"
        )


def _tally(column: IntArray) -> dict[int, int]:
    """Return how often each value is there."""
    values, many = np.unique(column, return_counts=True)
    return dict(zip(values.tolist(), many.tolist(), strict=True))


def _agree(many: int, known: int | None) -> int:
    """Return a number of solutions that was counted in two ways.

    Raises
    ------
    BackendFault
        If these do not agree.
    """
    if known is not None and many != known:
        raise BackendFault(f"{many} solutions were counted where there are {known}", "COUNT_DIFF")
    return many
