"""What a board shows, whatever it is drawn with: pieces, attacks, given and blocked squares."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from cpqueens.answers.outcome import Solution
from cpqueens.language.views import Armies, Board, Dots, Pieces, View
from cpqueens.report.conflicts import conflicting_pairs, element_names
from cpqueens.text.plaintext import one_line

Square = tuple[int, int]

_LONGEST = 40  # letters of a label

BLACK, WHITE = "black", "white"


@dataclass(frozen=True)
class BoardPicture:
    """A board and what stands on it.

    Parameters
    ----------
    rows, columns
        Its size.
    queens
        The squares (row, column) with a queen, and the queen's colour, `BLACK` or `WHITE`.
    attacks
        Pairs of squares whose queens attack each other.
    given, blocked
        Squares whose queen was given, and squares where none may stand.
    piece
        What the queens are instead, by its name in `cpqueens.report.pieces`.
    regions
        One text a row, one letter a square, if the board has regions.
    row_labels, column_labels
        Words beside each row and above each column, if there are any.
    """

    rows: int
    columns: int
    queens: Mapping[Square, str]
    attacks: tuple[tuple[Square, Square], ...] = ()
    given: frozenset[Square] = field(default_factory=frozenset)
    blocked: frozenset[Square] = field(default_factory=frozenset)
    piece: str = "queen"
    regions: tuple[str, ...] = ()
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()

    @property
    def attacked(self) -> frozenset[Square]:
        """Squares whose queen is attacked."""
        return frozenset(square for pair in self.attacks for square in pair)


def one_per_row(columns: Iterable[int], width: int | None = None) -> BoardPicture:
    """Return a board from the column (from 0) of the queen in each row; queens off the board are left out."""
    places = [int(c) for c in columns]
    across = len(places) if width is None else width
    queens = {(row, c): BLACK for row, c in enumerate(places) if 0 <= c < across}
    return BoardPicture(len(places), across, queens)


def axis_texts(solution: Solution, name: str, axis: int) -> tuple[str, ...]:
    """Return the labels along an axis of the variables of a name as texts, () where they have none."""
    labels = solution.model.blocks.by_name[name].labels
    own = labels[axis] if labels else None
    return () if own is None else tuple(one_line(str(getattr(one, "name", one)), _LONGEST) for one in own)


def board_picture(solution: Solution, view: Board | Pieces) -> BoardPicture:
    """Return what a solution's board shows."""
    terms = solution.model[view.variable].reshape(-1)
    plain = one_per_row(solution[terms].tolist(), max(terms.size, int(terms.bounds()[1].max(initial=-1)) + 1))
    rows = {row: (row, column) for row, column in plain.queens}
    names = element_names(solution.model, view.variable)
    places = {name: rows[k] for k, name in enumerate(names) if k in rows}
    return BoardPicture(
        rows=plain.rows,
        columns=plain.columns,
        queens=plain.queens,
        attacks=conflicting_pairs(solution, places),
        given=_squares(view.given),
        blocked=_squares(view.blocked),
        piece=piece_of(view),
        regions=view.regions if isinstance(view, Pieces) else (),
        row_labels=axis_texts(solution, view.variable, 0),
    )


def piece_of(view: View | None) -> str:
    """Return the name of what stands on a board; queens unless its view says something else."""
    return view.piece if isinstance(view, Pieces) else "dot" if isinstance(view, Dots) else "queen"


def pieces_picture(solution: Solution, view: Pieces) -> BoardPicture:
    """Return the board of pieces given one a row, or square by square."""
    cells = np.asarray(solution[solution.model[view.variable]])
    if cells.ndim == 1:
        return board_picture(solution, view)
    names = element_names(solution.model, view.variable)
    squares = [(r, c) for r, c in np.argwhere(cells != 0).tolist()]
    places = {names[r * cells.shape[1] + c]: (r, c) for r, c in squares}
    return BoardPicture(
        rows=cells.shape[0],
        columns=cells.shape[1],
        queens=dict.fromkeys(squares, BLACK),
        attacks=conflicting_pairs(solution, places),
        given=_squares(view.given),
        blocked=_squares(view.blocked),
        piece=view.piece,
        regions=view.regions,
        row_labels=view.row_labels or axis_texts(solution, view.variable, 0),
        column_labels=view.column_labels or axis_texts(solution, view.variable, 1),
    )


def _squares(pairs: Iterable[Iterable[int]]) -> frozenset[Square]:
    return frozenset((int(row), int(column)) for row, column in pairs)


def armies_picture(solution: Solution, view: Armies) -> BoardPicture:
    """Return the board of two armies, white and black."""
    queens: dict[Square, str] = {}
    places: dict[str, Square] = {}
    shape: tuple[int, ...] = (0, 0)
    for variable, colour in ((view.variable, WHITE), (view.opponent, BLACK)):
        cells = np.asarray(solution[solution.model[variable]])
        shape = cells.shape
        names = element_names(solution.model, variable)
        for row, column in np.argwhere(cells != 0).tolist():
            queens[row, column] = colour
            places[names[row * shape[1] + column]] = (row, column)
    return BoardPicture(
        rows=shape[0],
        columns=shape[1],
        queens=queens,
        attacks=conflicting_pairs(solution, places),
        row_labels=axis_texts(solution, view.variable, 0),
        column_labels=axis_texts(solution, view.variable, 1),
    )
