"""Searches in turns, for one solution or the best: one begins anew, one never does but remembers.

The first decides by what it learns, and begins anew without knowing where it was. Others join after `JOINING`
failures: one decides in the order in which the model was written and remembers subproblems, which is better
where rows or columns follow each other; one takes the smallest domain, and has a small part of the time,
because what it solves it mostly solves at once; one learns a clause from each conflict. An order that a model
names (`phases`) is followed first, and is one of them. Turns are counted in failures and compared by
propagations, never by time, so that runs can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from cpqueens.answers.outcome import StopReason
from cpqueens.backends.backtracking import remembering
from cpqueens.backends.backtracking.competing import CompetingSearch
from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.parted import Parted
from cpqueens.backends.backtracking.rows import Row
from cpqueens.backends.backtracking.turns import Slices
from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.backends.relaxation.relaxation import Relaxation
from cpqueens.kernels.exact.domains import Memory
from cpqueens.lowered.compiled import Compiled

RELAXING = 200
"""Failures of the first search until a linear relaxation is solved: most models are decided by then."""

JOINING = 2000
"""Failures of the first search until the others join."""

TURN = 500
"""Failures of a turn."""

SELDOM = 4
"""The weight of a search that has a small part of the time."""

LEARNED = 4
"""The weight of the one that learns clauses, under an objective: others prove that sooner, mostly."""

FEWEST, WORK = 400, 500_000
"""Failures, and runs of propagators, after which the others join where failures are dear."""

CREEPING = 10_000
"""Runs of propagators a failure from which on bounds creep, and reasons would be too long to be looked at."""

_ADDED = ("nodes", "failures", "decisions", "propagations")


class RememberingSearch(ForwardSearch):
    """A search in the order as written that remembers subproblems and never begins anew."""

    def __init__(
        self, compiled: Compiled, network: tuple[Memory, int], request: Request, facts: Mapping[str, Any]
    ) -> None:
        orders = {"variable_order": "lexicographic", "value_order": "saved"}
        request = replace(request, parameters={**request.parameters, **orders})
        memory = remembering.with_room(network[0])
        super().__init__(compiled, network, request, False, {**facts}, memory=memory)

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
        """Return what it did, and how many subproblems came again."""
        return {**super().statistics(), "subproblems_met": remembering.met(self.memory)}


class Member(NamedTuple):
    """One of the searches that take turns.

    Attributes
    ----------
    name
        As the statistics say it.
    make
        Makes it, with a row that bounds the objective if there is one; or says why it takes no part.
    weight
        It has one in so many parts of the propagations that another member has.
    learns
        Whether, with a weight of 1, it has a long first turn, which does not count.
    """

    name: str
    make: Callable[[Request, Row | None], CompetingSearch | str]
    weight: int = 1
    learns: bool = False


class Alternating:
    """A search, and after a while others that decide in another order, or remember.

    Before that it begins anew with what a linear relaxation proves, if that is more than its ends say.
    Who needs a kernel that is being compiled waits, unless nothing is to depend on a clock (``waits``).
    """

    def __init__(
        self,
        members: Sequence[Member],
        request: Request,
        relaxation: Callable[[], Relaxation | None] = lambda: None,
        parted: Callable[[], Parted | None] = lambda: None,
        waits: bool = True,
    ) -> None:
        self._members, self._waits = list(members), waits
        self._request, self._relaxation, self._parted = request, relaxation, parted
        early = request.known is not None and request.known.clauses is not None
        self._joining = min(JOINING, TURN) if early else JOINING  # failures of the first one alone
        self._searches: list[CompetingSearch] = [self._first(request, None)]
        self._left: list[CompetingSearch] = []  # the first one, where it began anew
        self._gone = set[int]()  # who gave up
        self._given: dict[int, int] = {}  # failures of a first turn, if it is long
        self._long: int | None = None  # who has had a long one just now
        self._waiting = set[int]()  # whose kernel is being compiled
        self._ahead: dict[int, int] = {}  # the others' work when one of these could begin
        self._absent: list[str] = []  # who takes no part, and why
        self._relaxed: Relaxation | None = None

    def _first(self, request: Request, proved: Row | None) -> ForwardSearch:
        search = self._members[0].make(request, proved)
        assert isinstance(search, ForwardSearch), "the first one decides, and is there always"
        return search

    def _hearing(self, number: int) -> Request:
        """Return the request of one of the searches, which hears the best that others know of."""

        def best() -> int | None:
            known = [s.known_best() for k, s in enumerate(self._searches) if k != number]
            known += [s.known_best() for s in self._left]
            if self._request.incumbent is not None:
                known.append(self._request.incumbent())
            values = [value for value in known if value is not None]
            if not values:
                return None
            return max(values) if self._searches[0].compiled.maximizing else min(values)

        return replace(self._request, incumbent=best)

    def slices(self, deliver: Deliver) -> Slices:
        """Search to the end or to a stop, slice by slice."""
        self._searches[0].give_turn(min(RELAXING, self._joining))
        running = [self._searches[0].slices(deliver)]
        turn = 0
        while True:
            try:
                yield next(running[turn])
            except StopIteration as end:
                if end.value.stop_reason is not StopReason.GAVE_UP:
                    return self._ended(turn, end.value)
                self._gone.add(turn)
                self._absent.append(f"without {self._members[turn].name}: {end.value.statistics['gave_up']}")
            if turn not in self._gone and not self._searches[turn].is_turn_over:
                continue
            if self._relaxed is None and self._joining > RELAXING:
                if self._relaxes():
                    return self._ended(0, Ended(True, StopReason.EXHAUSTED))
                running[0] = self._searches[0].slices(deliver) if self._left else running[0]
            if len(running) == 1 and self._is_alone():
                self._searches[0].give_turn(max(RELAXING, 1))
                continue
            if len(running) == 1:
                parted = self._parted()
                if parted is not None:
                    ended = yield from parted.slices(deliver)
                    return self._with_first(ended)
                first = self._searches[0]
                first.request = replace(first.request, incumbent=self._hearing(0).incumbent)
                self._join()
                running += [search.slices(deliver) for search in self._searches[1:]]
            turn = self._next()
            self._long = turn if turn in self._given else None
            self._searches[turn].give_turn(self._given.pop(turn, TURN))

    @property
    def work(self) -> int:
        """The propagators that have run, in all searches."""
        return sum(search.work for search in (*self._left, *self._searches))

    @property
    def decisions(self) -> int:
        """The decisions of all searches so far."""
        return sum(search.decisions for search in (*self._left, *self._searches))

    def _is_alone(self) -> bool:
        """Say whether the first search goes on alone: until it has failed often, or worked much."""
        return self._failures < self._joining and (self._failures < FEWEST or self.work < WORK)

    @property
    def _failures(self) -> int:
        return sum(search.failures for search in (*self._left, *self._searches))

    def _join(self) -> None:
        """Let the other members join."""
        playing = [self._members[0]]
        creeping = self.work > CREEPING * max(FEWEST, self._failures)
        for member in self._members[1:]:
            search: CompetingSearch | str = "bounds creep"
            if not (member.learns and creeping):
                search = member.make(self._hearing(len(playing)), self._proved)
            if isinstance(search, str):
                self._absent.append(f"without {member.name}: {search}")
            else:
                if member.learns and member.weight == 1 and not search.is_weak:  # as the first one had alone
                    self._given[len(playing)] = max(JOINING, TURN)
                playing.append(member)
                self._searches.append(search)
        self._members = playing
        if self._waits:
            self._waiting = {k for k, search in enumerate(self._searches) if not search.is_ready}

    def _next(self) -> int:
        """Return whose turn it is: who has worked least since it could."""
        done = {
            k: member.weight * search.work + self._ahead.get(k, 0)
            for k, (member, search) in enumerate(zip(self._members, self._searches, strict=True))
            if k not in self._gone
        }
        least = min(done[k] for k in done.keys() - self._waiting - {self._long})
        if self._long in done:
            self._ahead[self._long] = self._ahead.get(self._long, 0) + least - done[self._long]
            done[self._long] = least
            self._long = None
        for k in sorted(self._waiting):
            if self._searches[k].is_ready:
                self._waiting.remove(k)
                done[k] = self._ahead[k] = least
            else:
                del done[k]
        return min(done, key=lambda k: (done[k], k not in self._given))

    @property
    def _proved(self) -> Row | None:
        return None if self._relaxed is None else self._relaxed.row

    def _relaxes(self) -> bool:
        """Begin anew with what the relaxation proves; say whether it proves that there is no solution."""
        relaxation = self._relaxed = self._relaxation() or Relaxation()
        old = self._searches[0]
        assert isinstance(old, ForwardSearch), "no other one has joined yet"
        if relaxation.bound is None:
            return relaxation.refuted
        self._left.append(old)
        new = self._searches[0] = self._first(self._hearing(0), relaxation.row)
        new.inherit(old)
        new.learn_bound(relaxation.bound)
        if relaxation.vertex is not None:  # of one search: it is no good first value everywhere
            new.try_first(relaxation.vertex)
        return False

    def _with_first(self, ended: Ended) -> Ended:
        """Return the end of searches of parts, with what the first search did and proved."""
        mine = self._statistics()
        added = {name: ended.statistics.get(name, 0) + mine[name] for name in _ADDED}
        parts = ended.statistics["parts"]
        statistics = {**mine, **ended.statistics, **added}
        statistics["reason"] = f"{mine['reason']}; {parts} independent parts were searched apart"
        if not ended.exhausted:
            ended = replace(ended, bound=self._better(ended.bound, self._searches[0].known_bound()))
        return replace(ended, statistics=statistics)

    def _statistics(self) -> dict[str, Any]:
        """Return what all searches did together."""
        each = [search.statistics() for search in (*self._left, *self._searches)]
        told = {} if self._relaxed is None else self._relaxed.facts
        sums = {name: sum(s[name] for s in each) for name in _ADDED}
        deepest = max(s["deepest"] for s in each)
        joint: dict[str, Any] = {}
        for one in reversed(each[len(self._left) :]):  # what only one has, and else what the first says
            joint |= one
        return {**joint, **sums, "deepest": deepest, **told}

    def _ended(self, turn: int, ended: Ended) -> Ended:
        """Return the end of the search whose turn it was as that of all."""
        if not ended.exhausted:
            for search in self._searches:
                search.leave()
        if self._relaxed is None and len(self._searches) == 1:
            return ended
        statistics = self._statistics()
        if len(self._searches) > 1:
            first = self._members[turn].name
            names = [member.name for k, member in enumerate(self._members) if k not in self._waiting]
            ending = f", {first} was the first at its end" if ended.exhausted else ""
            self._absent += [
                f"without {self._members[k].name}: it was being compiled" for k in sorted(self._waiting)
            ]
            statistics["reason"] += f"; {' and '.join(names)} took turns{ending}"
            statistics |= {"absent": self._absent} if self._absent else {}
            if not ended.exhausted:  # the other may have met a better one, or proved more
                ended = replace(ended, objective=None, bound=self._bound())
        return replace(ended, statistics=statistics)

    def _bound(self) -> int | None:
        """Return the better of both bounds."""
        return self._better(*(s.known_bound() for s in self._searches))

    def _better(self, *bounds: int | None) -> int | None:
        """Return the best of some bounds, of which there may be none."""
        known = [bound for bound in bounds if bound is not None]
        return (min if self._searches[0].compiled.maximizing else max)(known, default=None)
