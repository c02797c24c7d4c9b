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
    """

    given: tuple[tuple[int, int], ...] = ()
    blocked: tuple[tuple[int, int], ...] = ()


class Grid(View):
    """A two-dimensional array of integers, such as a magic or a Latin square."""


class Sequence(View):
    """A one-dimensional array of integers, shown in its order."""


class Marks(View):
    """Positions on a ruler, such as the marks of a Golomb ruler."""


@dataclass(frozen=True)
class Colouring(View):
    """Element ``v`` of the variable is the colour of vertex ``v``; ``edges`` are pairs of vertices."""

    edges: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Armies(View):
    """A board of two armies: 0/1 arrays of the board's shape, the first for white, the second for black."""

    opponent: str


class Pairing(View):
    """A row of 2n places: number ``k + 1`` stands at place ``variable[k]`` and ``k + 2`` places behind it."""


VIEWS: dict[str, type[View]] = {
    view.__name__: view for view in (Board, Grid, Sequence, Marks, Colouring, Armies, Pairing)
}
"""The views by name."""
