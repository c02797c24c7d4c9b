"""Searches in slices: one alone, or several of one space that take turns, where no rule says which is best.

The turns of `Turns` are counted in processor seconds. Each is twice as long as the one before it, and a
search goes on where it was: so with k searches the first to end has cost k times what it needs, at most, and
a turn of each of the others. Those of a `Seat` are counted in failures, and the next one is of the search
that has paid the least work: runs of propagators, times a weight. Neither depends on a clock, so that a run
can be repeated.
"""

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from cpqueens.backends.base import Deliver, Ended, Request, StopReason, Want
from cpqueens.kernels.exact import domains as at
from cpqueens.language.rows import IntArray, behind
from cpqueens.lowered.compiled import Compiled

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
        while rounds > 0:
            ended = self._round(seconds)
            if ended is not None or self.leader() is not None:
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


class CompetingSearch(ABC):
    """A search for one solution, the best or all, which may have turns, counted in failures.

    Objectives are in the minimised sense but for `known_best` and `known_bound`.
    """

    memory: at.Memory
    takes_solutions = False
    """Whether it tries the values of the last solution of any search first."""

    def __init__(self, compiled: Compiled, request: Request, start: at.Memory, objective_row: int) -> None:
        self.compiled, self.request, self.objective_row = compiled, request, objective_row
        self._start, self._turn_end = start, 1 << 62  # failures
        self._least = self._at_least(start) if request.want is Want.BEST else 0  # as proved
        proved = None if request.known is None else request.known.least()
        self._least = self._least if proved is None else max(self._least, proved)
        self._best: int | None = None
        self._elsewhere: int | None = None  # the best objective that others have met

    @abstractmethod
    def slices(self, deliver: Deliver) -> Slices:
        """Search to the end or to a stop, slice by slice."""

    @abstractmethod
    def statistics(self) -> dict[str, Any]:
        """Return what it did, and what is known of it."""

    @abstractmethod
    def give_turn(self, failures: int) -> None:
        """Let it fail so often before the next turn of others: the kernel comes back exactly then."""

    @property
    @abstractmethod
    def failures(self) -> int:
        """The dead ends so far."""

    @property
    @abstractmethod
    def found(self) -> int:
        """The solutions so far."""

    @property
    @abstractmethod
    def decisions(self) -> int:
        """The decisions so far, as a limit of steps counts them."""

    def leave(self) -> None:
        """Hand over what was learned, for another time; here nothing is."""
        return

    def _prefer_earlier(self) -> None:
        """Let the values of an earlier solution be tried first, where saved ones are."""
        known = self.request.known
        if known is not None and known.row is not None:
            self.try_first(known.row)

    def try_first(self, values: IntArray) -> None:
        """Try these values of the first variables before others, where saved ones are tried."""
        self.memory.x[at.SAVED : len(values) * at.X_WIDTH : at.X_WIDTH] = values

    @property
    def work(self) -> int:
        """The propagators that have run."""
        return int(self.memory.stack[at.RUNS])

    @property
    def is_ready(self) -> bool:
        """Whether its turns wait for no compiler."""
        return True

    @property
    def share(self) -> float | None:
        """How many times the work of another it should do by what it gains; None if it gains nothing so."""
        return None

    @property
    def is_turn_over(self) -> bool:
        """Whether it has failed as often as it may before others have their turn."""
        return self.failures >= self._turn_end

    def _limit(self) -> StopReason | None:
        request = self.request
        if request.should_stop():
            return request.why_stopped()
        if request.step_limit is not None and self.decisions >= request.step_limit:
            return StopReason.STEP_LIMIT
        return None

    # ---- the objective ----------------------------------------------------------------------------

    def _at_least(self, memory: at.Memory) -> int:
        """Return the least value of the objective within the domains."""
        objective = self.compiled.objective
        assert objective is not None
        coefficients, ends = self._least_ends
        return int(objective.constant[0]) + int(coefficients @ memory.x[ends])

    @cached_property
    def _least_ends(self) -> tuple[IntArray, IntArray]:
        """The objective's coefficients, and where in the variables' records their least parts are read."""
        row = self._start.net[self.objective_row + np.array([at.START, at.END])]
        variables, coefficients = self._start.net[row[0] : row[1]].reshape(-1, 2).T
        return coefficients, variables + np.where(coefficients < 0, at.HIGH, at.LOW)

    def _demanded(self, memory: at.Memory) -> int:
        """Return the value that the objective may have at most."""
        objective = self.compiled.objective
        assert objective is not None
        return int(objective.constant[0]) - int(memory.net[self.objective_row + at.CONSTANT])

    def _demand(self, most: int) -> None:
        """Let the objective be at most so much; the search has met nothing better yet."""
        self.memory.net[self.objective_row + at.CONSTANT] += self._demanded(self.memory) - most

    def _demand_limit(self) -> None:
        """Demand what the request does."""
        limit = self.request.objective_limit
        if limit is not None and self.objective_row >= 0:
            self._demand(-limit if self.compiled.maximizing else limit)

    def _is_trying(self) -> bool:
        """Say whether a demand is only tried, so that others' solutions wait until its end."""
        return False

    def _hear_of_others(self) -> None:
        """Demand better than what others have met."""
        value = self.request.incumbent() if self.request.incumbent is not None else None
        if value is None:
            return
        value = -value if self.compiled.maximizing else value
        if self._best is None or value < self._best:
            self._best = self._elsewhere = value
        if not self._is_trying() and self._demanded(self.memory) > self._best - 1:
            self._demand(self._best - 1)

    def _prove(self, least: int) -> None:
        """Take a bound of the objective."""
        self._least = max(self._least, least)
        self.request.prove(-self._least if self.compiled.maximizing else self._least)

    def known_best(self) -> int | None:
        """Return the best objective value that it knows of."""
        return -self._best if self._best is not None and self.compiled.maximizing else self._best

    def known_bound(self) -> int | None:
        """Return what no solution is better than, as far as it has proved."""
        if self.request.want is not Want.BEST:
            return None
        return -self._least if self.compiled.maximizing else self._least

    def _ended(self, exhausted: bool, reason: StopReason | None) -> Ended:
        reason, wanted = reason or StopReason.EXHAUSTED, self.request.want
        count = self.found if wanted is Want.COUNT else None
        objective = bound = None
        if wanted is Want.BEST:
            best = self.known_best()
            objective = None if self._best == self._elsewhere else best
            bound = best if exhausted else self.known_bound()
        return Ended(exhausted, reason, objective, bound, count, statistics=self.statistics())


Searching = TypeVar("Searching", bound=CompetingSearch)

_ADDED = ("nodes", "failures", "decisions", "propagations")


class Seat(Generic[Searching]):
    """A search in a portfolio, with its account of work.

    Parameters
    ----------
    name
        As the statistics say it.
    weight
        It has one in so many parts of the work that a search of weight 1 has.

    Attributes
    ----------
    is_waiting
        Whether a kernel that it needs is being compiled.
    has_left
        Whether it has given up.
    """

    def __init__(self, name: str, search: Searching, weight: float = 1) -> None:
        self.name, self.search, self.weight = name, search, weight
        self.is_waiting = self.has_left = False
        self._credit = 0.0

    def begin(self, deliver: Deliver, told: Callable[[int], int] = int) -> None:
        """Prepare to search; after each slice is told what ``told`` makes of the solutions found by then."""
        self._slices, self._told = self.search.slices(deliver), told

    @property
    def paid(self) -> float:
        """The work that it has done, weighted, and what it is taken to have done."""
        return self.weight * self.search.work + self._credit

    def level(self, paid: float) -> None:
        """Take it to have paid so much."""
        self._credit += paid - self.paid

    def go_on(self) -> Generator[int, None, Ended | None]:
        """Search until its turn is over; return how it ended, None if it has not."""
        try:
            while True:
                yield self._told(next(self._slices))
                if self.search.is_turn_over:
                    return None
        except StopIteration as end:
            ended: Ended = end.value
            return ended


def added(statistics: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return what several searches did, added up."""
    each = list(statistics)
    return {name: sum(one.get(name, 0) for one in each) for name in _ADDED}
