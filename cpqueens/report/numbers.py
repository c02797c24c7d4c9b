"""Integers as pictures: a grid, such as a magic square, rows of places and features, a ruler.

A grid of integers with framed regions, given cells and sums, as text and as an SVG picture.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from cpqueens.language.views import Cages
from cpqueens.report import svg
from cpqueens.report.board_svg import ATTACKED, ATTACKED_SQUARE, FRAME, GIVEN_SQUARE
from cpqueens.report.board_text import PLAIN, Style, numbers_text
from cpqueens.report.svg import PALETTE, fill_of, lattice_text

INK = "#2b2b33"
NOTE = "#7a6857"
"""Of sums and differences, legible on light and on dark ground."""
_LINE = "#c9bfb2"
_PAPER = "#fbf8f2"


def grid_svg(
    rows: Sequence[Sequence[int]],
    *,
    conflicts: frozenset[int] = frozenset(),
    title: str = "",
    down: Sequence[str] = (),
    across: Sequence[str] = (),
    say: Callable[[int], str] = str,
) -> str:
    """Return the grid as a stand-alone SVG picture.

    A grid with few distinct values, as a Latin square, is coloured by value; a square of different values, as
    a magic one, has its sums at the edges; a single row of different ones has the differences of neighbours
    under it.

    Parameters
    ----------
    conflicts
        Positions (row by row) of the cells to be shown in red.
    down, across
        Names beside rows and above columns, if there are any.
    say
        What stands for a value.
    """
    height, width = len(rows), len(rows[0]) if rows else 0
    if not height or not width:
        return svg.document(1, 1, [], title=title)
    fills = _fills(rows)
    longest = max(len(say(v)) for row in rows for v in row)
    size = min(0.46, 0.8 / (0.6 * longest))
    parts: list[str] = []
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            bad = r * width + c in conflicts
            parts.append(svg.rect(c, r, 1, 1, fill=ATTACKED_SQUARE if bad else fills.get(value, _PAPER)))
            parts.append(svg.text(say(value), c + 0.5, r + 0.5, size, ATTACKED if bad else INK))
    frame = svg.element("rect", width=width, height=height, fill="none", stroke=FRAME, stroke_width=0.08)
    parts += [svg.rules(height, width, _LINE, 0.025), frame]
    notes = _notes(rows) if say is str else []
    parts += [svg.text(note, x, y, 0.26, NOTE) for note, x, y in notes]
    wide = max([width, *(x + 0.4 for _, x, _ in notes)])
    high = max([height, *(y + 0.4 for _, _, y in notes)])
    left, above = 0.17 * max(map(len, down), default=0), 0.5 if across else 0.0
    small = min(0.3, 1.6 / max(map(len, across), default=1))
    parts += [svg.text(name, -left / 2, r + 0.5, 0.3, NOTE) for r, name in enumerate(down)]
    parts += [svg.text(name, c + 0.5, -0.25, small, NOTE) for c, name in enumerate(across)]
    moved = svg.moved(left + 0.06, above + 0.06, parts)
    across_all, down_all = wide + left + 0.12, high + above + 0.12
    pixels = min(720.0, 52.0 * (wide + left))
    return svg.document(across_all, down_all, [moved], title=title, pixels=pixels)


def _notes(rows: Sequence[Sequence[int]]) -> list[tuple[str, float, float]]:
    """Return sums or differences with where they stand."""
    height, width = len(rows), len(rows[0])
    distinct = len({v for row in rows for v in row}) == height * width
    if not distinct or width < 2:
        return []
    if height == 1:
        return [(str(abs(b - a)), k + 1.0, 1.3) for k, (a, b) in enumerate(pairwise(rows[0]))]
    if height != width:
        return []
    right = [(str(sum(row)), width + 0.5, r + 0.5) for r, row in enumerate(rows)]
    below = [(str(sum(column)), c + 0.5, height + 0.4) for c, column in enumerate(zip(*rows, strict=True))]
    falling = sum(rows[k][k] for k in range(width))
    return [*right, *below, (str(falling), width + 0.5, height + 0.4)]


def _fills(rows: Sequence[Sequence[int]]) -> dict[int, str]:
    values = sorted({v for row in rows for v in row})
    cells = sum(len(row) for row in rows)
    if len(values) > len(PALETTE) or 2 * len(values) > cells:
        return {}
    return dict(zip(values, PALETTE, strict=False))


# ---- a row of places in which each number stands twice, as in Langford's problem -------------------------


_CELL = 46
_FREE = "."


def paired_row(first: Sequence[int], gaps: Sequence[int]) -> list[str]:
    """Return what stands at each of the 2n places: a number, ``.`` for nothing, ``a/b`` for a clash.

    >>> " ".join(paired_row([1, 2, 0], [2, 3, 4]))
    '3 1 2 1 3 2'
    """
    length = max([2 * len(first), *(place + gap + 1 for place, gap in zip(first, gaps, strict=True))])
    row: list[list[str]] = [[] for _ in range(length)]
    for k, (place, gap) in enumerate(zip(first, gaps, strict=True)):
        row[place].append(str(k + 1))
        row[place + gap].append(str(k + 1))
    return ["/".join(numbers) or _FREE for numbers in row]


def pairing_svg(first: Sequence[int], gaps: Sequence[int], *, title: str = "") -> str:
    """Return the row as a stand-alone SVG picture, with an arc from each number to its other place."""
    row = paired_row(first, gaps)
    radius = _CELL * max(gaps, default=1) / 2
    top = 0.62 * radius + 14
    parts = [_arc(k, place, gap, top) for k, (place, gap) in enumerate(zip(first, gaps, strict=True))]
    for place, label in enumerate(row):
        parts.append(_box(place, label, top))
        parts.append(svg.text(label, 10 + (place + 0.5) * _CELL, top + _CELL / 2, 20, INK))
    return svg.document(20 + _CELL * max(1, len(row)), top + _CELL + 10, parts, title=title)


def _box(place: int, label: str, top: float) -> str:
    fill = PALETTE[(int(label) - 1) % len(PALETTE)] if label.isdecimal() else "#ffffff"
    edge = {"stroke": ATTACKED if "/" in label else INK, "stroke_width": 1.2}
    return svg.rect(10 + place * _CELL + 2, top, _CELL - 4, _CELL, rx=7, fill=fill, **edge)


def _arc(number: int, place: int, gap: int, top: float) -> str:
    start, end, radius = 10 + (place + 0.5) * _CELL, 10 + (place + gap + 0.5) * _CELL, gap * _CELL / 2
    n = svg.number
    path = f"M{n(start)} {n(top)}A{n(radius)} {n(0.62 * radius)} 0 0 1 {n(end)} {n(top)}"
    return svg.element("path", d=path, stroke=PALETTE[number % len(PALETTE)], stroke_width=4, fill="none")


# ---- a ruler with marks, such as a Golomb ruler, as text and as an SVG picture ------------------------

_WIDEST = 96
_WOOD, _EDGE, _INK, _FAINT = "#f1e4cf", "#5d4030", "#2b2019", "#8a7867"
_LENGTH, _MARGIN, _TOP, _HEIGHT = 640, 24, 26, 34


def ruler_text(marks: Sequence[int], width: int | None = None, *, unicode: bool = True) -> str:
    """Return the ruler to scale over its marks' numbers, or the numbers alone where it is too long.

    >>> print(ruler_text([0, 1, 4, 6]))
    ├─┼─────┼───┤
    0 1     4   6
    """
    ordered = sorted(marks)
    gaps = [b - a for a, b in pairwise(ordered)]
    if not gaps or not all(gaps):
        return " ".join(map(str, marks))
    step = max(-(-(len(str(a)) + 1) // gap) for a, gap in zip(ordered, gaps, strict=False))
    length = step * (ordered[-1] - ordered[0])
    if length + len(str(ordered[-1])) > (_WIDEST if width is None else width):
        return " ".join(map(str, marks))
    line, left, cross, right = ("─", "├", "┼", "┤") if unicode else ("-", "|", "|", "|")
    places = [step * (mark - ordered[0]) for mark in ordered]
    bar = [line] * (length + 1)
    for at in places:
        bar[at] = cross
    bar[0], bar[-1] = left, right
    below = ""
    for at, mark in zip(places, ordered, strict=True):
        below = below.ljust(at) + str(mark)
    return "".join(bar) + "\n" + below


def ruler_svg(marks: Sequence[int], *, title: str = "") -> str:
    """Return the ruler as a stand-alone SVG picture, with the distances of neighbours above it."""
    ordered = sorted(marks)
    start = ordered[0] if ordered else 0
    scale = _LENGTH / max(1, ordered[-1] - start if ordered else 1)
    xs = [_MARGIN + scale * (mark - start) for mark in ordered]
    body = svg.rect(_MARGIN - 10, _TOP, _LENGTH + 20, _HEIGHT, rx=4, fill=_WOOD, stroke=_EDGE)
    ticks = "".join(f"M{svg.number(x)} {_TOP}v{svg.number(0.62 * _HEIGHT)}" for x in xs)
    parts = [body, svg.element("path", d=ticks or "M0 0", stroke=_INK, stroke_width=2)]
    parts += [svg.text(mark, x, _TOP + _HEIGHT + 12, 13, _INK) for mark, x in zip(ordered, xs, strict=True)]
    for k in range(len(ordered) - 1):
        parts.append(svg.text(ordered[k + 1] - ordered[k], (xs[k] + xs[k + 1]) / 2, _TOP - 12, 11, _FAINT))
    return svg.document(_LENGTH + 2 * _MARGIN, _TOP + _HEIGHT + 26, parts, title=title)


# ---- a row of things with the features of each below it, as text and as an SVG picture ----------------

Table = Sequence[Sequence[int]]
_PLACE, _LEFT = 34, 96


def features_text(
    row: Sequence[int], table: Table, names: Sequence[str] = (), say: Callable[[int], str] = str
) -> str:
    """Return the classes, and for each feature a line with ``#`` where the thing has it."""
    lines = [("", list(names))] if names else []
    lines += [("class", [say(value) for value in row])]
    width = max((len(cell) for _, cells in lines for cell in cells), default=1)
    lines += [(f"feature {f}", ["#" if has[c] else "." for c in row]) for f, has in enumerate(table)]
    left = max(len(name) for name, _ in lines)
    return "\n".join(
        f"{name:<{left}} " + " ".join(cell.rjust(width) for cell in cells) for name, cells in lines
    )


def features_svg(
    row: Sequence[int],
    table: Table,
    names: Sequence[str] = (),
    say: Callable[[int], str] = str,
    *,
    title: str = "",
) -> str:
    """Return the row with the features below it; a filled square says that a thing has one."""
    parts: list[str] = []
    for k, value in enumerate(row):
        parts.append(_square(k, 0, fill_of(value)))
        size = min(15.0, 1.6 * _PLACE / max(1, len(say(value))))
        parts.append(svg.text(say(value), _LEFT + (k + 0.5) * _PLACE, 0.5 * _PLACE, size, INK))
    for f, has in enumerate(table):
        parts.append(svg.text(f"feature {f}", _LEFT / 2, (f + 1.7) * _PLACE, 13, INK))
        for k, value in enumerate(row):
            parts.append(_square(k, f + 1.2, INK if has[value] else _PAPER))
    height = _PLACE * (len(table) + 1.4)
    for k, name in enumerate(names):
        size = min(12.0, 1.6 * _PLACE / max(1, len(name)))
        parts.append(svg.text(name, _LEFT + (k + 0.5) * _PLACE, height + 6, size, INK))
    height += 16 * bool(names)
    return svg.document(_LEFT + _PLACE * max(1, len(row)) + 6, height, parts, title=title)


def _square(column: int, row: float, fill: str) -> str:
    x, y = _LEFT + column * _PLACE + 1, row * _PLACE + 2
    return svg.rect(x, y, _PLACE - 3, _PLACE - 4, fill=fill, stroke=INK, stroke_width=0.6)


Rows = Sequence[Sequence[int]]


def cages_text(rows: Rows, view: Cages, style: Style = PLAIN) -> str:
    """Return the grid with borders; given numbers in brackets if there is room; too wide, numbers alone."""
    width = max((len(str(value)) for row in rows for value in row), default=1)
    columns = len(rows[0]) if rows else 0
    spaced = style.fits((width + 3) * columns + 1)
    cells = [
        [_cell(str(value).rjust(width), (r, c) in view.given) if spaced else str(value).rjust(width)
         for c, value in enumerate(row)]
        for r, row in enumerate(rows)
    ]  # fmt: skip
    if style.fits((width + 1) * columns + 1):
        return lattice_text(cells, view.regions, unicode=style.unicode)
    return numbers_text(rows, style)


def _cell(text: str, given: bool) -> str:
    return f"[{text}]" if given else f" {text} "


def cages_svg(rows: Rows, view: Cages, *, conflicts: frozenset[int] = frozenset(), title: str = "") -> str:
    """Return the grid as a stand-alone SVG picture; given cells are tinted and bold, sums in the corners."""
    height, width = len(rows), len(rows[0]) if rows else 0
    if not height or not width:
        return svg.document(1, 1, [], title=title)
    parts: list[str] = []
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            parts += _drawn(value, r, c, (r, c) in view.given, r * width + c in conflicts)
    parts.append(svg.rules(height, width, _LINE, 0.025))
    parts.append(svg.borders(height, width, view.regions, FRAME, 0.07))
    parts += [svg.text(total, c + 0.2, r + 0.19, 0.24, INK) for total, (r, c) in _corners(view)]
    moved = svg.moved(0.06, 0.06, parts)
    return svg.document(width + 0.12, height + 0.12, [moved], title=title, pixels=min(720.0, 52.0 * width))


def _drawn(value: int, r: int, c: int, given: bool, bad: bool) -> list[str]:
    fill = ATTACKED_SQUARE if bad else GIVEN_SQUARE if given else _PAPER
    number = svg.text(value, c + 0.5, r + 0.52, 0.5, ATTACKED if bad else INK)
    bold = svg.element("g", number, font_weight="bold") if given else number
    return [svg.rect(c, r, 1, 1, fill=fill), bold]


def _corners(view: Cages) -> list[tuple[int, tuple[int, int]]]:
    """Return the sums with the first cell of their cages."""
    first: dict[str, tuple[int, int]] = {}
    for r, row in enumerate(view.regions):
        for c, letter in enumerate(row):
            first.setdefault(letter, (r, c))
    return list(zip(view.totals, first.values(), strict=False))
