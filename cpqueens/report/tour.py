"""A way through points, or over the squares of a board, as text and as an SVG picture."""

from collections.abc import Iterator, Sequence

from cpqueens.language.views import Tour
from cpqueens.report import svg
from cpqueens.report.board_svg import DARK, LIGHT
from cpqueens.report.board_text import PLAIN, Style, numbers_text
from cpqueens.report.numbers import INK

_SIZE, _MARGIN = 440, 28
_COLOURS = ("#2f6f9f", "#b5533c", "#4f8a4b", "#7d5ba6", "#a67c00")
"""Of lines, one for each way."""


def way(successors: Sequence[int], points: int) -> list[int]:
    """Return the points in the order of the way, from 0, or from behind a helper where there is one.

    >>> way([2, 0, 1], 3), way([3, 0, 1, 2], 3)
    ([0, 2, 1], [2, 1, 0])
    """
    start = successors[points] if points < len(successors) else 0
    return [k for k in _visited(successors, start) if k < points]


def ways(successors: Sequence[int], points: int) -> list[list[int]]:
    """Return all closed ways, those from other points than 0 behind the first; a way over a helper is alone.

    >>> ways([2, 3, 0, 1], 4)
    [[0, 2, 0], [1, 3, 1]]
    """
    found = [way(successors, points)]
    if points < len(successors):
        return found
    for k in range(points):
        if all(k not in order for order in found):
            found.append(list(_visited(successors, k)))
    return [[*order, successors[order[-1]]] for order in found if order]


def _visited(successors: Sequence[int], start: int) -> Iterator[int]:
    seen: set[int] = set()
    at = start
    while 0 <= at < len(successors) and at not in seen:
        seen.add(at)
        yield at
        at = successors[at]


def tour_text(successors: Sequence[int], view: Tour, style: Style = PLAIN, names: Sequence[str] = ()) -> str:
    """Return the points in their order; of a board the number of the step at which each square is reached."""
    order = way(successors, len(view.points))
    if not view.squares:
        found = ways(successors, len(view.points))
        return "\n".join(" -> ".join(names[k] if names else str(k) for k in order) for order in found)
    step = {view.points[k]: at for at, k in enumerate(order, 1)}
    columns, rows = (max(p[axis] for p in view.points) + 1 for axis in (0, 1))
    return numbers_text([[step.get((x, y), 0) for x in range(columns)] for y in range(rows)], style)


def tour_svg(successors: Sequence[int], view: Tour, names: Sequence[str] = (), *, title: str = "") -> str:
    """Return the way as lines between its points, on a board where they are squares."""
    if not view.points:
        return svg.document(1, 1, [], title=title)
    places, squares, width, height = _laid_out(view)
    parts, found = squares, ways(successors, len(view.points))
    for number, order in enumerate(found):
        path = "M" + "L".join(" ".join(map(svg.number, places[k])) for k in order)
        colour = _COLOURS[number % len(_COLOURS)]
        line = {"stroke": colour, "stroke_width": 3, "stroke_linejoin": "round"}
        parts.append(svg.element("path", d=path, fill="none", **line))
    for order in found:
        for step, k in enumerate(dict.fromkeys(order)):
            label = str(step + 1 if view.squares else k) if view.squares or not names else names[k]
            parts += _stop(places[k], label, first=step == 0)
    return svg.document(width, height, parts, title=title)


def _laid_out(view: Tour) -> tuple[list[tuple[float, float]], list[str], float, float]:
    """Return places of the points, what lies under them, and the size of the picture."""
    xs, ys = zip(*view.points, strict=True)
    across, down = max(xs) - min(xs), max(ys) - min(ys)
    if view.squares:
        unit = _SIZE / (max(across, down) + 1)
        board = [
            svg.rect(x * unit, y * unit, unit, unit, fill=DARK if (x + y) % 2 else LIGHT)
            for x, y in view.points
        ]
        places = [((x + 0.5) * unit, (y + 0.5) * unit) for x, y in view.points]
        return places, board, unit * (across + 1), unit * (down + 1)
    scale = (_SIZE - 2 * _MARGIN) / max(across, down, 1)
    places = [(_MARGIN + scale * (x - min(xs)), _MARGIN + scale * (y - min(ys))) for x, y in view.points]
    size = (scale * across + 2 * _MARGIN, scale * down + 2 * _MARGIN)
    paper = svg.element("rect", width=size[0], height=size[1], fill="#fbf8f2")
    return places, [paper], *size


def _stop(place: tuple[float, float], label: str, first: bool) -> list[str]:
    x, y = place
    fill = svg.fill_of(1) if first else "#ffffff"
    disc = svg.element("circle", cx=x, cy=y, r=13, stroke=INK, stroke_width=1.2, fill=fill)
    return [disc, svg.text(label, x, y, min(12.0, 36 / len(label)), INK)]
