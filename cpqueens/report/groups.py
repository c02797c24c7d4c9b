"""Who is with whom: groups of things, perhaps with weights, and coloured graphs, as text and as SVG."""

import math
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise

from cpqueens.language.views import Groups
from cpqueens.report import svg
from cpqueens.report.board_svg import ATTACKED
from cpqueens.report.numbers import INK

Rows = Sequence[Sequence[int]]
Say = Callable[[int], str]
_WIDTH, _HEIGHT, _GAP = 40, 30, 10


def members(row: Sequence[int]) -> dict[int, list[int]]:
    """Return the members of each group, groups in their order.

    >>> members([1, 0, 1])
    {0: [1], 1: [0, 2]}
    """
    found: dict[int, list[int]] = {}
    for k, group in enumerate(row):
        found.setdefault(group, []).append(k)
    return dict(sorted(found.items()))


def groups_text(rows: Rows, view: Groups, names: Sequence[str] = (), say: Say = str) -> str:
    """Return one line for each group with its sum, or for each row with all its groups.

    ``names`` are those of the members, if they have any; ``say`` gives the name of a group.
    """
    if view.weights and len(rows) == 1:
        return "\n".join(_weighed(say(g), inside, view, names) for g, inside in members(rows[0]).items())
    lines = [
        " | ".join(
            ("" if say is str else f"{say(g)}: ") + " ".join(_name(k, view, names) for k in inside)
            for g, inside in members(row).items()
        )
        for row in rows
    ]
    return "\n".join(lines)


def _weighed(group: str, inside: Sequence[int], view: Groups, names: Sequence[str]) -> str:
    said = [f"{names[k]} {view.weights[k]}" if names else str(view.weights[k]) for k in inside]
    return f"group {group}: {' + '.join(said)} = {sum(view.weights[k] for k in inside)}"


def _name(k: int, view: Groups, names: Sequence[str]) -> str:
    return names[k] if names else str(k + view.first)


def groups_svg(
    rows: Rows, view: Groups, names: Sequence[str] = (), say: Say = str, *, title: str = ""
) -> str:
    """Return groups as rows of boxes; with weights their widths say how much each weighs."""
    if view.weights and len(rows) == 1:
        return _weighed_svg(rows[0], view, names, say, title)
    parts: list[str] = []
    widest, wide = 0.0, max(_WIDTH, 9 * max(map(len, names), default=0) + 12)
    for r, row in enumerate(rows):
        x, y = 10.0, 10 + r * (_HEIGHT + _GAP)
        for group, inside in members(row).items():
            for k in inside:
                parts += _box(x, y, wide - 4, _name(k, view, names), group)
                x += wide
            x += _GAP
        widest = max(widest, x)
    height = 10 + len(rows) * (_HEIGHT + _GAP)
    return svg.document(max(widest, 20), max(height, 20), parts, title=title)


def _weighed_svg(row: Sequence[int], view: Groups, names: Sequence[str], say: Say, title: str) -> str:
    groups = members(row)
    sums = {g: sum(view.weights[k] for k in inside) for g, inside in groups.items()}
    scale = 480 / max(1, *sums.values())
    middle = max(20.0, 4.5 * max((len(say(group)) for group in groups), default=0))
    parts: list[str] = []
    for line, (group, inside) in enumerate(groups.items()):
        x, y = 2 * middle, 10 + line * (_HEIGHT + _GAP)
        parts.append(svg.text(say(group), middle, y + _HEIGHT / 2, 14, INK))
        for k in inside:
            label = f"{names[k]} {view.weights[k]}" if names else str(view.weights[k])
            parts += _box(x, y, max(1.0, scale * view.weights[k] - 2), label, k)
            x += scale * view.weights[k]
        parts.append(svg.text(f"= {sums[group]}", x + 28, y + _HEIGHT / 2, 14, INK))
    return svg.document(560 + 2 * middle, 10 + len(groups) * (_HEIGHT + _GAP), parts, title=title)


def _box(x: float, y: float, width: float, label: str, colour: int) -> list[str]:
    box = svg.rect(x, y, width, _HEIGHT, rx=5, fill=svg.fill_of(colour), stroke=INK, stroke_width=0.8)
    named = (
        [svg.text(label, x + width / 2, y + _HEIGHT / 2, 14, INK)]
        if width > 9 * len(label) or width > 12 > 7 * len(label)
        else []
    )
    return [box, *named]


# ---- a coloured graph as text and as an SVG picture ---------------------------------------------------

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
        disc = {"fill": svg.fill_of(int(colours[vertex])), "stroke": INK, "stroke_width": 1.4}
        parts.append(svg.element("circle", cx=x, cy=y, r=radius, **disc))
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
    bold = {"stroke": ATTACKED, "stroke_width": 3.2, "stroke_dasharray": "7 4"}
    style = bold if bad else {"stroke": _EDGE, "stroke_width": 1.5}
    return svg.element("line", x1=a[0], y1=a[1], x2=b[0], y2=b[1], **style)
