"""A grid of integers, such as a magic or a Latin square, as an SVG picture; a cell is one unit."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from cpqueens.report import svg
from cpqueens.report.board_svg import ATTACKED, ATTACKED_SQUARE, FRAME
from cpqueens.report.palette import PALETTE

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
            place = {"x": c, "y": r, "width": 1, "height": 1}
            fill = ATTACKED_SQUARE if bad else fills.get(value, _PAPER)
            parts.append(svg.element("rect", attributes={**place, "fill": fill}))
            parts.append(svg.text(say(value), c + 0.5, r + 0.5, size, ATTACKED if bad else INK))
    parts += [svg.rules(height, width, _LINE, 0.025), _frame(height, width)]
    notes = _notes(rows) if say is str else []
    parts += [svg.text(note, x, y, 0.26, NOTE) for note, x, y in notes]
    wide = max([width, *(x + 0.4 for _, x, _ in notes)])
    high = max([height, *(y + 0.4 for _, _, y in notes)])
    left, above = 0.17 * max(map(len, down), default=0), 0.5 if across else 0.0
    small = min(0.3, 1.6 / max(map(len, across), default=1))
    parts += [svg.text(name, -left / 2, r + 0.5, 0.3, NOTE) for r, name in enumerate(down)]
    parts += [svg.text(name, c + 0.5, -0.25, small, NOTE) for c, name in enumerate(across)]
    moved = svg.element(
        "g", parts, {"transform": f"translate({svg.number(left + 0.06)} {svg.number(above + 0.06)})"}
    )
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


def _frame(height: int, width: int) -> str:
    size = {"width": width, "height": height}
    return svg.element("rect", attributes={**size, "fill": "none", "stroke": FRAME, "stroke-width": 0.08})
