"""How the solutions of a problem are looked at: small descriptions that a model carries in ``view``.

A view names a variable of the model and says what its values mean. It draws nothing: `cpqueens.report`
turns it into text and pictures, `cpqueens.files.notations` reads solutions with its help, and model files
carry it by the name of its class.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """What a model's variable of this name means."""

    variable: str


@dataclass(frozen=True)
class Board(View):
    """A board with one piece a row: element ``i`` of the variable is the 0-based column in row ``i``.

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
    """

    given: tuple[tuple[int, int], ...] = ()
    blocked: tuple[tuple[int, int], ...] = ()


class Grid(View):
    """A two-dimensional array of integers, such as a magic or a Latin square.

    >>> from cpqueens import Grid, Model
    >>> m = Model(view=Grid("x"))
    >>> x = m.intvar(7, 7, shape=(2, 3), name="x")
    >>> print(m.solve(solver="backtracking").solution)
    7 7 7
    7 7 7
    """


class Sequence(View):
    """A one-dimensional array of integers, shown in its order.

    >>> from cpqueens import Model, Sequence
    >>> m = Model(view=Sequence("x"))
    >>> x = m.intvar([3, 1, 2], [3, 1, 2], shape=3, name="x")
    >>> print(m.solve(solver="backtracking").solution)
    3 1 2
    """


class Marks(View):
    """Positions on a ruler, such as the marks of a Golomb ruler.

    >>> from cpqueens import Marks, Model
    >>> m = Model(view=Marks("x"))
    >>> x = m.intvar([0, 1, 3], [0, 1, 3], shape=3, name="x")
    >>> print(m.solve(solver="backtracking").solution)
    ├─┼───┤
    0 1   3
    """


@dataclass(frozen=True)
class Colouring(View):
    """Element ``v`` of the variable is the colour of vertex ``v``; ``edges`` are pairs of vertices.

    >>> from cpqueens import Colouring, Model
    >>> m = Model(view=Colouring("x", edges=((0, 1),)))
    >>> x = m.intvar([0, 1], [0, 1], shape=2, name="x")
    >>> print(m.solve(solver="backtracking").solution)
    colour 0: 0
    colour 1: 1
    """

    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
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
    """

    opponent: str


class Pairing(View):
    """A row of 2n places: number ``k + 1`` stands at place ``variable[k]`` and ``k + 2`` places behind it.

    >>> from cpqueens import Model, Pairing
    >>> m = Model(view=Pairing("x"))
    >>> x = m.intvar([1, 2, 0], [1, 2, 0], shape=3, name="x")
    >>> print(m.solve(solver="backtracking").solution)
    3 1 2 1 3 2
    """


VIEWS: dict[str, type[View]] = {
    view.__name__: view for view in (Board, Grid, Sequence, Marks, Colouring, Armies, Pairing)
}
"""The views by name."""
