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
from cpqueens.files.board_notations import BOARD_NOTATIONS
from cpqueens.files.reading import Lines, Reading, Target
from cpqueens.text.plaintext import shown


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
        between = found[1] - found[0] - 1 if len(found) == 2 else k
        problem = (
            f"{k} stands {len(found)} times, not twice"
            if len(found) != 2
            else f"between the two {k} there are {between} numbers"
        )
        if len(found) != 2 or between != k:
            return Reading(line, None, problem=problem)
    first = [found[0] for found in places.values()]
    return Reading(line, np.array(first, dtype=np.int64))


Notation = Callable[[Lines, Target], list[Reading] | None]

NOTATIONS: tuple[Notation, ...] = (_digits, _list, _ruled_numbers)
"""In this order, behind those of boards; the first that the text fits is taken."""
