"""Plots of the experiments: as numbers, which data files hold, and as pictures, which pages show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cpqueens.lab.drawing import MARKERS, Picture, drawn, look, together
from cpqueens.lab.experiments import LIMIT, Sweep, made
from cpqueens.lab.runlength import RunLengths

_JUMPS = 80
"""Of a distribution, which is as fine as a phone shows."""


@dataclass(frozen=True)
class Plot:
    """Lines by name, each with x, y and the ends of its 95 % intervals.

    Attributes
    ----------
    name, caption
        Of the picture.
    x, y
        What the axes are.
    stepped
        Whether lines are distributions; else points over sizes, on a logarithmic axis.
    lines
        ``{name: {"x": [...], "y": [...], "low": [...], "high": [...]}}``.
    """

    name: str
    caption: str
    x: str
    y: str
    stepped: bool
    lines: Mapping[str, Mapping[str, list[float]]]


def _lengths(n: int, solver: str, options: Mapping[str, Any], runs: int, limit: int = LIMIT) -> RunLengths:
    found = made(n, solver, runs, tuple(options.items()), limit)
    return RunLengths.in_unit(found, "evaluations")


@dataclass(frozen=True)
class OverSizes:
    """Evaluations of a solution over sizes, from the runs of a table."""

    sweep: Sweep

    def __call__(self, runs: int) -> Plot:
        """Return the plot."""
        lines = {
            label: self._line(solver, options, self.sweep.runs(runs))
            for label, (solver, options) in self.sweep.solvers.items()
        }
        caption = "Evaluations of a solution over the number of queens, with 95 % intervals."
        return Plot(self.sweep.name, caption, "queens", "evaluations of a solution", False, lines)

    def _line(self, solver: str, options: Mapping[str, Any], runs: int) -> dict[str, list[float]]:
        limit = self.sweep.limit
        found = [_lengths(n, solver, options, runs, limit).expected() for n in self.sweep.sizes]
        parts = {
            "y": [one.value for one in found],
            "low": [one.low for one in found],
            "high": [one.high for one in found],
        }
        return {"x": [float(n) for n in self.sweep.sizes], **parts}


@dataclass(frozen=True)
class Distributions:
    """Shares of runs on 8 queens that are solved within so many evaluations."""

    name: str
    solvers: Mapping[str, tuple[str, Mapping[str, Any]]]

    def __call__(self, runs: int) -> Plot:
        """Return the plot."""
        lines = {label: self._line(*solver, runs) for label, solver in self.solvers.items()}
        caption = (
            "8 queens: the share of runs that are solved within so many evaluations (Kaplan-Meier, with "
            "95 % intervals). A line that stays below 1 has runs that are stuck."
        )
        return Plot(self.name, caption, "evaluations", "share solved", True, lines)

    def _line(self, solver: str, options: Mapping[str, Any], runs: int) -> dict[str, list[float]]:
        curve = _lengths(8, solver, options, runs).curve().thinned(_JUMPS)
        parts = {"x": curve.x, "y": curve.y, "low": curve.low, "high": curve.high}
        return {name: [round(float(value), 4) for value in values] for name, values in parts.items()}


def picture(plot: Plot) -> Picture:
    """Draw a plot."""
    return drawn(plot.name, plot.caption, partial(_draw, plot=plot))


def _draw(axes: Any, plot: Plot) -> None:
    lines = [(k, label, line) for k, (label, line) in enumerate(plot.lines.items())]
    for k, label, line in together(lines, lambda line: list(line.values())):
        if plot.stepped:
            axes.step(line["x"], line["y"], where="post", label=label, **look(k))
            colour = look(k)["color"]
            axes.fill_between(line["x"], line["low"], line["high"], step="post", alpha=0.15, color=colour)
        else:
            ends = np.abs(np.array([line["low"], line["high"]]) - np.array(line["y"]))
            axes.errorbar(line["x"], line["y"], yerr=ends, marker=MARKERS[k], label=label, **look(k))
    if plot.stepped:
        axes.set(xscale="log", ylim=(-0.02, 1.02), xlabel=plot.x, ylabel=plot.y)
    else:
        axes.set(yscale="log", xlabel=plot.x, ylabel=plot.y)
        axes.set_xticks(sorted({x for line in plot.lines.values() for x in line["x"]}))
