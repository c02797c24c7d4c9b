"""What the terminal can show, and progress on standard error while something takes long."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TextIO

import click

from cpqueens.report.board_text import Style
from cpqueens.system.interrupts import beside
from cpqueens.text.plaintext import one_line, printable

if TYPE_CHECKING:
    from cpqueens.answers.outcome import Outcome

WIDTH = 110
"""Columns of text that goes to no terminal."""
_PATIENCE = 0.6  # seconds before progress is shown; rich is not even imported for less
_SHOWN = 10  # violated soft constraints


def style_of(stream: TextIO) -> Style:
    """Return what can be shown on a stream: colour on terminals (unless NO_COLOR), Unicode if it encodes.

    On a terminal lines are as long as it is wide; where a text goes elsewhere they may have any length.
    """
    width = shutil.get_terminal_size().columns if stream.isatty() else None
    colour = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    try:
        "♛░┌▓".encode(stream.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return Style(colour=False, unicode=False, width=width)
    return Style(colour=colour, unicode=True, width=width)


def width_of_output() -> int:
    """Return the columns of the terminal behind standard output, `WIDTH` where there is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH


def say(text: str = "", *, err: bool = False) -> None:
    """Print text of whatever origin: names, messages and file names cannot steer the terminal.

    All that verbs print passes here or, as JSON, `cpqueens.cli.documents.echo_json`.
    """
    click.echo(printable(text, colours=True), err=err, color=None if err else True)


@contextmanager
def progress(what: str, found: Callable[[], int | str], shown: bool) -> Iterator[None]:
    """Show a spinner, the elapsed time and the number found so far, if standard error is a terminal.

    Parameters
    ----------
    found
        Asked now and then for the number, or for a text about it.
    shown
        False where standard output goes to the same terminal.
    """
    if not (shown and sys.stderr.isatty()):
        yield
        return
    with beside(partial(_spin, what, found), "progress"):
        yield


def _spin(what: str, found: Callable[[], int | str], done: threading.Event) -> None:
    if done.wait(_PATIENCE):
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    what = one_line(what)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        while not done.wait(0.2):
            many = found()
            text = f"{many:,} so far" if isinstance(many, int) else many
            bar.update(task, description=f"{what}: {text}" if many else what)


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
    completeness = "complete" if outcome.complete else "not complete"
    lines = [f"status     {outcome.status} ({completeness}, stopped by {outcome.stop_reason})"]
    if outcome.objective is not None:
        bound = "" if outcome.bound is None or outcome.complete else f" (proved bound {outcome.bound})"
        values = outcome.objectives or (outcome.objective,)
        lines.append(f"objective  {', then '.join(map(str, values))}{bound}")
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
