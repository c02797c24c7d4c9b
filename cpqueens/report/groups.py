"""Who is with whom: groups of things, perhaps with weights, as text and as an SVG picture."""

from collections.abc import Sequence

from cpqueens.language.views import Groups
from cpqueens.report import svg
from cpqueens.report.numbers import INK
from cpqueens.report.palette import fill_of

Rows = Sequence[Sequence[int]]
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


def groups_text(rows: Rows, view: Groups) -> str:
    """Return one line for each group with its sum, or for each row with all its groups."""
    if view.weights and len(rows) == 1:
        weighed = {g: [view.weights[k] for k in inside] for g, inside in members(rows[0]).items()}
        return "\n".join(f"group {g}: {' + '.join(map(str, w))} = {sum(w)}" for g, w in weighed.items())
    lines = [" | ".join(_names(inside, view) for inside in members(row).values()) for row in rows]
    return "\n".join(lines)


def _names(inside: Sequence[int], view: Groups) -> str:
    return " ".join(str(k + view.first) for k in inside)


def groups_svg(rows: Rows, view: Groups, *, title: str = "") -> str:
    """Return groups as rows of boxes; with weights their widths say how much each weighs."""
    if view.weights and len(rows) == 1:
        return _weighed_svg(rows[0], view, title)
    parts: list[str] = []
    widest = 0.0
    for r, row in enumerate(rows):
        x, y = 10.0, 10 + r * (_HEIGHT + _GAP)
        for group, inside in members(row).items():
            for k in inside:
                parts += _box(x, y, _WIDTH - 4, k + view.first, group)
                x += _WIDTH
            x += _GAP
        widest = max(widest, x)
    height = 10 + len(rows) * (_HEIGHT + _GAP)
    return svg.document(max(widest, 20), max(height, 20), parts, title=title)


def _weighed_svg(row: Sequence[int], view: Groups, title: str) -> str:
    groups = members(row)
    sums = {g: sum(view.weights[k] for k in inside) for g, inside in groups.items()}
    scale = 480 / max(1, *sums.values())
    parts: list[str] = []
    for line, (group, inside) in enumerate(groups.items()):
        x, y = 40.0, 10 + line * (_HEIGHT + _GAP)
        parts.append(svg.text(group, 20, y + _HEIGHT / 2, 14, INK))
        for k in inside:
            parts += _box(x, y, max(1.0, scale * view.weights[k] - 2), view.weights[k], k)
            x += scale * view.weights[k]
        parts.append(svg.text(f"= {sums[group]}", x + 28, y + _HEIGHT / 2, 14, INK))
    return svg.document(600, 10 + len(groups) * (_HEIGHT + _GAP), parts, title=title)


def _box(x: float, y: float, width: float, label: int, colour: int) -> list[str]:
    place = {"x": x, "y": y, "width": width, "height": _HEIGHT, "rx": 5}
    edge: svg.Attributes = {"fill": fill_of(colour), "stroke": INK, "stroke-width": 0.8}
    named = [svg.text(label, x + width / 2, y + _HEIGHT / 2, 14, INK)] if width > 12 else []
    return [svg.element("rect", attributes={**place, **edge}), *named]
