"""Searches of CP-SAT, and their solutions and bounds on the way from its callbacks to the pipeline.

A second search on the other processors, for one solution and for optima.

One worker is the best single setting on models that are soon proved. On others it is beaten out of sight, or
finds no solution at all, for it has one strategy, no neighbourhoods and no feasibility jump. So a run begins
with one worker; once that has taken `JOINS_AFTER` seconds, a second search joins with OR-Tools' portfolio,
which has a subsolver of each kind from `PORTFOLIO` workers on. They give way to the first where processors
are few, and the first answer is taken. A run with a seed, a number of workers or parameters of its own has
no second search: it is what was asked for, and reproducible. ``tests/benchmarks/bench_workers.py`` measures
settings.

Listing and counting with several of CP-SAT's searches at a time, each with a part of the space.

CP-SAT lists with one worker only (with more, OR-Tools 9.15 loses solutions). So the space is cut by the
values of the first decision variables, and each part is a search of its own, with one worker, in a thread.
"""

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from cpqueens.backends.base import Batches, Deliver, Ended, Request, Want
from cpqueens.backends.cpsat.native import CONCLUSIVE, Solver, make_callback, new_proto
from cpqueens.backends.cpsat.translation import Translation
from cpqueens.language.rows import IntArray
from cpqueens.language.statement import Statement
from cpqueens.system.platforms import give_way
from cpqueens.system.stopping import ThreadTime, watching

JOINS_AFTER = 0.3
"""Processor seconds of the first search, after which the second begins."""

LARGEST = 100_000
"""Variables and constraints of CP-SAT's model beyond which a copy of it costs too much."""

PORTFOLIO = 8
"""Workers of the second search, however few processors there are; each processor that is left has one.

With fewer, OR-Tools leaves kinds of subsolvers out; interleaved, they finish too few of their turns.
"""


class CpSatSearch:
    """One search: the solver, its solutions on their way to the pipeline, and the bounds that it proves.

    Solutions go in growing batches. The search ends where the receiver wants no more, or where a bound has
    met what others have found. Exceptions of the user's functions cannot cross CP-SAT: they end the search,
    and `finish` raises them.

    >>> from cpqueens import Model
    >>> from cpqueens.backends.base import Clock, Want
    >>> from cpqueens.backends.cpsat.translation import translate
    >>> m = Model()
    >>> m.minimize(m.intvar(-3, 5, name="x"))
    >>> request = Request(Want.BEST, Clock(None))
    >>> CpSatSearch(Solver(), m, translate(m), request, lambda batch: True).bound_at_end(0, whole=False)
    -3
    """

    def __init__(
        self,
        solver: Solver,
        model: Statement,
        translation: Translation,
        request: Request,
        deliver: Deliver,
    ) -> None:
        self.solver, self.model, self.translation, self.request = solver, model, translation, request
        self.status = "UNKNOWN"
        self.first: tuple[list[int], str] | None = None  # the first solution, and how it was found
        self._error: BaseException | None = None
        self._deliver = deliver
        self._batches = Batches(self._hand_over, self._decode, singly=request.want is Want.BEST)
        self._heard: set[int] = set()  # bounds
        self._met = False  # whether one has met what others have found

    def run(self, proto: Any = None) -> None:
        """Search until there is an answer or a stop, in ``proto`` if that is a copy of the model."""
        hear = self._hear if self.request.want is Want.BEST else None
        self.status = self.solver.solve(proto or self.translation.proto, make_callback(self._put), hear)

    def finish(self) -> None:
        """Hand over the rest and raise what the user's functions raised."""
        self._batches.flush()
        if self._error is not None:
            raise self._error

    @property
    def stopped(self) -> bool:
        """Whether the receiver wants no more."""
        return self._batches.stopped

    @property
    def has_answered(self) -> bool:
        """Whether nothing is left to do: a proof, or as many solutions as the receiver wants."""
        return self.stopped or self._met or self.status in (*CONCLUSIVE, "MODEL_INVALID")

    def _fail(self, error: BaseException) -> None:
        self._error = error
        self.solver.stop_search()

    # ---- solutions --------------------------------------------------------------------------------------

    def _put(self, response: Any) -> None:
        """Take one solution."""
        solution = list(response.solution)
        if self.first is None:
            self.first = solution, str(response.solution_info)
        self._batches.put(solution)

    def _decode(self, rows: list[list[int]]) -> IntArray:
        t = self.translation
        if t.board is None:
            return np.array(rows, dtype=np.int64)[:, t.columns]
        return np.stack([t.values(row) for row in rows])

    def _hand_over(self, batch: IntArray) -> bool:
        try:
            going_on = self._deliver(batch)
        except BaseException as error:
            self._fail(error)
            return False
        if not going_on:
            self.solver.stop_search()
        return going_on

    def hint_fate(self) -> dict[str, Any]:
        """Return how the hint was used, judged by the first solution.

        *accepted*: it has every hinted value. *repaired*: CP-SAT says that it comes from the hint, with
        other values in places. *ignored*: there is no solution, or it does not come from the hint.
        """
        request = self.request
        given = np.flatnonzero(request.hinted)
        if self.first is None:
            return {"hint": "ignored", "hint_given": len(given), "hint_kept": 0}
        solution, found_by = self.first
        assert request.hint is not None
        kept = int((self.translation.values(solution)[given] == request.hint[given]).sum())
        fate = "repaired" if "hint" in found_by or "repaired" in found_by else "ignored"
        if len(given) and kept == len(given):
            fate = "accepted"
        return {"hint": fate, "hint_given": len(given), "hint_kept": kept}

    # ---- bounds -----------------------------------------------------------------------------------------

    def _hear(self, bound: float) -> None:
        """Take a bound, from a thread of CP-SAT's."""
        try:
            self._heard.add(round(bound))
            ours = self.translation.in_ours(round(bound))
            if self.translation.objective_is_exact():
                self.request.prove(ours)
            known = None if self.request.incumbent is None else self.request.incumbent()
            if known is not None and self.translation.is_met(ours, known):
                self._met = True
                self.solver.stop_search()
        except BaseException as error:
            self._fail(error)

    def bound_at_end(self, inner: int, whole: bool) -> int:
        """Return the bound for the one that CP-SAT's answer has, of the ``whole`` search or of a stopped one.

        One that was stopped within presolve has 0 there, which nobody has proved.
        """
        if not whole:
            least = self.translation.least
            inner = max(inner, least) if inner or 0 in self._heard else least
        return self.translation.in_ours(inner)


class Second:
    """A search that joins ``first``, which runs in the thread that makes this.

    ``make`` returns a search that uses the solver that it is given.
    """

    def __init__(self, first: CpSatSearch, make: Callable[[Any], CpSatSearch]) -> None:
        self._first, self._make = first, make
        self._spent = ThreadTime()
        self._over, self._deciding = threading.Event(), threading.Lock()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._search: CpSatSearch | None = None

    def look(self) -> None:
        """Begin, if the first has had its time; another thread may look while that ends."""
        with self._deciding:
            if self._thread is None and not self._over.is_set() and self._spent() > JOINS_AFTER:
                self._thread = threading.Thread(target=self._work, name="cpqueens-cpsat-second", daemon=True)
                self._thread.start()

    def _work(self) -> None:
        give_way()
        try:
            self._search = search = self._make(_helper(self._first))
            with watching(search.solver.stop_search, self._over.is_set):
                search.run(new_proto(self._first.translation.proto))
            if search.has_answered:
                self._first.solver.stop_search()
        except BaseException as error:
            self._error = error
            self._first.solver.stop_search()

    def finish(self) -> CpSatSearch | None:
        """End it, and return the search if it took part."""
        with self._deciding:
            self._over.set()
        if self._thread is None:
            return None
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._search is not None, "it was made, or its error was raised"
        self._search.finish()
        return self._search


def joins(request: Request, proto: Any) -> bool:
    """Say whether a run may have a second search."""
    if not request.spare or request.want not in (Want.ONE, Want.BEST) or request.log is not None:
        return False
    own = request.parameters.keys() - {"formulation"}
    return not own and len(proto.variables) + len(proto.constraints) <= LARGEST


def _helper(first: CpSatSearch) -> Solver:
    """Return a solver that is set up like the first's, but for its workers."""
    solver = Solver()
    solver.parameters.copy_from(first.solver.parameters)
    solver.parameters.num_workers = max(PORTFOLIO, first.request.spare)
    return solver


def in_turn(deliver: Deliver) -> Deliver:
    """Return ``deliver`` for several threads: one at a time, and none once the receiver has enough."""
    lock, enough = threading.Lock(), threading.Event()

    def guarded(batch: Any) -> bool:
        with lock:
            if enough.is_set() or not deliver(batch):
                enough.set()
            return not enough.is_set()

    return guarded


def both(ended: Ended, other: Ended, first: CpSatSearch, second: CpSatSearch, maximizing: bool) -> Ended:
    """Return the end of the search that has the answer; of two without one the better bound."""
    workers = ended.statistics["workers"] + other.statistics["workers"]
    winner = other if second.has_answered and not first.has_answered else ended
    facts = {"workers": workers, "second_search": "answered" if winner is other else "joined"}
    statistics = {**winner.statistics, **facts}
    if winner.exhausted:
        return replace(winner, statistics=statistics)
    bounds = [b for b in (ended.bound, other.bound) if b is not None]
    bound = (min(bounds) if maximizing else max(bounds)) if bounds else None
    # the best solution delivered may be the other's
    return replace(winner, objective=None, bound=bound, statistics=statistics)


Narrow = tuple[tuple[int, list[int]], ...]
"""Columns of CP-SAT and their domains: first and last value of each interval."""

_PARTS = 8  # for each worker: they differ in size, and the last to end is waited for
_VALUES = 64  # of a variable, cut one by one; more are halved

Search = Callable[[Narrow, Deliver, Callable[[Callable[[], None]], None]], bool]
"""``search(part, deliver, register)`` says whether a part was exhausted; what it registers stops it."""


def parts(proto: Any, columns: list[int], workers: int) -> list[Narrow]:
    """Return disjoint parts that together are everything, some for each worker if there are so many."""
    found: list[Narrow] = [()]
    for column in columns:
        if len(found) >= _PARTS * workers:
            break
        pieces = list(_pieces(list(proto.variables[column].domain)))
        if len(pieces) > 1:
            found = [(*part, (column, piece)) for part in found for piece in pieces]
    return found


def _pieces(domain: list[int]) -> Iterator[list[int]]:
    """Yield the values of a domain one by one, or the lower and the upper part of a large one."""
    intervals = list(zip(domain[::2], domain[1::2], strict=True))
    if sum(high - low + 1 for low, high in intervals) <= _VALUES:
        yield from ([value, value] for low, high in intervals for value in range(low, high + 1))
        return
    middle = (domain[0] + domain[-1]) // 2
    for first, last in ((domain[0], middle), (middle + 1, domain[-1])):
        within = ((max(low, first), min(high, last)) for low, high in intervals)
        yield [end for ends in within if ends[0] <= ends[1] for end in ends]


def run_shared(
    search: Search, narrows: list[Narrow], workers: int, deliver: Deliver, should_stop: Callable[[], bool]
) -> tuple[bool, bool]:
    """Search all parts in threads; return whether all were exhausted, and whether the receiver had enough.

    Batches are delivered in the calling thread. Raises what a search or the receiver raised.
    """
    batches: queue.Queue[IntArray | None] = queue.Queue(4 * workers)  # None from each part as it ends
    over, stops, enough = threading.Event(), list[Callable[[], None]](), False

    def stop() -> None:
        over.set()
        for one in list(stops):
            one()

    def register(one: Callable[[], None]) -> None:
        stops.append(one)
        if over.is_set():
            one()

    def put(batch: IntArray) -> bool:
        batches.put(batch.copy())
        return not over.is_set()

    def work(narrow: Narrow) -> bool:
        try:
            return not over.is_set() and search(narrow, put, register)
        except BaseException:
            stop()
            raise
        finally:
            batches.put(None)

    with ThreadPoolExecutor(workers, "cpqueens-cpsat") as pool, watching(stop, should_stop):
        under_way = [pool.submit(work, narrow) for narrow in narrows]
        try:
            working = len(under_way)
            while working:
                batch = batches.get()
                if batch is None:
                    working -= 1
                elif not enough and not deliver(batch):
                    enough = True
                    stop()
            exhausted = [part.result() for part in under_way]  # of all of them: one may have raised
            return all(exhausted) and not over.is_set(), enough
        finally:
            stop()
            while not all(part.done() for part in under_way):
                with suppress(queue.Empty):  # nobody may wait for room
                    batches.get(timeout=0.01)
