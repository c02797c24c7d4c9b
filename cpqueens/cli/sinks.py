"""Where enumerated solutions go: through a funnel that thins out and limits, into print, file or JSON."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol

import click

from cpqueens.answers.outcome import SolutionSet, StopReason
from cpqueens.cli.documents import dumps
from cpqueens.cli.terminal import say

if TYPE_CHECKING:
    from cpqueens.answers.symmetry import Group
    from cpqueens.system.interrupts import Interrupt


_PART = 1024
"""Solutions written between two looks for Ctrl-C."""


class Sink(Protocol):
    """Takes batches of solutions."""

    def write(self, found: SolutionSet) -> None:
        """Take a batch."""


class PrintSink:
    """Prints solutions: one a line where one line is enough, else with blank lines between."""

    def __init__(self, form: str) -> None:
        from cpqueens.cli.terminal import style_of

        self.form = form
        self.style = style_of(sys.stdout)
        self.started = False

    def write(self, found: SolutionSet) -> None:
        """Print a batch."""
        from cpqueens.report.formats import render

        for solution in found:
            text = render(solution, self.form, self.style)
            if self.started and "\n" in text:
                say()
            say(text)
            self.started = True
        sys.stdout.flush()


class JsonSink:
    """Prints one JSON document whose list of solutions grows as they come."""

    def __init__(self, head: dict[str, Any]) -> None:
        self.head = head
        self.open = False

    def _begin(self) -> None:
        if not self.open:
            click.echo(dumps(self.head)[:-1] + ', "solutions": [', nl=False)
            self.open = True

    def write(self, found: SolutionSet) -> None:
        """Print a batch."""
        comma = "," if self.open else ""
        self._begin()
        click.echo(comma + ",\n".join(dumps(s.as_dict()) for s in found), nl=False)

    def finish(self, fields: dict[str, Any]) -> None:
        """Close the list and print what is known at the end."""
        self._begin()
        click.echo("], " + dumps(fields)[1:])


class Funnel:
    """Passes solutions on: with a group, one of each orbit, and then at most ``limit`` of them.

    The canonical member of an orbit is a solution too and comes exactly once, so that no solution needs
    to be remembered. ``reason`` says why it ended the run, if it did.
    """

    def __init__(self, sink: Sink, group: Group, limit: int | None) -> None:
        self.sink = sink
        from cpqueens.answers.symmetry import OrbitsMet

        self.group = group
        self._met = OrbitsMet(group)
        self.limit = limit
        self.count = 0
        self.reason: StopReason | None = None

    def take(self, interrupt: Interrupt, found: SolutionSet) -> int | None:
        """Pass a batch on in parts, between which Ctrl-C is looked for; answer as a `Consumer` does."""
        for start in range(0, len(found), _PART):
            if interrupt.seen:
                return start
            part = found[start : start + _PART]
            chosen = self._chosen(part)
            if len(chosen):
                self.sink.write(chosen)
            self.count += len(chosen)
            if self.group and self.limit is not None and self.count >= self.limit:
                self.reason = StopReason.SOLUTION_LIMIT
                return start + len(part)
        return None

    def _chosen(self, found: SolutionSet) -> SolutionSet:
        if not self.group:
            return found
        least = (self._met.canonical(found.matrix) == found.matrix).all(axis=1)
        room = None if self.limit is None else self.limit - self.count
        return SolutionSet(found.model, found.known, found.matrix[least][:room])
