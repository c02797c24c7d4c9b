"""Boards in the notations that people use: positions, drawings, matrices and column letters."""

from __future__ import annotations

import re

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.reading import Lines, Reading, Target

_POSITION = re.compile(r"(\d+)\s*-\s*[{(\[]\s*(\d+)\s*,\s*(\d+)\s*[)}\]]")
_QUEENS = set("QqXxW*♛♕")
_EMPTY = set(".-_#·░▓ ")


def _positions(part: Lines, target: Target) -> list[Reading] | None:
    text = "\n".join(line for _, line in part)
    if not _POSITION.search(text) or _POSITION.sub("", text).strip(" \t\n,;"):
        return None
    found = [(int(m[2]) - 1, int(m[3]) - 1) for m in _POSITION.finditer(text)]
    size = max(1, target.size)
    groups = [found[k : k + size] for k in range(0, len(found), size)]
    return [_placed(squares, target, "positions", part[0][0]) for squares in groups]


def _rules(part: Lines, target: Target) -> list[Reading] | None:
    if not part[0][1].lstrip().startswith("+-"):
        return None
    rows = [(n, line.strip()) for n, line in part if not line.lstrip().startswith("+")]
    return _drawn(
        [(n, [cell.strip() for cell in line.strip("|").split("|")]) for n, line in rows], target, "rules"
    )


def _frame(part: Lines, target: Target) -> list[Reading] | None:
    if not part[0][1].lstrip().startswith("┌"):
        return None
    rows = [(n, line.strip().strip("│")) for n, line in part if line.lstrip().startswith("│")]
    cells = [(n, [line[k : k + 3].strip(" !") for k in range(0, len(line), 3)]) for n, line in rows]
    return _drawn(cells, target, "frame")


def _squares(part: Lines, target: Target) -> list[Reading] | None:
    rows = [(n, line.strip() if "." in line or "_" in line else line) for n, line in part]
    if any(set(line) - _QUEENS - _EMPTY for _, line in rows) or len(rows) % max(1, target.size):
        return None
    cells = [(n, list(_without_gaps(line, target.columns))) for n, line in rows]
    if not any(_QUEENS & set(row) for _, row in cells):
        return None
    return _drawn(cells, target, "squares")


def _without_gaps(line: str, columns: int) -> str:
    """Return the squares of a line such as ``. Q .``, whose every second character is a gap."""
    spaced = len(line) == 2 * columns - 1 and not line[1::2].strip()
    return line[::2] if spaced else line


def _matrix(part: Lines, target: Target) -> list[Reading] | None:
    rows = [(n, re.sub(r"[\s,;\[\]()]", "", line)) for n, line in part]
    many = max(1, target.size)
    if many == 1 or len(rows) % many or any(set(line) - {"0", "1"} or len(line) != many for _, line in rows):
        return None
    return _drawn([(n, ["Q" if c == "1" else "" for c in line]) for n, line in rows], target, "0/1 matrix")


def _drawn(rows: list[tuple[int, list[str]]], target: Target, notation: str) -> list[Reading]:
    """Return the boards that consecutive rows of cells show."""
    size = max(1, target.size)
    if len(rows) % size:
        line = rows[-1][0] if rows else 1
        raise ModelError(f"line {line}: {notation} with {len(rows)} rows, boards of {size} rows are needed")
    wrong = [(n, row) for n, row in rows if len(row) > target.columns]
    if wrong:
        number, row = wrong[0]
        raise ModelError(f"line {number}: {len(row)} squares in a row, {target.columns} are needed")
    boards = [rows[k : k + size] for k in range(0, len(rows), size)]
    return [
        _placed(
            [(r, c) for r, (_, row) in enumerate(board) for c, cell in enumerate(row) if _is_queen(cell)],
            target,
            notation,
            board[0][0],
        )
        for board in boards
    ]


def _is_queen(cell: str) -> bool:
    return cell != "" and cell[0] in _QUEENS


def _placed(squares: list[tuple[int, int]], target: Target, notation: str, line: int) -> Reading:
    """Return the board with queens on the given squares (row, column), from 0."""
    values = np.full(target.size, -1, dtype=np.int64)
    for row, column in squares:
        if not (0 <= row < target.size and 0 <= column < target.columns):
            return Reading(
                notation, line, None, problem=f"square {row + 1}, {column + 1} is not on the board"
            )
        if values[row] >= 0:
            return Reading(
                notation, line, None, problem=f"row {row} (from 0) holds several queens, one is needed"
            )
        values[row] = column
    empty = np.flatnonzero(values < 0)
    if empty.size:
        return Reading(notation, line, None, problem=f"row {empty[0]} (from 0) holds no queen, one is needed")
    return Reading(notation, line, values)


def _letters(part: Lines, target: Target) -> list[Reading] | None:
    rows = [(n, re.sub(r"[\s,;]", "", line).lower()) for n, line in part]
    last = chr(ord("a") + min(26, target.columns) - 1)
    if target.size == 0 or any(not re.fullmatch(f"[a-{last}]{{{target.size}}}", line) for _, line in rows):
        return None
    return [
        Reading("column letters", n, np.array([ord(c) - ord("a") for c in line], dtype=np.int64))
        for n, line in rows
    ]


BOARD_NOTATIONS = (_positions, _rules, _frame, _matrix, _squares, _letters)
"""Functions of lines and target, in the order in which they are tried."""
