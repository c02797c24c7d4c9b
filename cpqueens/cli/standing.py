"""Where something that takes long stands, as every verb says it."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cpqueens.text.plaintext import one_line

if TYPE_CHECKING:
    from cpqueens.answers.outcome import Solution
    from cpqueens.language.statement import Statement


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
            unit = (
                self.unit.removesuffix("s") if (self.done if self.of is None else self.of) == 1 else self.unit
            )
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
