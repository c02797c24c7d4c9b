"""Searches of one space that take turns: their limits, what they know of the objective, and whose turn it is.

Turns are counted in failures, and the next one is of the search that has paid the least work: runs of
propagators, times a weight. Neither depends on a clock, so that a run can be repeated.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.backtracking.turns import Slices
from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.kernels.exact import domains as at
from cpqueens.kernels.exact.domains import Memory
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled


class CompetingSearch(ABC):
    """A search for one solution, the best or all, which may have turns, counted in failures.

    Objectives are in the minimised sense but for `known_best` and `known_bound`.
    """

    memory: Memory

    def __init__(self, compiled: Compiled, request: Request, start: Memory, objective_row: int) -> None:
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
    def _ask_in_turns(self) -> None:
        """Let the kernel come back at the end of a turn."""

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
            self.memory.x[at.SAVED : len(known.row) * at.X_WIDTH : at.X_WIDTH] = known.row

    @property
    def work(self) -> int:
        """The propagators that have run."""
        return int(self.memory.stack[at.RUNS])

    @property
    def is_ready(self) -> bool:
        """Whether its turns wait for no compiler."""
        return True

    @property
    def is_weak(self) -> bool:
        """Whether it learns little from a failure."""
        return False

    @property
    def is_turn_over(self) -> bool:
        """Whether it has failed as often as it may before others have their turn."""
        return self.failures >= self._turn_end

    def give_turn(self, failures: int) -> None:
        """Let it fail so often before the next turn of others: it comes back exactly then."""
        self._turn_end = self.failures + failures
        self._ask_in_turns()

    def _limit(self) -> StopReason | None:
        request = self.request
        if request.should_stop():
            return request.why_stopped()
        if request.step_limit is not None and self.decisions >= request.step_limit:
            return StopReason.STEP_LIMIT
        return None

    # ---- the objective ----------------------------------------------------------------------------

    def _at_least(self, memory: Memory) -> int:
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

    def _demanded(self, memory: Memory) -> int:
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
        best = self.known_best()
        return Ended(
            exhausted,
            reason or StopReason.EXHAUSTED,
            objective=None if self._best == self._elsewhere else best,
            bound=best if exhausted else self.known_bound(),
            count=self.found if self.request.want is Want.COUNT else None,
            statistics=self.statistics(),
        )


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
    first_turn
        Failures of a first turn that costs nothing; 0 once it was, or where there is none.
    is_waiting
        Whether a kernel that it needs is being compiled.
    has_left
        Whether it has given up.
    """

    def __init__(self, name: str, search: Searching, weight: int = 1) -> None:
        self.name, self.search, self.weight = name, search, weight
        self.first_turn = 0
        self.is_waiting = self.has_left = False
        self._credit = 0

    def begin(self, deliver: Deliver, told: Callable[[int], int] = int) -> None:
        """Prepare to search; after each slice is told what ``told`` makes of the solutions found by then."""
        self._slices, self._told = self.search.slices(deliver), told

    @property
    def paid(self) -> int:
        """The work that it has done, weighted, and what it is taken to have done."""
        return self.weight * self.search.work + self._credit

    def level(self, paid: int) -> None:
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
