"""A board with queens as an SVG picture, alone or many on one sheet; a square is one unit."""

from collections.abc import Sequence

from cpqueens.report import svg
from cpqueens.report.board import WHITE, BoardPicture, Square
from cpqueens.report.pieces import LOOKS, PLAIN_PIECES

LIGHT = "#f1e4cf"
DARK = "#b88b63"
RULE = 0.03
"""Width of the lines between squares."""
PALE_DARK = "#dfcab0"  # on big boards, where strong squares would drown small queens
FRAME = "#5d4030"
INK = "#2b2019"
IVORY = "#fffdf6"
ATTACKED = "#c3272b"
ATTACKED_SQUARE = "#f3a79a"
GIVEN_SQUARE = "#f2d16b"
BLOCKED_SQUARE = "#6f6a66"
LABEL = "#7a6857"

LABELLED = 40
"""Boards up to this many rows carry row and column numbers unless told otherwise."""

_EDGE = 0.14
_BASE = 0.08


def board_svg(picture: BoardPicture, *, title: str = "") -> str:
    """Return the board as a stand-alone SVG picture, with row and column numbers up to `LABELLED` rows."""
    labelled = picture.rows <= LABELLED
    left = above = 0.62 if labelled else _EDGE
    if labelled and (picture.row_labels or picture.column_labels):
        left = max(left, 0.3 + 0.19 * max(map(len, picture.row_labels), default=0))
        above = max(above, 0.3 + 0.36 * max((len(s.split()) for s in picture.column_labels), default=0))
    width, height = picture.columns + left + _EDGE, picture.rows + above + _EDGE
    parts = [svg.moved(left, above, board_elements(picture))]
    if labelled and (picture.row_labels or picture.column_labels):
        parts += _labels(picture, left, above)
    elif labelled:
        parts += _coordinates(picture, left)
    pixels = min(720.0, 44.0 * max(width, height)) * width / max(width, height)
    return svg.document(width, height, parts, title=title, pixels=pixels)


def board_elements(picture: BoardPicture) -> list[str]:
    """Return frame, squares, lines of attack and queens, with the corner of square (0, 0) at the origin."""
    return [
        *(_regions(picture) if picture.regions else _squares(picture)),
        *(_tint(square, BLOCKED_SQUARE) for square in sorted(picture.blocked)),
        *(_tint(square, GIVEN_SQUARE) for square in sorted(picture.given)),
        *(_tint(square, ATTACKED_SQUARE) for square in sorted(picture.attacked)),
        *_attack_lines(picture),
        *(_piece(picture, square) for square in sorted(picture.queens)),
        *_crosses(picture),
    ]


def _squares(picture: BoardPicture) -> list[str]:
    """Draw all dark squares as dashed lines, one a row, so that a big board stays a small file."""
    rows, columns = picture.rows, picture.columns
    frame = svg.rect(-0.07, -0.07, columns + _EDGE, rows + _EDGE, rx=0.08, fill=FRAME)
    board = svg.element("rect", width=columns, height=rows, fill=LIGHT)
    if picture.piece in PLAIN_PIECES:
        return [frame, board, svg.rules(rows, columns, PALE_DARK, RULE)]
    line = "".join(f"M{(r + 1) % 2} {r + 0.5}H{columns}" for r in range(rows) if columns > (r + 1) % 2)
    dark = DARK if rows <= LABELLED else PALE_DARK
    dashes = svg.element("path", d=line, stroke=dark, stroke_width=1, stroke_dasharray="1 1")
    return [frame, board, dashes] if line else [frame, board]


def _regions(picture: BoardPicture) -> list[str]:
    """Draw regions by colour, letter and border, so that no colour is needed to tell them apart."""
    letters = sorted({letter for row in picture.regions for letter in row})
    squares = [(r, c) for r in range(picture.rows) for c in range(picture.columns)]
    tints = [_tint((r, c), svg.fill_of(letters.index(picture.regions[r][c]))) for r, c in squares]
    named = [svg.text(picture.regions[r][c], c + 0.15, r + 0.17, 0.22, INK) for r, c in squares]
    frame = svg.borders(picture.rows, picture.columns, picture.regions, INK, 0.08)
    return [*tints, svg.rules(picture.rows, picture.columns, PALE_DARK, RULE), frame, *named]


def _tint(square: Square, fill: str) -> str:
    return svg.rect(square[1], square[0], 1, 1, fill=fill)


def _style(picture: BoardPicture, square: Square) -> dict[str, object]:
    if square in picture.attacked:
        return {"fill": ATTACKED}
    if picture.queens[square] == WHITE:
        return {"fill": IVORY, "stroke": INK, "stroke_width": 3, "stroke_linejoin": "round"}
    return {"fill": INK}


def _piece(picture: BoardPicture, square: Square) -> str:
    x, y = svg.number(square[1] + _BASE), svg.number(square[0] + 0.07)
    place = f"translate({x} {y})scale(.0084)"
    path = LOOKS[picture.piece].path
    return svg.element("path", d=path, transform=place, **_style(picture, square))


def _attack_lines(picture: BoardPicture) -> list[str]:
    line = "".join(f"M{c + 0.5} {r + 0.5}L{d + 0.5} {s + 0.5}" for (r, c), (s, d) in picture.attacks)
    style = {"stroke_width": 0.1, "stroke_opacity": 0.55, "stroke_linecap": "round"}
    return [svg.element("path", d=line, stroke=ATTACKED, **style)] if line else []


def _crosses(picture: BoardPicture) -> list[str]:
    """Draw a cross beside each attacked queen: red alone is not seen by everybody."""
    n = svg.number
    line = "".join(
        f"M{n(c + 0.74)} {n(r + 0.06)}l.2 .2M{n(c + 0.94)} {n(r + 0.06)}l-.2 .2"
        for r, c in sorted(picture.attacked)
    )
    style = {"stroke": ATTACKED, "stroke_width": 0.07, "stroke_linecap": "round"}
    return [svg.element("path", d=line, **style)] if line else []


def _coordinates(picture: BoardPicture, margin: float) -> list[str]:
    above = [svg.text(c, margin + c + 0.5, margin / 2, 0.3, LABEL) for c in range(picture.columns)]
    left = [svg.text(r, margin / 2, margin + r + 0.5, 0.3, LABEL) for r in range(picture.rows)]
    return above + left


def _labels(picture: BoardPicture, left: float, above: float) -> list[str]:
    """Return the words above columns, the last next to the board, and those beside rows."""
    parts = []
    for c, label in enumerate(picture.column_labels):
        for k, word in enumerate(reversed(label.split())):
            parts.append(svg.text(word, left + c + 0.5, above - 0.3 - 0.36 * k, 0.32, LABEL))
    for r, label in enumerate(picture.row_labels):
        parts.append(svg.text(label, left - 0.2 - 0.095 * len(label), above + r + 0.5, 0.32, LABEL))
    return parts


def gallery_svg(
    pictures: Sequence[BoardPicture | None],
    *,
    across: int | None = None,
    title: str = "",
    captions: Sequence[str] = (),
) -> str:
    """Return several boards of one size on one sheet, ``across`` of them in a row.

    They are numbered from 1 where they have no ``captions``; None leaves a place empty.
    """
    first = pictures[0] if pictures else None
    if first is None:
        return svg.document(1, 1, [], title=title)
    wide, high = first.columns + 1.0, first.rows + 1.6
    many = across or max(1, min(len(pictures), round((len(pictures) * high / wide) ** 0.5)))
    size = min(0.6, 0.1 * wide)
    parts = []
    for k, picture in enumerate(pictures):
        if picture is None:
            continue
        x, y = (k % many) * wide + 0.5, (k // many) * high + 0.5
        said = captions[k] if captions else str(k + 1)
        letters = min(size, 1.7 * picture.columns / max(1, len(said)))
        parts.append(svg.moved(x, y, board_elements(picture)))
        parts.append(svg.text(said, x + picture.columns / 2, y + picture.rows + 0.5, letters, LABEL))
    lines = -(-len(pictures) // many)
    return svg.document(many * wide, lines * high, parts, title=title, pixels=min(1200.0, 200.0 * many))
