"""The pictures of an evaluation, drawn by matplotlib as SVG that takes its colours from the page."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np

from cpqueens.lab.comparing import COMPARED
from cpqueens.lab.evaluated import Evaluated
from cpqueens.lab.performance import UNITS, Performance
from cpqueens.lab.runlength import Interval, RunLengths, thin

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


_MOST_STEPS = 150
"""Of a distribution or a curve that are drawn, which is as fine as a screen shows."""


@dataclass(frozen=True)
class Picture:
    """An SVG element with its caption, which says what is shown and how to read it."""

    name: str
    svg: str
    caption: str


def pictures(e: Evaluated) -> Iterator[Picture]:
    """Yield all pictures that have something to show."""
    for name, make in PICTURES.items():
        yield from make(e, name)


_INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color", "grid.color")


def _style(name: str) -> Any:
    """Return matplotlib's settings: text stays text, names depend on nothing but the picture's."""
    return {
        "svg.fonttype": "none", "svg.hashsalt": name, "font.size": 11, "font.family": "sans-serif",
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.25,
        "legend.frameon": False, "lines.linewidth": 2.0, **dict.fromkeys(_INKED, INK),
    }  # fmt: skip


def _drawn(name: str, caption: str, draw: Callable[[Any], object]) -> Picture:
    """Return what ``draw`` draws on axes."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_style(name)):
        figure = Figure(figsize=(7.0, 3.9))
        figure.subplots_adjust(left=0.12, right=0.98, bottom=0.14, top=0.97)
        figure.patch.set_alpha(0)
        axes = figure.subplots()
        axes.patch.set_alpha(0)
        draw(axes)
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return Picture(name, _inline(stream.getvalue(), name, caption), caption)


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


def _look(k: int) -> dict[str, Any]:
    """Return colour and dashes of the k-th heuristic."""
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k % len(DASHES)]}


def _unit(e: Evaluated) -> str | None:
    """Return the first unit in which all that ran are measured."""
    ran = [p for p in e.performances if p.runs]
    return next((unit for unit in UNITS if ran and all(unit in p.lengths for p in ran)), None)


def _lengths(e: Evaluated, unit: str) -> Iterator[tuple[int, Performance, RunLengths]]:
    """Yield the run lengths of each heuristic, which is told by its number, on each problem."""
    groups = e.runs.groups()
    for p in e.performances:
        rows = groups.get((p.heuristic, p.problem))
        found = None if rows is None else RunLengths.of(rows, unit)
        if found is not None and unit in p.lengths:
            yield e.heuristics.index(p.heuristic), p, found


# ---- distributions -------------------------------------------------------------------------------------


Measured = Sequence[tuple[int, Performance, RunLengths]]


def _by_problem(e: Evaluated, unit: str) -> Iterator[tuple[int, str, Measured]]:
    """Yield number and title of each problem with the run lengths there."""
    measured = list(_lengths(e, unit))
    for number, head in enumerate(e.problems):
        chosen = [(k, p, found) for k, p, found in measured if p.problem == head.title]
        if chosen:
            yield number, head.title, chosen


def _distributions(e: Evaluated, name: str) -> Iterator[Picture]:
    """Yield the run-length distributions, one picture for each unit and problem."""
    for unit in dict.fromkeys((_unit(e) or "processor_seconds", "processor_seconds")):
        for number, title, chosen in _by_problem(e, unit):
            caption = (
                f"{title}: share of runs solved within so many {UNITS[unit]} (Kaplan-Meier, with 95 % "
                f"intervals). It ends where runs met a limit and are censored (|); stuck ones solve nothing."
            )
            yield _drawn(f"{name}-{unit}-{number}", caption, partial(_steps, chosen=chosen, unit=unit))


def _steps(axes: Any, chosen: Measured, unit: str) -> None:
    floor = min(float(found.lengths[found.lengths > 0].min(initial=1.0)) for _, _, found in chosen) / 2
    for k, p, found in chosen:
        curve = found.curve().thinned(_MOST_STEPS)
        end = min(float(found.lengths.max()), found.horizon)
        x = np.maximum(np.append(np.insert(curve.x, 0, floor), end), floor)
        y, low, high = (
            np.append(np.insert(part, 0, 0.0), part[-1]) for part in (curve.y, curve.low, curve.high)
        )
        axes.step(x, y, where="post", label=p.heuristic, **_look(k))
        axes.fill_between(x, low, high, step="post", alpha=0.15, color=_look(k)["color"], linewidth=0)
        censored = np.unique(found.lengths[found.limited | found.interrupted])
        censored = censored[censored <= end]
        if len(censored):
            at = np.searchsorted(x, censored, side="right") - 1
            axes.plot(censored, y[at], "|", markersize=9, color=_look(k)["color"])
    axes.set(xscale="log", ylim=(-0.02, 1.02), xlabel=UNITS[unit], ylabel="share solved")
    axes.legend(loc="best")


def _restarts(e: Evaluated, name: str) -> Iterator[Picture]:
    """Yield the expected lengths under fixed cut-offs, with the best marked."""
    unit = _unit(e)
    for number, title, chosen in () if unit is None else _by_problem(e, unit):
        known = [(k, p, found) for k, p, found in chosen if len(found.by_cutoff()[0]) > 1]
        if known and unit is not None:
            caption = (
                f"{title}: expected {UNITS[unit]} to a solution if every run is restarted at a cut-off. The "
                f"marked one is the best of these very runs; the table measures it on others."
            )
            yield _drawn(f"{name}-{number}", caption, partial(_cutoffs, chosen=known, unit=UNITS[unit]))


def _cutoffs(axes: Any, chosen: Measured, unit: str) -> None:
    for k, p, found in chosen:
        cutoffs, expected = found.by_cutoff()
        shown = cutoffs > 0
        best = int(expected.argmin())
        drawn = thin(len(cutoffs), _MOST_STEPS)
        drawn = drawn[shown[drawn]]
        axes.plot(cutoffs[drawn], expected[drawn], label=p.heuristic, **_look(k))
        mark = {"marker": MARKERS[k % len(MARKERS)], "color": _look(k)["color"], "markersize": 8}
        axes.plot(cutoffs[best], expected[best], linestyle="", **mark)
    axes.set(xscale="log", yscale="log", xlabel=f"cut-off in {unit}", ylabel=f"expected {unit}")
    axes.legend(loc="best")


# ---- over sizes and problems ---------------------------------------------------------------------------


def _sizes(e: Evaluated, name: str) -> Iterator[Picture]:
    """Yield success rate and expected length over the size."""
    rates = _points(e, lambda p: p.rate)
    if len({size for points in rates.values() for size, _ in points}) < 2:
        return
    caption = "Share of solved runs over the size, with Wilson 95 % intervals."
    yield _drawn(f"{name}-rate", caption, partial(_over_sizes, e=e, points=rates, what="share solved"))
    unit = _unit(e)
    expected = {} if unit is None else _points(e, lambda p: p.lengths[unit].expected)
    if unit is not None and any(expected.values()):
        caption = (
            f"Expected {UNITS[unit]} to a solution over the size, with 95 % intervals, cut at {_FARTHEST} "
            f"times the value; nothing where nothing was solved."
        )
        draw = partial(_over_sizes, e=e, points=expected, what=f"expected {UNITS[unit]}", log=True)
        yield _drawn(f"{name}-length", caption, draw)


_FARTHEST = 10
"""Times the value up to which the end of an interval is drawn; some are infinite."""

Points = Mapping[str, Sequence[tuple[int, Interval]]]


def _points(e: Evaluated, value: Callable[[Performance], Interval]) -> Points:
    """Return sizes and estimates of each heuristic, where there are any."""
    found: dict[str, list[tuple[int, Interval]]] = {}
    for p in e.performances:
        if p.size is not None and p.runs and math.isfinite(value(p).value):
            found.setdefault(p.heuristic, []).append((p.size, value(p)))
    return {heuristic: sorted(points, key=lambda point: point[0]) for heuristic, points in found.items()}


def _over_sizes(axes: Any, e: Evaluated, points: Points, what: str, log: bool = False) -> None:
    for heuristic, found in points.items():
        k = e.heuristics.index(heuristic)
        ends = [(i.value, i.value - i.low, min(i.high, _FARTHEST * i.value) - i.value) for _, i in found]
        middle, *errors = np.maximum(np.array(ends).T, 0.0)
        mark = {"marker": MARKERS[k % len(MARKERS)], "capsize": 3, **_look(k)}
        axes.errorbar([size for size, _ in found], middle, yerr=errors, label=heuristic, **mark)
    axes.set(xlabel="size", ylabel=what, **({"yscale": "log"} if log else {"ylim": (-0.02, 1.02)}))
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.legend(loc="best")


def _profiles(e: Evaluated, name: str) -> Iterator[Picture]:
    """Yield the performance profile of several heuristics over several problems."""
    ran = [p for p in e.performances if p.runs]
    units = [unit for unit in COMPARED if all(unit in p.lengths for p in ran)]
    if len(e.heuristics) < 2 or len(e.problems) < 2 or not units:
        return
    unit = units[0]
    expected = np.array([[_expected(e, h, head.title, unit) for h in e.heuristics] for head in e.problems])
    best = expected.min(axis=1, keepdims=True)
    if not np.isfinite(best).any():
        return
    with np.errstate(invalid="ignore"):
        ratios = np.where(np.isfinite(expected), expected / best, np.inf)
    caption = (
        f"Performance profile (Dolan and More 2002): share of the {len(e.problems)} problems on which a "
        f"heuristic takes at most so many times the expected {UNITS[unit]} of the best one there."
    )
    yield _drawn(name, caption, lambda axes: _profile(axes, e, ratios))


def _expected(e: Evaluated, heuristic: str, problem: str, unit: str) -> float:
    found = next(p for p in e.performances if (p.heuristic, p.problem) == (heuristic, problem))
    return found.lengths[unit].expected.value if unit in found.lengths else math.inf


def _profile(axes: Any, e: Evaluated, ratios: Any) -> None:
    finite = ratios[np.isfinite(ratios)]
    end = max(2.0, float(finite.max()) * 1.2)
    for k, heuristic in enumerate(e.heuristics):
        x = np.append(np.sort(ratios[:, k]), end)
        y = np.append(np.arange(1, len(ratios) + 1) / len(ratios), 0.0)
        known = np.isfinite(x)
        y[-1] = y[:-1][known[:-1]].max(initial=0.0)
        x, y = (np.insert(part[known], 0, start) for part, start in ((x, 1.0), (y, 0.0)))
        axes.step(x, y, where="post", label=heuristic, **_look(k))
    axes.set(xscale="log", ylim=(-0.02, 1.02), xlabel="times the best", ylabel="share of problems")
    axes.legend(loc="best")


# ---- coverage ------------------------------------------------------------------------------------------


def _coverage(e: Evaluated, name: str) -> Iterator[Picture]:
    """Yield how many different solutions so many runs found, against what uniform sampling would."""
    groups = e.runs.groups()
    for number, head in enumerate(e.problems):
        found = [c for c in e.coverages if c.problem == head.title and c.of_all]
        if not found:
            continue
        caption = (
            f"{head.title}: different solutions among the first solved runs; dashed what sampling all "
            f"{found[0].of_all:,} uniformly would find (exact), the line above all there are."
        )
        yield _drawn(f"{name}-{number}", caption, partial(_distinct, e=e, found=found, groups=groups))


def _distinct(axes: Any, e: Evaluated, found: Sequence[Any], groups: Any) -> None:
    size = found[0].of_all
    longest = max(c.samples for c in found)
    for c in found:
        seen: set[tuple[int, ...]] = set()
        counts = [0]
        for row in groups[c.heuristic, c.problem]:
            if row.solution is not None:
                seen.add(row.solution)
                counts.append(len(seen))
        drawn = thin(len(counts), _MOST_STEPS)
        axes.plot(drawn, np.array(counts)[drawn], label=c.heuristic, **_look(e.heuristics.index(c.heuristic)))
    x = np.linspace(0, longest, 200)
    axes.plot(x, size * (1 - (1 - 1 / size) ** x), color=INK, linestyle="--", linewidth=1.2, label="uniform")
    if size < 20 * longest:
        axes.axhline(size, color=INK, linewidth=1.0)
    axes.set(xlabel="solved runs", ylabel="different solutions", ylim=(0, None))
    axes.legend(loc="best")


PICTURES: dict[str, Callable[[Evaluated, str], Iterator[Picture]]] = {
    "lengths": _distributions,
    "sizes": _sizes,
    "profile": _profiles,
    "restarts": _restarts,
    "coverage": _coverage,
}
"""In the order of the page."""
