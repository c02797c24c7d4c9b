"""What experiments on the classical texts are made of: claims, tables over sizes, and their figures.

Figures come from the same functions as those of ``evaluate``, whose command stands below each table: it makes
the same runs, and prints the same figures. Where a source has a program, it is measured as well
(`source_programs`): what the source itself prints is never mixed with what we measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cpqueens.answers.outcome import Outcome, StopReason
from cpqueens.answers.runs import Runs
from cpqueens.kernels.jit import tiers
from cpqueens.lab.evaluation_text import interval, percent
from cpqueens.lab.runlength import Interval, RunLengths
from cpqueens.lab.source_programs import Program, lengths, played
from cpqueens.model import Model

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
    solvers: Mapping[str, tuple[str, Mapping[str, Any]]]
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
    from cpqueens.problems.catalog import load

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


def told(value: float, low: float, high: float) -> str:
    """Return an estimate with as many digits as its interval bears.

    >>> told(134.21, 128.9, 139.6), told(0.5, 0.48, 0.52), told(4.0, 4.0, 4.0)
    ('134 [129, 140]', '0.50 [0.48, 0.52]', '4.00 [4.00, 4.00]')
    """
    width = high - low
    digits = 2 if width <= 0 else min(4, max(0, math.ceil(-math.log10(width / 2))))
    return f"{value:,.{digits}f} [{low:,.{digits}f}, {high:,.{digits}f}]"
