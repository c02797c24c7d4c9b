"""A row of things with the features of each below it, as text and as an SVG picture."""

from collections.abc import Callable, Sequence

from cpqueens.report import svg
from cpqueens.report.numbers import INK
from cpqueens.report.palette import fill_of

Table = Sequence[Sequence[int]]
_CELL, _LEFT = 34, 96


def features_text(
    row: Sequence[int], table: Table, names: Sequence[str] = (), say: Callable[[int], str] = str
) -> str:
    """Return the classes, and for each feature a line with ``#`` where the thing has it."""
    lines = [("", list(names))] if names else []
    lines += [("class", [say(value) for value in row])]
    width = max((len(cell) for _, cells in lines for cell in cells), default=1)
    lines += [(f"feature {f}", ["#" if has[c] else "." for c in row]) for f, has in enumerate(table)]
    left = max(len(name) for name, _ in lines)
    return "\n".join(
        f"{name:<{left}} " + " ".join(cell.rjust(width) for cell in cells) for name, cells in lines
    )


def features_svg(
    row: Sequence[int],
    table: Table,
    names: Sequence[str] = (),
    say: Callable[[int], str] = str,
    *,
    title: str = "",
) -> str:
    """Return the row with the features below it; a filled square says that a thing has one."""
    parts: list[str] = []
    for k, value in enumerate(row):
        parts += _square(k, 0, fill_of(value))
        size = min(15.0, 1.6 * _CELL / max(1, len(say(value))))
        parts.append(svg.text(say(value), _LEFT + (k + 0.5) * _CELL, 0.5 * _CELL, size, INK))
    for f, has in enumerate(table):
        parts.append(svg.text(f"feature {f}", _LEFT / 2, (f + 1.7) * _CELL, 13, INK))
        for k, value in enumerate(row):
            parts += _square(k, f + 1.2, INK if has[value] else "#fbf8f2")
    height = _CELL * (len(table) + 1.4)
    for k, name in enumerate(names):
        size = min(12.0, 1.6 * _CELL / max(1, len(name)))
        parts.append(svg.text(name, _LEFT + (k + 0.5) * _CELL, height + 6, size, INK))
    height += 16 * bool(names)
    return svg.document(_LEFT + _CELL * max(1, len(row)) + 6, height, parts, title=title)


def _square(column: int, row: float, fill: str) -> list[str]:
    place = {"x": _LEFT + column * _CELL + 1, "y": row * _CELL + 2, "width": _CELL - 3, "height": _CELL - 4}
    return [svg.element("rect", attributes={**place, "fill": fill, "stroke": INK, "stroke-width": 0.6})]
