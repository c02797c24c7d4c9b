"""Pictures drawn by matplotlib, as SVG that takes its colours from the page."""

import io
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, TypeVar

import numpy as np

from cpqueens.lab.runlength import RunLengths

Curve = TypeVar("Curve")

INK = "#123457"
"""A colour that nothing else has: the page's own takes its place."""

COLOURS = ("#3b82c4", "#d9762b", "#2f9e77", "#c25596", "#8f7ae0", "#a08a1f", "#4fa3b8")
"""Legible on light and dark ground; lines differ by dashes and markers as well."""

DASHES: Sequence[Any] = (
    "-",
    (0, (6, 2)),
    (0, (2, 1.5)),
    (0, (7, 2, 2, 2)),
    (0, (1, 1)),
    (0, (9, 3)),
    (0, (4, 1, 1, 1, 1, 1)),
)
MARKERS = "osD^vPX"

MOST_STEPS = 150
"""Of a distribution or a curve that are drawn, which is as fine as a screen shows."""


@dataclass(frozen=True)
class Picture:
    """An SVG element with its caption, which says what is shown and how to read it."""

    name: str
    svg: str
    caption: str


_INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "grid.color")


def _style(name: str) -> Any:
    """Return matplotlib's settings: text stays text, names depend on nothing but the picture's."""
    return {
        "svg.fonttype": "none", "svg.hashsalt": name, "font.size": 11, "font.family": "sans-serif",
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25,
        "legend.frameon": False, "lines.linewidth": 2.0, **dict.fromkeys(_INKED, INK),
    }  # fmt: skip


def drawn(name: str, caption: str, draw: Callable[[Any], object], height: float = 3.4) -> Picture:
    """Return what ``draw`` draws on axes; ``height`` is in inches, of a width of 5.6, without names above."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import LogFormatter

    with mpl.rc_context(_style(name)):
        figure = Figure()
        figure.patch.set_alpha(0)
        axes = figure.subplots()
        axes.patch.set_alpha(0)
        draw(axes)
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log":  # 200 is short enough to stand beside the axis, 2 x 10^2 is not
                axis.set_minor_formatter(LogFormatter())
        above = _named_above(axes)
        whole = height + above
        figure.set_size_inches(_WIDTH, whole)
        figure.subplots_adjust(left=0.14, right=0.97, bottom=0.55 / whole, top=1 - (0.1 + above) / whole)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return Picture(name, _inline(stream.getvalue(), name, caption), caption)


_WIDTH = 5.6
"""Inches: at this width letters are legible on a phone, too."""

_LETTERS = 56
"""Of names, so many fit into a line."""


def _named_above(axes: Any) -> float:
    """Write the names of the curves above them, where they hide nothing; return the inches that it takes."""
    lines, names = axes.get_legend_handles_labels()
    if not names:
        return 0.0
    names = [textwrap.fill(name, _LETTERS, break_long_words=False) for name in names]
    longest = 6 + max(map(len, names))  # with its sample of the line
    across = max(1, min(len(names), _LETTERS // longest))
    place = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.1, "labelspacing": 0.3}
    axes.legend(lines, names, ncols=across, **place)
    rows = sum(name.count("\n") for name in names) - (-len(names) // across)
    return 0.22 * rows + 0.1


def together(
    curves: Iterable[tuple[int, str, Curve]], drawn_of: Callable[[Curve], Sequence[Any]]
) -> list[tuple[int, str, Curve]]:
    """Return (number of a look, name, curve); those that draw the same are one, with all names."""
    groups: dict[bytes, list[tuple[int, str, Curve]]] = {}
    for one in curves:
        content = b"|".join(np.asarray(part, dtype=np.float64).tobytes() for part in drawn_of(one[2]))
        groups.setdefault(content, []).append(one)
    return [(same[0][0], " = ".join(name for _, name, _ in same), same[0][2]) for same in groups.values()]


def _inline(svg: str, name: str, caption: str) -> str:
    """Return a picture as an element of a page: no header, sizes of the page, names of its own."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.S)
    svg = re.sub(r"\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}", svg)  # finer than a screen
    svg = re.sub(r' id="[a-zA-Z0-9]+_\d+"', "", svg)  # that nothing refers to
    svg = re.sub(r'(id="|url\(#|href="#)', rf"\g<1>{name}-", svg)
    head, _, rest = svg.partition(">")
    box = re.search(r'viewBox="[^"]*"', head)
    assert box is not None, "matplotlib says how large its drawing is"
    title = f"<title>{escape(caption)}</title>"
    return f'<svg {box[0]} role="img" {_NAMESPACES}>{title}{rest}'.replace(INK, "currentColor").strip()


_NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def look(k: int) -> dict[str, Any]:
    """Return colour and dashes of the k-th heuristic."""
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k % len(DASHES)]}


def marked(k: int) -> dict[str, Any]:
    """Return colour and marker of the k-th heuristic, for points."""
    return {"color": look(k)["color"], "marker": MARKERS[k % len(MARKERS)]}


def band(axes: Any, k: int, x: Any, low: Any, high: Any) -> None:
    """Draw what lies between the steps of two curves of the k-th heuristic."""
    axes.fill_between(x, low, high, step="post", alpha=0.15, color=look(k)["color"], linewidth=0)


def distributions(
    axes: Any, curves: Sequence[tuple[int, str, RunLengths]], unit: str, what: str = "solved"
) -> None:
    """Draw shares of runs that are solved, by length; each with the number of its look, and a name."""
    floor = min(float(found.lengths[found.lengths > 0].min(initial=1.0)) for _, _, found in curves) / 2
    for k, name, found in together(curves, _distribution):
        curve = found.curve().thinned(MOST_STEPS)
        end = min(float(found.lengths.max()), found.horizon)
        x = np.maximum(np.append(np.insert(curve.x, 0, floor), end), floor)
        y, low, high = (
            np.append(np.insert(part, 0, 0.0), part[-1]) for part in (curve.y, curve.low, curve.high)
        )
        axes.step(x, y, where="post", label=name, **look(k))
        band(axes, k, x, low, high)
        censored = np.unique(found.lengths[found.limited | found.interrupted])
        censored = censored[censored <= end]
        if len(censored):
            at = np.searchsorted(x, censored, side="right") - 1
            axes.plot(censored, y[at], "|", markersize=9, color=look(k)["color"])
    axes.set(xscale="log", ylim=(-0.02, 1.02), xlabel=unit, ylabel=f"share {what}")


def _distribution(found: RunLengths) -> Sequence[Any]:
    curve = found.curve()
    return curve.x, curve.y, curve.low, curve.high, [found.horizon, found.lengths.max()]
