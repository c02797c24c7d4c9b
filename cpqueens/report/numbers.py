"""A grid of integers, such as a magic or a Latin square, as an SVG picture; a cell is one unit."""

from collections.abc import Sequence

from cpqueens.report import svg
from cpqueens.report.board_svg import ATTACKED, ATTACKED_SQUARE, FRAME
from cpqueens.report.palette import PALETTE

INK = "#2b2b33"
_LINE = "#c9bfb2"
_PAPER = "#fbf8f2"


def grid_svg(
    rows: Sequence[Sequence[int]], *, conflicts: frozenset[int] = frozenset(), title: str = ""
) -> str:
    """Return the grid as a stand-alone SVG picture.

    A grid with few distinct values, as a Latin square, is coloured by value.

    Parameters
    ----------
    conflicts
        Positions (row by row) of the cells to be shown in red.
    """
    height, width = len(rows), len(rows[0]) if rows else 0
    if not height or not width:
        return svg.document(1, 1, [], title=title)
    fills = _fills(rows)
    longest = max(len(str(v)) for row in rows for v in row)
    size = min(0.46, 0.8 / (0.6 * longest))
    parts: list[str] = []
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            bad = r * width + c in conflicts
            place = {"x": c, "y": r, "width": 1, "height": 1}
            fill = ATTACKED_SQUARE if bad else fills.get(value, _PAPER)
            parts.append(svg.element("rect", attributes={**place, "fill": fill}))
            parts.append(svg.text(value, c + 0.5, r + 0.5, size, ATTACKED if bad else INK))
    parts += [_rules(height, width), _frame(height, width)]
    moved = svg.element("g", parts, {"transform": "translate(.06 .06)"})
    return svg.document(width + 0.12, height + 0.12, [moved], title=title, pixels=min(720.0, 52.0 * width))


def _fills(rows: Sequence[Sequence[int]]) -> dict[int, str]:
    values = sorted({v for row in rows for v in row})
    cells = sum(len(row) for row in rows)
    if len(values) > len(PALETTE) or 2 * len(values) > cells:
        return {}
    return dict(zip(values, PALETTE, strict=False))


def _rules(height: int, width: int) -> str:
    lines = "".join(f"M0 {r}H{width}" for r in range(1, height))
    lines += "".join(f"M{c} 0V{height}" for c in range(1, width))
    return svg.element("path", attributes={"d": lines or "M0 0", "stroke": _LINE, "stroke-width": 0.025})


def _frame(height: int, width: int) -> str:
    size = {"width": width, "height": height}
    return svg.element("rect", attributes={**size, "fill": "none", "stroke": FRAME, "stroke-width": 0.08})
