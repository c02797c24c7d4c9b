"""What a solution is read for, what was read, and where its values count from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cpqueens.answers.check import read_assignment
from cpqueens.errors import ModelError
from cpqueens.language import views
from cpqueens.language.rows import IntArray
from cpqueens.model import Model

_COUNTING = (views.Board, views.Sequence, views.Pairing)

Lines = list[tuple[int, str]]  # with their numbers, from 1


@dataclass(frozen=True)
class Target:
    """What values are read for: a variable, its shape, and what its values mean."""

    variable: str
    shape: tuple[int, ...]
    lower: int
    upper: int
    is_board: bool = False
    is_pairing: bool = False
    counts_from: bool = False  # whether values may be written from 0 or from 1

    @property
    def size(self) -> int:
        """Number of values."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def columns(self) -> int:
        """Squares in a row of the board."""
        return max(self.size, self.upper + 1) if self.size else 0


@dataclass(frozen=True)
class Reading:
    """One solution as it was read.

    ``values`` (size of the variable,) is None if what stands there cannot be one, and ``problem`` says
    why. ``based`` values may count from 0 or from 1.
    """

    line: int
    values: IntArray | None
    based: bool = False
    problem: str = ""


def target_of(model: Model) -> Target:
    """Return what a solution without names is read for.

    Raises
    ------
    ModelError
        If the model has several arrays of variables and no view that says which is the solution.
    """
    view = model.view
    if view is None or isinstance(view, views.Armies):
        names = [block.name for block in model.blocks]
        if len(names) != 1:
            listed = ", ".join(names[:8]) or "none"
            raise ModelError(
                f"{model.name} has the variables {listed}: write solutions as JSON, {{name: values}}"
            )
        name = names[0]
    else:
        name = view.variable
    terms = model[name]
    low, high = terms.bounds()
    return Target(
        name,
        terms.shape,
        int(low.min(initial=0)),
        int(high.max(initial=0)),
        is_board=isinstance(view, views.Board) or (isinstance(view, views.Pieces) and terms.ndim == 1),
        is_pairing=isinstance(view, views.Pairing),
        counts_from=isinstance(view, _COUNTING) or (view is None and len(terms.shape) == 1),
    )


def choose_base(target: Target, values: IntArray, base: int | None) -> tuple[int, str]:
    """Return what to subtract from the values (0 or 1), and a note where it was not certain or not given.

    Parameters
    ----------
    values
        All values that may count from 0 or from 1.
    base
        What the user said, or None.
    """
    if base is not None or not values.size or not target.counts_from or target.lower != 0:
        return base or 0, ""
    low, high = int(values.min()), int(values.max())
    from_zero = low >= 0 and high <= target.upper
    from_one = low >= 1 and high <= target.upper + 1
    if from_zero and from_one:
        return 0, (
            f"values {low} to {high} may count from 0 or from 1; taken from 0 (say --base 1 for the other)"
        )
    return (1, "values count from 1") if from_one else (0, "")


def shifted(values: IntArray, start: int) -> IntArray:
    """Return values that count from ``start`` as values that count from 0.

    Raises
    ------
    ModelError
        If one would leave 64 bits.
    """
    if start and values.size and int(values.min()) < start - 2**63:
        raise ModelError(f"{int(values.min())} cannot count from {start} in 64 bits")
    return values - start


@dataclass(frozen=True)
class Found:
    """Solutions as they were brought, not checked yet.

    Parameters
    ----------
    matrix
        Values of the decision variables, (solutions, decision variables), int64.
    word, numbers
        Where each row of the matrix stands: its line, row or number in the input.
    rejected
        What could not be an assignment of the model: place and reason.
    notes
        How ambiguous input was understood.
    counts_from
        Where its numbers count from, those of the matrix from 0: 1 if a 1 was typed for each 0.
    """

    matrix: IntArray
    word: str
    numbers: IntArray
    rejected: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    counts_from: int = 0

    def place(self, row: int) -> str:
        """Return where a row of the matrix stands, such as ``line 3``."""
        return f"{self.word} {self.numbers[row]}"


def named_assignments(items: Sequence[tuple[int, Mapping[str, Any]]], word: str, model: Model) -> Found:
    """Return assignments ``{name: value(s)}`` in the order of the model's variables."""
    rows, numbers, rejected = [], [], []
    for number, item in items:
        row, problems = read_assignment(model, item)
        if row is None:
            rejected.append((f"{word} {number}", "; ".join(problems)))
        else:
            rows.append(row)
            numbers.append(number)
    matrix = np.array(rows, dtype=np.int64).reshape(len(rows), len(model.decisions))
    return Found(matrix, word, np.array(numbers, dtype=np.int64), tuple(rejected))


def assembled(
    readings: Sequence[Reading], word: str, target: Target, model: Model, base: int | None, by_column: bool
) -> Found:
    """Decide where values count from, and put the readings into the order of the model's variables.

    Raises
    ------
    ModelError
        If nothing was read: a drawing without any row is not a solution.
    """
    if not readings:
        raise ModelError("no solution in the text")
    based = [r.values for r in readings if r.based and r.values is not None]
    start, note = choose_base(target, np.concatenate(based) if based else np.zeros(0, np.int64), base)
    rejected = []
    rows: list[tuple[int, IntArray]] = []
    for reading in readings:
        values, problem = _values(reading, start, by_column)
        if values is None:
            rejected.append((f"{word} {reading.line}", problem))
        else:
            rows.append((reading.line, values))
    found = _only_variable(rows, word, target, model)
    typed = start if all(r.based for r in readings) else 0  # of pictures nothing was typed
    notes = (note,) if note else ()
    return replace(found, rejected=(*rejected, *found.rejected), notes=notes, counts_from=typed)


def _only_variable(rows: list[tuple[int, IntArray]], word: str, target: Target, model: Model) -> Found:
    """Return values of the target as assignments; where it is all there is to decide, they are the rows."""
    if not rows or target.size != len(model.decisions):
        return named_assignments([(n, {target.variable: values}) for n, values in rows], word, model)
    return Found(np.stack([v for _, v in rows]), word, np.array([n for n, _ in rows], dtype=np.int64))


def _values(reading: Reading, start: int, by_column: bool) -> tuple[IntArray | None, str]:
    if reading.values is None:
        return None, reading.problem
    values = shifted(reading.values, start) if reading.based else reading.values
    if not by_column:
        return values, ""
    if not np.array_equal(np.sort(values), np.arange(len(values))):
        return None, EACH_ROW_ONCE
    return np.argsort(values), ""


EACH_ROW_ONCE = "rows by column: each row is needed once"
