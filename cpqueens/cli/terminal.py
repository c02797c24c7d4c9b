"""What the terminal can show, and progress on standard error while something takes long."""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

import click

from cpqueens.answers.quality import objectives_text
from cpqueens.cli.standing import Standing
from cpqueens.report.board_text import Style
from cpqueens.system.interrupts import beside, keep_what_is_found
from cpqueens.text.plaintext import one_line, printable, wrapped

if TYPE_CHECKING:
    from cpqueens.answers.outcome import Outcome

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

    All that verbs print passes here or, as JSON, `cpqueens.cli.documents.echo_json`. On a terminal prose is
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
