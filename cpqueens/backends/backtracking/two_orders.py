"""Listing in the better of two orders, where none is asked for: as written, and smallest domain first.

The first search delivers what it finds, in lexicographic order. After `JOINING` failures a second one joins,
which decides the smallest domain first, or by conflicts where all domains are 0/1 and none is smaller than
another (dom/wdeg); what it finds is kept. Once that is at its end, what the first has
not delivered follows, so that the order is lexicographic still. Where the second finds far more and the
pipeline takes solutions in another order (`Request.reordered`), it goes on alone: all up to the first one's
last solution are delivered, and none behind it, so that one comparison tells what is missing. Turns are
counted in failures and solutions and compared by propagations, never by time: a listing can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.portfolio import Seat, Slices, added
from cpqueens.backends.base import Deliver, Ended, Request
from cpqueens.errors import BackendFault
from cpqueens.language.rows import IntArray, behind

JOINING = 200
"""Failures of the first search until the second joins; it does not while there are more solutions."""

TURN = 100
"""Failures, or solutions, of a turn."""

SHARE = 3
"""How many times the second's work the first may do: what is lost is little where that is the better one."""

FEW, MANY = 16, 32
"""Solutions that show who finds more if that is clear, and by which it is decided in any case."""

CLEAR, BETTER = 4, 2
"""How many times as many solutions, for the same work, the better one has found then."""

KEPT = 1 << 23
"""Values, of all solutions together, that are kept of the second."""

_BEHIND = 8
"""By this factor the turns of the first are rarer, once the second is ahead and may not go on alone."""

_PORTION = 4096
"""Solutions that are delivered at a time."""

_WRITTEN = "the order as written"
NAMES = {"smallest-domain": "smallest domain first", "dom/wdeg": "dom/wdeg"}
"""What the second order is called."""

Making = Callable[[Request], ForwardSearch]


class TwoOrders:
    """A search in lexicographic order, and one in a dynamic order that may end before it.

    Parameters
    ----------
    first, second
        Make the searches, in their orders.
    order
        The name of the second's.
    """

    def __init__(self, first: Making, second: Making, request: Request, order: str) -> None:
        self._names = _WRITTEN, NAMES[order]
        self._request, self._make_second = request, second
        self._first = first(request)
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

    def _both(self, first: Seat[ForwardSearch], deliver: Deliver) -> Slices:
        """Let both take turns until one has ended, or one goes on alone."""
        self._second = self._make_second(replace(self._request, reordered=None))
        second = Seat(self._names[1], self._second, SHARE)
        second.begin(self._keep, self._found)
        seats = first, second
        alone: int | None = None
        while alone is None:
            turn = min((0, 1), key=lambda k: seats[k].paid)
            seats[turn].search.give_turn(TURN, TURN)
            ended = yield from seats[turn].go_on()
            if ended is not None:
                return self._ended(ended, turn, deliver)
            alone = self._alone(first)
        seats[alone].search.go_on()
        if alone == 1:
            if not self._go_over(deliver):
                return self._whole(Ended(False, StopReason.CALLBACK), "")
            self._deliver_second = self._rest(deliver)
        self._kept = []
        ended = yield from seats[alone].go_on()
        assert ended is not None, "alone it has no turns"
        return self._whole(ended, f", {self._names[alone]} found more")

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
        """Return the solutions that are or can be delivered now, given what the second has found."""
        return found if self._deliver_second is not None else self._first.found

    def _alone(self, seat: Seat[ForwardSearch]) -> int | None:
        """Return which search goes on alone; None if both go on, the first in its seat."""
        first, second = self._first, self._second
        assert second is not None
        most = max(first.found, second.found)
        rates = first.found * max(1, second.work), second.found * max(1, first.work)
        clear = most >= FEW and max(rates) >= CLEAR * min(rates)
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
        if ended.exhausted and turn == 1:
            missing, kept = self._missing(), sum(map(len, self._kept))
            if kept - len(missing) != self._delivered:
                both = f"{kept - len(missing)} and {self._delivered} solutions up to {self._last}"
                raise BackendFault(f"two orders of search disagree: they have {both}", "MISSING")
            if not _delivered(missing, deliver):
                ended = replace(ended, exhausted=False, stop_reason=StopReason.CALLBACK)
        elif ended.stop_reason in (StopReason.TIME_LIMIT, StopReason.INTERRUPTED) and len(self._missing()):
            self._go_over(deliver)
        ending = f", {self._names[turn]} finished first" if ended.exhausted else ""
        return self._whole(ended, ending)

    def _whole(self, ended: Ended, ending: str) -> Ended:
        """Return an end with what both did."""
        assert self._second is not None
        each: list[dict[str, Any]] = [self._first.statistics(), self._second.statistics()]
        statistics = {**each[0], **added(each)}
        statistics["deepest"] = max(s["deepest"] for s in each)
        statistics["reason"] = f"{statistics['reason']}; {' and '.join(self._names)} took turns{ending}"
        return replace(ended, statistics=statistics)


def _delivered(rows: IntArray, deliver: Deliver) -> bool:
    """Deliver rows a portion at a time; say whether to go on."""
    return all(deliver(rows[k : k + _PORTION]) for k in range(0, len(rows), _PORTION))
