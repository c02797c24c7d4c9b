"""Searches in slices: one alone, or several that take turns, where no rule says which is best.

A turn is twice as long as the one before it, and a search goes on where it was. So with k searches the first
to end has cost k times what it needs, at most, and a turn of each of the others.
"""

import math
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace

import numpy as np

from cpqueens.backends.base import Deliver, Ended
from cpqueens.language.rows import IntArray

Slices = Generator[int, None, Ended]
"""A search: yields after each slice how many solutions it has found, and returns how it ended."""

Heard = Callable[[int], None] | None
"""Hears after each slice how many solutions there are."""

_FIRST_TURN = 0.005  # processor seconds
_MANY, _AHEAD = 64, 4
"""A search that has found so many solutions, and so many times those of any other, goes on alone."""
_BEHIND = 8
"""Of several that have found many, those that have found fewer have turns shorter by this factor."""


def drained(search: Slices, heard: Heard = None) -> Ended:
    """Run a search to its end."""
    try:
        while True:
            found = next(search)
            if heard is not None:
                heard(found)
    except StopIteration as end:
        ended: Ended = end.value
        return ended


class Turns:
    """Several searches of the same space, by name; the first to end says how all ended.

    The first of them has ``ahead`` more processor seconds in its first turn.
    """

    def __init__(self, searches: Mapping[str, Slices], heard: Heard = None, ahead: float = 0.0) -> None:
        self._searches, self._heard, self._more = dict(searches), heard, ahead
        self._found = dict.fromkeys(searches, 0)
        self.reason = f"{' and '.join(searches)} took turns"

    def run(self) -> Ended:
        """Let them take turns until one ends."""
        ended = self.probe()
        if ended is not None:
            return ended
        leader = self.leader()
        assert leader is not None, "turns without a bound go on until there is one"
        self.reason += f", {leader} found more"
        return self._ended(drained(self._searches[leader], self._heard))

    def probe(self, rounds: float = math.inf) -> Ended | None:
        """Let them take turns until one leads, or for so many rounds; return how it ended if one did."""
        seconds = _FIRST_TURN
        while rounds > 0 and self.leader() is None:
            ended = self._round(seconds)
            if ended is not None:
                return ended
            seconds, rounds = 2 * seconds, rounds - 1
        return None

    def _round(self, seconds: float) -> Ended | None:
        """Give each a turn of so many processor seconds, at least a slice; return how it ended if one did."""
        most = max(self._found.values())
        for name, search in self._searches.items():
            behind_others = most >= _MANY and self._found[name] < most
            until = time.thread_time() + (seconds / _BEHIND if behind_others else seconds) + self._more
            self._more = 0.0
            try:
                self._advance(name, search)
                while time.thread_time() < until:
                    self._advance(name, search)
            except StopIteration as end:
                self.reason += f", {name} finished first"
                return self._ended(end.value)
        return None

    def _advance(self, name: str, search: Slices) -> None:
        self._found[name] = next(search)
        if self._heard is not None:
            self._heard(max(self._found.values()))

    def leader(self) -> str | None:
        """Return the search that has found many solutions, and many times those of the others."""
        first, second = sorted(self._found, key=lambda name: -self._found[name])[:2]
        ahead = self._found[first] >= max(_MANY, _AHEAD * self._found[second])
        return first if ahead else None

    def _ended(self, ended: Ended) -> Ended:
        """Return the end with the reason; of counts that were stopped the greatest is right."""
        counted = ended.count
        if counted is not None and not ended.exhausted:
            counted = max(counted, *self._found.values())
        statistics = {**ended.statistics, "reason": self.reason}
        return replace(ended, count=counted, statistics=statistics)


def behind(batch: IntArray, row: IntArray) -> IntArray:
    """Return the rows of an ascending batch that come after ``row`` in lexicographic order."""
    differs = batch != row
    first = differs.argmax(axis=1)
    place = np.arange(len(batch))
    return batch[differs.any(axis=1) & (batch[place, first] > row[first])]


class InOrder:
    """Passes on what several searches deliver, all in lexicographic order: each solution once, in order."""

    def __init__(self, deliver: Deliver) -> None:
        self._deliver = deliver
        self._last: IntArray | None = None

    def __call__(self, batch: IntArray) -> bool:
        """Deliver what comes after everything that was delivered; answer whether to go on."""
        if self._last is not None:
            batch = behind(batch, self._last)
        if not len(batch):
            return True
        self._last = batch[-1].copy()
        return self._deliver(batch)
