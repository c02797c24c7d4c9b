"""How the solutions of a problem are looked at: small descriptions that a model carries in ``view``.

A view names a variable of the model and says what its values mean; where variables were made with labels,
or take names as values, these are shown. It draws nothing: `cpqueens.report` turns it into text and pictures,
`cpqueens.files.notations` reads solutions with its help, and model files carry it by the name of its class.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.language.expressions import LinearArray
from cpqueens.language.rows import as_listed
from cpqueens.text.foreign import explaining_record
from cpqueens.text.plaintext import shown


@explaining_record
class View:
    """What a model's variable of this name means."""

    variable: str

    def __post_init__(self) -> None:
        """Take the variables themselves for their name, and arrays, lists and frames for tuples."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, LinearArray) and field.name in _NAMES + _LISTED_OR_NAMED:
                value = _name_of(value)
            if field.name in _LISTED_OR_NAMED and isinstance(value, str):
                pass  # the name of variables
            elif field.name in _NAMES:
                if not isinstance(value, str):
                    raise ModelError(
                        f"{type(self).__name__}: {field.name}: the name of a variable is needed, as in "
                        f"{type(self).__name__}('x'), got {shown(value)}"
                    )
            elif field.name in _NUMBERS:
                what = f"{type(self).__name__}: {field.name}"
                value = tuple(as_listed(_nested(value), what).reshape(-1).tolist())
            else:
                value = _nested(value)
            object.__setattr__(self, field.name, value)


_NAMES = ("variable", "opponent", "present")
_LISTED_OR_NAMED = ("durations", "lanes")
_NUMBERS = ("durations", "weights")


def _name_of(terms: LinearArray) -> str:
    """Return the name of variables.

    Raises
    ------
    ModelError
        If they are not all of an array, as it was made.
    """
    blocks: Any = getattr(terms.registry, "blocks", None)
    known = blocks is not None and terms.are_variables
    block = blocks.from_variable(int(terms.variables[0, 0])) if known else None
    if block is None or block.shape != terms.shape or (np.diff(terms.variables[:, 0]) != 1).any():
        raise ModelError(f"a view shows a whole array of variables, as it was made, got {shown(terms)}")
    return str(block.name)


def _nested(value: Any) -> Any:
    """Return what is listed as tuples, all else as it is."""
    if hasattr(value, "to_numpy"):
        value = value.to_numpy()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        value = value.items()
    plain = isinstance(value, str | bytes) or not hasattr(value, "__iter__")
    return value if plain else tuple(map(_nested, value))


@explaining_record
class Board(View):
    """A board with one piece per row: element ``i`` of the variable is the 0-based column in row ``i``.

    ``given`` and ``blocked`` are squares (row, column) to be marked, if any.

    >>> from cpqueens import AllDifferent, Board, Model
    >>> m = Model(view=Board("q"))
    >>> q = m.intvar(0, 1, shape=2, name="q")
    >>> m += [AllDifferent(q), q[0] == 1]
    >>> print(m.solve(solver="backtracking").solution)
    ┌──────┐
    │    ♛ │
    │ ♛    │
    └──────┘

    Parameters
    ----------
    variable
        Name of the array of columns, shape (rows,).
    given, blocked
        Squares (row, column), counted from 0.
    """

    given: tuple[tuple[int, int], ...] = ()
    blocked: tuple[tuple[int, int], ...] = ()


@explaining_record
class Dots(Board):
    """A grid with one dot per row, such as a Costas array; otherwise like a `Board`.

    >>> from cpqueens import AllDifferent, Dots, Model
    >>> m = Model(view=Dots("p"))
    >>> p = m.intvar(0, 1, shape=2, name="p")
    >>> m += [AllDifferent(p), p[0] == 1]
    >>> print(m.solve(solver="backtracking").solution)
    ┌──────┐
    │    ● │
    │ ●    │
    └──────┘

    Parameters
    ----------
    variable
        Name of the array of columns, shape (rows,).
    given, blocked
        Squares (row, column), counted from 0.
    """


class Grid(View):
    """A two-dimensional array of integers, such as a magic or a Latin square.

    >>> from cpqueens import Grid, Model
    >>> m = Model(view=Grid("x"))
    >>> x = m.intvar(7, 7, shape=(2, 3), name="x")
    >>> print(m.solve(solver="backtracking").solution)
    7 7 7
    7 7 7

    Parameters
    ----------
    variable
        Name of the array, shape (rows, columns).
    """


class Sequence(View):
    """A one-dimensional array of integers, shown in its order.

    >>> from cpqueens import Model, Sequence
    >>> m = Model(view=Sequence("x"))
    >>> x = m.intvar([3, 1, 2], [3, 1, 2], shape=3, name="x")
    >>> print(m.solve(solver="backtracking").solution)
    3 1 2

    Parameters
    ----------
    variable
        Name of the array, shape (n,).
    """


class Marks(View):
    """Positions on a ruler, such as the marks of a Golomb ruler.

    >>> from cpqueens import Marks, Model
    >>> m = Model(view=Marks("x"))
    >>> x = m.intvar([0, 1, 3], [0, 1, 3], shape=3, name="x")
    >>> print(m.solve(solver="backtracking").solution)
    ├─┼───┤
    0 1   3

    Parameters
    ----------
    variable
        Name of the array of positions, shape (marks,).
    """


@explaining_record
class Colouring(View):
    """Element ``v`` of the variable is the colour of vertex ``v``; ``edges`` are pairs of vertices.

    >>> from cpqueens import Colouring, Model
    >>> m = Model(view=Colouring("x", edges=((0, 1),)))
    >>> x = m.intvar([0, 1], [0, 1], shape=2, name="x")
    >>> print(m.solve(solver="backtracking").solution)
    colour 0: 0
    colour 1: 1

    Parameters
    ----------
    variable
        Name of the array of colours, shape (vertices,).
    edges
        Pairs of vertices, counted from 0.
    """

    edges: tuple[tuple[int, int], ...]


@explaining_record
class Armies(View):
    """A board of two armies: 0/1 arrays of the board's shape, the first for white, the second for black.

    >>> from cpqueens import Armies, Model
    >>> m = Model(view=Armies("white", "black"))
    >>> white, black = m.boolvar(shape=(2, 2), name="white"), m.boolvar(shape=(2, 2), name="black")
    >>> m += [white.sum() == 4, black.sum() == 0]
    >>> print(m.solve(solver="backtracking").solution)
    ┌──────┐
    │ ♕  ♕ │
    │ ♕  ♕ │
    └──────┘

    Parameters
    ----------
    variable
        Name of the array of the white pieces, 0/1, of the board's shape.
    opponent
        Name of the array of the black pieces, of the same shape.
    """

    opponent: str


class Pairing(View):
    """A row of 2n positions: number ``k + 1`` is at position ``variable[k]`` and ``k + 2`` positions later.

    >>> from cpqueens import Model, Pairing
    >>> m = Model(view=Pairing("x"))
    >>> x = m.intvar([1, 2, 0], [1, 2, 0], shape=3, name="x")
    >>> print(m.solve(solver="backtracking").solution)
    3 1 2 1 3 2

    Parameters
    ----------
    variable
        Name of the array of first positions, shape (n,).
    """


@explaining_record
class Pieces(View):
    """A board with pieces: a 0/1 array of its shape, or one piece a row as in `Board`.

    >>> from cpqueens import Model, Pieces
    >>> m = Model(view=Pieces("x", "star", regions=("AAB", "ABB")))
    >>> x = m.boolvar(shape=(2, 3), name="x")
    >>> m += [x[0, 0] == 1, x.sum(axis=1) == 1, x.sum(axis=0) == [1, 0, 1]]
    >>> print(m.solve(solver="backtracking").solution)
    ┌───────┬───┐
    │ ★   A │ B │
    │   ┌───┘   │
    │ A │ B   ★ │
    └───┴───────┘

    Parameters
    ----------
    variable
        Name of the array: 0/1 of the board's shape, or of columns, shape (rows,).
    piece
        One of queen, rook, bishop, knight, king, star, dot, block (a filled square).
    regions
        A text for each row with a letter for each square: squares with the same letter are framed together.
    given, blocked
        Squares (row, column) to be marked.
    row_labels, column_labels
        Texts beside each row and above each column of a board without regions, such as nonogram clues.
    """

    piece: str = "queen"
    regions: tuple[str, ...] = ()
    given: tuple[tuple[int, int], ...] = ()
    blocked: tuple[tuple[int, int], ...] = ()
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()


@explaining_record
class Cages(View):
    """A two-dimensional array of integers with frames, as in a sudoku.

    >>> from cpqueens import Cages, Model
    >>> m = Model(view=Cages("x", regions=("AB", "AB"), given=((0, 1),)))
    >>> x = m.intvar([[1, 2], [2, 1]], [[1, 2], [2, 1]], shape=(2, 2), name="x")
    >>> print(m.solve(solver="backtracking").solution)
    ┌───┬───┐
    │ 1 │[2]│
    │ 2 │ 1 │
    └───┴───┘

    Parameters
    ----------
    variable
        Name of the array, shape (rows, columns).
    regions
        A text for each row with a letter for each cell: cells with the same letter are framed together.
    given
        Cells (row, column) whose number was given; they are shown in brackets.
    totals
        A number for each letter in order of first appearance; pictures show it in the letter's first cell.
    """

    regions: tuple[str, ...] = ()
    given: tuple[tuple[int, int], ...] = ()
    totals: tuple[int, ...] = ()


@explaining_record
class Tour(View):
    """A tour through points: element ``k`` of the variable is the point that comes after point ``k``.

    Several closed tours are drawn in different colours. If the variable has more elements than there are
    points, the tour may pass through the others, which are not drawn.

    >>> from cpqueens import Model, Tour
    >>> m = Model(view=Tour("x", points=((0, 0), (4, 0), (0, 3))))
    >>> x = m.intvar([2, 0, 1], [2, 0, 1], shape=3, name="x")
    >>> print(m.solve(solver="backtracking").solution)
    0 -> 2 -> 1 -> 0

    Parameters
    ----------
    variable
        Name of the array of successors, shape (points,).
    points
        The position (x, y) of each point; y grows downwards.
    squares
        Whether the points are the squares of a board.
    """

    points: tuple[tuple[int, int], ...]
    squares: bool = False


@explaining_record
class Schedule(View):
    """Tasks in time: element ``k`` of the variable, row by row, is the start of task ``k``.

    >>> from cpqueens import Model, Schedule
    >>> m = Model(view=Schedule("start", durations=(3, 2, 4), lanes=(0, 0, 1)))
    >>> start = m.intvar([0, 4, 1], [0, 4, 1], shape=3, name="start")
    >>> print(m.solve(solver="backtracking").solution)
    0 |000.11
    1 |.2222.
       0    6

    Names of tasks and machines are as good as numbers:

    >>> m.view = Schedule("start", (3, 2, 4), lanes=("saw", "saw", "drill"), tasks=("leg", "top", "bolt"))
    >>> print(m.solve(solver="backtracking").solution)
      saw |000.11
    drill |.2222.
           0    6
    0 leg, 1 top, 2 bolt

    Parameters
    ----------
    variable
        Name of the array of starts, of any shape.
    durations
        The duration of each task, or variables of the same shape as the starts, or their name.
    lanes
        The machine of each task: numbers, names, variables or the name of a variable; without it each task
        has a separate line. If the variable has several rows, each task shows the number of its row.
    present
        Name of a 0/1 array of the same shape that says which tasks are drawn, if tasks are optional.
    tasks
        A name for each task; by default the labels that the variables were made with.
    ticks
        Times to mark, as in ``[0, 8, 16]``, or ``{0: "Mon", 24: "Tue"}``; by default the first and the last.
    """

    durations: tuple[int, ...] | str
    lanes: tuple[int | str, ...] | str = ()
    present: str = ""
    tasks: tuple[str, ...] = ()
    ticks: tuple[int | tuple[int, str], ...] = ()


@explaining_record
class Groups(View):
    """Groups: element ``k`` of the variable is the group of item ``k``; each row is one grouping.

    >>> from cpqueens import Groups, Model
    >>> m = Model(view=Groups("x", weights=(5, 3, 2)))
    >>> x = m.intvar([0, 1, 1], [0, 1, 1], shape=3, name="x")
    >>> print(m.solve(solver="backtracking").solution)
    group 0: 5 = 5
    group 1: 3 + 2 = 5

    Parameters
    ----------
    variable
        Name of the array of groups, shape (things,) or (groupings, things).
    weights
        The weight of each item; groups then show their sums.
    first
        The number of element 0.
    """

    weights: tuple[int, ...] = ()
    first: int = 0


@explaining_record
class Features(View):
    """A row of items of several classes; ``table[f][c]`` is 1 where class ``c`` has feature ``f``.

    >>> from cpqueens import Features, Model
    >>> m = Model(view=Features("x", table=((1, 0), (1, 1))))
    >>> x = m.intvar([0, 1, 0], [0, 1, 0], shape=3, name="x")
    >>> print(m.solve(solver="backtracking").solution)
    class     0 1 0
    feature 0 # . #
    feature 1 # # #

    Parameters
    ----------
    variable
        Name of the array of classes, shape (positions,).
    table
        0 or 1 for each feature and class, (features, classes).
    """

    table: tuple[tuple[int, ...], ...]


VIEWS: dict[str, type[View]] = {
    view.__name__: view
    for view in (
        Armies, Board, Cages, Colouring, Dots, Features, Grid, Groups, Marks, Pairing, Pieces, Schedule,
        Sequence, Tour,
    )
}  # fmt: skip
"""The views by name."""
