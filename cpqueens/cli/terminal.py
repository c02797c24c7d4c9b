"""What the terminal can show, and progress on standard error while something takes long.

Where something that takes long stands, as every verb says it.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TextIO

import click

from cpqueens.answers.outcome import Outcome
from cpqueens.answers.quality import objectives_text
from cpqueens.answers.solution import Solution
from cpqueens.language.statement import Statement
from cpqueens.report.board_text import Style
from cpqueens.system.interrupts import beside, keep_what_is_found
from cpqueens.text.plaintext import one_line, printable, wrapped

WIDTH = 110
"""Columns of text that goes to no terminal."""
_PATIENCE = 0.6  # seconds before progress is shown; rich is not even imported for less
_BESIDE = 11  # columns of a line of progress for what turns, for the time since it began, and between
_SHOWN = 10  # violated soft constraints


def columns_of(stream: TextIO | None) -> int | None:
    """Return the columns of the terminal behind a stream; None where it goes elsewhere."""
    there = stream is not None and stream.isatty()  # a program without standard streams has none
    return shutil.get_terminal_size().columns if there else None


def style_of(stream: TextIO) -> Style:
    """Return what can be shown on a stream: colour on terminals (unless NO_COLOR), Unicode if it encodes.

    On a terminal lines are as long as it is wide; where a text goes elsewhere they may have any length.
    """
    width = columns_of(stream)
    colour = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    try:
        "♛░┌▓".encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return Style(colour=False, unicode=False, width=width)
    return Style(colour=colour, unicode=True, width=width)


def width_of_output() -> int:
    """Return the columns of the terminal behind standard output, `WIDTH` where there is none."""
    return columns_of(sys.stdout) or WIDTH


def say(text: str = "", *, err: bool = False) -> None:
    """Print text of whatever origin: names, messages and file names cannot steer the terminal.

    All that verbs print passes here or, as JSON, `cpqueens.cli.results.echo_document`. On a terminal prose is
    broken at words; what goes elsewhere keeps its lines.
    """
    width = columns_of(sys.stderr if err else sys.stdout)
    lines = printable(text, colours=True).split("\n")
    broken = lines if width is None else [part for line in lines for part in _broken(line, width)]
    click.echo("\n".join(broken), err=err, color=None if err else True)


_DRAWN = re.compile("[\x1b\u2500-\u25ff\u2654-\u265f]")
"""Colours, frames, shades and pieces, which prose has not."""

_LABEL = re.compile(r" *\S+(?: {2,}|: )(?=\S)")
"""What a line begins with before its text: the text's further lines are set below it."""


def _broken(line: str, width: int) -> list[str]:
    """Return a line as lines that fit, unless it is part of a picture."""
    if len(line) <= width or _DRAWN.search(line):
        return [line]
    label = _LABEL.match(line)
    inset = len(label[0]) if label else 0
    longest = max(map(len, line.split()), default=0)
    if not 0 < inset <= min(width // 3, width - longest):
        inset = len(line) - len(line.lstrip()) + 2
    return wrapped(line, width, " " * min(inset, width // 2))


@contextmanager
def progress(standing: Standing, shown: bool = True, *, keeping: bool = False) -> Iterator[Standing]:
    """Show where something stands, and for how long already, if standard error is a terminal.

    Parameters
    ----------
    standing
        Looked at now and then.
    shown
        False where standard output goes to the same terminal.
    keeping
        Whether the work ends by itself at a signal, so that what it has found is printed.
    """
    if keeping:
        keep_what_is_found()
    with standing.under_way():
        if not (shown and sys.stderr.isatty()):
            yield standing
            return
        with beside(partial(_spin, standing), "progress"):
            yield standing


def _spin(standing: Standing, done: threading.Event) -> None:
    if done.wait(_PATIENCE):
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        while not done.wait(0.2):
            room = max(1, console.width - _BESIDE)
            bar.update(task, description=one_line(standing.within(room), room))


def so_far(state: Mapping[str, Any]) -> str:
    """Return a count in progress as a text, with the estimate of the whole where there is one."""
    text = f"{int(state.get('count', 0)):,} so far"
    return f"{text}, in all about {estimated(state)}" if state.get("interval") else text


def estimated(state: Mapping[str, Any]) -> str:
    """Return the running estimate of a count and its 95 % interval."""
    low, high = state["interval"]
    return f"{state['estimate']:.4g} (95 % interval {low:.4g} to {high:.4g})"


def summary(outcome: Outcome) -> list[str]:
    """Return what an outcome says, line by line."""
    lines = [f"status     {outcome.status} ({outcome.ending})"]
    if outcome.objective is not None:
        one = len(outcome.bounds) < 2 and outcome.bound is not None and not outcome.complete
        bound = f" (proved bound {outcome.bound})" if one else ""
        lines.append(f"objective  {objectives_text(outcome)}{bound}")
    lines += [f"penalty    {violation}" for violation in outcome.violated[:_SHOWN]]
    if len(outcome.violated) > _SHOWN:
        lines.append(f"penalty    {len(outcome.violated) - _SHOWN} more, in all {outcome.penalty}")
    lines += [f"solver     {outcome.solver}", f"time       {times(outcome)}"]
    return lines + [f"note       {message}" for message in outcome.messages]


def times(outcome: Outcome) -> str:
    """Return the total time and its parts in seconds."""
    numbers = outcome.statistics
    parts = [
        f"{name} {numbers[f'{name}_time']:.3f}"
        for name in ("build", "translate", "compile", "solve", "check", "consumer")
        if numbers.get(f"{name}_time", 0.0) >= 0.0005
    ]
    breakdown = f" ({', '.join(parts)})" if parts else ""
    return f"{numbers.get('total_time', 0.0):.3f} s{breakdown}"


@dataclass
class Standing:
    """What is known so far; whoever works changes it, and what is not known is left out.

    >>> standing = Standing("golomb_ruler(marks=9)", "cpsat", time_limit=90)
    >>> standing.objective, standing.bound = 48, 43
    >>> str(standing)
    'golomb_ruler(marks=9): cpsat, objective 48, bound 43, limit 1 min 30 s (in 1 min 30 s)'
    >>> standing.within(55)
    'golomb_ruler: objective 48, bound 43, in 1 min 30 s'
    >>> standing.within(24)
    'best 48, bound 43'

    Attributes
    ----------
    what
        Is done.
    solver
        By whom.
    time_limit, since
        Seconds, and the time at which they began; None where each part of the work has a limit of its own.
    done, of, unit
        Parts of the work, such as runs; ``of`` is None where nobody knows how many there are.
    said
        Anything else.
    remaining
        Seconds, if somebody knows them; else they follow from ``done``, of which ``first`` were there.
    """

    what: str
    solver: str = ""
    unit: str = ""
    time_limit: float | None = None
    done: int | None = None
    of: int | None = None
    objective: int | None = None
    bound: int | None = None
    said: str = ""
    remaining: float | None = None
    first: int = 0
    began: float = field(default_factory=time.monotonic)
    since: float | None = field(default_factory=time.monotonic)

    def __str__(self) -> str:
        return self._text(self.what, self._parts())

    def known(self) -> str:
        """Return what has been found, if anything.

        >>> Standing("queens(n=20)", unit="solutions", done=590).known()
        '590 solutions'
        """
        parts = self._parts()
        return ", ".join(filter(None, (parts[name] for name in ("done", "objective", "bound", "said"))))

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Let the last line of a program that is ended at once say this."""
        _UNDER_WAY.append(self)
        try:
            yield
        finally:
            _UNDER_WAY.remove(self)

    def within(self, width: int) -> str:
        """Return as much as fits into a line: what changes comes before what was said in the command."""
        what, parts = self.what.partition("(")[0], self._parts()
        short = {**parts, "solver": "", "limit": self._until_limit()}
        shorter = {**short, "objective": short["objective"].replace("objective", "best")}
        least = {name: shorter[name] for name in ("done", "objective", "bound", "said", "left")}
        tries = (
            str(self), self._text(what, parts), self._text(what, {**parts, "solver": ""}),
            self._text(what, short), self._text("", short), self._text("", shorter), self._text("", least),
        )  # fmt: skip
        return next((text for text in tries if text and len(text) <= width), tries[-1] or what)

    @staticmethod
    def _text(what: str, parts: Mapping[str, str]) -> str:
        known = ", ".join(filter(None, parts.values()))
        return f"{what}: {known}" if what and known else what or known

    def _parts(self) -> dict[str, str]:
        left, done = self._left(), ""
        if self.done is not None and (self.done or self.of):
            whole = "" if self.of is None else f" of {self.of:,}"
            many = self.done if self.of is None else self.of
            unit = self.unit.removesuffix("s") if many == 1 else self.unit
            done = f"{self.done:,}{whole} {unit}".rstrip()
        return {
            "solver": self.solver,
            "done": done,
            "objective": "" if self.objective is None else f"objective {self.objective:,}",
            "bound": "" if self.bound is None else f"bound {self.bound:,}",
            "said": self.said,
            "left": "" if left is None else f"{clock(left)} left",
            "limit": self._limit(),
        }

    def _limit(self) -> str:
        if self.time_limit is None:
            return ""
        until = self._until_limit()
        return f"limit {clock(self.time_limit)} {f'({until})' if until else 'each'}"

    def _until_limit(self) -> str:
        if self.time_limit is None or self.since is None:
            return ""
        return f"in {clock(max(0.0, self.since + self.time_limit - time.monotonic()))}"

    def hear(self, state: Mapping[str, Any]) -> None:
        """Take what a search tells of its progress."""
        self.bound = state.get("bound", self.bound)

    def _left(self) -> float | None:
        if self.remaining is not None or self.of is None or self.done is None or self.done <= self.first:
            return self.remaining
        spent = time.monotonic() - self.began
        return spent * (self.of - self.done) / (self.done - self.first)


_UNDER_WAY: list[Standing] = []
_RESTORED = "\r\x1b[2K\x1b[?25h"
"""What gives a terminal its cursor back, in an empty line."""


def say_at_last() -> None:
    """Write one line when a second signal ends the program at once, unless a reader lets it wait."""
    if os.name != "nt" and not select.select([], [2], [], 0)[1]:
        return
    known = "; ".join(filter(None, (standing.known() for standing in list(_UNDER_WAY))))
    line = one_line(f"cpqueens: interrupted{f'; {known}' if known else ''}", 500)
    os.write(2, f"{_RESTORED if os.isatty(2) else ''}{line}\n".encode())


def watched(standing: Standing, model: Statement) -> dict[str, Any]:
    """Return the options by which a search for the best solution tells its incumbents and bounds."""
    goals = model.goals
    if not goals:
        return {}

    def note(solution: Solution) -> None:
        standing.objective = int(solution[goals[0].term])

    return {"on_improvement": note, "on_progress": standing.hear}


def clock(seconds: float) -> str:
    """Return a time span as a person would say it.

    >>> clock(59.4), clock(3661), clock(200_000)
    ('59 s', '1 h 01 min', '2 d 07 h')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 86400} d {whole % 86400 // 3600:02} h"
