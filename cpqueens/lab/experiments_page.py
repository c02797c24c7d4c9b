"""The reproduced texts as plots, as lines for a terminal, as one self-contained HTML page and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import partial
from html import escape
from typing import Any

import numpy as np

from cpqueens.crosscheck.environment import versions
from cpqueens.lab.drawing import MARKERS, Picture, drawn, look, together
from cpqueens.lab.evaluation import STYLE, table
from cpqueens.lab.evaluation_text import laid_out
from cpqueens.lab.experiments import LIMIT, Reproduced, Section, Sweep, made
from cpqueens.lab.runlength import RunLengths
from cpqueens.text.plaintext import wrapped

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


def notes(section: Section) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield what is said of a source beside its figures, by title."""
    for title, listed in (
        ("Its claims, answered", section.answers),
        ("How it is read", section.readings),
        ("Known mistakes", section.mistakes),
    ):
        if listed:
            yield title, listed


def text(found: Reproduced, width: int) -> str:
    """Return a section as lines of at most ``width`` characters, if words and commands are not longer."""
    section = found.section
    lines = [*wrapped(section.name, width), *wrapped(f"source: {section.source}", width)]
    for one in found.tables:
        lines += ["", *wrapped(one.caption, width), *laid_out(one.rows, width)]
        lines += [f"  $ {command}" for command in one.commands]
    for title, listed in notes(section):
        lines += ["", f"{title}:", *(line for note in listed for line in wrapped(f"- {note}", width))]
    return "\n".join([*lines, f"({found.seconds:.1f} s of processor time)"])


def data(sections: Sequence[Reproduced], runs: int) -> dict[str, Any]:
    """Return what the page says as plain values, and when and where: a table's first row is its head."""
    when = {"date": date.today().isoformat(), "versions": dict(versions())}
    return {**when, "runs": runs, "seconds": sum(found.seconds for found in sections), "sections": [
        {
            "key": found.section.key,
            "name": found.section.name,
            "source": found.section.source,
            "tables": [asdict(one) for one in found.tables],
            "plots": [asdict(one) for one in found.plots],
            "notes": [{"title": title, "lines": list(lines)} for title, lines in notes(found.section)],
            "seconds": found.seconds,
        }
        for found in sections
    ]}  # fmt: skip


def page(sections: Sequence[Reproduced], runs: int) -> str:
    """Return the page.

    Raises
    ------
    MissingLibrary
        If matplotlib is not installed.
    """
    title = "The classical texts, reproduced"
    seconds = sum(found.seconds for found in sections)
    about = (
        f"Measured on {date.today().isoformat()}, {runs:,} runs of each experiment, fewer of expensive ones; "
        f"{seconds:.0f} s of processor time. Intervals hold the truth in 95 of 100 cases."
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{STYLE}{_COMMANDS}</style></head>\n"
        f'<body><h1>{title}</h1><p class="soft">{about}</p>{"".join(_parts(sections))}</body></html>\n'
    )


_COMMANDS = "pre { white-space: pre-wrap; font-size: .85rem; margin: .4rem 0 1rem; color: var(--soft); }"


def _parts(sections: Sequence[Reproduced]) -> Iterator[str]:
    from cpqueens.lab.experiments_page import picture

    for found in sections:
        section = found.section
        yield f'<h2>{escape(section.name)}</h2><p class="soft">Source: {escape(section.source)}</p>'
        for one in found.tables:
            head, *rows = one.rows
            yield table(head, rows, one.caption)
            yield f"<pre>{escape(chr(10).join(one.commands))}</pre>"
        for plot in map(picture, found.plots):
            yield f"<figure><div>{plot.svg}</div><figcaption>{escape(plot.caption)}</figcaption></figure>\n"
        for title, listed in notes(section):
            items = "".join(f"<li>{escape(note)}</li>" for note in listed)
            yield f"<p>{title}</p><ul>{items}</ul>"
        yield f'<p class="soft">{found.seconds:.1f} s</p>'
