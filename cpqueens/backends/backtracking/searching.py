"""From chosen strategies to a search that is ready to run: alone, in turns, or in parts for threads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from cpqueens.backends.backtracking import patterned
from cpqueens.backends.backtracking.alternating import RARELY, SELDOM, Alternating, Member, RememberingSearch
from cpqueens.backends.backtracking.forward import ForwardSearch
from cpqueens.backends.backtracking.interchangeable import with_one_order
from cpqueens.backends.backtracking.memory import build_memory
from cpqueens.backends.backtracking.orders import Branching
from cpqueens.backends.backtracking.parted import Parted, counted_apart
from cpqueens.backends.backtracking.portfolio import InOrder, Slices, Turns, drained
from cpqueens.backends.backtracking.rows import Proved
from cpqueens.backends.backtracking.tally import count_shared, wants_parts
from cpqueens.backends.backtracking.two_orders import TwoOrders
from cpqueens.backends.backtracking.watching import TreeObserver
from cpqueens.backends.base import Deliver, Ended, Request, Want
from cpqueens.backends.relaxation.relaxation import Relaxation, relaxation_of
from cpqueens.errors import UnsupportedConstraint
from cpqueens.kernels.boards.pattern import Pattern, SumPattern
from cpqueens.kernels.exact.domains import Memory
from cpqueens.language.statement import Statement
from cpqueens.lowered.compiled import Compiled
from cpqueens.lowered.presolve.parts import IndependentParts, parts_of
from cpqueens.system.stopping import stopping

if TYPE_CHECKING:
    from cpqueens.backends.backtracking.branch_and_bound import BranchAndBound
    from cpqueens.backends.backtracking.clause_search import ClauseSearch

_ROUNDS = 7
"""Turns after which a count in parts, which needs one strategy, is decided: 5 ms to 0.3 s each."""


_TABLES = 1e-4
"""Processor seconds for each row of a pattern that making its tables may take: meanwhile propagation often
finds a first solution, or all of a puzzle."""


@dataclass(frozen=True)
class Searching:
    """What all searches of one run are made of."""

    model: Statement
    compiled: Compiled
    pattern: Pattern | SumPattern | None
    request: Request
    facts: dict[str, Any]
    networks: dict[tuple[object, ...], tuple[Memory, int]] = field(default_factory=dict)
    """Those of this run, made once: of a large model they are not kept with it."""
    apart: bool = False
    """Whether it is one of a model's independent parts."""

    def prepare(self, strategies: tuple[str, ...]) -> Callable[[Deliver], Ended]:
        """Return the search by these strategies."""
        # made now, and kept, so that the time counts as translation; others make theirs when their turn comes
        if self._is_general(strategies[0]) and "learning" not in strategies:
            check_only = "check" in strategies
            asked = Branching.of(self.request)
            self._network(check_only, (asked.learns or asked.takes_others) and not check_only)
        if self.request.want is Want.COUNT:
            return self._prepare_count(strategies)
        return partial(self._run, strategies)

    def _prepare_count(self, strategies: tuple[str, ...]) -> Callable[[Deliver], Ended]:
        """Return a count, which may be made of parts."""
        apart = self._counts_apart(strategies)
        if apart is not None:
            return lambda _deliver: drained(apart, self.request.heard)
        if strategies == ("halves",):
            return lambda _deliver: patterned.count_halves(self._board(), self.request, self.facts)
        in_parts = wants_parts(self.request) and self.request.profiling is None
        if in_parts and not (strategies == ("check",) and self.pattern is None):
            return lambda _deliver: self._count_in_parts(strategies)
        return partial(self._run, strategies)

    def _is_general(self, strategy: str) -> bool:
        """Say whether it is a search of any model, not one on the pattern."""
        return self.pattern is None or strategy in ("forward", "learning")

    def _is_free(self) -> bool:
        """Say whether some decision variable is in no AllDifferent and no linear row."""
        c, found = self.compiled, np.zeros(self.compiled.variable_count, dtype=bool)
        found[c.different.variable] = found[c.linear.variable] = True
        return not found[: c.decision_count].all()

    def _is_one_part(self) -> bool:
        """Say whether the longest AllDifferent has all decision variables: a quick answer for many models."""
        c = self.compiled
        lengths = np.diff(c.different_start)
        if not len(lengths) or lengths.max() < c.decision_count:
            return False
        group = int(lengths.argmax())
        first, end = c.different.start[c.different_start[[group, group + 1]]]
        found = np.zeros(c.variable_count, dtype=bool)
        found[c.different.variable[first:end]] = True
        return bool(found[: c.decision_count].all())

    def _looks_for(self, what: str) -> bool:
        """Say whether independent parts are searched apart, or the linear relaxation is solved."""
        return what not in self.request.parameters.get("without", ())

    def _counts_apart(self, strategies: tuple[str, ...]) -> Slices | None:
        """Return a count of independent parts, where the model has several and all strategies are general."""
        request = self.request
        whole = request.after is None and request.step_limit is None and request.profiling is None
        if not whole or "check" in strategies or self._is_one_part() or not self._looks_for("parts"):
            return None
        if self.pattern is not None and not self._is_free():
            return None
        start, row, parts = self.model.kept("parts", self._parts)
        if not len(parts.free) and len(parts.members) < 2:
            return None

        def counted(part: list[int]) -> Callable[[], Slices]:
            def begin() -> Slices:  # each has a copy of everything: one at a time
                search = ForwardSearch(self.compiled, (start, row), request, False, self.facts, part=part)
                return search.slices(lambda _batch: True)

            return begin

        decided = [part[part < self.compiled.decision_count].tolist() for part in parts.members]
        return counted_apart(parts.choices, [counted(part) for part in decided or [[]]])

    def _parts(self, learning: bool = False) -> tuple[Memory, int, IndependentParts]:
        """Return where searches of independent parts start, with the objective's row, and the parts."""
        c, (memory, row) = self.compiled, self._network(learning=learning)
        root = ForwardSearch(c, (memory, row), self.request, False, {})
        ends = root.root_ends()
        if ends is None:
            return memory, row, parts_of(c, c.lower, c.upper)
        return root.memory, row, parts_of(c, *ends)

    def _board(self) -> Pattern | SumPattern:
        assert self.pattern is not None, "strategies of patterns are chosen only where there is one"
        return self.pattern

    def _network(
        self, check_only: bool = False, learning: bool = False, remembering: bool = False, proved: Proved = ()
    ) -> tuple[Memory, int]:
        in_order, without = bool(self.compiled.precedence), tuple(self.request.parameters.get("without", ()))
        best = self.request.want is Want.BEST
        key = "network", best, check_only, learning, remembering, proved, in_order, without
        if key not in self.networks:

            def make() -> tuple[Memory, int]:
                with stopping(self.request.should_stop):
                    return build_memory(
                        self.compiled, check_only, learning, remembering, proved, sources, without
                    )

            profiling = self.request.profiling
            sources = None if profiling is None else profiling.sources
            once = self.apart or profiling is not None
            self.networks[key] = make() if once else self.model.kept(key, make)
        return self.networks[key]

    def _run(self, strategies: tuple[str, ...], deliver: Deliver) -> Ended:
        if len(strategies) == 1:
            return drained(self._slices(strategies[0], deliver), self.request.heard)
        return self._turns(strategies, deliver).run()

    def _turns(self, strategies: tuple[str, ...], deliver: Deliver) -> Turns:
        ordered = self
        if self.request.want is Want.ALL:
            deliver = InOrder(deliver)
            ordered = replace(self, request=replace(self.request, reordered=None))
        searches = {strategy: ordered._in_its_turn(strategy, deliver) for strategy in strategies}
        waits = self.pattern is not None and strategies[0] == "forward"
        ahead = _TABLES * self._board().n if waits else 0.0
        return Turns(searches, self.request.heard, ahead)

    def _in_its_turn(self, strategy: str, deliver: Deliver) -> Slices:
        """Search by one strategy; nothing is made for it before its first turn."""
        return (yield from self._slices(strategy, deliver))

    def _slices(self, strategy: str, deliver: Deliver) -> Slices:
        """Return the search of one strategy."""
        if not self._is_general(strategy):
            recorder = self.request.recorder(self.model)
            return patterned.slices(self._board(), strategy, self.request, deliver, self.facts, recorder)
        if strategy == "learning":
            return self._learning().slices(deliver)
        check_only = strategy == "check"
        asked = Branching.of(self.request)
        if strategy == "forward" and asked.in_any_order:
            return self._two_orders().slices(deliver)
        learning = asked.learns and not check_only
        if not check_only and asked.takes_others:
            return self._alternating(deliver)
        network = self._network(check_only, learning)
        search = ForwardSearch(
            self.compiled, network, self.request, check_only, self.facts, learning,
            observer=self._observer(check_only),
        )  # fmt: skip
        return search.slices(deliver)

    def _learning(self) -> ClauseSearch:
        """Return a search that learns clauses, which is asked for by its name.

        Raises
        ------
        UnsupportedConstraint
            If the model is too large for it.
        """
        search = self._clause_search(self.request)
        if isinstance(search, str):
            raise UnsupportedConstraint(
                f"backtracking:learning: {search}; backtracking:forward takes every model"
            )
        return search

    def _clause_search(self, request: Request, proved: Proved = ()) -> ClauseSearch | str:
        """Return a search that learns clauses, or why the model is not for it."""
        from cpqueens.backends.backtracking.clause_search import clause_search

        if self.compiled.precedence:  # what is learned holds of one order of values, not of the model
            request = replace(request, learned=None)
        return clause_search(self.compiled, request, self.facts, proved)

    def _alternating(self, deliver: Deliver) -> Slices:
        """Return searches in several orders, of which the first is alone for a while."""
        own, known = self.request.parameters, self.request.known
        first = known is None or known.clauses is None  # else there are clauses to begin with
        seldom = first and self.request.want is Want.BEST
        in_phases = bool(own.get("phases"))
        as_written: dict[str, Any] = {name: [] for name in ("phases", "restarts") if own.get(name)}
        searching = self

        def breaks() -> bool:
            """Ask for one order of interchangeable values from now on; say whether there are any."""
            nonlocal searching
            searching = self._with_one_order()
            return searching is not self

        def ordered(**orders: Any) -> Callable[[Request, Relaxation], ForwardSearch]:
            def make(request: Request, relaxation: Relaxation) -> ForwardSearch:
                request = replace(request, parameters={**own, **orders}) if orders else request
                # one network for all: to build it is dear
                network = searching._network(learning=True, proved=relaxation.proved)
                return ForwardSearch(
                    searching.compiled, network, request, False, self.facts, Branching.of(request).learns
                )

            return make

        def remembering(request: Request, relaxation: Relaxation) -> ForwardSearch:
            network = searching._network(remembering=True, proved=relaxation.proved)
            request = replace(request, parameters={**own, **as_written})
            return RememberingSearch(searching.compiled, network, request, self.facts)

        def learning(request: Request, relaxation: Relaxation) -> ClauseSearch | str:
            return searching._clause_search(request, relaxation.proved)

        def bounding(request: Request, relaxation: Relaxation) -> BranchAndBound | str:
            from cpqueens.backends.backtracking.branch_and_bound import BranchAndBound

            if relaxation.row is None:
                return "its relaxation bounds the objective no better than the ends of variables"
            network = searching._network(learning=True, proved=relaxation.proved)
            return BranchAndBound(searching.compiled, request, network, relaxation, self.facts)

        members = [
            Member("restarts", ordered(**(as_written if in_phases else {}))),
            Member("clause learning", learning, SELDOM if seldom else 1),
            Member("a search that remembers subproblems", remembering),
            *([Member("branch and bound", bounding)] if self.request.want is Want.BEST else []),
            Member("smallest domains", ordered(**as_written, variable_order="smallest-domain"), RARELY),
        ]
        if in_phases:
            restarts, learner, *others = members
            members = [Member("the order that the model names", ordered()), learner, restarts, *others]
        return Alternating(members, self.request, self._relaxation, self._parted, breaks).slices(deliver)

    def _with_one_order(self) -> Searching:
        """Return searches of one order of interchangeable values, where any solution will do."""
        request = self.request
        few = request.want is Want.BEST or not request.look_ahead
        if not few or request.hint is not None or request.first is not None or request.profiling is not None:
            return self
        compiled = with_one_order(self.compiled)
        return self if compiled is None else replace(self, compiled=compiled, networks={})

    def _relaxation(self) -> Relaxation | None:
        """Return what the linear relaxation proves of the model."""

        if not self._looks_for("relaxation"):
            return None
        model = None if self.apart else self.model
        return relaxation_of(model, self.compiled, lambda: self._network(learning=True), self.request)

    def _two_orders(self) -> TwoOrders:
        """Return a search for all solutions in the order as written, and in a dynamic one."""

        def make(request: Request, order: str) -> ForwardSearch:
            request = replace(request, parameters={**request.parameters, "variable_order": order})
            learning = Branching.of(request).learns
            network = self._network(learning=learning)
            return ForwardSearch(self.compiled, network, request, False, self.facts, learning)

        ends = self.compiled.lower, self.compiled.upper
        low, high = (side[: self.compiled.decision_count] for side in ends)
        order = "dom/wdeg" if len(low) and (high - low).max() <= 1 else "smallest-domain"
        return TwoOrders(make, self.request, order)

    def _parted(self) -> Parted | None:
        """Return searches of the model's independent parts, if it has several and that is not one of them."""
        request = self.request
        if (
            self.apart
            or not self._looks_for("parts")
            or request.profiling is not None
            or request.objective_limit is not None
            or (request.want is Want.ONE and request.look_ahead)
        ):
            return None
        *_, parts = self._parts(learning=True)
        if len(parts.searched) < 2:
            return None

        def begin(compiled: Compiled, own: Request, deliver: Deliver) -> Slices:
            part = replace(self, compiled=compiled, request=own, networks={}, apart=True)
            return part._alternating(deliver)

        return Parted(parts, begin, request)

    def _observer(self, check_only: bool) -> TreeObserver | None:
        """Return what shows a search to a recorder, where it is to be recorded."""
        recorder = self.request.recorder(self.model)
        return None if recorder is None else TreeObserver(recorder, self.compiled.decision_count, check_only)

    def _count_in_parts(self, strategies: tuple[str, ...]) -> Ended:
        """Count in threads, or with an estimate, by one strategy in one order: some turns decide which."""
        (strategy, *others) = strategies
        alone = replace(self, request=replace(self.request, workers=1, on_progress=None))
        if others:
            turns = alone._turns(strategies, lambda _batch: True)
            ended = turns.probe(_ROUNDS)
            if ended is not None:
                return ended
            strategy = turns.leader() or "forward"
        if not self._is_general(strategy):
            return patterned.count_in_parts(self._board(), strategy, self.request, self.facts)
        request, facts = self.request, self.facts
        if not others and Branching.of(request).in_any_order:
            orders = alone._two_orders()
            ended = orders.probe()
            if ended is not None:
                return ended
            order = {"variable_order": orders.better}
            request, facts = replace(request, parameters={**request.parameters, **order}), facts | order
        return count_shared(self.compiled, self._network()[0], request, facts)
