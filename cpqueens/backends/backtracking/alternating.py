"""Searches in turns, for one solution or the best: one begins anew, one never does but remembers.

The first decides by what it learns, and begins anew without knowing where it was. Others join after
`JOINING` failures: one decides in the order in which the model was written and remembers subproblems, which
is better where rows or columns follow each other, and has more of the time where many come again; one takes
the smallest domain, and has a small part of the time, because what it solves it mostly solves at once; one
learns a clause from each conflict, and has more of the time the more its clauses spare; one solves the
linear relaxation at every node, where that bounds the objective, and has more of the time the farther it has
come. An order that a model names (`phases`) is followed first, and is one of them.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from cpqueens.backends.backtracking import remembering
from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.parted import Parted
from cpqueens.backends.backtracking.portfolio import CompetingSearch, Seat, Slices, added
from cpqueens.backends.base import Deliver, Ended, Request, StopReason, Want
from cpqueens.backends.relaxation.relaxation import NOTHING, Relaxation
from cpqueens.kernels.exact.domains import Memory
from cpqueens.language.rows import IntArray
from cpqueens.lowered.compiled import Compiled

RELAXING, DEARER = 200, 20_000
"""Failures of the first search, and runs of propagators, after which a linear relaxation is solved: most
models are decided by then, and it takes less than the search took."""

JOINING = 2000
"""Failures of the first search until the others join."""

TURN = 500
"""Failures of a turn of a search of weight 1; of others it is shorter by their weight."""

SELDOM, RARELY = 4, 16
"""The weights of searches that have a small part of the time: of the one that learns clauses at first, under
an objective, where others prove sooner, mostly; and of the one that takes the smallest domain, which is there
for what it solves at once."""

FEWEST, WORK = 400, 2_000_000
"""Failures, and runs of propagators, after which the others join where failures are dear: job shops
proved in 540 failures of 2,500 runs took three times as long where they joined after a quarter of this."""

NAMED = 200, 60_000
"""The same for one solution where the model names the first one's order, which is seldom the best of all."""

LATER = 2
"""How many times the work of the first one alone each has done before those that have a small part of the
time join: what is decided by then pays nothing for them, and later they make up for it."""

DESCRIBED = 24
"""Arguments of constraints that are described in the time of a run of a propagator."""

GAINLESS, GAINING = 1 / 4, 2.5
"""How many times the work of another the search that remembers may do without any gain, for one solution,
and at most, where what comes again spares it more than it does. Much more is no sign that it will end: what
spares a plan of facilities 300 times its work, and MCDP1 20 times, is proved by others. Under an objective
its order is worth as much as another's without any gain: it proves Golomb rulers first.
"""


class RememberingSearch(ForwardSearch):
    """A search in the order as written that remembers subproblems and never begins anew."""

    def __init__(
        self, compiled: Compiled, network: tuple[Memory, int], request: Request, facts: Mapping[str, Any]
    ) -> None:
        orders = {"variable_order": "lexicographic", "value_order": "saved"}
        request = replace(request, parameters={**request.parameters, **orders})
        memory = remembering.with_room(network[0])
        super().__init__(compiled, network, request, False, {**facts}, memory=memory)
        self._at_once = remembering.arguments(memory)

    @property
    def work(self) -> int:
        """The propagators that have run, and arguments that were looked at to describe subproblems."""
        return super().work + self._at_once * remembering.counts(self.memory)[0] // DESCRIBED

    @property
    def share(self) -> float:
        """How many times the work of another it should do: the more, the more it is spared, within limits."""
        least = 1 if self.request.want is Want.BEST else GAINLESS
        return min(least + remembering.counts(self.memory)[2] / max(1, self.work), GAINING)

    def give_turn(self, failures: int, found: int | None = None) -> None:
        """Give what is remembered more room, too."""
        super().give_turn(failures, found)
        self.memory = remembering.grown(self.memory)

    def _flush(self, deliver: Deliver) -> Any:
        """Deliver; without an objective, what holds a solution is not to be taken for empty."""
        if self.request.want is not Want.BEST:
            remembering.forget(self.memory)
        return super()._flush(deliver)

    def _look_at_open(self) -> None:
        """Take nothing: what is open may be remembered as one that is searched, while it still is."""

    def statistics(self) -> dict[str, Any]:
        """Return what it did, how many subproblems came again, and the propagators that did not run there."""
        _, met, spared = remembering.counts(self.memory)
        return {**super().statistics(), "subproblems_met": met, "propagations_spared": spared}


class Member(NamedTuple):
    """One of the searches that take turns.

    Attributes
    ----------
    name
        As the statistics say it.
    make
        Makes it, with what the relaxation proved; or says why it takes no part.
    weight
        It has one in so many parts of the propagations that another member has.
    """

    name: str
    make: Callable[[Request, Relaxation], CompetingSearch | str]
    weight: int = 1


class Alternating:
    """A search, and after a while others that decide in another order, or remember.

    Before that it begins anew with what a linear relaxation proves, if that is more than its ends say, and
    with one order of values that may be exchanged (``breaks`` makes later searches so, if there are any).
    Who needs a kernel that is being compiled waits, unless nothing is to depend on a clock (``waits``).
    """

    def __init__(
        self,
        members: Sequence[Member],
        request: Request,
        relaxation: Callable[[], Relaxation | None] = lambda: None,
        parted: Callable[[], Parted | None] = lambda: None,
        breaks: Callable[[], bool] = lambda: False,
        waits: bool = True,
    ) -> None:
        self._members, self._waits = members, waits
        self._request, self._relaxation, self._parted, self._breaks = request, relaxation, parted, breaks
        early = request.known is not None and request.known.clauses is not None
        self._joining = min(JOINING, TURN) if early else JOINING  # failures of the first one alone
        named = request.want is Want.ONE and request.parameters.get("phases")
        self._dear = NAMED if named else (FEWEST, WORK)
        self._seats: list[Seat[CompetingSearch]] = [Seat(members[0].name, self._first(request, NOTHING))]
        self._earlier: list[CompetingSearch] = []  # the first one, where it began anew
        self._absent: list[str] = []  # who takes no part, and why
        self._relaxed: Relaxation | None = None
        self._met: IntArray | None = None  # the last solution, until the search that learns has heard of it

    def _first(self, request: Request, relaxation: Relaxation) -> ForwardSearch:
        search = self._members[0].make(request, relaxation)
        assert isinstance(search, ForwardSearch), "the first one decides, and is there always"
        return search

    def _hearing(self, number: int) -> Request:
        """Return the request of one of the searches, which hears the best that others know of."""

        def best() -> int | None:
            others = [seat.search for k, seat in enumerate(self._seats) if k != number]
            values = [search.known_best() for search in (*others, *self._earlier)]
            if self._request.incumbent is not None:
                values.append(self._request.incumbent())
            known = [value for value in values if value is not None]
            return (max if self._maximizing else min)(known, default=None)

        return replace(self._request, incumbent=best)

    def slices(self, deliver: Deliver) -> Slices:
        """Search to the end or to a stop, slice by slice."""
        self._deliver = deliver
        deliver = self._pass if self._request.want is Want.BEST else deliver
        seat = self._seats[0]
        until: int | None = None  # each has worked so much: those with a small part of the time wait
        ended = yield from self._alone(deliver)
        if ended is None:
            parted = self._parted()
            if parted is not None:
                return self._with_first((yield from parted.slices(deliver)))
            until = LATER * self.work
            self._join(deliver, lambda member: member.weight == 1)
        while ended is None:
            if until is not None and until <= min(other.paid for other in self._playing()):
                self._join(deliver, lambda member: member.weight > 1)
                until = None
            seat = self._next()
            seat.search.give_turn(max(1, int(TURN / max(1, seat.weight))))
            if seat.search.takes_solutions and self._met is not None:
                seat.search.try_first(self._met)
                self._met = None
            ended = yield from seat.go_on()
            if (share := seat.search.share) is not None:
                paid, seat.weight = seat.paid, 1 / share
                seat.level(paid)
            if ended is not None and ended.stop_reason is StopReason.GAVE_UP:
                seat.has_left = True
                self._absent.append(f"without {seat.name}: {ended.statistics['gave_up']}")
                ended = None
        return self._ended(seat, ended)

    def _pass(self, batch: IntArray) -> bool:
        """Deliver solutions, and keep the last one."""
        self._met = batch[-1].copy()
        return self._deliver(batch)

    def _alone(self, deliver: Deliver) -> Generator[int, None, Ended | None]:
        """Let the first search go on alone until it has failed often, or worked much."""
        self._seats[0].begin(deliver)
        failures, work = self._dear
        while True:
            self._seats[0].search.give_turn(min(RELAXING, self._joining))
            ended = yield from self._seats[0].go_on()
            if ended is not None:
                return ended
            is_over = self._failures >= self._joining or (self._failures >= failures and self.work >= work)
            if self._relaxed is None and (is_over or self.work >= DEARER) and self._relaxes(deliver):
                return Ended(True, StopReason.EXHAUSTED)
            if is_over:
                return None

    @property
    def _searches(self) -> list[CompetingSearch]:
        """Return all searches, also one that began anew."""
        return [*self._earlier, *(seat.search for seat in self._seats)]

    @property
    def _maximizing(self) -> bool:
        return self._seats[0].search.compiled.maximizing

    @property
    def work(self) -> int:
        """The propagators that have run, in all searches."""
        return sum(search.work for search in self._searches)

    @property
    def decisions(self) -> int:
        """The decisions of all searches so far."""
        return sum(search.decisions for search in self._searches)

    @property
    def _failures(self) -> int:
        return sum(search.failures for search in self._searches)

    def _join(self, deliver: Deliver, which: Callable[[Member], bool]) -> None:
        """Let those of the other members join."""
        first = self._seats[0].search
        first.request = replace(first.request, incumbent=self._hearing(0).incumbent)
        for member in filter(which, self._members[1:]):
            search = member.make(self._hearing(len(self._seats)), self._relaxed or NOTHING)
            if isinstance(search, str):
                self._absent.append(f"without {member.name}: {search}")
                continue
            seat = Seat(member.name, search, member.weight)
            seat.is_waiting = self._waits and not search.is_ready
            seat.begin(deliver)
            self._seats.append(seat)

    def _playing(self) -> list[Seat[CompetingSearch]]:
        return [seat for seat in self._seats if not (seat.has_left or seat.is_waiting)]

    def _next(self) -> Seat[CompetingSearch]:
        """Return whose turn it is: who has paid least since it could."""
        least = min(seat.paid for seat in self._playing())
        for seat in self._seats:
            if seat.is_waiting and seat.search.is_ready:
                seat.is_waiting = False
                seat.level(least)
        return min(self._playing(), key=lambda seat: seat.paid)

    def _relaxes(self, deliver: Deliver) -> bool:
        """Begin anew with what the relaxation proves; say whether it proves that there is no solution."""
        relaxation = self._relaxed = self._relaxation() or NOTHING
        old = self._seats[0].search
        assert isinstance(old, ForwardSearch), "no other one has joined yet"
        if relaxation.refuted:
            return True
        floor, bound = relaxation.floor, relaxation.bound
        if floor is not None and bound is not None and not (relaxation.is_whole or old.is_near(bound)):
            old.learn_bound(bound)
            relaxation = self._relaxed = replace(relaxation, floor=None)
        if not self._breaks() and not relaxation.proved:
            return False
        self._earlier.append(old)
        new = self._first(self._hearing(0), relaxation)
        self._seats[0] = Seat(self._members[0].name, new)
        self._seats[0].begin(deliver)
        new.inherit(old.memory)
        if relaxation.bound is not None:
            new.learn_bound(relaxation.bound)
            if relaxation.vertex is not None:  # of one search: it is no good first value everywhere
                new.try_first(relaxation.vertex)
        return False

    def _with_first(self, ended: Ended) -> Ended:
        """Return the end of searches of parts, with what the first search did and proved."""
        mine = self._statistics()
        parts = ended.statistics["parts"]
        statistics = {**mine, **ended.statistics, **added([mine, ended.statistics])}
        statistics["reason"] = f"{mine['reason']}; {parts} independent parts were searched apart"
        if not ended.exhausted:
            ended = replace(ended, bound=self._better(ended.bound, self._seats[0].search.known_bound()))
        return replace(ended, statistics=statistics)

    def _statistics(self) -> dict[str, Any]:
        """Return what all searches did together."""
        each = [search.statistics() for search in self._searches]
        told = {} if self._relaxed is None else self._relaxed.facts
        deepest = max(s["deepest"] for s in each)
        joint: dict[str, Any] = {}
        for one in reversed(each[len(self._earlier) :]):  # what only one has, and else what the first says
            joint |= one
        return {**joint, **added(each), "deepest": deepest, **told}

    def _ended(self, last: Seat[CompetingSearch], ended: Ended) -> Ended:
        """Return the end of the search whose turn it was as that of all."""
        if not ended.exhausted:
            for seat in self._seats:
                seat.search.leave()
        if self._relaxed is None and len(self._seats) == 1:
            return ended
        statistics = self._statistics()
        if len(self._seats) > 1:
            names = [seat.name for seat in self._seats if not seat.is_waiting]
            ending = f", {last.name} finished first" if ended.exhausted else ""
            waiting = [seat.name for seat in self._seats if seat.is_waiting]
            absent = [*self._absent, *(f"without {name}: it was being compiled" for name in waiting)]
            statistics["reason"] += f"; {' and '.join(names)} took turns{ending}"
            statistics |= {"absent": absent} if absent else {}
            if not ended.exhausted:  # the other may have met a better one, or proved more
                bound = self._better(*(seat.search.known_bound() for seat in self._seats))
                ended = replace(ended, objective=None, bound=bound)
        return replace(ended, statistics=statistics)

    def _better(self, *bounds: int | None) -> int | None:
        """Return the best of some bounds, of which there may be none."""
        known = [bound for bound in bounds if bound is not None]
        return (min if self._maximizing else max)(known, default=None)
