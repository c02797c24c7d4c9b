"""What propagation leaves of a model before any search, and a small part of its tree of decisions.

Both by the exact engine's network, which has the same decision variables in the same order. Nothing is proved
here: what is found is delivered and checked like all that local search finds.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from cpqueens.backends.backtracking.alternating import SELDOM, Alternating, Member, RememberingSearch
from cpqueens.backends.backtracking.clause_search import ClauseSearch, clause_search
from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.base import Ended, Request, StopReason, Want
from cpqueens.backends.relaxation.relaxation import Relaxation, relaxation_of
from cpqueens.errors import ModelError
from cpqueens.kernels.exact import domains as at
from cpqueens.language.rows import IntArray, Mask
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.structures.table import Structures
from cpqueens.system.stopping import Pace, Stopped, stopping

Searching = TypeVar("Searching", ForwardSearch, ClauseSearch)

FIRST_PART = 1_000
"""Decisions that are made in the tree before values are first tried in random order."""
RUNS = 20
"""Runs of a propagator, on average, after which the root is left as it is: bounds may creep for ever."""
LARGEST = 200_000
"""Variables and constraints beyond which a model is not propagated here."""
DEAR, FEWEST_NODES = 400, 100
"""Propagators that a node of the tree may run on average, beyond the first nodes: dearer ones are fewer."""
SLICE = 16
"""Steps of searches in turns until it is looked at the work that they have done."""
WIDEST = 1 << 16
"""Values of a variable beyond which a tree is not explored: a single node might take long."""


@dataclass(frozen=True)
class Root:
    """A model after propagation.

    Attributes
    ----------
    memory, objective_row
        The propagated network and the objective's propagator in it; never written to.
    possible
        Whether anything is left.
    settled
        Whether propagation reached a fixed point.
    """

    compiled: Compiled
    memory: at.Memory
    objective_row: int
    possible: bool
    settled: bool

    def ends(self) -> tuple[IntArray, IntArray]:
        """Return the bounds that are left of all compiled variables."""
        x = self.memory.x[: self.compiled.variable_count * at.X_WIDTH].reshape(-1, at.X_WIDTH)
        return x[:, at.LOW].copy(), x[:, at.HIGH].copy()

    def domains(self) -> list[IntArray | tuple[int, int]]:
        """Return what is left of each decision variable: bounds, or values where there are gaps."""
        return [self._domain(v) for v in range(self.compiled.decision_count)]

    def _domain(self, v: int) -> IntArray | tuple[int, int]:
        record = self.memory.x[v * at.X_WIDTH : (v + 1) * at.X_WIDTH]
        low, high, first = (int(record[k]) for k in (at.LOW, at.HIGH, at.FIRST))
        if first >= 0:
            start = first - int(record[at.BASE])
            values = low + np.flatnonzero(self.memory.cells[start + low : start + high + 1])
        elif v in self.compiled.domains:
            values = self.compiled.domains[v]
            values = values[(values >= low) & (values <= high)]
        else:
            return low, high
        return (low, high) if len(values) == high - low + 1 else values

    @property
    def is_small_enough(self) -> bool:
        """Whether its nodes are cheap enough to explore."""
        count = self.compiled.decision_count * at.X_WIDTH
        spans = self.memory.x[at.HIGH : count : at.X_WIDTH] - self.memory.x[at.LOW : count : at.X_WIDTH]
        return self.settled and int(spans.max(initial=0)) < WIDEST


def propagated(structures: Structures, request: Request) -> Root | None:
    """Return what propagation leaves, None if the model is too large for it to be cheap.

    Raises
    ------
    Stopped
        If the request's time is over.
    """
    model = structures.model
    if model.variable_count + model.constraint_count > LARGEST:
        return None
    compiled = structures.compiled(structures.exact)
    spans = np.minimum(compiled.upper - compiled.lower, WIDEST)
    if compiled.variable_count + len(compiled.linear) > LARGEST or int(spans.sum()) > 50 * LARGEST:
        return None
    try:
        return root_of(compiled, request)
    except ModelError:  # of too many values there is no network
        return None


def root_of(compiled: Compiled, request: Request) -> Root:
    """Return what propagation leaves of a compiled model, or of a part of one.

    Raises
    ------
    Stopped
        If the request's time is over.
    """
    network = build_memory(compiled, False)
    search = ForwardSearch(compiled, network, request, False, {})
    queued = sum(int(network[0].stack[q + at.SIZE_OF]) for q in range(at.QUICK, at.QUEUES_END, at.Q_WIDTH))
    possible = search.propagates(RUNS * (queued + int(network[0].stack[at.VARIABLES]) // at.X_WIDTH))
    if not search.is_settled and request.should_stop():
        raise Stopped  # what is kept of a model depends on no clock
    return Root(compiled, search.memory, network[1], possible, search.is_settled)


@dataclass(frozen=True)
class Explored:
    """What a part of the tree had: the best solution in it, how many nodes, and whether it was all."""

    solution: IntArray | None
    nodes: int
    exhausted: bool


class Tree:
    """Searches of the same tree, each a while: the first with the least values, the others with random ones.

    After Gomes, Selman and Kautz (1998), "Boosting combinatorial search through randomization".
    """

    def __init__(self, root: Root, request: Request) -> None:
        self.root, self.request = root, request
        self.searches, self.part = 0, FIRST_PART

    def explore(self, nodes: int, limit: int | None) -> Explored:
        """Search at most ``nodes`` nodes, anew after ever more of them; `Request.should_stop` ends it.

        ``limit`` is the most that the (minimised) objective may be.
        """
        best: list[IntArray] = []
        done = 0
        while done < nodes and not self.request.should_stop():
            most = min(self.part, nodes - done)
            ended = self._search(most, limit, best)
            runs = ended.statistics["propagations"] - int(self.root.memory.stack[at.RUNS])
            done += max(_nodes(ended), min(runs // DEAR, most))
            if ended.exhausted or (best and self.root.compiled.objective is None):
                return Explored(best[-1] if best else None, done, ended.exhausted)
            if ended.objective is not None:
                limit = (-ended.objective if self.root.compiled.maximizing else ended.objective) - 1
            self.searches, self.part = self.searches + 1, self.part * 5 // 4
        return Explored(best[-1] if best else None, done, False)

    def repair(self, x: IntArray, free: Mask, nodes: int, limit: int | None) -> Explored:
        """Search at most ``nodes`` nodes of what is left where only some variables of ``x`` are ``free``.

        Raises
        ------
        Stopped
            If the request's time is over before the search begins.
        """
        best: list[IntArray] = []
        with stopping(self.request.should_stop):
            memory = at.copied(self.root.memory)
            for v in np.flatnonzero(~free).tolist():
                place, value = v * at.X_WIDTH, int(x[v])
                if not at.contains(memory, place, value) or not at.tighten(memory, place, value, value):
                    return Explored(None, 0, True)  # what propagation at the root has taken from it
        ended = self._search(nodes, limit, best, memory)
        self.searches += 1
        return Explored(best[-1] if best else None, _nodes(ended), ended.exhausted)

    def _search(
        self, nodes: int, limit: int | None, found: list[IntArray], memory: at.Memory | None = None
    ) -> Ended:
        """Search once; add to ``found`` the last solution, which is the best."""
        wants = Want.ONE if self.root.compiled.objective is None else Want.BEST

        def keep(batch: IntArray) -> bool:
            found[:] = [batch[-1].copy()]
            return wants is Want.BEST

        orders = {
            "variable_order": "smallest-domain",
            "value_order": "random" if self.searches else "ascending",
        }
        request = replace(
            self.request, want=wants, solution_limit=None, step_limit=nodes, after=None,
            seed=self.request.seed + self.searches, parameters=orders,
            objective_limit=limit if limit is None or not self.root.compiled.maximizing else -limit,
        )  # fmt: skip
        c, row = self.root.compiled, self.root.objective_row
        if memory is None:
            return _steady(_WithinWork(c, (self.root.memory, row), request, False, {})).run(keep)
        request = replace(request, bounds=None)  # what is proved there is nothing of the model
        return ForwardSearch(c, (memory, row), request, False, {}).run(keep)


class _WithinWork(ForwardSearch):
    """A search that ends, too, once it has run as many propagators as its nodes may, and had some nodes."""

    def _limit(self) -> StopReason | None:
        assert self.request.step_limit is not None, "it is told how many nodes"
        most = int(self.start.stack[at.RUNS]) + DEAR * self.request.step_limit
        is_dear = self.work >= most and self.decisions >= FEWEST_NODES
        return super()._limit() or (StopReason.STEP_LIMIT if is_dear else None)


def _nodes(ended: Ended) -> int:
    """Return how many nodes a search had, without its root."""
    return max(0, int(ended.statistics["nodes"] + ended.statistics["failures"]) - 1)


class InTurns:
    """The exact engine's searches in turns (`Alternating`) for one solution, each look some way further.

    Slices are counted in steps, and nobody waits for a compiler: what is found depends on no clock.
    """

    def __init__(self, root: Root, request: Request) -> None:
        self._found = list[IntArray]()
        self._request = replace(
            request, want=Want.ONE, solution_limit=None, step_limit=None, after=None, parameters={},
            objective_limit=None, bounds=None, look_ahead=False,
        )  # fmt: skip
        c, facts, at_root = root.compiled, {"reason": ""}, (root.memory, root.objective_row)

        def restarting(own: Request, relaxation: Relaxation) -> ForwardSearch:
            network = build_memory(c, False, True, proved=relaxation.proved)
            return _steady(ForwardSearch(c, network, own, False, facts, True))

        def remembering(own: Request, relaxation: Relaxation) -> ForwardSearch:
            network = build_memory(c, False, remembering=True, proved=relaxation.proved)
            return _steady(RememberingSearch(c, network, own, facts))

        def learning(own: Request, relaxation: Relaxation) -> ClauseSearch | str:
            search = clause_search(c, own, facts, relaxation.proved)
            return search if isinstance(search, str) else _steady(search)

        def smallest(own: Request, _relaxation: Relaxation) -> ForwardSearch:
            own = replace(own, parameters={"variable_order": "smallest-domain"})
            return _steady(ForwardSearch(c, at_root, own, False, facts))

        members = [
            Member("restarts", restarting),
            Member("clause learning", learning),
            Member("remembered subproblems", remembering),
            Member("smallest domains", smallest, SELDOM),
        ]

        def relaxes() -> Relaxation | None:
            return relaxation_of(None, c, lambda: at_root, self._request)

        self._searches = Alternating(members, self._request, relaxes, waits=False)
        self._slices = self._searches.slices(self._keep)

    def _keep(self, batch: IntArray) -> bool:
        self._found[:] = [batch[-1].copy()]
        return False

    def go_on(self, runs: int) -> Explored:
        """Run about so many propagators more."""
        end, before, exhausted = self._searches.work + runs, self._searches.decisions, False
        try:
            while self._searches.work < end and not self._request.should_stop():
                next(self._slices)
        except StopIteration as ended:
            exhausted = ended.value.exhausted
        solution = self._found.pop() if self._found else None
        return Explored(solution, self._searches.decisions - before, exhausted)


def _steady(search: Searching) -> Searching:
    search.pace = Pace(SLICE, steady=True)
    return search
