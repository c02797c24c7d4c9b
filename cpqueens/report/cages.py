"""A grid of integers with framed regions, given cells and sums, as text and as an SVG picture."""

from collections.abc import Sequence

from cpqueens.language.views import Cages
from cpqueens.report import svg
from cpqueens.report.board_svg import ATTACKED, ATTACKED_SQUARE, FRAME, GIVEN_SQUARE
from cpqueens.report.board_text import PLAIN, Style, numbers_text
from cpqueens.report.lattice import borders, lattice_text
from cpqueens.report.numbers import INK

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
    lines = "".join(f"M0 {r}H{width}" for r in range(1, height)) + "".join(
        f"M{c} 0V{height}" for c in range(1, width)
    )
    parts.append(_path(lines or "M0 0", "#c9bfb2", 0.025))
    parts.append(_path(borders(height, width, view.regions), FRAME, 0.07))
    parts += [svg.text(total, c + 0.2, r + 0.19, 0.24, INK) for total, (r, c) in _corners(view)]
    moved = svg.element("g", parts, {"transform": "translate(.06 .06)"})
    return svg.document(width + 0.12, height + 0.12, [moved], title=title, pixels=min(720.0, 52.0 * width))


def _drawn(value: int, r: int, c: int, given: bool, bad: bool) -> list[str]:
    fill = ATTACKED_SQUARE if bad else GIVEN_SQUARE if given else "#fbf8f2"
    square: svg.Attributes = {"x": c, "y": r, "width": 1, "height": 1, "fill": fill}
    number = svg.text(value, c + 0.5, r + 0.52, 0.5, ATTACKED if bad else INK)
    bold = svg.element("g", [number], {"font-weight": "bold"}) if given else number
    return [svg.element("rect", attributes=square), bold]


def _path(line: str, stroke: str, width: float) -> str:
    style: svg.Attributes = {"stroke": stroke, "stroke-width": width, "stroke-linecap": "square"}
    return svg.element("path", attributes={"d": line, "fill": "none", **style})


def _corners(view: Cages) -> list[tuple[int, tuple[int, int]]]:
    """Return the sums with the first cell of their cages."""
    first: dict[str, tuple[int, int]] = {}
    for r, row in enumerate(view.regions):
        for c, letter in enumerate(row):
            first.setdefault(letter, (r, c))
    return list(zip(view.totals, first.values(), strict=False))
