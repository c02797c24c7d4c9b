"""A ruler with marks, such as a Golomb ruler, as text and as an SVG picture."""

from collections.abc import Sequence
from itertools import pairwise

from cpqueens.report import svg

_WIDEST = 96
_WOOD, _EDGE, _INK, _FAINT = "#f1e4cf", "#5d4030", "#2b2019", "#8a7867"
_LENGTH, _MARGIN, _TOP, _HEIGHT = 640, 24, 26, 34


def ruler_text(marks: Sequence[int], width: int | None = None, *, unicode: bool = True) -> str:
    """Return the ruler to scale over its marks' numbers, or the numbers alone where it is too long.

    >>> print(ruler_text([0, 1, 4, 6]))
    ├─┼─────┼───┤
    0 1     4   6
    """
    ordered = sorted(marks)
    gaps = [b - a for a, b in pairwise(ordered)]
    if not gaps or not all(gaps):
        return " ".join(map(str, marks))
    step = max(-(-(len(str(a)) + 1) // gap) for a, gap in zip(ordered, gaps, strict=False))
    length = step * (ordered[-1] - ordered[0])
    if length + len(str(ordered[-1])) > (_WIDEST if width is None else width):
        return " ".join(map(str, marks))
    line, left, cross, right = ("─", "├", "┼", "┤") if unicode else ("-", "|", "|", "|")
    places = [step * (mark - ordered[0]) for mark in ordered]
    bar = [line] * (length + 1)
    for at in places:
        bar[at] = cross
    bar[0], bar[-1] = left, right
    below = ""
    for at, mark in zip(places, ordered, strict=True):
        below = below.ljust(at) + str(mark)
    return "".join(bar) + "\n" + below


def ruler_svg(marks: Sequence[int], *, title: str = "") -> str:
    """Return the ruler as a stand-alone SVG picture, with the distances of neighbours above it."""
    ordered = sorted(marks)
    start = ordered[0] if ordered else 0
    scale = _LENGTH / max(1, ordered[-1] - start if ordered else 1)
    xs = [_MARGIN + scale * (mark - start) for mark in ordered]
    parts = [_body(), _ticks(xs)]
    parts += [svg.text(mark, x, _TOP + _HEIGHT + 12, 13, _INK) for mark, x in zip(ordered, xs, strict=True)]
    for k in range(len(ordered) - 1):
        parts.append(svg.text(ordered[k + 1] - ordered[k], (xs[k] + xs[k + 1]) / 2, _TOP - 12, 11, _FAINT))
    return svg.document(_LENGTH + 2 * _MARGIN, _TOP + _HEIGHT + 26, parts, title=title)


def _body() -> str:
    place = {"x": _MARGIN - 10, "y": _TOP, "width": _LENGTH + 20, "height": _HEIGHT, "rx": 4}
    return svg.element("rect", attributes={**place, "fill": _WOOD, "stroke": _EDGE})


def _ticks(xs: Sequence[float]) -> str:
    line = "".join(f"M{svg.number(x)} {_TOP}v{svg.number(0.62 * _HEIGHT)}" for x in xs)
    return svg.element("path", attributes={"d": line or "M0 0", "stroke": _INK, "stroke-width": 2})
