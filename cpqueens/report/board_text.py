"""Boards and tables of numbers as text: for a terminal with colours, for a plain one, and to be read back."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from cpqueens.report.board import WHITE, BoardPicture, Square
from cpqueens.report.pieces import LOOKS, PLAIN_PIECES
from cpqueens.report.svg import lattice_text

# of the 256 shared colours
_LIGHT, _DARK, _RED, _GOLD, _GREY, _INK, _WHITE = 223, 137, 167, 179, 242, 16, 231
_USUAL = 80  # characters of a line, where nobody says how many there are
_RESET = "\x1b[0m"


@dataclass(frozen=True)
class Style:
    """What a terminal can show.

    Parameters
    ----------
    colour
        Squares get background colours (256-colour escape sequences).
    unicode
        The queen is a chess symbol and frames are drawn; otherwise ASCII only.
    width
        Columns that there are; None where lines may be of any length.
    """

    colour: bool = False
    unicode: bool = True
    width: int | None = None

    def fits(self, columns: int) -> bool:
        """Say whether a line of so many characters is not broken."""
        return self.width is None or columns <= self.width


PLAIN = Style()
ASCII = Style(unicode=False)
COLOUR = Style(colour=True)


def board_text(picture: BoardPicture, style: Style = PLAIN) -> str:
    """Return the board as lines of text, one square three characters wide, or one where that is too wide.

    Attacked queens stand between ``!``, on red in colour; on narrow squares they are ``X``. Without
    Unicode it is the ``.Q..`` notation, which `cpqueens.files.notations` reads, with ``X`` for an attacked
    queen, ``W`` for a white one and ``-`` for a blocked square. Labels stand where there is room for them,
    without Unicode nowhere. Where lines may have any length squares are narrow beyond 80 characters.
    """
    if style.width is None:
        style = replace(style, width=max(_USUAL, 2 * picture.columns + 1))
    if picture.regions:
        return _regions_text(picture, style)
    cell = _ascii_cell if not style.unicode else _coloured_cell if style.colour else _shaded_cell
    framed = style.unicode and not style.colour
    wide = 1 if not style.unicode or not style.fits(3 * picture.columns + 2 * framed) else 3
    rows = ["".join(row) for row in _cells(picture, lambda r, c: cell(picture, (r, c), wide))]
    if style.colour and style.unicode:
        rows = [row + _RESET for row in rows]
    lines = _framed(rows, wide * picture.columns) if framed else rows
    return "\n".join(_labelled(picture, style, lines, wide, framed))


def _labelled(picture: BoardPicture, style: Style, lines: list[str], wide: int, framed: bool) -> list[str]:
    """Return the lines with labels to their left, and above them those of columns, a word below another."""
    stacks = [label.split() for label in picture.column_labels]
    stacks = [] if any(len(word) > wide for stack in stacks for word in stack) else stacks
    margin = max(map(len, picture.row_labels), default=0) + 1
    fit = style.fits(margin + wide * picture.columns + 2 * framed)
    if not style.unicode or not fit:
        return lines
    if not (stacks or picture.row_labels):
        return lines
    beside = ["", *picture.row_labels, ""] if framed else list(picture.row_labels)
    high = max(map(len, stacks), default=0)
    above = [
        " " * (margin + framed) + "".join(_centred(([""] * high + s)[len(s) + k], wide) for s in stacks)
        for k in range(high)
    ]
    beside = beside if picture.row_labels else [""] * len(lines)
    return [line.rstrip() for line in above] + [
        f"{label.rjust(margin - 1)} {line}" for label, line in zip(beside, lines, strict=True)
    ]


def _centred(word: str, wide: int) -> str:
    """Return a word in the middle of so many characters; two of three stand to the left."""
    left = (wide - len(word)) // 2
    return " " * left + word.ljust(wide - left)


def _regions_text(picture: BoardPicture, style: Style) -> str:
    """Return a board with the borders of its regions, and their letters where no piece stands.

    Where that is too wide squares are one character, and then there are letters alone and no borders.
    """
    wide = 3 if style.fits(4 * picture.columns + 1) else 1

    def cell(row: int, column: int) -> str:
        square = (row, column)
        if square in picture.queens:
            sign = _glyph(picture, square) if style.unicode else _letter(picture, square)
            return _piece(picture, square, wide, sign)
        return ("-" if square in picture.blocked else picture.regions[row][column]).center(wide)

    cells = _cells(picture, cell)
    if style.fits((wide + 1) * picture.columns + 1):
        return lattice_text(cells, picture.regions, unicode=style.unicode)
    return "\n".join("".join(row) for row in cells)


def board_width(columns: int, style: Style, regions: bool = False) -> int:
    """Return how many characters a line of a board needs at least."""
    return columns + 2 * (style.unicode and not style.colour and not regions)


def _ascii_cell(picture: BoardPicture, square: Square, wide: int) -> str:
    if square in picture.queens:
        return "X" if square in picture.attacked else _letter(picture, square)
    return "-" if square in picture.blocked else "."


def _coloured_cell(picture: BoardPicture, square: Square, wide: int) -> str:
    background = _DARK if sum(square) % 2 and picture.piece not in PLAIN_PIECES else _LIGHT
    marked = ((picture.blocked, _GREY), (picture.given, _GOLD), (picture.attacked, _RED))
    for squares, colour in marked:
        if square in squares:
            background = colour
    glyph = LOOKS[picture.piece].black if square in picture.queens else " "
    ink = _WHITE if picture.queens.get(square) == WHITE else _INK
    filled = picture.piece == "block" and square in picture.queens and square not in picture.attacked
    sign = glyph * wide if filled else _piece(picture, square, wide, glyph)
    return f"\x1b[38;5;{ink};48;5;{background}m{sign}"


def _shaded_cell(picture: BoardPicture, square: Square, wide: int) -> str:
    if square in picture.queens:
        glyph = _glyph(picture, square)
        if picture.piece == "block" and square not in picture.attacked:
            return glyph * wide
        return _piece(picture, square, wide, glyph)
    if square in picture.blocked:
        return "▓" * wide
    return ("░" if sum(square) % 2 and picture.piece not in PLAIN_PIECES else " ") * wide


def _glyph(picture: BoardPicture, square: Square) -> str:
    colour = picture.queens.get(square)
    look = LOOKS[picture.piece]
    return " " if colour is None else look.white if colour == WHITE else look.black


def _letter(picture: BoardPicture, square: Square) -> str:
    return "W" if picture.queens[square] == WHITE else LOOKS[picture.piece].letter


def _piece(picture: BoardPicture, square: Square, wide: int, glyph: str) -> str:
    """Return what stands on a square, without colours: an attacked piece is told by its shape too."""
    if square not in picture.queens:
        return " " * wide
    attacked = square in picture.attacked
    if wide == 1:
        return "X" if attacked else glyph
    side = "!" if attacked else " "
    return f"{side}{glyph}{side}"


def _framed(lines: Iterable[str], width: int) -> list[str]:
    bar = "─" * width
    return [f"┌{bar}┐", *(f"│{line}│" for line in lines), f"└{bar}┘"]


def rules_text(cells: Sequence[Sequence[object]]) -> str:
    """Return a table between ``+---+`` rules, all columns equally wide.

    >>> print(rules_text([["Q", "#"], [" ", "Q"]]))
    +---+---+
    | Q | # |
    +---+---+
    |   | Q |
    +---+---+
    """
    texts = [[str(cell) for cell in row] for row in cells]
    width = max((len(cell) for row in texts for cell in row), default=1)
    rule = "+" + "+".join(["-" * (width + 2)] * (len(texts[0]) if texts else 0)) + "+"
    lines = [rule]
    for row in texts:
        lines += ["| " + " | ".join(cell.rjust(width) for cell in row) + " |", rule]
    return "\n".join(lines)


def board_rules(picture: BoardPicture) -> str:
    """Return the board between ``+---+`` rules: ``Q`` (white ``W``) for a queen, ``#`` for a dark square."""

    def cell(row: int, column: int) -> str:
        square = (row, column)
        return _letter(picture, square) if square in picture.queens else " #"[(row + column) % 2]

    return rules_text(_cells(picture, cell))


def board_matrix(picture: BoardPicture) -> str:
    """Return the board as rows of 0 and 1."""
    return "\n".join(
        " ".join(row) for row in _cells(picture, lambda r, c: str(int((r, c) in picture.queens)))
    )


def _cells(picture: BoardPicture, cell: Callable[[int, int], str]) -> list[list[str]]:
    return [[cell(row, c) for c in range(picture.columns)] for row in range(picture.rows)]


def numbers_text(
    rows: Sequence[Sequence[object]],
    style: Style = PLAIN,
    down: Sequence[str] = (),
    across: Sequence[str] = (),
) -> str:
    """Return a matrix as right-aligned columns, perhaps with names of rows and columns.

    Where that is too wide, it is written as numbered rows.

    >>> print(numbers_text([[1, 10, 1], [2, 20, 2]], Style(width=12)))
     1 10  1
     2 20  2
    >>> print(numbers_text([[1, 10, 1], [2, 20, 2]], Style(width=7)))
    0:  1
       10
        1
    1:  2
       20
        2
    """
    cells = [list(across)] if across else []
    cells += [[str(v) for v in row] for row in rows]
    names = [*([""] if across else []), *(down or [""] * len(rows))]
    width = max((len(cell) for row in cells for cell in row), default=1)
    lines = [[cell.rjust(width) for cell in row] for row in cells]
    longest = max(map(len, lines), default=0)
    left = max(map(len, names), default=0) + 1 if down else 0
    if style.width is None or left + longest * (width + 1) - 1 <= style.width:
        return "\n".join(f"{name:<{left}}" + " ".join(line) for name, line in zip(names, lines, strict=True))
    lines = lines[bool(across) :]
    label = len(str(len(rows) - 1))
    many = max(1, (style.width - label - 1) // (width + 1))
    parts = [(r, k, line[k : k + many]) for r, line in enumerate(lines) for k in range(0, len(line), many)]
    return "\n".join(f"{f'{r}:' if k == 0 else '':>{label + 1}} {' '.join(part)}" for r, k, part in parts)
