"""All solutions in the better of two orders, where none is asked for: as written, and smallest domain first.

A listing begins in lexicographic order, and delivers what it finds. After `JOINING` failures a second search
joins, which decides the smallest domain first, or by conflicts where all domains are 0/1 and none is smaller
than another (dom/wdeg); what it finds is kept. Once that is at its end, what the first has not delivered
follows, so that the order is lexicographic still. Where the second finds far more and the pipeline takes
solutions in another order (`Request.reordered`), it goes on alone: all up to the first one's last solution
are delivered, and none behind it, so that one comparison tells what is missing.

A count keeps nothing, and begins with the dynamic order: the search that is at its end first has the number.

The search that seems nearer its end works more. Turns are counted in failures and solutions and compared by
propagations, never by time: a listing can be repeated.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.portfolio import Seat, Slices, added
from cpqueens.backends.base import Deliver, Ended, Request, StopReason, Want
from cpqueens.errors import BackendFault
from cpqueens.language.rows import IntArray, behind

JOINING = 200
"""Failures of the first search until the second joins; it does not while there are more solutions."""

TURN = 100
"""Failures, or solutions, of a turn."""

SHARE = 3
"""How many times the other's work the one may do that seems to end with less in all: so little is lost where
it is the better one. Until one is seen to be, that is the first."""

SEEN = 1e-6
"""The part of its tree that a search has done by when it is seen how much work the whole takes."""

FEW, MANY = 16, 32
"""Solutions that show who finds more if that is clear, and by which it is decided in any case."""

CLEAR, BETTER = 4, 2
"""How many times as many solutions, for the same work, the better one has found then."""

PROBED = 2_000_000
"""Runs of propagators, and decisions, of both by which it is decided who counts in parts."""

KEPT = 1 << 23
"""Values, of all solutions together, that are kept of the second."""

_BEHIND = 8
"""By this factor the turns of the first are rarer, once the second is ahead and may not go on alone."""

_PORTION = 4096
"""Solutions that are delivered at a time."""

NAMES = {
    "lexicographic": "the order as written",
    "smallest-domain": "smallest domain first",
    "dom/wdeg": "dom/wdeg",
}
"""What the orders are called."""

Making = Callable[[Request, str], ForwardSearch]


class TwoOrders:
    """A search in lexicographic order, and one in a dynamic order that may end before it.

    Parameters
    ----------
    make
        Makes a search in an order, by its name.
    dynamic
        The dynamic order, which is the first one of a count.
    """

    def __init__(self, make: Making, request: Request, dynamic: str) -> None:
        self._counts = request.want is Want.COUNT
        orders = "lexicographic", dynamic
        self._orders = orders[::-1] if self._counts else orders
        self._names = [NAMES[order] for order in self._orders]
        self._request, self._make = request, make
        self._first = make(request, self._orders[0])
        self._second: ForwardSearch | None = None
        self._last: IntArray | None = None  # that the first has delivered
        self._delivered = 0  # by the first
        self._kept: list[IntArray] = []
        self._deliver_second: Deliver | None = None  # once it goes on alone

    def slices(self, deliver: Deliver) -> Slices:
        """Search to the end or to a stop, slice by slice."""
        seat, ended = Seat(self._names[0], self._first), None
        seat.begin(self._passing(deliver))
        while ended is None:
            self._first.give_turn(JOINING)
            ended = yield from seat.go_on()
            if ended is None and self._first.failures > self._first.found:
                return (yield from self._both(seat, deliver))
        return ended

    def probe(self) -> Ended | None:
        """Search for a while; return how it ended, None if it has not, and `better` is to go on."""
        slices = self.slices(lambda _batch: True)
        try:
            while sum(one.work + one.decisions for one in (self._first, self._second) if one) < PROBED:
                next(slices)
        except StopIteration as end:
            ended: Ended = end.value
            return ended
        return None

    @property
    def better(self) -> str:
        """The name of the order that seems to end with less work."""
        return self._orders[int(self._weight() < 1)]

    def _both(self, first: Seat[ForwardSearch], deliver: Deliver) -> Slices:
        """Let both take turns until one has ended, or one goes on alone."""
        self._second = self._make(replace(self._request, reordered=None), self._orders[1])
        second = Seat(self._names[1], self._second, SHARE)
        second.begin(self._keep, self._found)
        seats = first, second
        alone: int | None = None
        while alone is None:
            turn = min((0, 1), key=lambda k: seats[k].paid)
            seats[turn].search.give_turn(TURN, TURN)
            ended = yield from seats[turn].go_on()
            second.weight = self._weight()
            if ended is not None:
                return self._ended(ended, turn, deliver)
            alone = self._alone(first)
        seats[alone].search.go_on()
        if alone == 1 and not self._counts:
            if not self._go_over(deliver):
                return self._whole(Ended(False, StopReason.CALLBACK), "")
            self._deliver_second = self._rest(deliver)
        self._kept = []
        ended = yield from seats[alone].go_on()
        assert ended is not None, "alone it has no turns"
        seems = "seemed to end sooner" if self._counts else "found more"
        return self._whole(ended, f", {self._names[alone]} {seems}")

    # ---- what both deliver ------------------------------------------------------------------------------

    def _passing(self, deliver: Deliver) -> Deliver:
        """Return what passes on the solutions of the first search."""

        def take(batch: IntArray) -> bool:
            self._last = batch[-1].copy()
            self._delivered += len(batch)
            return deliver(batch)

        return take

    def _keep(self, batch: IntArray) -> bool:
        """Take solutions of the second: kept, and later delivered."""
        if self._deliver_second is not None:
            return self._deliver_second(batch)
        self._kept.append(batch)
        return True

    def _missing(self) -> IntArray:
        """Return what is kept and was not delivered by the first, in lexicographic order."""
        width = self._first.compiled.decision_count
        rows = np.concatenate([np.zeros((0, width), dtype=np.int64), *self._kept])
        rows = rows[np.lexsort(rows.T[::-1])]
        return rows if self._last is None else behind(rows, self._last)

    def _rest(self, deliver: Deliver) -> Deliver:
        """Return what passes on those solutions of the second that the first has not delivered."""
        last = self._last

        def take(batch: IntArray) -> bool:
            batch = batch if last is None else behind(batch, last)
            return deliver(batch) if len(batch) else True

        return take

    def _go_over(self, deliver: Deliver) -> bool:
        """Deliver what is kept of the second, and say that others follow that are not in order."""
        if self._request.reordered is None:
            return False
        self._request.reordered()
        return _delivered(self._missing(), deliver)

    # ---- who goes on, and how it ends ---------------------------------------------------------------------

    def _found(self, found: int) -> int:
        """Return the solutions that are known or can be delivered now, given what the second has found."""
        if self._counts:
            return max(found, self._first.found)
        return found if self._deliver_second is not None else self._first.found

    def _weight(self) -> float:
        """Return how many times the second's work the first may do, by what both would have to do in all."""
        first, second = self._first, self._second
        if second is None:
            return SHARE
        if min(first.progress, second.progress) < SEEN:
            return SHARE
        whole = [max(1, search.work) / search.progress for search in (first, second)]
        return min(max(whole[1] / whole[0], 1 / SHARE), SHARE)

    def _alone(self, seat: Seat[ForwardSearch]) -> int | None:
        """Return which search goes on alone; None if both go on, the first in its seat."""
        first, second = self._first, self._second
        assert second is not None
        most = max(first.found, second.found)
        rates = first.found * max(1, second.work), second.found * max(1, first.work)
        clear = most >= FEW and max(rates) >= CLEAR * min(rates)
        if self._counts:
            return int(self._weight() < 1) if clear or most >= MANY else None
        limit = self._request.solution_limit
        enough = limit is not None and second.found >= limit + self._request.look_ahead
        full = second.found * self._first.compiled.decision_count > KEPT
        if not (clear or most >= MANY or enough or full):
            return None
        better = enough or rates[1] >= BETTER * rates[0]
        if better and self._request.reordered is None and not full:
            seat.weight = _BEHIND * SHARE
            return None
        return int(better and self._request.reordered is not None)

    def _ended(self, ended: Ended, turn: int, deliver: Deliver) -> Ended:
        """Return the end of the search whose turn it was as that of both, and deliver what it still has.

        Raises
        ------
        BackendFault
            If the second, at its end, does not have what the first has delivered.
        """
        ending = f", {self._names[turn]} finished first" if ended.exhausted else ""
        if self._counts:
            return self._whole(ended, ending)
        if ended.exhausted and turn == 1:
            missing, kept = self._missing(), sum(map(len, self._kept))
            if kept - len(missing) != self._delivered:
                both = f"{kept - len(missing)} and {self._delivered} solutions up to {self._last}"
                raise BackendFault(f"two orders of search disagree: they have {both}", "MISSING")
            if not _delivered(missing, deliver):
                ended, ending = replace(ended, exhausted=False, stop_reason=StopReason.CALLBACK), ""
        elif ended.stop_reason in (StopReason.TIME_LIMIT, StopReason.INTERRUPTED) and len(self._missing()):
            self._go_over(deliver)
        return self._whole(ended, ending)

    def _whole(self, ended: Ended, ending: str) -> Ended:
        """Return an end with what both did."""
        assert self._second is not None
        if self._counts and not ended.exhausted:
            ended = replace(ended, count=max(self._first.found, self._second.found))
        each: list[dict[str, Any]] = [self._first.statistics(), self._second.statistics()]
        statistics = {**each[0], **added(each)}
        statistics["deepest"] = max(s["deepest"] for s in each)
        statistics["reason"] = f"{statistics['reason']}; {' and '.join(self._names)} took turns{ending}"
        return replace(ended, statistics=statistics)


def _delivered(rows: IntArray, deliver: Deliver) -> bool:
    """Deliver rows a portion at a time; say whether to go on."""
    return all(deliver(rows[k : k + _PORTION]) for k in range(0, len(rows), _PORTION))
