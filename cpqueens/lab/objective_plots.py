"""The pictures of objectives over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from cpqueens.lab.anytime import Anytime
from cpqueens.lab.drawing import INK, Picture, distributions, drawn, look, together
from cpqueens.lab.evaluated import Evaluated


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
        both = np.isfinite(good) & np.isfinite(poor)
        axes.fill_between(
            curve.seconds,
            good,
            poor,
            where=both,
            step="post",
            alpha=0.18,
            color=look(k)["color"],
            linewidth=0,
        )
    if optimum is not None:
        axes.axhline(optimum, color=INK, linewidth=1.0)
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
