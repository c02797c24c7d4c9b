"""Who is with whom: groups of things, perhaps with weights, as text and as an SVG picture."""

from collections.abc import Callable, Sequence

from cpqueens.language.views import Groups
from cpqueens.report import svg
from cpqueens.report.numbers import INK
from cpqueens.report.svg import fill_of

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
    place = {"x": x, "y": y, "width": width, "height": _HEIGHT, "rx": 5}
    edge: svg.Attributes = {"fill": fill_of(colour), "stroke": INK, "stroke-width": 0.8}
    named = (
        [svg.text(label, x + width / 2, y + _HEIGHT / 2, 14, INK)]
        if width > 9 * len(label) or width > 12 > 7 * len(label)
        else []
    )
    return [svg.element("rect", attributes={**place, **edge}), *named]
