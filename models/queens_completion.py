"""Queens completion (Nauck 1850; CSPLib prob079): some queens stand already, some squares are closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cpqueens import AllDifferent, Model, ModelError
from cpqueens.language.views import Board
from cpqueens.problems.boards import text_rows
from cpqueens.problems.published import Published
from cpqueens.problems.signatures import Squares, validated

FREE, QUEEN, CLOSED = ".", "Q", "-"


@validated
def queens_completion(
    board: tuple[str, ...] = (
        "........",
        "........",
        "........",
        "...Q....",
        ".Q......",
        "........",
        "........",
        "........",
    ),
) -> Model:
    """Complete a board to n queens, none attacking another.

    ``board`` has one text a row: ``Q`` for a queen that stands there, ``-`` for a square where none may
    stand, ``.`` for a free one; spaces do not count. The queens on b4 and d5 of the default are Nauck's.

    Source: F. Nauck in the Illustrirte Zeitung (1850); I. P. Gent, C. Jefferson and P. Nightingale,
    *Complexity of n-Queens Completion*, Journal of Artificial Intelligence Research 59 (2017); CSPLib
    prob079.

    >>> queens_completion().count(solver="cpsat")
    2
    >>> queens_completion((".Q..", "....", "....", "...-")).count(solver="cpsat")
    1
    """
    rows = text_rows(board, "board", len(board))
    for sign in sorted(set("".join(rows)) - {FREE, QUEEN, CLOSED}):
        raise ModelError(f"board: {sign!r} at {_squares(rows, sign)[0]}: allowed are Q, . and -")
    given, closed = _squares(rows, QUEEN), _squares(rows, CLOSED)
    m = Model("queens completion")
    q = m.intvar(0, len(rows) - 1, shape=len(rows), name="q")
    i = np.arange(len(rows))
    m += [AllDifferent(q), AllDifferent(q + i), AllDifferent(q - i)]
    m += [q[r] == c for r, c in given]
    m += [q[r] != c for r, c in closed]
    m.view = Board("q", given, closed)
    return m


def _squares(rows: Sequence[str], sign: str) -> Squares:
    """Return where a sign stands, row by row."""
    return tuple((r, c) for r, row in enumerate(rows) for c, drawn in enumerate(row) if drawn == sign)


_CORNER = "brute force: the 8! permutations by their first column"

published = (
    Published("solutions", 2, "brute force: the 8! permutations, of Nauck's two queens of 1850"),
    *(
        Published("solutions", many, _CORNER, {"board": ("." * c + "Q" + "." * (7 - c), *["........"] * 7)})
        for c, many in enumerate((4, 8, 16, 18, 18, 16, 8, 4))
    ),
)


def verify(solution: Mapping[str, Any], board: tuple[str, ...]) -> list[str]:
    """Return what is wrong with the board ``solution["q"]``."""
    rows = ["".join(row.split()) for row in board]
    q = [int(column) for column in solution["q"]]
    if len(q) != len(rows):
        return [f"{len(q)} rows instead of {len(rows)}"]
    wrong = [f"row {i}: column {c} is outside the board" for i, c in enumerate(q) if not 0 <= c < len(q)]
    for i, a in enumerate(q):
        for j in range(i + 1, len(q)):
            if abs(a - q[j]) in (0, j - i):
                wrong.append(f"queens in rows {i} and {j} attack each other")
    for r, row in enumerate(rows):
        for c, sign in enumerate(row):
            if sign == "Q" and q[r] != c:
                wrong.append(f"no queen on the given square {(r, c)}")
            if sign == "-" and q[r] == c:
                wrong.append(f"a queen on the closed square {(r, c)}")
    return wrong
