"""The pictures of an evaluation."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from cpqueens.lab import drawing
from cpqueens.lab.drawing import Picture, band, distributions, drawn, look, marked, together
from cpqueens.lab.evaluated import COMPARED, Evaluated, Occupancy
from cpqueens.lab.performance import Anytime, Performance, named
from cpqueens.lab.runlength import Interval, RunLengths, thin


def pictures(e: Evaluated) -> Iterator[Picture]:
    """Yield all pictures that have something to show."""
    for name, make in PICTURES.items():
        yield from make(e, name)


def _unit(e: Evaluated) -> str | None:
    """Return the first unit in which all that ran are measured."""
    ran = [p for p in e.performances if p.runs]
    return next((unit for unit in e.units if ran and all(unit in p.lengths for p in ran)), None)


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
    for unit in dict.fromkeys((_unit(e) or e.units[-1], e.units[-1])):
        for number, title, chosen in _by_problem(e, unit):
            caption = (
                f"{title}: share of runs solved within so many {named(unit)} (Kaplan-Meier, with 95 % "
                f"intervals). It ends where runs met a limit and are censored (|); stuck ones solve nothing."
            )
            curves = [(k, p.heuristic, found) for k, p, found in chosen]
            draw = partial(distributions, curves=curves, unit=named(unit))
            yield drawn(f"{name}-{unit}-{number}", caption, draw)


def _restarts(e: Evaluated, name: str) -> Iterator[Picture]:
    """Yield the expected lengths under fixed cut-offs, with the best marked."""
    unit = _unit(e)
    for number, title, chosen in () if unit is None else _by_problem(e, unit):
        known = [(k, p, found) for k, p, found in chosen if len(found.by_cutoff()[0]) > 1]
        if known and unit is not None:
            caption = (
                f"{title}: expected {named(unit)} to a solution if every run is restarted at a cut-off "
                f"(bold), and if cut-offs are Luby's 1, 1, 2, 1, 1, 2, 4, ... times a unit (thin; none "
                f"longer than what was measured). Marked are the best of these very runs; the table measures "
                f"them on others."
            )
            yield drawn(f"{name}-{number}", caption, partial(_cutoffs, chosen=known, unit=named(unit)))


def _cutoffs(axes: Any, chosen: Measured, unit: str) -> None:
    curves = [(k, p.heuristic, found) for k, p, found in chosen]
    for k, name, found in together(curves, lambda found: (*found.by_cutoff(), *found.by_luby_unit())):
        for curve, width, label in (
            (found.by_cutoff(), 2.0, name),
            (found.by_luby_unit(), 1.0, f"{name}, Luby"),
        ):
            known = (curve[0] > 0) & np.isfinite(curve[1])
            x, y = (part[known] for part in curve)
            if not len(x):
                continue
            at, best = thin(len(x), drawing.MOST_STEPS), int(y.argmin())
            axes.plot(x[at], y[at], label=label, linewidth=width, **look(k))
            axes.plot(x[best], y[best], linestyle="", markersize=4 + 2 * width, **marked(k))
    axes.set(xscale="log", yscale="log", xlabel=f"cut-off or unit, {unit}", ylabel=f"expected {unit}")


# ---- over sizes and problems ---------------------------------------------------------------------------


def _sizes(e: Evaluated, name: str) -> Iterator[Picture]:
    """Yield success rate and expected length over the size."""
    rates = _points(e, lambda p: p.rate)
    if len({size for points in rates.values() for size, _ in points}) < 2:
        return
    caption = "Share of solved runs over the size, with Wilson 95 % intervals."
    yield drawn(f"{name}-rate", caption, partial(_over_sizes, e=e, points=rates, what="share solved"))
    unit = _unit(e)
    expected = {} if unit is None else _points(e, lambda p: p.lengths[unit].expected)
    if unit is not None and any(expected.values()):
        caption = (
            f"Expected {named(unit)} to a solution over the size, with 95 % intervals, cut at {_FARTHEST} "
            f"times the value; nothing where nothing was solved."
        )
        draw = partial(_over_sizes, e=e, points=expected, what=f"expected {named(unit)}", log=True)
        yield drawn(f"{name}-length", caption, draw)


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
    curves = [(e.heuristics.index(heuristic), heuristic, found) for heuristic, found in points.items()]
    for k, name, found in together(curves, lambda found: [(n, i.value, i.low, i.high) for n, i in found]):
        ends = [(i.value, i.value - i.low, min(i.high, _FARTHEST * i.value) - i.value) for _, i in found]
        middle, *errors = np.maximum(np.array(ends).T, 0.0)
        sizes = [size for size, _ in found]
        axes.errorbar(sizes, middle, yerr=errors, label=name, capsize=3, **(look(k) | marked(k)))
    axes.set(xlabel="size", ylabel=what, **({"yscale": "log"} if log else {"ylim": (-0.02, 1.02)}))
    axes.xaxis.get_major_locator().set_params(integer=True)


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
        f"heuristic takes at most so many times the expected {named(unit)} of the best one there."
    )
    yield drawn(name, caption, lambda axes: _profile(axes, e, ratios))


def _expected(e: Evaluated, heuristic: str, problem: str, unit: str) -> float:
    found = next(p for p in e.performances if (p.heuristic, p.problem) == (heuristic, problem))
    return found.lengths[unit].expected.value if unit in found.lengths else math.inf


def _profile(axes: Any, e: Evaluated, ratios: Any) -> None:
    finite = ratios[np.isfinite(ratios)]
    end = max(2.0, float(finite.max()) * 1.2)
    columns = [(k, heuristic, np.sort(ratios[:, k])) for k, heuristic in enumerate(e.heuristics)]
    for k, name, column in together(columns, lambda column: [column]):
        x = np.append(column, end)
        y = np.append(np.arange(1, len(ratios) + 1) / len(ratios), 0.0)
        known = np.isfinite(x)
        y[-1] = y[:-1][known[:-1]].max(initial=0.0)
        x, y = (np.insert(part[known], 0, start) for part, start in ((x, 1.0), (y, 0.0)))
        axes.step(x, y, where="post", label=name, **look(k))
    axes.set(xscale="log", ylim=(-0.02, 1.02), xlabel="times the best", ylabel="share of problems")


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
        yield drawn(f"{name}-{number}", caption, partial(_distinct, e=e, found=found, groups=groups))


def _distinct(axes: Any, e: Evaluated, found: Sequence[Any], groups: Any) -> None:
    size = found[0].of_all
    longest = max(c.samples for c in found)
    curves = [
        (e.heuristics.index(c.heuristic), c.heuristic, _rising(groups[c.heuristic, c.problem])) for c in found
    ]
    for k, name, counts in together(curves, lambda counts: [counts]):
        at = thin(len(counts), drawing.MOST_STEPS)
        axes.plot(at, np.array(counts)[at], label=name, **look(k))
    x = np.linspace(0, longest, 200)
    axes.plot(
        x, size * (1 - (1 - 1 / size) ** x), color=drawing.INK, linestyle="--", linewidth=1.2, label="uniform"
    )
    if size < 20 * longest:
        axes.axhline(size, color=drawing.INK, linewidth=1.0)
    axes.set(xlabel="solved runs", ylabel="different solutions", ylim=(0, None))


def _rising(rows: Sequence[Any]) -> list[int]:
    """Return how many different solutions the first 0, 1, 2, ... solved runs found."""
    seen: set[tuple[int, ...]] = set()
    counts = [0]
    for row in rows:
        if row.solution is not None:
            seen.add(row.solution)
            counts.append(len(seen))
    return counts


# ---- where values are put --------------------------------------------------------------------------------


_MOST_NUMBERED = 14
"""Columns of cells that are wide enough for their number."""

_FULL = 3.0
"""Percentage points, at least, that have the full colour."""

_SURE = 0.05


def occupancies(e: Evaluated, name: str) -> Iterator[Picture]:
    """Yield the differences of all cells, one picture for each heuristic and problem."""
    for number, found in enumerate(e.occupancies):
        cells = "squares" if found.board is not None else "variables (rows) and values (columns)"
        caption = (
            f"{found.heuristic} on {found.problem}: percentage points by which {cells} are taken more (+) or "
            f"less often in {found.samples:,} samples than in the solutions, exactly. Framed where chance "
            f"alone would hardly do that (5 %, for all cells together). {found}."
        )
        rows, _ = _shown(found)[0].shape
        draw = partial(_map, found=found)
        yield drawn(f"{name}-{number}", caption, draw, height=min(9.0, max(2.4, 0.42 * rows + 0.9)))


def _shown(found: Occupancy) -> tuple[Any, Any]:
    """Return differences in percentage points and p-values (rows, columns) as they are drawn."""
    parts = 100 * (found.seen - found.exact), found.cell_p
    if found.board is None:
        return parts
    taken = (part[:, 1].reshape(found.board) for part in parts)
    return next(taken), next(taken)


def _map(axes: Any, found: Occupancy) -> None:
    from matplotlib.patches import Rectangle

    points, p = _shown(found)
    rows, columns = points.shape
    scale = max(_FULL, float(np.abs(points).max()))
    for row, column in np.ndindex(rows, columns):
        value = float(points[row, column])
        colour, strength = drawing.COLOURS[value > 0], 0.65 * abs(value) / scale
        place = (column - 0.5, row - 0.5)
        axes.add_patch(Rectangle(place, 1, 1, facecolor=colour, alpha=strength, linewidth=0))
        if p[row, column] * p.size < _SURE:
            frame = Rectangle((column - 0.43, row - 0.43), 0.86, 0.86, fill=False, linewidth=1.3)
            frame.set_edgecolor(drawing.INK)
            axes.add_patch(frame)
        if columns <= _MOST_NUMBERED:
            text = f"{value:+.1f}".replace("-", "\N{MINUS SIGN}") if abs(value) >= 0.05 else "0"
            axes.text(column, row, text, ha="center", va="center", fontsize=9)
    axes.grid(visible=False)
    axes.set(xlim=(-0.5, columns - 0.5), ylim=(rows - 0.5, -0.5))
    if found.board is not None:
        axes.set_aspect("equal")
        axes.set(xlabel="column", ylabel="row")
        return
    every = max(1, -(-rows // 24))
    axes.set_yticks(range(0, rows, every), found.variables[::every])
    across = max(1, -(-columns // 24))
    axes.set_xticks(range(0, columns, across), found.values[::across])
    axes.set(xlabel="value")


# ---- objectives over time --------------------------------------------------------------------------------


def anytimes(e: Evaluated, name: str) -> Iterator[Picture]:
    """Yield the incumbents of all heuristics over time, one picture for each problem."""
    optima = {r.problem: r.optimum for r in e.references}
    for number, head in enumerate(e.problems):
        curves = [curve for curve in e.anytimes if curve.problem == head.title]
        if curves:
            yield incumbents(f"{name}-{number}", e.heuristics, curves, optima[head.title])


def incumbents(
    name: str, heuristics: Sequence[str], curves: Sequence[Anytime], optimum: int | None = None
) -> Picture:
    """Return the incumbents of some of the heuristics on one problem over time; each looks as its number."""
    proved = "" if optimum is None else f" Below all lines the proved optimum, {optimum:,} (thin)."
    if curves[0].maximizing:
        proved = proved.replace("Below", "Above")
    caption = (
        f"{curves[0].problem}: the objective that half of all runs have reached by then, with the band from "
        f"the best tenth to the worst; a line begins once half of the runs have a solution.{proved}"
    )
    return drawn(name, caption, partial(_incumbents, heuristics=heuristics, curves=curves, optimum=optimum))


def _incumbents(axes: Any, heuristics: Sequence[str], curves: Sequence[Anytime], optimum: int | None) -> None:
    numbered = [(heuristics.index(curve.heuristic), curve.heuristic, curve) for curve in curves]
    for k, name, curve in together(numbered, lambda c: (c.seconds, c.median, c.good, c.poor)):
        known = [np.where(np.isfinite(part), part, np.nan) for part in (curve.median, curve.good, curve.poor)]
        middle, good, poor = known
        axes.step(curve.seconds, middle, where="post", label=name, **look(k))
        band(axes, k, curve.seconds, good, poor)
    if optimum is not None:
        axes.axhline(optimum, color=drawing.INK, linewidth=1.0)
    axes.set(xscale="log", xlabel="seconds", ylabel="objective")


def reached(e: Evaluated, name: str) -> Iterator[Picture]:
    """Yield how many runs have reached each target over time, one picture for each heuristic and problem."""
    pairs = dict.fromkeys((t.heuristic, t.problem) for t in e.targets)
    for number, (heuristic, problem) in enumerate(pairs):
        chosen = [t for t in e.targets if (t.heuristic, t.problem) == (heuristic, problem)]
        caption = (
            f"{heuristic} on {problem}: share of runs that have reached an objective within so many seconds "
            f"(Kaplan-Meier, with 95 % intervals)."
        )
        curves = [(k, target.name, target.lengths) for k, target in enumerate(chosen)]
        yield drawn(
            f"{name}-{number}", caption, partial(distributions, curves=curves, unit="seconds", what="reached")
        )


PICTURES: dict[str, Callable[[Evaluated, str], Iterator[Picture]]] = {
    "lengths": _distributions,
    "sizes": _sizes,
    "profile": _profiles,
    "restarts": _restarts,
    "coverage": _coverage,
    "occupancy": occupancies,
    "anytime": anytimes,
    "targets": reached,
}
"""In the order of the page."""
