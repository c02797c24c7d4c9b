"""Where something that takes long stands, as every verb says it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Standing:
    """What is known so far; whoever works changes it, and what is not known is left out.

    >>> standing = Standing("queens(n=8)", "cpsat", time_limit=90)
    >>> standing.objective = 17
    >>> str(standing)
    'queens(n=8): cpsat, objective 17, limit 1 min 30 s'

    Attributes
    ----------
    what
        Is done.
    solver
        By whom.
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

    def __str__(self) -> str:
        known = ", ".join(filter(None, self._parts()))
        return f"{self.what}: {known}" if known else self.what

    def _parts(self) -> Iterator[str]:
        yield self.solver
        if self.done is not None and (self.done or self.of):
            whole = "" if self.of is None else f" of {self.of:,}"
            yield f"{self.done:,}{whole} {self.unit}".rstrip()
        yield "" if self.objective is None else f"objective {self.objective:,}"
        yield "" if self.bound is None else f"bound {self.bound:,}"
        yield self.said
        left = self._left()
        yield "" if left is None else f"{clock(left)} left"
        yield "" if self.time_limit is None else f"limit {clock(self.time_limit)}"

    def _left(self) -> float | None:
        if self.remaining is not None or self.of is None or self.done is None or self.done <= self.first:
            return self.remaining
        spent = time.monotonic() - self.began
        return spent * (self.of - self.done) / (self.done - self.first)


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
