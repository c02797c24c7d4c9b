"""What experiments on the classical texts are made of: claims, tables over sizes, and their figures.

Figures come from the same functions as those of ``evaluate``, whose command stands below each table: it makes
the same runs, and prints the same figures. Where a source has a program, it is measured as well
(`source_programs`): what the source itself prints is never mixed with what we measured.

The reproduced texts as plots, as lines for a terminal, as one self-contained HTML page and as data.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field
from datetime import date
from functools import cache, partial
from html import escape
from typing import Any

import numpy as np

from cpqueens.answers.outcome import Outcome, StopReason
from cpqueens.answers.runs import Runs
from cpqueens.kernels.jit import tiers
from cpqueens.lab.drawing import Picture, band, drawn, look, marked, together
from cpqueens.lab.evaluation_text import interval, laid_out, percent
from cpqueens.lab.runlength import Interval, RunLengths
from cpqueens.lab.source_programs import Program, lengths, played
from cpqueens.model import Model
from cpqueens.problems.catalog import load
from cpqueens.report import html
from cpqueens.system.requirements import versions
from cpqueens.text.plaintext import wrapped

Cells = list[list[str]]

LIMIT = 1_000_000
"""Steps of a run: some of the sources' algorithms have no end of their own."""


@dataclass(frozen=True)
class FigureTable:
    """A table with its head in the first row, and the commands that print its figures."""

    name: str
    caption: str
    rows: Cells
    commands: Sequence[str]


Solvers = Mapping[str, tuple[str, Mapping[str, Any]]]
"""By what they are called: solver and options."""
Kind = str
"""What is told of runs: one of `KINDS`."""

KINDS: Mapping[Kind, Callable[[RunLengths], str]] = {
    "solved": lambda found: percent(Interval.share(int(found.solved.sum()), len(found))),
    "stuck": lambda found: percent(Interval.share(int(found.never.sum()), len(found))),
    "a run": lambda found: interval(found.mean(found.solved | True)),
    "if solved": lambda found: interval(found.mean(found.solved)),
    "if not": lambda found: interval(found.mean(~found.solved)),
    "a solution": lambda found: interval(found.expected()),
}


@dataclass(frozen=True)
class Measured:
    """A figure of runs: its kind, and in what they are measured."""

    kind: Kind
    unit: str = "steps"

    def of(self, runs: Runs) -> str:
        """Return it with its interval."""
        return KINDS[self.kind](RunLengths.in_unit(runs, self.unit))

    def __str__(self) -> str:
        return self.kind if self.kind in ("solved", "stuck") else f"{self.unit} of {self.kind}"


@dataclass(frozen=True)
class Experiment:
    """One claim that is measured.

    Attributes
    ----------
    claim, says
        What the source claims, and its figure, as printed; empty where it prints none.
    n
        Size of the board.
    solver, options
        What is run.
    figure
        What is told of the runs.
    share
        Of the runs asked for: expensive ones are run less often.
    program, most
        The source's own in plain Python, of which a quarter of the runs are made, and how many at most.
    limit
        Of steps in a run.
    """

    claim: str
    says: str
    n: int
    solver: str
    figure: Measured
    options: Mapping[str, Any] = field(default_factory=dict)
    share: float = 1.0
    program: Program | None = None
    most: int = 1000
    limit: int = LIMIT

    def runs(self, runs: int) -> int:
        """Return how many runs are made if so many are asked for."""
        return max(20, round(runs * self.share))

    def command(self, runs: int) -> str:
        """Return the command that makes such runs."""
        who = f"n={self.n} {_solver(self.solver, self.options)}"
        return _evaluate(who, self.runs(runs), [self.figure.unit], self.limit)

    def row(self, runs: int) -> list[str]:
        """Run it, and return a row of the section's table."""
        number = self.runs(runs)
        found = made(self.n, self.solver, number, tuple(self.options.items()), self.limit)
        return [self.claim, self.says, self._of_program(runs), self.figure.of(found), f"{number:,}"]

    def _of_program(self, runs: int) -> str:
        if self.program is None:
            return ""
        number = max(20, min(self.runs(runs) // 4, self.most))
        found = lengths(played(self.program, self.n, number))
        return f"{KINDS[self.figure.kind](found)}, {number:,} runs"


CLAIMS = ["claim", "the source says", "the source's program, measured by us", "ours", "runs"]


def claims(name: str, experiments: Sequence[Experiment], runs: int) -> FigureTable:
    """Return the table of claims, each with what is measured."""
    rows = [experiment.row(runs) for experiment in experiments]
    commands = list(dict.fromkeys(experiment.command(runs) for experiment in experiments))
    if any(experiment.program for experiment in experiments):
        commands += [f"cpqueens experiments --only {name} --runs {runs}"]  # the sources' programs, too
    return FigureTable(f"{name}-claims", "Claims and figures (95 % intervals)", [CLAIMS, *rows], commands)


@dataclass(frozen=True)
class Sweep:
    """Algorithms over sizes.

    Attributes
    ----------
    name, caption
        Of its table.
    solvers
        By what they are called: solver and options.
    sizes, figures
        Rows and columns.
    share, limit
        Of the runs asked for; steps in a run.
    """

    name: str
    caption: str
    solvers: Solvers
    sizes: Sequence[int]
    figures: Sequence[Measured]
    share: float = 0.25
    limit: int = LIMIT

    def runs(self, runs: int) -> int:
        """Return how many runs are made if so many are asked for."""
        return max(20, round(runs * self.share))

    def __call__(self, runs: int) -> FigureTable:
        """Run them, and return the table, with one command for all of it."""
        number = self.runs(runs)
        units = dict.fromkeys(figure.unit for figure in self.figures)
        who = " ".join(_solver(*solver) for solver in self.solvers.values())
        command = _evaluate(
            f"--sizes {','.join(map(str, self.sizes))} {who}", number, list(units), self.limit
        )
        head = ["algorithm", "queens", *map(str, self.figures), "runs"]
        return FigureTable(self.name, self.caption, [head, *self._rows(number)], (command,))

    def _rows(self, runs: int) -> Iterator[list[str]]:
        for label, (solver, options) in self.solvers.items():
            for n in self.sizes:
                found = made(n, solver, runs, tuple(options.items()), self.limit)
                yield [label, str(n), *(figure.of(found) for figure in self.figures), f"{runs:,}"]


def _solver(solver: str, options: Mapping[str, Any]) -> str:
    words = " ".join([solver, *(f"{name}={value}" for name, value in options.items())])
    return f"--solver '{words}'"


def _evaluate(who: str, runs: int, units: Sequence[str], limit: int) -> str:
    asked = "".join(f" --measure {unit}" for unit in units)
    return f"cpqueens evaluate queens {who} --runs {runs} --step-limit {limit}{asked}"


@dataclass(frozen=True)
class Section:
    """What is said of one text: experiments, further tables, plots, how it was read, its known mistakes.

    Attributes
    ----------
    key
        What it is called in commands.
    name, source
        Its title, and who wrote it where.
    verdicts, answers
        What is said of its claims: of what tables show (`verdicts`), and what needs no table.
    """

    key: str
    name: str
    source: str
    experiments: Sequence[Experiment] = ()
    tables: Sequence[Callable[[int], FigureTable]] = ()
    plots: Sequence[Callable[[int], Any]] = ()
    verdicts: Sequence[Any] = ()
    answers: Sequence[str] = ()
    readings: Sequence[str] = ()
    mistakes: Sequence[str] = ()


@dataclass(frozen=True)
class Reproduced:
    """A section with its figures, and the seconds that they took."""

    section: Section
    tables: Sequence[FigureTable]
    plots: Sequence[Any]
    seconds: float


# ---- running -------------------------------------------------------------------------------------------


@cache
def board(n: int) -> Model:
    """Return n queens."""
    return load("queens", [f"n={n}"]).model


@cache
def made(n: int, solver: str, runs: int, options: tuple[tuple[str, Any], ...], limit: int = LIMIT) -> Runs:
    """Return runs on n queens; several figures may be told of the same ones.

    Raises
    ------
    KeyboardInterrupt
        If a signal came before they were all made: no figure is told of fewer runs than it says.
    """
    with tiers.compiled():
        board(n).runs(solver, seeds=1, step_limit=limit, **dict(options))  # what it loads is nobody's time
        found = board(n).runs(solver, seeds=runs, step_limit=limit, **dict(options))
    if len(found) < runs:
        raise KeyboardInterrupt
    return found


def ended(outcome: Outcome) -> Outcome:
    """Return an outcome as it is.

    Raises
    ------
    KeyboardInterrupt
        If a signal ended it.
    """
    if outcome.stop_reason is StopReason.INTERRUPTED:
        raise KeyboardInterrupt
    return outcome


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


def over_sizes(sweep: Sweep, runs: int) -> Plot:
    """Return the evaluations of a solution over sizes, from the runs of a table."""
    lines = {}
    for label, (solver, options) in sweep.solvers.items():
        made_of = (_lengths(n, solver, options, sweep.runs(runs), sweep.limit) for n in sweep.sizes)
        y, low, high = map(list, zip(*(astuple(found.expected()) for found in made_of), strict=True))
        lines[label] = {"x": [float(n) for n in sweep.sizes], "y": y, "low": low, "high": high}
    caption = "Evaluations of a solution over the number of queens, with 95 % intervals."
    return Plot(sweep.name, caption, "queens", "evaluations of a solution", False, lines)


def solved_within(name: str, solvers: Solvers, runs: int) -> Plot:
    """Return the shares of runs on 8 queens that are solved within so many evaluations."""
    lines = {}
    for label, (solver, options) in solvers.items():
        curve = _lengths(8, solver, options, runs).curve().thinned(_JUMPS)
        parts = {"x": curve.x, "y": curve.y, "low": curve.low, "high": curve.high}
        lines[label] = {part: [round(float(v), 4) for v in values] for part, values in parts.items()}
    caption = (
        "8 queens: the share of runs that are solved within so many evaluations (Kaplan-Meier, with "
        "95 % intervals). A line that stays below 1 has runs that are stuck."
    )
    return Plot(name, caption, "evaluations", "share solved", True, lines)


def picture(plot: Plot) -> Picture:
    """Draw a plot."""
    return drawn(plot.name, plot.caption, partial(_draw, plot=plot))


def _draw(axes: Any, plot: Plot) -> None:
    lines = [(k, label, line) for k, (label, line) in enumerate(plot.lines.items())]
    for k, label, line in together(lines, lambda line: list(line.values())):
        if plot.stepped:
            axes.step(line["x"], line["y"], where="post", label=label, **look(k))
            band(axes, k, line["x"], line["low"], line["high"])
        else:
            ends = np.abs(np.array([line["low"], line["high"]]) - np.array(line["y"]))
            axes.errorbar(line["x"], line["y"], yerr=ends, label=label, **(look(k) | marked(k)))
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
    body = f'<h1>{title}</h1><p class="soft">{about}</p>{"".join(_parts(sections))}'
    return html.page(title, body, _COMMANDS)


_COMMANDS = "pre { font-size: .85rem; margin: .4rem 0 1rem; color: var(--soft); }"


def _parts(sections: Sequence[Reproduced]) -> Iterator[str]:

    for found in sections:
        section = found.section
        yield f'<h2>{escape(section.name)}</h2><p class="soft">Source: {escape(section.source)}</p>'
        for one in found.tables:
            head, *rows = one.rows
            yield html.data_table(head, rows, one.caption)
            yield f"<pre>{escape(chr(10).join(one.commands))}</pre>"
        for plot in map(picture, found.plots):
            yield html.figure(plot.svg, plot.caption)
        for title, listed in notes(section):
            items = "".join(f"<li>{escape(note)}</li>" for note in listed)
            yield f"<p>{title}</p><ul>{items}</ul>"
        yield f'<p class="soft">{found.seconds:.1f} s</p>'
