"""A row of places in which each number stands twice, as in Langford's problem, as text and as SVG."""

from collections.abc import Sequence

from cpqueens.report import svg
from cpqueens.report.board_svg import ATTACKED
from cpqueens.report.numbers import INK
from cpqueens.report.palette import PALETTE

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
    box: svg.Attributes = {
        "x": 10 + place * _CELL + 2,
        "y": top,
        "width": _CELL - 4,
        "height": _CELL,
        "rx": 7,
    }
    edge: svg.Attributes = {"stroke": ATTACKED if "/" in label else INK, "stroke-width": 1.2}
    return svg.element("rect", attributes={**box, "fill": fill, **edge})


def _arc(number: int, place: int, gap: int, top: float) -> str:
    start, end, radius = 10 + (place + 0.5) * _CELL, 10 + (place + gap + 0.5) * _CELL, gap * _CELL / 2
    n = svg.number
    path = f"M{n(start)} {n(top)}A{n(radius)} {n(0.62 * radius)} 0 0 1 {n(end)} {n(top)}"
    style: svg.Attributes = {"stroke": PALETTE[number % len(PALETTE)], "stroke-width": 4, "fill": "none"}
    return svg.element("path", attributes={"d": path, **style})
