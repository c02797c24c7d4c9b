"""What a board shows, whatever it is drawn with: pieces, attacks, given and blocked squares.

Which drawn elements collide, as the checker sees it, and which values exclude each other.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from cpqueens.answers.check import Violation
from cpqueens.answers.solution import Solution
from cpqueens.errors import CpqueensError
from cpqueens.kernels.boards.pattern import Pattern
from cpqueens.language.statement import Statement
from cpqueens.language.views import Armies, Board, Dots, Pieces, View
from cpqueens.lowered.structures.table import Structures
from cpqueens.text.plaintext import one_line

Place = TypeVar("Place", int, tuple[int, int])


def conflicting_pairs(solution: Solution, places: Mapping[str, Place]) -> tuple[tuple[Place, Place], ...]:
    """Return the pairs of places that collide, each once, in ascending order.

    A pair collides if AllDifferent names it, or if a violated constraint is about these two alone. So a
    toroidal or a superqueens board shows its own attacks, not those of plain queens.

    Parameters
    ----------
    places
        Where the variables stand, by name; others are not drawn.
    """
    check = solution.check()
    if check.ok:
        return ()
    found = {pair for violation in check.violations for pair in _pairs(violation, places)}
    return tuple(sorted(found))


def element_names(model: Statement, variable: str) -> list[str]:
    """Return the names of a variable's elements, row by row."""
    return [model.label_of(index) for index in model[variable].reshape(-1).variables[:, 0].tolist()]


def conflicting_elements(solution: Solution, variable: str) -> frozenset[int]:
    """Return the positions, row by row, of what violates a constraint: its pairs, else all its elements."""
    positions = {name: k for k, name in enumerate(element_names(solution.model, variable))}
    bad = {name for violation in solution.check().violations for name in _names(violation)}
    return frozenset(positions[name] for name in bad if name in positions)


def _names(violation: Violation) -> Iterable[str]:
    """Return the names of what collides, else of all variables."""
    pairs = [name.rsplit("=", 1)[0] for pair in violation.pairs for name in pair]
    return [name for name in pairs if name in violation.values] or violation.values


def _pairs(violation: Violation, places: Mapping[str, Place]) -> list[tuple[Place, Place]]:
    named = [(a.rsplit("=", 1)[0], b.rsplit("=", 1)[0]) for a, b in violation.pairs]
    if not named and len(violation.values) == 2:
        first, second = violation.values
        named = [(first, second)]
    placed = [(places[a], places[b]) for a, b in named if a in places and b in places]
    return [(a, b) if a <= b else (b, a) for a, b in placed]


# ---- which values of two variables exclude each other: for boards of a trace -----------------------------


@dataclass(frozen=True)
class PairRules:
    """AllDifferents over shifted variables, and pairs of variables with a forbidden difference."""

    pattern: Pattern

    def between(self, i: int, a: int, j: int, b: int) -> bool:
        """Say whether value ``a`` of variable ``i`` excludes value ``b`` of variable ``j``."""
        if i > j:
            i, a, j, b = j, b, i, a
        for group in self.pattern.groups:
            members = group.members()
            if members[i] and members[j]:
                distance = b - a - int(group.offsets[i] - group.offsets[j])
                if (distance % group.modulus if group.modulus else distance) == 0:
                    return True
        return any((i, j, b - a) == tuple(pair) for pair in self.pattern.pairs.tolist())

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data: groups of offsets, modulus and members, and pairs."""
        groups = [
            {
                "offsets": group.offsets.tolist(),
                "modulus": group.modulus,
                "members": None if group.rows is None else group.rows.tolist(),
            }
            for group in self.pattern.groups
        ]
        return {"groups": groups, "pairs": self.pattern.pairs.tolist()}


def attacks_of(model: Statement) -> PairRules | None:
    """Return what a model's constraints say of pairs, None if they are no lines of few values."""
    try:
        pattern = Structures(model, "backtracking").find("shifted_board")
    except CpqueensError:
        return None
    return None if pattern is None else PairRules(pattern)


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
