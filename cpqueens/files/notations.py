"""Solutions in the notations that people use, read as values of a model's variable.

======================  =====================================================================
list                    ``[0, 4, 7, 5, 2, 6, 1, 3]``, ``1 5 8 6 3 7 2 4``: from 0 or from 1
digits                  ``15863724``: one digit a row
column letters          ``a e h f c g b d``, ``[a, e, h, ...]``: one letter a row
positions               ``1 - {1, 1}  2 - {2, 5} ...``: row and column, from 1
pairs                   ``[(0, 0), (1, 4), ...]``: row and column, from where the rows count from
chess squares           ``Qa8 e7 h6 ...``: file and rank; the last rank is the first row
FEN                     ``Q7/4Q3/7Q/...``: the first row first
squares                 ``Q.......`` row by row; also chess symbols, ``*``, spaces between squares
0/1 matrix              rows of 0 and 1
one line                all squares, or all digits of the 0/1 matrix, behind one another or between ``/``
rules                   ``| Q | # |`` cells, with or without ``+---+`` or ``|---|`` between the rows
frame                   the board that cpqueens prints, and tables drawn with ``│``
numbers                 rows of integers, for problems whose solution is a grid
======================  =====================================================================

Solutions stand on lines of their own or are separated by blank lines. Whether columns count from 0 or from
1 is concluded from all solutions of one text together; where both are possible, 0 is taken and said. Dashes
and minus signs of every kind are read as ``-``, MiniZinc's ``----------`` and ``==========`` as blank lines.
"""

import re
from collections.abc import Callable, Iterator

import numpy as np

from cpqueens.errors import ModelError
from cpqueens.files.reading import Lines, Reading, Target
from cpqueens.text.plaintext import shown

# ---- boards in the notations that people use: positions, drawings, matrices and column letters --------

_NUMBER = r"(?<!\d)(\d{1,9})"  # never from the middle of digits: a text of digits would take their square
_POSITION = re.compile(rf"{_NUMBER}\s*-\s*[{{(\[]\s*(\d{{1,9}})\s*,\s*(\d{{1,9}})\s*[)}}\]]")
_PAIR = re.compile(r"\(\s*(\d{1,9})\s*,\s*(\d{1,9})\s*\)")
_SQUARE = re.compile(r"\b[Qq]?([A-Za-z])(\d{1,2})\b")
_FEN_ROW = re.compile(r"(?:\d{1,3}(?!\d)|[Qq])+", re.ASCII)
_RULE = re.compile(r"[|+:=\-\s]+")
_SEPARATORS = re.compile(r"[\s,;\[\](){}/|'\"]")
_QUEENS = set("QqXxW*♛♕👑")
_EMPTY = set(".-_#·░▓ □■◻◼⬜⬛")


def _positions(part: Lines, target: Target) -> list[Reading] | None:
    text = "\n".join(line for _, line in part)
    if not _POSITION.search(text) or _POSITION.sub("", text).strip(" \t\n,;"):
        return None
    found = [(int(m[2]) - 1, int(m[3]) - 1) for m in _POSITION.finditer(text)]
    size = max(1, target.size)
    groups = [found[k : k + size] for k in range(0, len(found), size)]
    return [_placed(squares, target, part[0][0]) for squares in groups]


def _row_column_pairs(part: Lines, target: Target) -> list[Reading] | None:
    """Read ``(row, column)`` pairs; each row once, so that the rows say where both count from."""
    text = "\n".join(line for _, line in part)
    found = [(int(m[1]), int(m[2])) for m in _PAIR.finditer(text)]
    if len(found) != target.size or target.size < 3 or _SEPARATORS.sub("", _PAIR.sub("", text)):
        return None
    base = min(row for row, _ in found)
    squares = [(row - min(base, 1), column - min(base, 1)) for row, column in found]
    return [_placed(squares, target, part[0][0])]


def _chess_squares(part: Lines, target: Target) -> list[Reading] | None:
    """Read ``Qa1`` and the like, as chess players see the board: the last rank is the first row."""
    text = "\n".join(line for _, line in part)
    found = _SQUARE.findall(text)
    if len(found) != target.size or not found or _SEPARATORS.sub("", _SQUARE.sub("", text)):
        return None
    squares = [(target.size - int(rank), ord(file.lower()) - ord("a")) for file, rank in found]
    return [_placed(squares, target, part[0][0])]


def _fen(part: Lines, target: Target) -> list[Reading] | None:
    """Read ``Q7/4Q3/...``, one board a line; what may stand behind the first space is not looked at."""
    boards = [(n, line.split()[0].split("/")) for n, line in part]
    if target.size < 2 or any(
        len(rows) != target.size or not all(_FEN_ROW.fullmatch(row) for row in rows) for _, rows in boards
    ):
        return None
    found: list[Reading] = []
    for n, rows in boards:
        cells = [(n, _fen_cells(row, target.columns)) for row in rows]
        wrong = any(len(row) != target.columns for _, row in cells)
        problem = f"a row of other than {target.columns} squares"
        found += [Reading(n, None, problem=problem)] if wrong else _drawn(cells, target, "FEN")
    return found


def _fen_cells(row: str, most: int) -> list[str]:
    """Return the squares of a row, no more than one beyond ``most``: that many are too many."""
    cells: list[str] = []
    for word in re.findall(r"\d+|[Qq]", row):
        cells += [""] * min(int(word), most + 1) if word.isdecimal() else ["Q"]
    return cells[: most + 1]


def _rules(part: Lines, target: Target) -> list[Reading] | None:
    ruled = part[0][1].lstrip().startswith("+-")
    rows = [(n, line.strip()) for n, line in part if not _RULE.fullmatch(line) or _is_row(line, ruled)]
    if not ruled and not (all(line.startswith("|") for _, line in rows) and _has_queen(rows)):
        return None
    cells = [
        (n, [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")])
        for n, line in rows
    ]
    return _drawn(cells, target, "rules")


def _is_row(line: str, ruled: bool) -> bool:
    """Say whether a line without letters is an empty row of squares: between rules all but rules are."""
    return not line.lstrip().startswith("+") and (ruled or not set(line) & set("-=+:"))


def _has_queen(rows: Lines) -> bool:
    return any(_is_queen(cell.strip()) for _, line in rows for cell in line.split("|"))


def _frame(part: Lines, target: Target) -> list[Reading] | None:
    if part[0][1].lstrip()[:1] not in ("┌", "│"):
        return None
    rows = [(n, line.strip()[1:].removesuffix("│")) for n, line in part if line.lstrip().startswith("│")]
    return _drawn([(n, _framed_cells(line)) for n, line in rows], target, "frame")


def _framed_cells(line: str) -> list[str]:
    """Return the squares between ``│``, or three characters for each."""
    cells = line.split("│") if "│" in line else [line[k : k + 3] for k in range(0, len(line), 3)]
    return [cell.strip(" !") for cell in cells]


def _one_line(part: Lines, target: Target) -> list[Reading] | None:
    """Read whole boards of size x columns squares, one a line, as 0 and 1 or as drawn squares."""
    rows = [(n, _SEPARATORS.sub("", line)) for n, line in part]
    width, many = target.columns, target.size * target.columns
    drawn = all(set(line) <= _QUEENS | _EMPTY for _, line in rows)
    if target.size < 2 or any(
        len(line) != many or not (drawn or set(line) <= {"0", "1"}) for _, line in rows
    ):
        return None
    cells = [
        (n, ["Q" if c in "1" or c in _QUEENS else "" for c in line[k : k + width]])
        for n, line in rows
        for k in range(0, many, width)
    ]
    return _drawn(cells, target, "one line")


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
    rows = [(n, _SEPARATORS.sub("", line)) for n, line in part]
    many = max(1, target.size)
    if many == 1 or len(rows) % many or any(set(line) - {"0", "1"} for _, line in rows):
        return None
    wrong = [(n, len(line)) for n, line in rows if len(line) != many]
    if wrong and many > 3 and all(2 * len(line) >= many for _, line in rows):
        told = ", ".join(f"{length} in line {n}" for n, length in wrong)
        raise ModelError(f"a 0/1 matrix of {many} rows has {many} figures in each, not {told}")
    if wrong:
        return None
    return _drawn([(n, ["Q" if c == "1" else "" for c in line]) for n, line in rows], target, "0/1 matrix")


def _drawn(rows: list[tuple[int, list[str]]], target: Target, notation: str) -> list[Reading]:
    """Return the boards that consecutive rows of cells show."""
    size = max(1, target.size)
    if len(rows) % size or not rows:
        line = rows[-1][0] if rows else 1
        raise ModelError(f"line {line}: {notation} with {len(rows)} rows, boards of {size} rows are needed")
    wrong = [(n, row) for n, row in rows if len(row) > target.columns]
    if wrong:
        number, row = wrong[0]
        raise ModelError(f"line {number}: {len(row)} squares in a row, {target.columns} are needed")
    found = []
    for board in (rows[k : k + size] for k in range(0, len(rows), size)):
        cells = [(r, c, cell) for r, (_, row) in enumerate(board) for c, cell in enumerate(row)]
        found.append(_placed([(r, c) for r, c, cell in cells if _is_queen(cell)], target, board[0][0]))
    return found


def _is_queen(cell: str) -> bool:
    return cell != "" and cell[0] in _QUEENS


def _placed(squares: list[tuple[int, int]], target: Target, line: int) -> Reading:
    """Return the board with queens on the given squares (row, column), from 0."""
    values = np.full(target.size, -1, dtype=np.int64)
    for row, column in squares:
        if not (0 <= row < target.size and 0 <= column < target.columns):
            problem = f"square {row + 1}, {column + 1} is not on the board"
            break
        if values[row] >= 0:
            problem = f"row {row} (from 0) holds several queens, one is needed"
            break
        values[row] = column
    else:
        empty = np.flatnonzero(values < 0)
        problem = f"row {empty[0]} (from 0) holds no queen, one is needed" if empty.size else ""
    return Reading(line, None if problem else values, problem=problem)


def _letters(part: Lines, target: Target) -> list[Reading] | None:
    rows = [(n, _SEPARATORS.sub("", line).lower()) for n, line in part]
    last = chr(ord("a") + min(26, target.columns) - 1)
    if target.size == 0 or any(not re.fullmatch(f"[a-{last}]{{{target.size}}}", line) for _, line in rows):
        return None
    return [Reading(n, np.array([ord(c) - ord("a") for c in line], dtype=np.int64)) for n, line in rows]


BOARD_NOTATIONS = (
    _positions,
    _row_column_pairs,
    _rules,
    _frame,
    _matrix,
    _squares,
    _letters,
    _fen,
    _chess_squares,
    _one_line,
)
"""Functions of lines and target, in the order in which they are tried."""


def read_notation(text: str, target: Target) -> list[Reading]:
    """Return the solutions in a text, in its order, before it is decided where columns count from.

    Raises
    ------
    ModelError
        If a part of the text is in none of the notations, with its line.
    """
    return [reading for part in paragraphs(text) for reading in _read_paragraph(part, target)]


_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u202f\u3000", " "),
        **dict.fromkeys("\ufe0e\ufe0f\ufeff", None),  # how a symbol is drawn, and byte order marks
        **dict.fromkeys("┃║", "│"),
        **dict.fromkeys("┏╔╒╭", "┌"),
        "\uff0c": ",",
    }
)


def paragraphs(text: str) -> Iterator[Lines]:
    """Yield the parts of a text that blank lines separate, written with plain dashes and spaces."""
    part: Lines = []
    for number, line in enumerate(text.translate(_PLAIN).splitlines(), 1):
        if line.strip() and not _is_minizinc_rule(line, part):
            part.append((number, line.rstrip()))
        elif part:
            yield part
            part = []
    if part:
        yield part


def _is_minizinc_rule(line: str, part: Lines) -> bool:
    """Say whether a line ends a solution or the search in MiniZinc's output; ten ``-`` may be squares too."""
    if line == "----------":
        return not part or part[-1][1][-1:] in ("]", ";")
    return line == "=========="


def _read_paragraph(part: Lines, target: Target) -> list[Reading]:
    notations = BOARD_NOTATIONS + NOTATIONS if target.is_board else NOTATIONS
    for read in notations:
        found = read(part, target)
        if found is not None:
            return found
    number, line = part[0]
    raise ModelError(f"line {number}: {shown(line.strip())} is not a solution: {_expected(target)}")


def _expected(target: Target) -> str:
    if target.is_board:
        return (
            f"a board of {target.size} rows, or {target.size} columns as list, digits or letters, is needed"
        )
    return f"{target.size} integers for {target.variable} are needed"


_NAME = re.compile(r"^\s*[A-Za-z_]\w*\s*=\s*")


def _digits(part: Lines, target: Target) -> list[Reading] | None:
    """Read ``15863724``; a line with one digit a value, nothing between them."""
    rows = [(n, line.strip()) for n, line in part]
    wanted = {target.size, 2 * target.size} if target.is_pairing else {target.size}
    if target.size < 2 or any(not line.isdecimal() or len(line) not in wanted for _, line in rows):
        return None
    return [_numbers([int(c) for c in line], target, n) for n, line in rows]


def _list(part: Lines, target: Target) -> list[Reading] | None:
    """Read integers: one solution a line, or one or more solutions over several lines."""
    rows = [(n, _integers(_NAME.sub("", line))) for n, line in part]
    if any(row is None for _, row in rows):
        return None
    wanted = {target.size, 2 * target.size} if target.is_pairing else {target.size}
    if all(row is not None and len(row) in wanted for _, row in rows):
        return [_numbers(row or [], target, n) for n, row in rows]
    together = [value for _, row in rows for value in row or []]
    if not target.size or not together or len(together) % target.size:
        return None
    starts = range(0, len(together), target.size)
    return [_numbers(together[k : k + target.size], target, part[0][0]) for k in starts]


def _integers(text: str) -> list[int] | None:
    """Return the integers of a line, with any brackets and separators, or None if there is more in it."""
    words = re.sub(r"[\[\](){},;|]", " ", text).split()
    if not all(re.fullmatch(r"[+-]?\d{1,18}", word, re.ASCII) for word in words):
        return None
    return [int(word) for word in words]


def _ruled_numbers(part: Lines, target: Target) -> list[Reading] | None:
    inside = [(n, line) for n, line in part if not re.fullmatch(r"[+\- ]+", line)]
    return _list(inside, target) if inside and len(inside) < len(part) else None


def _numbers(values: list[int], target: Target, line: int) -> Reading:
    if target.is_pairing and len(values) == 2 * target.size != 0:
        return _pairs(values, target, line)
    return Reading(line, np.array(values, dtype=np.int64), based=target.counts_from)


def _pairs(values: list[int], target: Target, line: int) -> Reading:
    """Read a row of 2n places in which each number stands twice."""
    places: dict[int, list[int]] = {k: [] for k in range(1, target.size + 1)}
    for place, value in enumerate(values):
        places.get(value, []).append(place)
    for k, found in places.items():
        if len(found) != 2:
            return Reading(line, None, problem=f"{k} stands {len(found)} times, not twice")
        if (between := found[1] - found[0] - 1) != k:
            return Reading(line, None, problem=f"between the two {k} there are {between} numbers")
    first = [found[0] for found in places.values()]
    return Reading(line, np.array(first, dtype=np.int64))


Notation = Callable[[Lines, Target], list[Reading] | None]

NOTATIONS: tuple[Notation, ...] = (_digits, _list, _ruled_numbers)
"""In this order, behind those of boards; the first that the text fits is taken."""
