"""A coloured graph as text and as an SVG picture."""

import math
from collections.abc import Sequence

from cpqueens.report import svg
from cpqueens.report.board_svg import ATTACKED
from cpqueens.report.numbers import INK
from cpqueens.report.palette import fill_of

_EDGE = "#9aa0a8"
_SIZE, _MARGIN = 420, 30

Edges = Sequence[tuple[int, int]]
Point = tuple[float, float]


def colouring_text(colours: Sequence[int], edges: Edges) -> str:
    """Return one line a colour with its vertices, and one for each edge between equal colours.

    >>> print(colouring_text([0, 1, 0], [(0, 1), (1, 2)]))
    colour 0: 0 2
    colour 1: 1
    """
    classes: dict[int, list[int]] = {}
    for vertex, colour in enumerate(colours):
        classes.setdefault(int(colour), []).append(vertex)
    lines = [f"colour {c}: {' '.join(map(str, classes[c]))}" for c in sorted(classes)]
    clashes = [(a, b) for a, b in edges if colours[a] == colours[b]]
    return "\n".join(lines + [f"edge {a} - {b} joins colour {colours[a]} to itself" for a, b in clashes])


def colouring_svg(colours: Sequence[int], edges: Edges, *, title: str = "") -> str:
    """Return the graph, vertices on a circle, as an SVG picture; edges between equal colours are red."""
    places = _circle(len(colours))
    parts = [_edge(places[a], places[b], colours[a] == colours[b]) for a, b in edges]
    radius = max(4.0, min(19.0, 560 / max(1, len(colours))))
    for vertex, (x, y) in enumerate(places):
        disc: svg.Attributes = {"cx": x, "cy": y, "r": radius, "fill": fill_of(int(colours[vertex]))}
        parts.append(svg.element("circle", attributes={**disc, "stroke": INK, "stroke-width": 1.4}))
        if radius > 8:
            parts.append(svg.text(vertex, x, y, 0.8 * radius, INK))
    return svg.document(_SIZE, _SIZE, parts, title=title)


def _circle(many: int) -> list[Point]:
    """Return points on a circle, clockwise from the top."""
    turn, radius, middle = 2 * math.pi / max(1, many), _SIZE / 2 - _MARGIN, _SIZE / 2
    angles = [turn * k for k in range(many)]
    return [(middle + radius * math.sin(a), middle - radius * math.cos(a)) for a in angles]


def _edge(a: Point, b: Point, bad: bool) -> str:
    line = {"x1": a[0], "y1": a[1], "x2": b[0], "y2": b[1]}
    style: svg.Attributes = {"stroke": ATTACKED if bad else _EDGE, "stroke-width": 3.2 if bad else 1.5}
    return svg.element("line", attributes={**line, **style})
