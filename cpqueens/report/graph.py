"""A coloured graph as text and as an SVG picture."""

import math
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

from cpqueens.report import svg
from cpqueens.report.board_svg import ATTACKED
from cpqueens.report.numbers import INK
from cpqueens.report.svg import fill_of

_EDGE = "#9aa0a8"
_SIZE, _MARGIN = 420, 30

Edges = Sequence[tuple[int, int]]
Point = tuple[float, float]


def colouring_text(
    colours: Sequence[int], edges: Edges, names: Sequence[str] = (), say: Callable[[int], str] = str
) -> str:
    """Return one line a colour with its vertices, and one for each edge between equal colours.

    >>> print(colouring_text([0, 1, 0], [(0, 1), (1, 2)]))
    colour 0: 0 2
    colour 1: 1
    """
    classes: dict[int, list[int]] = {}
    for vertex, colour in enumerate(colours):
        classes.setdefault(int(colour), []).append(vertex)
    named = names or list(map(str, range(len(colours))))
    lines = [f"colour {say(c)}: {' '.join(named[v] for v in classes[c])}" for c in sorted(classes)]
    clashes = [(named[a], named[b], say(colours[a])) for a, b in edges if colours[a] == colours[b]]
    return "\n".join(lines + [f"edge {a} - {b} joins colour {colour} to itself" for a, b, colour in clashes])


def colouring_svg(
    colours: Sequence[int],
    edges: Edges,
    names: Sequence[str] = (),
    say: Callable[[int], str] | None = None,
    *,
    title: str = "",
) -> str:
    """Return the graph as an SVG picture; each vertex has the letter of its colour under its number.

    Edges between equal colours are red, thick and dashed. Vertices lie on a circle, those of a generalised
    Petersen graph on two, those of a queens graph on the squares of its board.
    """
    places = vertex_places(len(colours), edges)
    parts = [_edge(places[a], places[b], colours[a] == colours[b]) for a, b in edges]
    radius = max(4.0, min(19.0, 560 / max(1, len(colours)), 0.42 * _nearest(places)))
    for vertex, (x, y) in enumerate(places):
        disc: svg.Attributes = {"cx": x, "cy": y, "r": radius, "fill": fill_of(int(colours[vertex]))}
        parts.append(svg.element("circle", attributes={**disc, "stroke": INK, "stroke-width": 1.4}))
        if radius > 8:
            label, colour = names[vertex] if names else str(vertex), (say or _letter)(int(colours[vertex]))
            parts.append(svg.text(label, x, y - 0.25 * radius, _fitting(label, 0.7, radius), INK))
            parts.append(svg.text(colour, x, y + 0.5 * radius, _fitting(colour, 0.6, radius), INK))
    return svg.document(_SIZE, _SIZE, parts, title=title)


def _fitting(text: str, size: float, radius: float) -> float:
    """Return the size of letters with which a text fits a disc."""
    return radius * min(size, 3.0 / max(1, len(text)))


def vertex_places(many: int, edges: Edges) -> list[Point]:
    """Return where the vertices of a graph are drawn."""
    given = {(min(a, b), max(a, b)) for a, b in edges}
    half = many // 2
    if many >= 10 and many % 2 == 0 and given == _petersen_edges(half):
        return [*_circle(half), *_circle(half, 0.52)]
    side = math.isqrt(many)
    if side > 1 and side * side == many and given == _queens_edges(side):
        step = (_SIZE - 2 * _MARGIN) / (side - 1)
        return [(_MARGIN + step * (v % side), _MARGIN + step * (v // side)) for v in range(many)]
    return _circle(many)


def _petersen_edges(size: int) -> set[tuple[int, int]]:
    """Return those of GP(size, 2): an outer cycle, an inner star of steps of 2, and spokes."""
    outer = {(min(i, (i + 1) % size), max(i, (i + 1) % size)) for i in range(size)}
    inner = {(size + min(i, (i + 2) % size), size + max(i, (i + 2) % size)) for i in range(size)}
    return outer | inner | {(i, size + i) for i in range(size)}


def _queens_edges(side: int) -> set[tuple[int, int]]:
    """Return those between squares that a queen's move joins."""
    squares = [divmod(square, side) for square in range(side * side)]
    return {
        (p, q)
        for (p, (a, b)), (q, (c, d)) in combinations(enumerate(squares), 2)
        if a == c or b == d or abs(a - c) == abs(b - d)
    }


def _nearest(places: Sequence[Point]) -> float:
    """Return the least distance of two neighbours in the list."""
    return min((math.dist(a, b) for a, b in pairwise(places)), default=_SIZE)


def _letter(colour: int) -> str:
    """Return a, b, ... for 0, 1, ..., beyond z the number."""
    return chr(ord("a") + colour) if 0 <= colour < 26 else str(colour)


def _circle(many: int, share: float = 1.0) -> list[Point]:
    """Return points on a circle, clockwise from the top."""
    turn, radius, middle = 2 * math.pi / max(1, many), share * (_SIZE / 2 - _MARGIN), _SIZE / 2
    angles = [turn * k for k in range(many)]
    return [(middle + radius * math.sin(a), middle - radius * math.cos(a)) for a in angles]


def _edge(a: Point, b: Point, bad: bool) -> str:
    line = {"x1": a[0], "y1": a[1], "x2": b[0], "y2": b[1]}
    style: dict[str, str | float] = {
        "stroke": ATTACKED if bad else _EDGE,
        "stroke-width": 3.2 if bad else 1.5,
    }
    if bad:
        style["stroke-dasharray"] = "7 4"
    return svg.element("line", attributes={**line, **style})
